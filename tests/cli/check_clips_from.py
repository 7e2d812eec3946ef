#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--clips-from where names say nothing: check_clips_from.py SUPPLE

Joints without names, or that share one: equal skeletons follow joint by joint, others are refused, and no joint follows
whichever of its namesakes comes first."""
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from glb import write_glb  # noqa: E402

SUPPLE = os.path.abspath(sys.argv[1])


def play(target, source):
    """What comes out of the source's clip on the target: the cache's bytes, or the sentence that refuses it."""
    more = ["--clips-from", source] if source else []
    done = subprocess.run([SUPPLE, "play", target, "--plain", *more, "--fps", "4", "-o", "out.pc2"], capture_output=True,
                          timeout=60, check=False)
    if done.returncode:
        return done.stderr.decode()
    return pathlib.Path("out.pc2").read_bytes()


def chain(path, names, step):
    """A chain of joints, a triangle on each; its clip turns the last joint but one."""
    count = len(names)
    corners = np.array([[0, 0.1, 0], [0.2, 0, 0], [0, 0, 0.3]], "<f4")
    heights = step * np.arange(count, dtype="<f4")
    places = (corners[None] + np.stack([0 * heights, heights, 0 * heights], 1)[:, None]).reshape(-1, 3).astype("<f4")
    bones = np.zeros((3 * count, 4), "<u2")
    bones[:, 0] = np.repeat(np.arange(count), 3)
    binds = np.tile(np.eye(4, dtype="<f4"), (count, 1, 1))
    binds[:, 3, 1] = -heights
    half = np.sqrt(0.5)
    parts = [(places, 5126, "VEC3"), (bones, 5123, "VEC4"), (np.tile([1, 0, 0, 0], (3 * count, 1)).astype("<f4"), 5126, "VEC4"),
             (binds.reshape(count, 16), 5126, "MAT4"), (np.array([0, 1], "<f4"), 5126, "SCALAR"),
             (np.array([[0, 0, 0, 1], [0, 0, half, half]], "<f4"), 5126, "VEC4")]
    views, accessors, binary = [], [], b""
    for values, kind, shape in parts:
        views.append({"buffer": 0, "byteOffset": len(binary), "byteLength": values.nbytes})
        rows = values.reshape(len(values), -1)
        accessors.append({"bufferView": len(views) - 1, "componentType": kind, "type": shape, "count": len(values),
                          "min": rows.min(0).tolist(), "max": rows.max(0).tolist()})
        binary += values.tobytes()
    nodes = [{"translation": [0, step if j else 0, 0], "children": [j + 1]} for j in range(count)]
    del nodes[-1]["children"]
    for node, name in zip(nodes, names):
        node["name"] = name
    write_glb(path, {
        "asset": {"version": "2.0"}, "buffers": [{"byteLength": len(binary)}], "bufferViews": views,
        "accessors": accessors, "nodes": nodes + [{"mesh": 0, "skin": 0}], "scenes": [{"nodes": [0, count]}], "scene": 0,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}}]}],
        "skins": [{"joints": list(range(count)), "inverseBindMatrices": 3}],
        "animations": [{"name": "turn", "samplers": [{"input": 4, "output": 5}],
                        "channels": [{"sampler": 0, "target": {"node": count - 2, "path": "rotation"}}]}]}, binary)


def main():
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        chain("named.glb", ["a", "b", "c"], 1)
        for name in ("bone", ""):
            chain("same.glb", [name] * 3, 1)
            chain("more.glb", [name] * 4, 1)
            own = play("same.glb", None)
            assert own == play("named.glb", None) and isinstance(own, bytes), own
            assert play("same.glb", "same.glb") == own, f"'{name}': the joints follow others than themselves"
            for target, source in (("same.glb", "more.glb"), ("more.glb", "same.glb"), ("named.glb", "same.glb")):
                said = play(target, source)
                assert isinstance(said, str) and "do not map" in said, (name, target, said)


main()
