#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a patch file for the upper body of a humanoid: the same 36 patches (arms in rings of four, four on the chest) on
whatever mesh, so that envelopes carry over between characters whose automatic patches differ.

usage: upper_body_patches.py IN.glb OUT.json [TOP]

Joints are named as in Unreal (upperarm_l, spine_02, ...). TOP: where the chest ends in front, as a fraction of the way from
waist to neck, where a chin hangs over it. Features are vertices that rays from the joints meet. Two small patches on head
and seat turn what is no upper body into rings, which are left out.
"""
import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from glb import Document  # noqa: E402

SIDES = ("front", "top", "back", "bottom")


def load(path):
    """Joints by name, and vertices, in bind space."""
    file = Document(path)
    skin, nodes = file.json["skins"][0], file.json["nodes"]
    binds = file.accessor(skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
    joints = {nodes[j]["name"]: np.linalg.inv(m)[:3, 3] for j, m in zip(skin["joints"], binds)}
    meshes = [file.json["meshes"][node["mesh"]] for node in nodes if node.get("skin") == 0]
    primitives = [p for mesh in meshes for p in mesh["primitives"]]
    return joints, np.concatenate([file.accessor(p["attributes"]["POSITION"]) for p in primitives])


def unit(v):
    return v / np.linalg.norm(v)


class Plan:
    def __init__(self, vertices):
        self.vertices, self.features, self.boundaries, self.patches = vertices, {}, {}, []

    def hit(self, name, start, direction, most):
        """A vertex near the ray, rather far along it."""
        gap = self.vertices - start
        along = gap @ direction
        cost = np.linalg.norm(gap - np.outer(along, direction), axis=1) - 0.15 * along
        cost[(along < 0) | (along > most)] = np.inf
        self.features[name] = [float(x) for x in self.vertices[np.argmin(cost)]]

    def edge(self, a, b):
        a, b = sorted((a, b))
        self.boundaries[f"{a}-{b}"] = {"name": f"{a}-{b}", "from": a, "to": b, "kind": "geodesic"}
        return f"{a}-{b}"

    def face(self, name, corners):
        sides = [self.edge(a, b) for a, b in zip(corners, corners[1:] + corners[:1])]
        self.patches.append({"name": name, "boundaries": sides})

    def save(self, path):
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"patch_file": 1, "features": [{"name": k, "position": v} for k, v in self.features.items()],
                       "boundaries": list(self.boundaries.values()), "patches": self.patches}, file, indent=1)


def arm(plan, at, side, size):
    shoulder, elbow, hand = (at[f"{joint}_{side}"] for joint in ("upperarm", "lowerarm", "hand"))
    upper, lower = elbow - shoulder, hand - elbow
    rings = (("shoulder", shoulder + 0.3 * upper, upper), ("biceps", shoulder + 0.62 * upper, upper),
             ("elbow", elbow - 0.04 * upper, unit(upper) + unit(lower)), ("forearm", elbow + 0.45 * lower, lower),
             ("wrist", elbow + 0.92 * lower, lower))
    for name, centre, along in rings:
        along = unit(along)
        front = unit(np.array([0, 0, 1]) - along[2] * along)
        top = unit(np.cross(along, front))
        top = top if top[1] > 0 else -top
        for which, direction in zip(SIDES, (front, top, -front, -top)):
            plan.hit(f"{name}_{side}.{which}", centre, direction, 0.65 * size)
    for (a, *_), (b, *_) in zip(rings, rings[1:]):
        for p, q in zip(SIDES, SIDES[1:] + SIDES[:1]):
            plan.face(f"{b}_{side}.{p}-{q}", [f"{a}_{side}.{p}", f"{b}_{side}.{p}", f"{b}_{side}.{q}", f"{a}_{side}.{q}"])


def chest(plan, at, size, top):
    waist, neck = at["spine_02"], at["neck_01"] + [0, 0.1 * size, 0]
    directions = {"front": (0, 0, 1), "left": (1, 0, 0), "back": (0, 0, -1), "right": (-1, 0, 0)}
    for name, centre, most in (("waist", waist, 2 * size), ("neck", neck, size)):
        for which, direction in directions.items():
            plan.hit(f"{name}.{which}", centre, np.array(direction, float), most)
    if top is not None:
        plan.hit("neck.front", waist + top * (neck - waist), np.array([0, 0, 1.0]), 9 * size)
    for side, s in (("left", "l"), ("right", "r")):
        for p in ("front", "back"):
            plan.face(f"chest.{p}-{side}", [f"neck.{p}", f"waist.{p}", f"waist.{side}", f"shoulder_{s}.bottom",
                                            f"shoulder_{s}.{p}", f"shoulder_{s}.top", f"neck.{side}"])


def rest(plan, at, size):
    for name, centre in (("crown", at["head"] + [0, 0.5 * size, 0]), ("seat", at["pelvis"])):
        for k, (x, y) in enumerate(((1, 0), (0, 1), (-1, 0), (0, -1))):
            plan.hit(f"{name}.{k}", centre + 0.45 * size * np.array([x, y, 0]), np.array([0, 0, -1.0]), 3 * size)
        plan.face(name, [f"{name}.{k}" for k in range(4)])


def write(source, path, top=None):
    at, vertices = load(source)
    size = np.linalg.norm(at["upperarm_l"] - at["lowerarm_l"])
    plan = Plan(vertices)
    for side in "lr":
        arm(plan, at, side, size)
    chest(plan, at, size, top)
    rest(plan, at, size)
    plan.save(path)


if __name__ == "__main__":
    write(sys.argv[1], sys.argv[2], float(sys.argv[3]) if len(sys.argv) > 3 else None)
