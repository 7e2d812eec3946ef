#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stored set-ups of curves: check_rigspace_setup.py SUPPLE

Curves with a stored set-up are those without, byte for byte; what its weights and volume are is computed again here; one of
another character, a damaged one and one that other options contradict are refused, and nothing is written."""
import json
import os
import pathlib
import struct
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from glb import Document  # noqa: E402
from tool import run  # noqa: E402

QUICK = ("--as", "curves", "--clip", "lateral", "--fps", "20", "--step", "0.05")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def play(output, *more, source="tube.glb", good=True):
    return run("play", source, *QUICK, "-o", output, *more, good=good)


def sections(block):
    """The sections of a block, from the description of the format."""
    count = struct.unpack_from("<I", block, 68)[0]
    out = {}
    for k in range(count):
        name, item, items, offset, _ = struct.unpack_from("<4sIQQQ", block, 128 + 32 * k)
        out[name.decode()] = (offset, block[offset:offset + item * items])
    return out


def check_same():
    """The same bytes with and without, for the rig that is chosen, one from a file, and nodes inside in balance."""
    run("build", "rigspace", "tube.glb", "--clip", "lateral", "--tets", "300", "-o", "a.supple", "--save-rig", "a.rig.json")
    play("plain.json", "--tets", "300")
    play("stored.json", "--setup", "a.supple")
    assert read("plain.json") == read("stored.json")
    play("plain.glb", "--tets", "300", "--inside", "balance")
    play("stored.glb", "--setup", "a.supple", "--inside", "balance")
    assert read("plain.glb") == read("stored.glb")
    run("build", "rigspace", "tube.glb", "--clip", "lateral", "--tets", "300", "--rig", "a.rig.json", "--flesh", "firm",
        "-o", "b.supple")
    play("plain.json", "--tets", "300", "--rig", "a.rig.json", "--flesh", "firm")
    play("again.json", "--setup", "b.supple")
    assert read("plain.json") == read("again.json") != read("stored.json")
    run("build", "rigspace", "tube.glb", "--clip", "lateral", "--tets", "300", "-o", "c.supple")
    assert read("a.supple") == read("c.supple")
    play("locked.csv", "--setup", "a.supple", "--lock", "lower_flesh")
    with open("locked.csv", encoding="utf-8") as file:
        assert "lower_flesh." not in file.readline()
    told = run("info", "a.supple")
    assert "a set-up for" in told and "rigspace, version 1" in told, told
    return read("a.supple")


def check_contents(block):
    """What is stored is a volume whose surface lies on the skin, and weights that have every node inside at its place."""
    s = {name: data for name, (_, data) in sections(block).items()}
    body = np.frombuffer(s["REST"], "<f4").reshape(-1, 3).astype(float)
    nodes = np.frombuffer(s["NODE"], "<f8").reshape(-1, 3)
    tets = np.frombuffer(s["TETS"], "<u4").reshape(-1, 4)
    surface, scale = struct.unpack_from("<Q", s["NUMS"], 16)[0], struct.unpack_from("<d", s["NUMS"], 48)[0]
    skin = np.frombuffer(s["SKIN"], "<u4")
    corners = np.frombuffer(s["CORN"], "<u4").reshape(-1, 3)
    weights = np.frombuffer(s["CWGT"], "<f8").reshape(-1, 3)
    driven = np.einsum("nc,ncx->nx", weights, body[skin[corners]])
    size = np.linalg.norm(np.ptp(body, axis=0))
    off = np.abs(driven - nodes[:surface]).max() / size
    edges = nodes[tets[:, 1:]] - nodes[tets[:, :1]]
    assert scale == 1 and off < 1e-6 and np.linalg.det(edges).min() > 0, (scale, off)
    first, inside = np.frombuffer(s["IOFF"], "<u4"), np.frombuffer(s["IWGT"], "<f8")
    found = np.add.reduceat(inside[:, None] * nodes[np.frombuffer(s["INOD"], "<u4")], first[:-1].astype(int))
    far = np.abs(found - nodes[surface:]).max() / size
    print(f"set-up: {len(tets)} tetrahedra, {surface} nodes on the skin within {off:.1e} of it, {len(first) - 1} inside "
          f"within {far:.1e} of their weighted sums")
    assert len(first) - 1 == len(nodes) - surface and far < 1e-9
    assert json.loads(s["RIGJ"]) == json.loads(read("a.rig.json"))


def check_refusals(block):
    """Another character, another file, damage, options of the set-up: a sentence, and nothing is written."""
    run("make", "tube", "--vertices", "600", "-o", "fine.glb")
    run("make", "leg", "--vertices", "500", "-o", "leg.glb")
    document = Document("tube.glb")
    text = json.dumps(document.json).replace('"upper"', '"uppre"')
    rest = read("tube.glb")[20 + struct.unpack_from("<I", read("tube.glb"), 12)[0]:]
    text = text.encode() + b" " * (-len(text) % 4)
    with open("renamed.glb", "wb") as file:
        file.write(struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A) + text + rest)
    damaged = bytearray(block)
    damaged[len(damaged) // 2] ^= 1
    with open("damaged.supple", "wb") as file:
        file.write(damaged)
    with open("short.supple", "wb") as file:
        file.write(block[:len(block) // 2])
    run("build", "surface", "tube.glb", "-o", "surface.supple")
    stored = ("--setup", "a.supple")
    cases = [("fine.glb", stored, "another mesh"), ("renamed.glb", stored, "another skeleton, skin or morph targets"),
             ("tube.glb", ("--setup", "surface.supple"), "no set-up"),
             ("tube.glb", ("--setup", "damaged.supple"), "checksum is wrong"),
             ("tube.glb", ("--setup", "short.supple"), "truncated"),
             ("tube.glb", ("--setup", "a.rig.json"), "a.rig.json"),
             ("tube.glb", ("--setup", "missing.supple"), "missing.supple"),
             ("tube.glb", (*stored, "--tets", "500"), "--tets belongs to `supple build rigspace`"),
             ("tube.glb", (*stored, "--rig", "a.rig.json"), "--rig belongs to"),
             ("tube.glb", (*stored, "--rig-command", "true"), "has a rig of its own")]
    for source, words, says in cases:
        told = play("none.json", *words, source=source, good=False)
        assert says in told and told.count("\n") == 1, (words, told)
    told = run("play", "tube.glb", *stored, "-o", "none.pc2", good=False)
    assert "--setup belongs to --as curves" in told, told
    for words, says in ((("-o", "none.glb"), "a file of its own"), (("-o", "none.supple", "--fresh"), "no effect on a set-up"),
                        (("-o", "none.supple", "--lock", "*"), "no free parameter")):
        told = run("build", "rigspace", "tube.glb", *words, good=False)
        assert says in told, told
    assert not [f for f in os.listdir(".") if f.startswith("none")]


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run("make", "tube", "--vertices", "500", "-o", "tube.glb")
        block = check_same()
        check_contents(block)
        check_refusals(block)
        os.chdir("/")
    print("stored set-ups give the same curves")


main()
