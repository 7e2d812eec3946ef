#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A model survives a tool that reorders the mesh: check_rebind.py SUPPLE"""
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from glb import Document, write_glb  # noqa: E402
from tool import SUPPLE, frames  # noqa: E402


def supple(*words, status=0, says=""):
    done = subprocess.run([SUPPLE, *words], capture_output=True, text=True, timeout=100, check=False)
    if done.returncode != status or says not in done.stderr + done.stdout:
        sys.exit(f"FAILED: {' '.join(words)}: exit {done.returncode}: {done.stderr}{done.stdout}")
    return done.stdout


def shuffle_vertices(source, target):
    """Numbers the vertices of every primitive anew, as an optimiser would; the new number of each."""
    document = Document(source)
    binary, rng = bytearray(document.bytes), np.random.default_rng(1)

    def put(index, rows):
        at, step = document.place(index)
        assert step == rows[0].nbytes
        binary[at:at + rows.nbytes] = rows.tobytes()

    done, numbers = set(), []
    for mesh in document.json["meshes"]:
        for primitive in mesh["primitives"]:
            order = rng.permutation(document.json["accessors"][primitive["attributes"]["POSITION"]]["count"])
            numbers.append(order + sum(map(len, numbers)))
            for index in primitive["attributes"].values():
                assert index not in done
                done.add(index)
                put(index, document.accessor(index)[np.argsort(order)])
            faces = document.accessor(primitive["indices"])
            put(primitive["indices"], order[faces].astype(faces.dtype))
    write_glb(target, document.json, binary)
    return np.concatenate(numbers)


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
    before, after = frames("before.pc2"), frames("after.pc2")
    worst = np.abs(after[:, numbers] - before).max()
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
