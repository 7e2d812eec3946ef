#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds joints of a .glb in the rest pose, in all of its clips.

mend-clips.py IN.glb OUT.glb JOINT...

For clips that were carried over from another skeleton and turn a joint about that should hardly
move: where both clavicles are turned by 140 degrees, the left arm grows out of the right shoulder.
The tracks stay in the file, as constants.
"""
import json
import struct
import sys

import numpy as np


def main():
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    data = open(sys.argv[1], "rb").read()
    length = struct.unpack_from("<I", data, 12)[0]
    document = json.loads(data[20:20 + length])
    binary = bytearray(data[20 + length:])
    names = [node.get("name") for node in document["nodes"]]
    for name in sys.argv[3:]:
        if name not in names:
            raise SystemExit(f"{sys.argv[1]}: no joint is called {name}")
    for animation in document["animations"]:
        for channel in animation["channels"]:
            target = channel["target"]
            if names[target["node"]] not in sys.argv[3:] or target["path"] != "rotation":
                continue
            accessor = document["accessors"][animation["samplers"][channel["sampler"]]["output"]]
            view = document["bufferViews"][accessor["bufferView"]]
            if accessor["componentType"] != 5126 or "sparse" in accessor or "byteStride" in view:
                raise SystemExit("only rotations stored as plain floats are understood")
            start = 8 + view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
            keys = np.frombuffer(binary, "<f4", 4 * accessor["count"], start).reshape(-1, 4)
            keys[:] = document["nodes"][target["node"]].get("rotation", [0, 0, 0, 1])
    with open(sys.argv[2], "wb") as out:
        out.write(data[:20 + length] + binary)


if __name__ == "__main__":
    main()
