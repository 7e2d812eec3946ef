#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How much is lost when a motion becomes helper joints or morph targets, as the tables of docs/measurements/helpers.md.

usage: bake-errors.py SUPPLE NAME=CHARACTER.glb:CLIP:EXAMPLE.pc2...

For 4, 8, 16 and 32 of each: the root mean square distance between the baked file as our player shows it and the example,
in millimetres and in percent of the character's height; what the file grows by; and the bytes of keys per second.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np

COUNTS = (4, 8, 16, 32)
COMPONENTS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}


def frames(path):
    with open(path, "rb") as file:
        head = file.read(32)
        points, count = struct.unpack("<i", head[16:20])[0], struct.unpack("<i", head[28:32])[0]
        return np.frombuffer(file.read(12 * count * points), "<f4").reshape(count, points, 3).astype(float)


def document(path):
    with open(path, "rb") as file:
        data = file.read()
    return json.loads(data[20:20 + struct.unpack("<I", data[12:16])[0]])


def key_bytes(made, clip, kind):
    """Bytes of the samplers that baking added to a clip; times that samplers share count once."""
    animation = next(a for a in made["animations"] if a.get("name", "") == clip)
    accessors = set()
    for channel in animation["channels"]:
        target = channel["target"]
        name = made["nodes"][target["node"]].get("name", "")
        if (kind == "helpers" and name.startswith("helper_")) or (kind == "morphs" and target["path"] == "weights"):
            sampler = animation["samplers"][channel["sampler"]]
            accessors |= {sampler["input"], sampler["output"]}
    sizes = (made["accessors"][a] for a in accessors)
    return sum(4 * a["count"] * COMPONENTS[a["type"]] for a in sizes)


def measure(supple, character, clip, example, kind, count, folder):
    out, cache = os.path.join(folder, "out.glb"), os.path.join(folder, "out.pc2")
    began = time.time()
    subprocess.run([supple, "build", "helpers", character, "--replay", "--as", kind, "--bones", str(count), "--targets",
                    str(count), "--example", example, "--clip", clip, "-o", out, "--quiet"], check=True)
    seconds = time.time() - began
    subprocess.run([supple, "play", out, "--clip", clip, "-o", cache, "--quiet"], check=True)
    goal, made = frames(example), frames(cache)
    off = np.sqrt(((made - goal) ** 2).sum(2).mean())
    height = np.ptp(goal[0], axis=0)[1]
    keys = key_bytes(document(out), clip, kind)
    return {"off": off, "height": height, "bytes": os.path.getsize(out) - os.path.getsize(character), "keys": keys,
            "rate": keys / (len(goal) / 60), "seconds": seconds}


def main():
    supple = os.path.abspath(sys.argv[1])
    print("| character, clip | as | 4 | 8 | 16 | 32 | keys with 16 | file grows by |\n|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for what in sys.argv[2:]:
            name, rest = what.split("=")
            character, clip, example = rest.split(":")
            for kind in ("helpers", "morphs"):
                rows = {n: measure(supple, character, clip, example, kind, n, folder) for n in COUNTS}
                cells = [f"{1e3 * r['off']:.2f} mm ({100 * r['off'] / r['height']:.2f} %)" for r in rows.values()]
                kept = rows[16]
                print(f"| {name}, {clip} | {kind} | {' | '.join(cells)} | {kept['rate'] / 1024:.1f} KB/s |"
                      f" {kept['bytes'] / 1024:.0f} KB |", flush=True)
                print("  " + ", ".join(f"{n}: {r['seconds']:.1f} s" for n, r in rows.items()), file=sys.stderr)


if __name__ == "__main__":
    main()
