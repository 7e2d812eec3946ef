# SPDX-License-Identifier: MIT
"""Skin weights and rigid fits of random problems, found again by scipy and numpy.

usage: check_decompose.py DUMP_DECOMPOSE
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from scipy.optimize import nnls

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from dumped import records  # noqa: E402


def nearest_gap(case):
    corners = case["corners"].reshape(-1, len(case["target"]))
    heavy = 1e4  # the sum of one as a row that outweighs all others
    expected, _ = nnls(np.vstack([corners.T, heavy * np.ones(len(corners))]), np.append(case["target"], heavy))
    return np.abs(expected - case["weights"]).max()


def rigid_gap(case):
    points, goals, fractions = case["points"].reshape(-1, 3), case["goals"].reshape(-1, 3), case["fractions"]
    s2 = (fractions**2).sum()
    p = (fractions[:, None] ** 2 * points).sum(0) / s2
    q = (fractions[:, None] * goals).sum(0) / s2
    cross = ((goals - fractions[:, None] * q) * fractions[:, None]).T @ (points - p)
    u, _, vt = np.linalg.svd(cross)
    turn = u @ np.diag([1, 1, np.linalg.det(u @ vt)]) @ vt
    matrix = case["matrix"].reshape(4, 3).T
    return max(np.abs(matrix[:, :3] - turn).max(), np.abs(matrix[:, 3] - (q - turn @ p)).max())


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], f"{folder}/cases"], check=True)
        case, weights, rigid = {}, [], []
        for name, values in records(f"{folder}/cases"):
            case[name] = values
            if name == "weights":
                weights.append(nearest_gap(case))
            elif name == "matrix":
                rigid.append(rigid_gap(case))
    print(f"weights: {len(weights)} cases within {max(weights):.1e}; rigid fits: {len(rigid)} within {max(rigid):.1e}")
    return 0 if len(weights) == 200 and len(rigid) == 200 and max(weights) < 1e-6 and max(rigid) < 1e-10 else 1


if __name__ == "__main__":
    sys.exit(main())
