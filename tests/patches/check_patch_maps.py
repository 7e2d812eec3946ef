# SPDX-License-Identifier: MIT
"""Charts of patches by scipy's sparse LU, weights by the angles of triangles: check_patch_maps.py DUMP"""
import subprocess
import sys

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

HARMONIC, MEAN_VALUE, SHAPE_PRESERVING, UNIFORM = range(4)


def charts():
    text = subprocess.run([sys.argv[1]], capture_output=True, text=True, check=True).stdout
    found = []
    for line in text.splitlines():
        name, rows, columns, *numbers = line.split()
        if name == "chart":
            found.append({})
        found[-1][name] = np.array(numbers, float).reshape(int(rows), int(columns))
    return found


def angle(at, p, q):
    u, v = p - at, q - at
    return np.arccos(np.clip(u @ v / np.linalg.norm(u) / np.linalg.norm(v), -1, 1))


def ring_weights(x, vertex, ring):
    """Floater 1997: barycentric coordinates in the flattened ring, a mean over its corners."""
    angles = np.array([angle(x[vertex], x[ring[k]], x[ring[(k + 1) % len(ring)]]) for k in range(len(ring))])
    turn = np.concatenate([[0], np.cumsum(angles)[:-1]]) * 2 * np.pi / angles.sum()
    length = np.linalg.norm(x[ring] - x[vertex], axis=1)
    flat = np.stack([np.cos(turn), np.sin(turn)], 1) * length[:, None]
    weights, n = np.zeros(len(ring)), len(ring)
    for k in range(n):
        best = None
        for r in range(n):
            s = (r + 1) % n
            if k in (r, s):
                continue
            matrix = np.vstack([flat[[k, r, s]].T, np.ones(3)])
            if abs(np.linalg.det(matrix)) < 1e-14 * length.max() ** 2:
                continue
            b = np.linalg.solve(matrix, [0, 0, 1])
            if best is None or b.min() > best[0].min() + 1e-9:
                best = (b, [k, r, s])
        weights[best[1]] += best[0]
    return weights / n


def matrix_of(x, triangles, loop, kind):
    n = len(x)
    w = scipy.sparse.lil_matrix((n, n))
    rings = {}
    for c in triangles:
        for k in range(3):
            i, j, m = c[k], c[(k + 1) % 3], c[(k + 2) % 3]
            a = angle(x[i], x[j], x[m])
            rings.setdefault(i, {})[j] = m
            if kind == HARMONIC:
                w[j, m] += 1 / np.tan(a)
                w[m, j] += 1 / np.tan(a)
            elif kind == MEAN_VALUE:
                w[i, j] += np.tan(a / 2) / np.linalg.norm(x[i] - x[j])
                w[i, m] += np.tan(a / 2) / np.linalg.norm(x[i] - x[m])
            elif kind == UNIFORM:
                for p, q in ((i, j), (j, i)):
                    w[p, q] = 1
    if kind == SHAPE_PRESERVING:
        for i in range(loop, n):
            ring = [next(iter(rings[i]))]
            while len(ring) < len(rings[i]):
                ring.append(rings[i][ring[-1]])
            for j, value in zip(ring, ring_weights(x, i, ring)):
                w[i, j] = value
    w = w.tocsr()
    return (scipy.sparse.diags(np.asarray(w.sum(1))[:, 0]) - w)[loop:]


def distortion(x, triangles, uv):
    """Ratios of singular values and of areas, by numpy's decomposition of each triangle's map."""
    areas, ratios, changes = [], [], []
    for c in triangles:
        e, f = x[c[1]] - x[c[0]], x[c[2]] - x[c[0]]
        q, r = np.linalg.qr(np.stack([e, f], 1))
        s = np.linalg.svd(np.stack([uv[c[1]] - uv[c[0]], uv[c[2]] - uv[c[0]]], 1) @ np.linalg.inv(r),
                          compute_uv=False)
        areas.append(abs(np.linalg.det(r)) / 2)
        ratios.append(s[0] / s[1])
        changes.append(s[0] * s[1])
    areas, ratios, changes = np.array(areas), np.array(ratios), np.array(changes)
    changes /= (areas * changes).sum() / areas.sum()
    changes = np.maximum(changes, 1 / changes)
    mean = areas / areas.sum()
    return np.array([np.exp(mean @ np.log(ratios)), ratios.max(), np.exp(mean @ np.log(changes)), changes.max()])


def main():
    worst = np.zeros(4)
    count = np.zeros(4, int)
    for chart in charts():
        loop, kind = int(chart["chart"][0, 0]), int(chart["chart"][1, 0])
        x, triangles, uv = chart["places"], chart["triangles"].astype(int), chart["uv"]
        rows = matrix_of(x, triangles, loop, kind).tocsc()
        inside = scipy.sparse.linalg.splu(rows[:, loop:].tocsc()).solve(-rows[:, :loop] @ uv[:loop])
        worst[kind] = max(worst[kind], np.abs(inside - uv[loop:]).max())
        count[kind] += 1
        ours, theirs = chart["distortion"][:, 0], distortion(x, triangles, uv)
        assert np.abs(ours / theirs - 1).max() < 1e-6, (ours, theirs)
    assert (count >= 8).all(), count
    # Rings are flattened from float places, the others in double.
    assert (worst < [1e-12, 1e-12, 1e-6, 1e-13]).all(), worst
    print(f"{count.sum()} charts, harmonic, mean value, shape-preserving and equal weights, as scipy's within {worst}")


main()
