#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A model survives a tool that reorders or quantises the mesh: check_rebind.py SUPPLE"""
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


class Appended(Document):
    """A document whose accessors can be replaced by others of another type."""

    def put(self, index, rows, normalised):
        self.bytes = self.bytes + b"\0" * (-len(self.bytes) % 4)
        types = {np.dtype("<i2"): 5122, np.dtype("<u2"): 5123, np.dtype("<f4"): 5126}
        item = (rows[0].nbytes + 3) // 4 * 4
        padded = np.zeros((len(rows), item), np.uint8)
        padded[:, :rows[0].nbytes] = rows.view(np.uint8).reshape(len(rows), -1)
        view = {"buffer": 0, "byteOffset": len(self.bytes), "byteLength": padded.nbytes}
        if item != rows[0].nbytes or rows.shape[1] == 3:
            view["byteStride"] = item
        accessor = self.json["accessors"][index]
        accessor.update(componentType=types[rows.dtype], bufferView=len(self.json["bufferViews"]), byteOffset=0)
        for limit in ("min", "max"):
            if limit in accessor:
                accessor[limit] = [int(x) for x in getattr(rows, limit)(axis=0)] if normalised else accessor[limit]
        if normalised:
            accessor["normalized"] = True
        self.json["bufferViews"].append(view)
        self.bytes += padded.tobytes()
        self.json["buffers"][0]["byteLength"] = len(self.bytes)


def steps(values, bits, kind):
    """Normalised integers as gltf-transform stores them: so many bits, the highest repeated in the lowest."""
    held, stored = bits - (kind == "<i2"), 16 - (kind == "<i2")
    whole = np.round(np.abs(np.clip(values, -1, 1)) * (2 ** held - 1)).astype(np.int64)
    whole = whole << (stored - held) | whole >> (2 * held - stored)
    return (whole * np.sign(values)).astype(kind)


def quantise(source, target, turn=None):
    """What `gltf-transform quantize` does to rest positions and to maps: positions in [-1, 1], 14 bits, with the
    inverse bind matrices put right, and maps whose values allow it to 12 bits. `turn` is applied to the positions
    besides, as a tool with other axes would."""
    document = Appended(source)
    assert len(document.json["meshes"]) == 1
    primitives = document.json["meshes"][0]["primitives"]
    places = {primitive["attributes"]["POSITION"] for primitive in primitives}
    every = np.concatenate([document.accessor(index) for index in places])
    low, high = every.min(axis=0), every.max(axis=0)
    size, centre = (high - low).max() / 2, (low + high) / 2
    turn = np.eye(3) if turn is None else np.asarray(turn, float)
    for index in places:
        document.put(index, steps((document.accessor(index) - centre) / size @ turn, 14, "<i2"), True)
    for index in {i for p in primitives for name, i in p["attributes"].items() if name.startswith("_")}:
        values = document.accessor(index)
        if document.json["accessors"][index]["componentType"] == 5126 and 0 <= values.min() and values.max() <= 1:
            document.put(index, steps(values, 12, "<u2"), True)
    back = np.eye(4)
    back[:3, :3], back[:3, 3] = size * turn, centre
    for index in {skin["inverseBindMatrices"] for skin in document.json["skins"]}:
        matrices = document.accessor(index).reshape(-1, 4, 4).transpose(0, 2, 1).astype(float)
        document.put(index, (matrices @ back).transpose(0, 2, 1).reshape(-1, 16).astype("<f4"), False)
    for field in ("extensionsUsed", "extensionsRequired"):
        document.json.setdefault(field, []).append("KHR_mesh_quantization")
    write_glb(target, document.json, document.bytes)


def check_quantised(model, *music, clip="bend", shuffled=False):
    """What a model plays before and after its mesh was quantised: the largest difference, and that to plain
    skinning for comparison."""
    play = ("--clip", clip, "--fps", "20", "--order", "file", *music)
    supple("play", model, *play, "-o", "before.pc2")
    supple("play", model, *play[:6], "--plain", "-o", "plain.pc2")
    numbers = shuffle_vertices(model, "shuffled.glb") if shuffled else slice(None)
    quantise("shuffled.glb" if shuffled else model, "quantised.glb")
    supple("play", "quantised.glb", *play, "-o", "x.pc2", status=1, says="--rebind")
    supple("convert", "quantised.glb", "-o", "bound.glb", "--rebind", says="from where the model has them")
    out = supple("play", "bound.glb", *play, "-o", "after.pc2")
    assert "edited" not in out, out  # rounding is not painting
    before, after, plain = frames("before.pc2"), frames("after.pc2"), frames("plain.pc2")
    worst, shown = np.abs(after[:, numbers] - before).max(), np.abs(before - plain).max()
    print(f"{model}, quantised{' and shuffled' if shuffled else ''}: within {worst:.1e} m of {shown:.1e} m")
    assert shown > 1e-3 and worst < 1e-4 + 0.01 * shown, (worst, shown)


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


def check_units():
    """Lengths that people paint are metres, whatever the units of the file's positions are."""
    supple("paint", "model.glb", "max_distance", "--set", "0.004", "-o", "near.glb")
    quantise("tube.glb", "small.glb")
    supple("build", "surface", "small.glb", "-o", "flesh.glb")
    supple("paint", "flesh.glb", "max_distance", "--set", "0.004", "-o", "near_small.glb")
    far = []
    for name in ("near", "near_small"):
        supple("play", f"{name}.glb", "--clip", "bend", "--fps", "20", "-o", "flesh.pc2")
        supple("play", f"{name}.glb", "--clip", "bend", "--fps", "20", "--plain", "-o", "plain.pc2")
        far.append(np.linalg.norm(frames("flesh.pc2") - frames("plain.pc2"), axis=2).max())
    assert 0.0039 < far[0] < 0.0041 and 0.0039 < far[1] < 0.0041, far


def check_limit():
    """A mesh that is another shape is refused; one that was edited a little says how far it is off."""
    turn = [[0, 1, 0], [-1, 0, 0], [0, 0, 1]]
    quantise("model.glb", "turned.glb", turn)
    supple("play", "turned.glb", "--clip", "bend", "--rebind", "-o", "x.pc2", status=1, says="5 %")
    document = Appended("model.glb")
    for index in {p["attributes"]["POSITION"] for p in document.json["meshes"][0]["primitives"]}:
        rows = document.accessor(index)
        rows[:, 0] += np.float32(0.01) * np.sin(5 * rows[:, 1])
        document.put(index, rows, False)
    write_glb("edited.glb", document.json, document.bytes)
    supple("play", "edited.glb", "--clip", "bend", "--rebind", "-o", "x.pc2", says="up to 1 cm from where the model has them")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    supple("make", "tube", "--vertices", "500", "-o", "tube.glb")
    supple("convert", "tube.glb", "-o", "x.glb", "--rebind", status=1, says="no models")
    supple("build", "surface", "tube.glb", "-o", "model.glb")
    worst = check("model.glb")
    supple("simulate", "clench", "tube.glb", "--at", "rest", "--at", "bend:1", "--tets", "300", "-o", "pairs.pc2")
    supple("build", "popping", "tube.glb", "--example", "pairs.pc2", "--at", "rest", "--at", "bend:1", "-o", "muscles.glb")
    worst = max(worst, check("muscles.glb", "--beat", "90"))
    check_quantised("model.glb")
    check_quantised("model.glb", shuffled=True)
    check_quantised("muscles.glb", "--beat", "90")
    supple("build", "modes", "tube.glb", "--tets", "300", "--modes", "6", "--warp", "-o", "modes.glb")
    check_quantised("modes.glb")
    supple("simulate", "tube.glb", "--poses", "20", "--tets", "300", "-o", "poses.pc2")
    supple("build", "correctives", "tube.glb", "--example", "poses.pc2", "--clip", "@poses", "-o", "shapes.glb")
    check_quantised("shapes.glb", shuffled=True)
    supple("simulate", "tube.glb", "--clip", "bend", "--fps", "30", "--tets", "300", "-o", "bend.pc2")
    supple("build", "helpers", "tube.glb", "--example", "bend.pc2", "--clip", "bend", "--bones", "2", "-o", "helped.glb")
    check_quantised("helped.glb")
    check_units()
    check_limit()
    os.chdir("/")
print(f"a reordered mesh keeps its model, within {worst:.1e} m")
