#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Poses and skinning against numpy, written from the definitions and not from the library.

check_anim.py DUMP runs the program DUMP (anim_dump.c), which prints random characters with the
library's results in both precisions, and computes the same in double precision: matrices instead
of transforms, scipy's Slerp and polar decomposition, dual quaternions by their algebra.
"""
import json
import subprocess
import sys

import numpy as np
from scipy.linalg import polar
from scipy.spatial.transform import Rotation, Slerp

# Largest error relative to the size of the values. Normalised linear interpolation between near
# keys is allowed 1.1e-6 radians; it is switched on by the dump's nearest tracks only.
TOLERANCE = {"float": 2e-5, "double": 3e-6}
EXACT = {"float": 2e-5, "double": 1e-12}


def matrix(trs):
    m = np.eye(4)
    m[:3, :3] = Rotation.from_quat(trs[3:7]).as_matrix() @ np.diag(trs[7:10])
    m[:3, 3] = trs[:3]
    return m


def sample(track, time):
    times = np.array(track["times"])
    cubic = track["mode"] == 2
    values = np.array(track["values"]).reshape(len(times), 3 if cubic else 1, -1)
    value = values[:, 1 if cubic else 0]
    rotation = track["channel"] == 1
    if time <= times[0]:
        return value[0]
    if time >= times[-1]:
        return value[-1]
    k = np.searchsorted(times, time, side="right") - 1
    if track["mode"] == 1:
        return value[k]
    d = times[k + 1] - times[k]
    t = (time - times[k]) / d
    if cubic:
        basis = np.array([2 * t**3 - 3 * t**2 + 1, t**3 - 2 * t**2 + t, -2 * t**3 + 3 * t**2,
                          t**3 - t**2])
        r = basis @ np.array([value[k], d * values[k, 2], value[k + 1], d * values[k + 1, 0]])
        return r / np.linalg.norm(r) if rotation else r
    if rotation:
        return Slerp([0, 1], Rotation.from_quat(value[k:k + 2]))(t).as_quat()
    return (1 - t) * value[k] + t * value[k + 1]


def pose_at(case, time, loop):
    if loop:
        time = time % case["duration"]
    pose = np.array(case["rest"]).reshape(-1, 10)
    weights = np.zeros(3)
    for track in case["tracks"]:
        value = sample(track, time)
        if track["channel"] == 3:
            weights[track["target"]:track["target"] + len(value)] = value
        else:
            at = {0: slice(0, 3), 1: slice(3, 7), 2: slice(7, 10)}[track["channel"]]
            pose[track["target"], at] = value
    return pose, weights


def palette_of(case, pose):
    root = matrix(np.array(case["root"]))
    globals_ = []
    for j, parent in enumerate(case["parents"]):
        globals_.append((root if parent < 0 else globals_[parent]) @ matrix(pose[j]))
    bind = np.array(case["inverse_bind"]).reshape(-1, 4, 3).transpose(0, 2, 1)
    return np.array([(globals_[j] @ np.vstack([b, [0, 0, 0, 1]]))[:3]
                     for j, b in zip(case["bone_joints"], bind)])


def qmul(a, b):
    vector = a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])
    return np.append(vector, a[3] * b[3] - a[:3] @ b[:3])


def skin_vertex(case, v, palette, weights):
    span = slice(case["skin_offsets"][v], case["skin_offsets"][v + 1])
    bones, w = case["skin_bones"][span], np.array(case["skin_weights"][span])
    rest = np.array(case["positions"][3 * v:3 * v + 3])
    offsets = np.array(case["offsets"]).reshape(3, -1, 3)[:, v]
    return bones, w, rest + weights @ offsets


def linear_blend(case, palette, weights):
    p, n, t = [], [], []
    for v in range(len(case["positions"]) // 3):
        bones, w, rest = skin_vertex(case, v, palette, weights)
        m = np.tensordot(w, palette[bones], 1)
        p.append(m @ np.append(rest, 1))
        n.append(m[:, :3] @ case["normals"][3 * v:3 * v + 3])
        g = case["tangents"][4 * v:4 * v + 4]
        t.append(np.append(m[:, :3] @ g[:3], g[3]))
    return p, n, t


def dual_bones(palette):
    bones = []
    for m in palette:
        a = m[:, :3]
        sign = np.sign(np.linalg.det(a))
        r, _ = polar(sign * a)
        q = Rotation.from_matrix(r).as_quat()
        bones.append((q, 0.5 * qmul(np.append(m[:, 3], 0), q), r.T @ a))
    return bones


def dual_blend(case, palette, weights):
    p, n, t = [], [], []
    duals = dual_bones(palette)
    for v in range(len(case["positions"]) // 3):
        bones, w, rest = skin_vertex(case, v, palette, weights)
        pivot = duals[bones[int(np.argmax(w))]][0]
        real, dual, stretch = np.zeros(4), np.zeros(4), np.zeros((3, 3))
        for bone, weight in zip(bones, w):
            q, e, s = duals[bone]
            sign = -1 if q @ pivot < 0 else 1
            real, dual = real + sign * weight * q, dual + sign * weight * e
            stretch = stretch + weight * s
        if case["rigid"]:  # the stretch is rounding, and the library leaves it out
            stretch = np.eye(3)
        length = np.linalg.norm(real)
        real, dual = real / length, dual / length
        turn = Rotation.from_quat(real).as_matrix()
        move = 2 * qmul(dual, real * [-1, -1, -1, 1])[:3]
        p.append(turn @ (stretch @ rest) + move)
        x = turn @ stretch @ case["normals"][3 * v:3 * v + 3]
        n.append(x / np.linalg.norm(x))
        g = case["tangents"][4 * v:4 * v + 4]
        x = turn @ stretch @ g[:3]
        t.append(np.append(x / np.linalg.norm(x), g[3]))
    return p, n, t


def as_floats(x):
    """The library's inputs are floats; nine digits tell which, but only after rounding."""
    if isinstance(x, float):
        return float(np.float32(x))
    if isinstance(x, list):
        return [as_floats(y) for y in x]
    if isinstance(x, dict):
        return {k: y if k == "double" else as_floats(y) for k, y in x.items()}
    return x


class Check:
    def __init__(self):
        self.worst = {}
        self.failed = 0

    def close(self, where, what, precision, got, expected, tolerance):
        got, expected = np.ravel(got), np.ravel(expected)
        error = np.max(np.abs(got - expected)) / max(1, np.max(np.abs(expected)))
        key = f"{what} ({precision})"
        self.worst[key] = max(self.worst.get(key, 0), error)
        if not error <= tolerance:
            self.failed += 1
            print(f"{where}: {key} is off by {error:.3g}, allowed {tolerance:.3g}")


def same_turns(pose):
    """Quaternions have two signs: make w the positive one."""
    pose = np.array(pose).reshape(-1, 10).copy()
    sign = np.where(pose[:, 6] < 0, -1, 1)
    pose[:, 3:7] *= sign[:, None]
    return pose


def main():
    dump = subprocess.run([sys.argv[1]], check=True, stdout=subprocess.PIPE).stdout
    cases = as_floats(json.loads(dump))
    check = Check()
    for number, case in enumerate(cases):
        for s in case["samples"]:
            where = f"case {number}, time {s['time']:.3f}"
            pose, weights = pose_at(case, s["time"], s["loop"])
            palette = palette_of(case, pose)
            for precision in ("float", "double"):
                got = s[precision]
                check.close(where, "pose", precision, same_turns(got["pose"]), same_turns(pose),
                            TOLERANCE[precision])
                check.close(where, "weights", precision, got["weights"], weights, EXACT[precision])
                check.close(where, "palette", precision,
                            np.array(got["palette"]).reshape(-1, 4, 3).transpose(0, 2, 1), palette,
                            TOLERANCE[precision])
                if got["stretched"] == case["rigid"]:
                    check.failed += 1
                    print(f"{where}: stretched is {got['stretched']}")
                # Skinning itself, from the library's own palette: no interpolation in it.
                own = np.array(got["palette"]).reshape(-1, 4, 3).transpose(0, 2, 1)
                own_weights = np.array(got["weights"])
                for kind, blend in (("lbs", linear_blend), ("dqs", dual_blend)):
                    results = blend(case, own, own_weights)
                    for name, values in zip(("positions", "normals", "tangents"), results):
                        key = f"{kind}_{name}"
                        check.close(where, key, precision, got[key], values, EXACT[precision])
    for key, error in sorted(check.worst.items()):
        print(f"{key:42} {error:.2e}")
    print(f"{check.failed} failed")
    return 1 if check.failed else 0


sys.exit(main())
