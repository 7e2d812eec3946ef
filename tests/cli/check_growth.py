#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Small files with very many things of a kind take little time and memory, or are refused with a sentence:
check_growth.py SUPPLE"""
import os
import pathlib
import resource
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from glb import write_glb  # noqa: E402

SUPPLE = os.path.abspath(sys.argv[1])
SECONDS = 40  # of the processor: far beyond what any needs here, far below what time that grows as a square takes
MEGABYTES = 1500
failures = []


class Tube:
    """A tube of 12 rings on two bones, to be given more of something."""

    def __init__(self, joints=2):
        self.json = {"asset": {"version": "2.0"}, "bufferViews": [], "accessors": [], "scene": 0,
                     "scenes": [{"nodes": [0, joints + 1]}]}
        self.bytes = bytearray()
        angle, ring = np.meshgrid(np.arange(6) * np.pi / 3, np.arange(12))
        points = np.stack([np.cos(angle), ring * 0.5, np.sin(angle)], -1).reshape(-1, 3).astype("<f4")
        corners = [(6 * r + s, 6 * r + 6 + s, 6 * r + (s + 1) % 6) for r in range(11) for s in range(6)]
        bones = np.zeros((len(points), 4), "<u2")
        weights = np.zeros((len(points), 4), "<f4")
        bones[:, 0] = points[:, 1] > 3
        weights[:, 0] = 1
        self.count = len(points)
        self.part = {"attributes": {"POSITION": self.add(points, "VEC3"), "JOINTS_0": self.add(bones, "VEC4", 5123),
                                    "WEIGHTS_0": self.add(weights, "VEC4")},
                     "indices": self.add(np.array(corners, "<u4").ravel(), "SCALAR", 5125)}
        self.json["meshes"] = [{"primitives": [self.part]}]
        self.json["nodes"] = ([{"name": "root", "children": list(range(1, joints + 1))}] +
                              [{"name": f"j{k}"} for k in range(joints)] + [{"mesh": 0, "skin": 0}])
        self.json["skins"] = [{"joints": list(range(1, joints + 1))}]
        times = self.add(np.array([0, 1], "<f4"), "SCALAR")
        turns = self.add(np.array([[0, 0, 0, 1], [0.6, 0, 0, 0.8]], "<f4"), "VEC4")
        self.json["animations"] = [{"name": "c", "samplers": [{"input": times, "output": turns}],
                                    "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}]}]

    def add(self, rows, kind, component=5126):
        self.json["bufferViews"].append({"buffer": 0, "byteOffset": len(self.bytes), "byteLength": rows.nbytes})
        self.bytes += rows.tobytes()
        self.json["accessors"].append({"bufferView": len(self.json["bufferViews"]) - 1, "componentType": component,
                                       "type": kind, "count": len(rows)})
        return len(self.json["accessors"]) - 1

    def zeros(self, kind, count, component=5126):
        self.json["accessors"].append({"componentType": component, "type": kind, "count": count})
        return len(self.json["accessors"]) - 1

    def save(self):
        self.json["buffers"] = [{"byteLength": len(self.bytes)}]
        write_glb("in.glb", self.json, self.bytes)


def supple(*words, says=None):
    """Runs the tool within the limits: done, or refused with a sentence."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        for name, to in (("out", 1), ("err", 2)):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666), to)
        os.execv(SUPPLE, [SUPPLE, *words])
    _, status, usage = os.wait4(child, 0)
    text = " ".join((open("out", encoding="utf-8").read() + open("err", encoding="utf-8").read()).split())
    code = os.waitstatus_to_exitcode(status)
    told = code in (0, 1) and (says is None) == (code == 0 and "  ! " not in text) or says is not None and says.lower() in text.lower()
    if code not in (0, 1) or not told or usage.ru_maxrss > MEGABYTES * 1024:
        failures.append(words)
        print("FAILED:", words, "exit", code, usage.ru_maxrss // 1024, "MB,", text[:400])


def many_joints():
    """The segments of bones and their vertices were searched for once per joint."""
    Tube(250000).save()
    supple("build", "surface", "in.glb", "-o", "s.glb")
    supple("paint", "s.glb", "lock", "--set", "1", "--bone", "j0", "-o", "o.glb")


def accessors_without_data():
    tube = Tube()
    for _ in range(400):
        attributes = {"POSITION": tube.zeros("VEC3", 10**7), "JOINTS_0": tube.zeros("VEC4", 10**7, 5123),
                      "WEIGHTS_0": tube.zeros("VEC4", 10**7)}
        tube.json["meshes"].append({"primitives": [{"attributes": attributes}]})
        tube.json["nodes"].append({"mesh": len(tube.json["meshes"]) - 1, "skin": 0})
    tube.save()
    for words in (["info", "in.glb"], ["play", "in.glb", "--clip", "c", "-o", "o.pc2"]):
        supple(*words, says="more numbers than the file can hold")


def data_used_over_and_over():
    tube = Tube()
    rows = tube.add(np.ones((20000, 3), "<f4"), "VEC3")
    attributes = {"POSITION": rows, "JOINTS_0": tube.zeros("VEC4", 20000, 5123), "WEIGHTS_0": tube.zeros("VEC4", 20000)}
    tube.json["meshes"] = [{"primitives": [{"attributes": attributes}] * 5000}]
    tube.save()
    supple("info", "in.glb", says="more numbers than the file can hold")


def many_morph_targets():
    for count, target, says in ((100000, "shared", "100000 morph targets; a character has at most"),
                                (60000, "empty", None)):
        tube = Tube()
        offsets = tube.add(np.ones((tube.count, 3), "<f4"), "VEC3")
        tube.part["targets"] = [{"POSITION": offsets} if target == "shared" else {}] * count
        tube.save()
        supple("info", "in.glb", says=says)
        supple("play", "in.glb", "--clip", "c", "-o", "o.pc2", says=says)
    tube = Tube()  # each of many nodes has targets of its own: every part has room for all of them
    tube.part["targets"] = [{}] * 60
    for _ in range(1000):
        tube.json["nodes"].append({"mesh": 0, "skin": 0})
    tube.save()
    supple("info", "in.glb", says="more numbers than the file can hold")


def many_meshes_at_one_place():
    tube = Tube()
    for k in range(16000):
        tube.json["meshes"].append({"primitives": [tube.part]})
        tube.json["nodes"].append({"mesh": k + 1, "skin": 0})
    tube.save()
    supple("info", "in.glb", says="lie at the same place")


def many_maps():
    tube = Tube()
    values = tube.add(np.ones(tube.count, "<f4"), "SCALAR")
    tube.part["attributes"].update({f"_SUPPLE_M{k}": values for k in range(60000)})
    tube.save()
    supple("info", "in.glb", says="more than 1000 different maps")


def many_bindings_of_a_joint():
    tube = Tube()
    matrices = np.tile(np.eye(4, dtype="<f4").ravel(), (60000, 1))
    matrices[:, 13] = np.arange(60000) * 1000
    tube.json["skins"][0] = {"joints": [1] * 60000, "inverseBindMatrices": tube.add(matrices, "MAT4")}
    tube.save()
    supple("info", "in.glb", says="bound in more than")


def many_skeletons():
    tube = Tube()
    for k in range(30000):
        tube.json["nodes"] += [{}, {"mesh": 0, "skin": k + 1}]
        tube.json["skins"].append({"joints": [len(tube.json["nodes"]) - 2] * 2})
    tube.save()
    supple("info", "in.glb", says="separate skeletons")


for test in (many_joints, accessors_without_data, data_used_over_and_over, many_morph_targets, many_meshes_at_one_place,
             many_maps, many_bindings_of_a_joint, many_skeletons):
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        test()
        os.chdir("/")
sys.exit(1 if failures else 0)
