#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Correctives against numpy, written from docs/techniques/correctives.md and not from the library.

check_correctives.py DUMP runs the program DUMP (correctives_dump.c), which learns from examples of a
planted law, and computes the same in double precision: offsets in rest space, axes of joints, products,
the regression in its primal form, and what is shown in new poses.
"""
import os
import subprocess
import sys
import tempfile

import numpy as np
from scipy.spatial.transform import Rotation

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import dumped  # noqa: E402

MARGIN = 0.25  # turns beyond those of the examples


def entries(d, which):
    """The numbers of the driver joints: [poses, drivers, 9], column by column."""
    joints = len(d["parents"])
    turns = d[which].reshape(-1, joints, 4)
    rest = d["rest"].reshape(joints, 4)
    out = np.zeros((len(turns), len(d["drivers"]), 9))
    for k, j in enumerate(d["drivers"].astype(int)):
        m = (Rotation.from_quat(rest[j]).inv() * Rotation.from_quat(turns[:, j])).as_matrix() - np.eye(3)
        out[:, k] = m.transpose(0, 2, 1).reshape(-1, 9)
    return out


def blends(d, which):
    bones = len(d["bone_joints"])
    palettes = d[which].reshape(-1, bones, 4, 3).transpose(0, 1, 3, 2)
    vertices = len(d["skin_first"]) - 1
    weights = np.zeros((vertices, bones))
    owner = np.repeat(np.arange(vertices), np.diff(d["skin_first"]).astype(int))
    np.add.at(weights, (owner, d["skin_bones"].astype(int)), d["skin_weights"])
    return np.einsum("vb,fbij->fvij", weights, palettes), weights


def show(body, blend, offsets):
    return np.einsum("fvij,fvj->fvi", blend[..., :3], np.broadcast_to(body + offsets, blend.shape[:2] + (3,))) + blend[..., 3]


def rest_offsets(body, blend, positions):
    linear = blend[..., :3]
    square = np.einsum("fvki,fvkj->fvij", linear, linear)
    size = np.trace(square, axis1=2, axis2=3) / 3
    lost = np.maximum(1 - np.abs(np.linalg.det(linear)) / size**1.5, 0)
    square += (0.01 * size * lost)[..., None, None] * np.eye(3)
    right = np.einsum("fvki,fvk->fvi", linear, positions - show(body, blend, 0))
    return np.linalg.solve(square, right[..., None])[..., 0]


def steps_between(parents, a, b):
    def path(j):
        out = [j]
        while parents[out[-1]] >= 0:
            out.append(int(parents[out[-1]]))
        return out
    first, second = path(a), path(b)
    return min(first.index(j) + second.index(j) for j in first if j in second)


def groups(weights):
    """Vertices by their two heaviest bones; one alone where the second is below a tenth."""
    out = {}
    for v, row in enumerate(weights):
        heavy = np.argsort(-row, kind="stable")[:2]
        key = tuple(sorted(heavy)) if row[heavy[1]] >= 0.1 else (heavy[0], heavy[0])
        out.setdefault(key, []).append(v)
    return out


def axes_of(x, parents, drivers):
    """Principal axes of every joint as (driver, vector, mean), largest first; pairs of neighbours."""
    axes = []
    for k in range(x.shape[1]):
        mean = x[:, k].mean(0)
        values, vectors = np.linalg.eigh(np.cov(x[:, k].T, bias=True))
        for i in range(8, 5, -1):
            if values[i] > max(1e-4, 0.05 * values[8]):
                axes.append((k, vectors[:, i], mean))
    pairs = []
    for b, (k, *_) in enumerate(axes):
        above = int(parents[drivers[k]])
        while above >= 0 and above not in drivers:
            above = int(parents[above])
        pairs += [(a, b) for a in range(b) if axes[a][0] == k or (above >= 0 and drivers[axes[a][0]] == above)]
    return axes, pairs


def features_of(x, axes, pairs, limits):
    turns = np.stack([(x[:, k] - mean) @ vector for k, vector, mean in axes], 1)
    turns = np.clip(turns, limits[0], limits[1])
    rest = np.array([-mean @ vector for _, vector, mean in axes])
    products = [turns[:, a] * turns[:, b] - rest[a] * rest[b] for a, b in pairs]
    squares = [turns[:, a] ** 2 - rest[a] ** 2 for a in range(len(axes))]
    return np.c_[np.ones(len(x)), x.reshape(len(x), -1), np.array(products + squares).T]


def close(name, got, wanted, tolerance):
    error = np.abs(got - wanted).max() / max(np.abs(wanted).max(), 1e-12)
    print(f"{name}: {error:.1e}")
    assert error < tolerance, (name, error)


def regress(d, x, features, axes, pairs, offsets, weights, test_features, areas):
    """Ridge regression of every group with its prior; rows with large offsets count as usual ones."""
    ridge, falloff, share = d["settings"]
    parents, drivers, bone_joints = d["parents"], d["drivers"].astype(int), d["bone_joints"].astype(int)
    sizes = np.sqrt(np.einsum("fvi,v->f", offsets**2, areas))
    row = np.minimum(1, np.sort(sizes)[len(sizes) // 2] / sizes)
    out = np.zeros((len(test_features), *offsets.shape[1:]))
    first = 1 + 9 * len(drivers)
    for bones, vertices in groups(weights).items():
        near = np.array([falloff ** min(steps_between(parents, j, bone_joints[b]) for b in bones) for j in drivers])
        scale = np.r_[0, np.repeat(near, 9), [np.sqrt(2) * near[axes[a][0]] * near[axes[b][0]] for a, b in pairs],
                      [near[k] ** 2 for k, *_ in axes]]
        a = features * row[:, None] * scale
        linear, products = (a[:, 1:first] ** 2).sum(), (a[:, first:] ** 2).sum()
        scale[first:] *= np.sqrt(share * linear / products)
        a = features * row[:, None] * scale
        damp = ridge * (a**2).sum() / len(a)
        wanted = (offsets[:, vertices] * row[:, None, None]).reshape(len(a), -1)
        map_ = np.linalg.solve(a.T @ a + damp * np.eye(a.shape[1]), a.T @ wanted)
        out[:, vertices] = (test_features * scale @ map_).reshape(len(out), len(vertices), 3)
    return out


def fractions(body, triangles):
    a, b, c = body[triangles].transpose(1, 0, 2)
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    out = np.zeros(len(body))
    np.add.at(out, triangles, area[:, None])
    return out / out.sum()


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "dump")
        subprocess.run([sys.argv[1], path], check=True)
        d = dumped.read(path)
    body, drivers = d["body"].reshape(-1, 3), d["drivers"].astype(int)
    blend, weights = blends(d, "example_palettes")
    x, new = entries(d, "example_rotations"), entries(d, "test_rotations")
    # Axes: the same up to their sign, which is then taken over.
    axes, pairs = axes_of(x, d["parents"], list(drivers))
    theirs = d["axes"].reshape(-1, 12)
    assert [k for k, *_ in axes] == list(d["axis_drivers"].astype(int))
    assert pairs == [tuple(p) for p in d["pairs"].astype(int).reshape(-1, 2)] and len(pairs) > 10
    axes = [(k, v * np.sign(v @ t[:9]), mean) for (k, v, mean), t in zip(axes, theirs)]
    close("axes", theirs[:, :9], np.array([v for _, v, _ in axes]), 1e-4)
    close("turns at rest", theirs[:, 9], np.array([-mean @ v for _, v, mean in axes]), 1e-4)
    turns = np.stack([(x[:, k] - mean) @ v for k, v, mean in axes], 1)
    rest = theirs[:, 9]
    low, high = np.minimum(turns.min(0), rest), np.maximum(turns.max(0), rest)
    limits = low - MARGIN * (high - low), high + MARGIN * (high - low)
    close("limits", theirs[:, 10:], np.array(limits).T, 1e-4)
    # Features, far beyond the examples too.
    test_features = features_of(new, axes, pairs, limits)
    close("features", d["test_features"].reshape(len(new), -1), test_features, 1e-4)
    wild = np.stack([(new[:, k] - mean) @ v for k, v, mean in axes], 1)
    assert (wild < limits[0]).any() and (wild > limits[1]).any(), "no turn was held back"
    # The regression, and what is shown within what the examples cover.
    offsets = rest_offsets(body, blend, d["example_positions"].reshape(len(x), -1, 3))
    areas = fractions(body, d["triangles"].astype(int).reshape(-1, 3))
    found = regress(d, x, features_of(x, axes, pairs, limits), axes, pairs, offsets, weights, test_features, areas)
    blend, _ = blends(d, "test_palettes")
    shown, plain = show(body, blend, found), show(body, blend, 0)
    theirs = d["test_positions"].reshape(shown.shape)
    close("shown offsets", (theirs - plain)[::2], (shown - plain)[::2], 2e-3)


if __name__ == "__main__":
    main()
