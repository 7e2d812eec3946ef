#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A model survives a tool that reorders the mesh: check_rebind.py SUPPLE"""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

SUPPLE = os.path.abspath(sys.argv[1])
SIZES = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def supple(*words, status=0, says=""):
    done = subprocess.run([SUPPLE, *words], capture_output=True, text=True, timeout=100, check=False)
    if done.returncode != status or says not in done.stderr + done.stdout:
        sys.exit(f"FAILED: {' '.join(words)}: exit {done.returncode}: {done.stderr}{done.stdout}")
    return done.stdout


def shuffle_vertices(source, target):
    """Numbers the vertices of every primitive anew, as an optimiser would; the new number of each."""
    data = open(source, "rb").read()
    length = struct.unpack_from("<I", data, 12)[0]
    document, binary = json.loads(data[20:20 + length]), bytearray(data[28 + length:])
    rng = random.Random(1)

    def place(index):
        accessor = document["accessors"][index]
        view = document["bufferViews"][accessor["bufferView"]]
        size = SIZES[accessor["componentType"]] * WIDTHS[accessor["type"]]
        assert view.get("byteStride", size) == size
        return view.get("byteOffset", 0) + accessor.get("byteOffset", 0), size, accessor["count"]

    done, numbers = set(), []
    for mesh in document["meshes"]:
        for primitive in mesh["primitives"]:
            count = document["accessors"][primitive["attributes"]["POSITION"]]["count"]
            order = list(range(count))
            rng.shuffle(order)
            first = len(numbers)
            numbers += [first + new for new in order]
            for index in primitive["attributes"].values():
                assert index not in done
                done.add(index)
                at, size, _ = place(index)
                old = bytes(binary[at:at + size * count])
                for v, new in enumerate(order):
                    binary[at + size * new:at + size * new + size] = old[size * v:size * v + size]
            at, size, corners = place(primitive["indices"])
            kind = {2: "H", 4: "I", 1: "B"}[size]
            faces = struct.unpack_from(f"<{corners}{kind}", binary, at)
            struct.pack_into(f"<{corners}{kind}", binary, at, *(order[v] for v in faces))
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    with open(target, "wb") as file:
        file.write(struct.pack("<4sIII4s", b"glTF", 2, 28 + len(text) + len(binary), len(text),
                               b"JSON") + text)
        file.write(struct.pack("<I4s", len(binary), b"BIN\0") + binary)
    return numbers


def read_frames(path):
    data = open(path, "rb").read()
    points, frames = struct.unpack_from("<i", data, 16)[0], struct.unpack_from("<i", data, 28)[0]
    return [list(struct.iter_unpack("<3f", data[32 + 12 * points * i:32 + 12 * points * (i + 1)]))
            for i in range(frames)]


def check(model, *music):
    """What a model plays before and after another tool reordered its mesh: the largest difference."""
    numbers = shuffle_vertices(model, "shuffled.glb")
    supple("info", "shuffled.glb", says="--rebind")
    play = ("--clip", "bend", "--fps", "20", "--order", "file", *music)
    supple("play", "shuffled.glb", *play, "-o", "x.pc2", status=1, says="--rebind")
    supple("convert", "shuffled.glb", "-o", "bound.glb", "--rebind")
    out = supple("info", "bound.glb")
    assert "--rebind" not in out, out
    supple("play", model, *play, "-o", "before.pc2")
    supple("play", "bound.glb", *play, "-o", "after.pc2")
    before, after = read_frames("before.pc2"), read_frames("after.pc2")
    worst = 0
    for old, new in zip(before, after):
        for v, n in enumerate(numbers):
            worst = max(worst, max(abs(a - b) for a, b in zip(old[v], new[n])))
    assert len(before) == len(after) == 61 and worst < 1e-5, worst
    return worst


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    supple("make", "tube", "--vertices", "500", "-o", "tube.glb")
    supple("convert", "tube.glb", "-o", "x.glb", "--rebind", status=1, says="no models")
    supple("build", "surface", "tube.glb", "-o", "model.glb")
    worst = check("model.glb")
    supple("simulate", "clench", "tube.glb", "--at", "rest", "--at", "bend:1", "--tets", "300", "-o", "pairs.pc2")
    supple("build", "popping", "tube.glb", "--example", "pairs.pc2", "--at", "rest", "--at", "bend:1", "-o", "muscles.glb")
    worst = max(worst, check("muscles.glb", "--beat", "90"))
    os.chdir("/")
print(f"a reordered mesh keeps its model, within {worst:.1e} m")
