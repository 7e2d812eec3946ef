#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""PNGs of every colour type, depth and filter, packed by Python's zlib, read by ours: check_png.py PNG_DUMP"""
import os
import pathlib
import subprocess
import sys
import tempfile
import zlib

import numpy as np

DUMP = os.path.abspath(sys.argv[1])
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}


def chunk(name, data):
    return len(data).to_bytes(4, "big") + name + data + zlib.crc32(name + data).to_bytes(4, "big")


def predict(kind, left, up, corner):
    if kind < 3:
        return (0, left, up)[kind]
    if kind == 3:
        return (left + up) // 2
    p = left + up - corner
    return min((abs(p - left), 0, left), (abs(p - up), 1, up), (abs(p - corner), 2, corner))[2]


def filtered(rows, step, rng):
    """Every row with a filter drawn at random."""
    out, above = bytearray(), bytes(len(rows[0]))
    for row in rows:
        kind = int(rng.integers(5))
        out.append(kind)
        for k, byte in enumerate(row):
            left, corner = (row[k - step], above[k - step]) if k >= step else (0, 0)
            out.append((byte - predict(kind, left, above[k], corner)) % 256)
        above = row
    return bytes(out)


def case(rng, kind, depth, level, strategy, pieces):
    width, height = int(rng.integers(1, 40)), int(rng.integers(1, 25))
    n = CHANNELS[kind]
    values = rng.integers(0, 2 ** depth, (height, width, n))
    if rng.integers(2):  # even, so that there are long matches
        values[:, width // 3:] = values[0, 0]
    palette = rng.integers(0, 256, (256, 4))
    if depth == 16:
        rows = [row.astype(">u2").tobytes() for row in values]
    elif depth == 8:
        rows = [row.astype("u1").tobytes() for row in values]
    else:
        bits = ((values[:, :, 0, None] >> np.arange(depth - 1, -1, -1)) & 1).reshape(height, -1)
        rows = [row.tobytes() for row in np.packbits(bits.astype("u1"), axis=1)]
    packer = zlib.compressobj(level, zlib.DEFLATED, 15, 9, strategy)
    packed = packer.compress(filtered(rows, max(1, n * depth // 8), rng)) + packer.flush()
    head = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes((depth, kind, 0, 0, 0))
    file = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head)
    if kind == 3:
        file += chunk(b"PLTE", palette[:, :3].astype("u1").tobytes())
        file += chunk(b"tRNS", palette[:100, 3].astype("u1").tobytes())
        palette[100:, 3] = 255
    for part in np.array_split(np.frombuffer(packed, "u1"), pieces):
        file += chunk(b"IDAT", part.tobytes())
    pathlib.Path("in.png").write_bytes(file + chunk(b"tEXt", b"a\0b") + chunk(b"IEND", b""))
    eight = values >> 8 if depth == 16 else values if kind == 3 else values * 255 // (2 ** depth - 1)
    expected = np.full((height, width, 4), 255)
    if kind == 3:
        expected = palette[eight[:, :, 0]]
    else:
        expected[:, :, :3] = eight[:, :, :3] if n > 2 else eight[:, :, :1]
        if kind in (4, 6):
            expected[:, :, 3] = eight[:, :, -1]
    subprocess.run([DUMP, "in.png", "out"], check=True)
    data = pathlib.Path("out").read_bytes()
    assert tuple(np.frombuffer(data[:8], "<u4")) == (width, height)
    found = np.frombuffer(data[8:], "u1").reshape(height, width, 4)
    assert np.array_equal(found, expected), (kind, depth, level, strategy)


def bomb():
    """A header that promises far more than its data can hold is refused before it costs memory."""
    head = (8192).to_bytes(4, "big") * 2 + bytes((16, 6, 0, 0, 0))
    file = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")
    pathlib.Path("in.png").write_bytes(file)
    done = subprocess.run(["bash", "-c", f"ulimit -v 400000; exec {DUMP} in.png out"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "damaged" in done.stdout + done.stderr, (done.returncode, done.stdout + done.stderr)


def main():
    rng = np.random.default_rng(1)
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        if "asan" not in DUMP:  # whose shadow needs more address space
            bomb()
        for kind, depths in {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}.items():
            for depth in depths:
                for level, strategy in ((0, 0), (1, 0), (9, 0), (6, zlib.Z_FIXED), (6, zlib.Z_HUFFMAN_ONLY)):
                    case(rng, kind, depth, level, strategy, 1 + count % 3)
                    count += 1
    print(f"{count} PNGs read")


main()
