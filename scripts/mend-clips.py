#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Mends the clips of a .glb that were carried over from another skeleton.

mend-clips.py IN.glb OUT.glb [--still JOINT]... [--roll JOINT=DEGREES]... [--limb A,B,C,TIP=DEGREES]...

--still holds a joint in the rest pose: where both clavicles are turned by 140 degrees, the left arm
grows out of the right shoulder. --roll turns a joint about its y axis, the one that bones of such
skeletons lie along, and its children back: where forearms are wrung by half a turn. --limb does both for
a whole limb: its first joint is held, the bones below point where they pointed, turned by so many
degrees about the vertical (y) of the first joint's parent, and none of them rolls about itself; TIP is
only pointed at.
"""
import argparse
import json
import struct

import numpy as np


def multiply(a, b):
    x, y, z, w = np.moveaxis(np.asarray(a, float), -1, 0)
    p, q, r, s = np.moveaxis(np.asarray(b, float), -1, 0)
    return np.stack([w * p + x * s + y * r - z * q, w * q - x * r + y * s + z * p,
                     w * r + x * q - y * p + z * s, w * s - x * p - y * q - z * r], -1)


class Document:
    def __init__(self, path):
        self.data = open(path, "rb").read()
        self.length = struct.unpack_from("<I", self.data, 12)[0]
        self.json = json.loads(self.data[20:20 + self.length])
        self.binary = bytearray(self.data[20 + self.length + 8:])
        self.nodes = self.json["nodes"]
        self.names = [node.get("name") for node in self.nodes]

    def find(self, name):
        if name not in self.names:
            raise SystemExit(f"no joint is called {name}")
        return self.names.index(name)

    def rotations(self, node):
        """The keys of a joint's rotation in every clip, to be changed in place."""
        for animation in self.json["animations"]:
            for channel in animation["channels"]:
                if channel["target"]["node"] != node or channel["target"]["path"] != "rotation":
                    continue
                accessor = self.json["accessors"][animation["samplers"][channel["sampler"]]["output"]]
                view = self.json["bufferViews"][accessor["bufferView"]]
                if accessor["componentType"] != 5126 or "sparse" in accessor or "byteStride" in view:
                    raise SystemExit("only rotations stored as plain floats are understood")
                start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
                yield np.frombuffer(self.binary, "<f4", 4 * accessor["count"], start).reshape(-1, 4)

    def save(self, path):
        text = json.dumps(self.json, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        with open(path, "wb") as out:
            out.write(struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(self.binary)))
            out.write(struct.pack("<I4s", len(text), b"JSON") + text)
            out.write(struct.pack("<I4s", len(self.binary), b"BIN\0") + self.binary)


def turned(q, v):
    across = np.cross(q[..., :3], v)
    return v + 2 * (q[..., 3:] * across + np.cross(q[..., :3], across))


def least_turn(a, b):
    """The smallest rotation from direction a to direction b."""
    found = np.concatenate([np.cross(a, b), 1 + np.sum(a * b, -1, keepdims=True)], -1)
    return found / np.linalg.norm(found, axis=-1, keepdims=True)


def mend_limb(document, joints, degrees):
    half = np.radians(degrees) / 2
    about = np.array([0, np.sin(half), 0, np.cos(half)])
    inverse = np.array([-1, -1, -1, 1])
    for tracks in zip(*(document.rotations(joint) for joint in joints[:-1])):
        before = after = None  # rotations in the frame of the first joint's parent
        for k, keys in enumerate(tracks):
            before = keys.astype(float) if k == 0 else multiply(before, keys)
            if k == 0:
                rest = np.array(document.nodes[joints[0]].get("rotation", [0, 0, 0, 1]), float)
                after = np.tile(rest, (len(keys), 1))
                keys[:] = after
                continue
            along = np.array(document.nodes[joints[k + 1]]["translation"], float)
            along = np.tile(along / np.linalg.norm(along), (len(keys), 1))
            rest = multiply(after, document.nodes[joints[k]].get("rotation", [0, 0, 0, 1]))
            wanted = turned(np.tile(about, (len(keys), 1)), turned(before, along))
            now = multiply(least_turn(turned(rest, along), wanted), rest)
            local = multiply(after * inverse, now)
            keys[:] = local / np.linalg.norm(local, axis=-1, keepdims=True)
            after = now


def main():
    parse = argparse.ArgumentParser(usage=__doc__)
    parse.add_argument("input")
    parse.add_argument("output")
    for option in ("--still", "--roll", "--limb"):
        parse.add_argument(option, action="append", default=[])
    words = parse.parse_args()
    document = Document(words.input)
    for name in words.still:
        node = document.find(name)
        for keys in document.rotations(node):
            keys[:] = document.nodes[node].get("rotation", [0, 0, 0, 1])
    for text in words.roll:
        name, degrees = text.split("=")
        half = np.radians(float(degrees)) / 2
        node, turn = document.find(name), np.array([0, np.sin(half), 0, np.cos(half)])
        for keys in document.rotations(node):
            keys[:] = multiply(keys, turn)
        for child in document.nodes[node].get("children", []):
            for keys in document.rotations(child):
                keys[:] = multiply(turn * [-1, -1, -1, 1], keys)
    for text in words.limb:
        names, degrees = text.split("=")
        mend_limb(document, [document.find(name) for name in names.split(",")], float(degrees))
    document.save(words.output)


if __name__ == "__main__":
    main()
