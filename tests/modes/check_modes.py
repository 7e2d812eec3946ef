# SPDX-License-Identifier: MIT
"""The modes of a character's flesh, found again by scipy on the same matrices.

usage: check_modes.py DUMP_MODES
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import eigsh

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from dumped import read  # noqa: E402


def main():
    good = True
    with tempfile.TemporaryDirectory() as folder:
        for name, tets, modes in (("mochi", 1500, 15), ("tube", 1000, 40)):
            path = f"{folder}/{name}"
            subprocess.run([sys.argv[1], name, str(tets), str(modes), path], check=True)
            data = read(path)
            t = data["stiffness"].reshape(-1, 3)
            lower = sparse.coo_matrix((t[:, 2], (t[:, 0].astype(int), t[:, 1].astype(int)))).tocsc()
            stiffness = lower + sparse.tril(lower, -1).T
            mass = np.repeat(data["masses"], 3)
            root = sparse.diags(1 / np.sqrt(mass))
            expected = np.sort(eigsh(root @ stiffness @ root, k=modes, sigma=0, return_eigenvectors=False))
            gap = np.abs(data["values"] / expected - 1).max()
            shapes = data["shapes"].reshape(modes, -1).T
            identity = np.abs(shapes.T @ (mass[:, None] * shapes) - np.eye(modes)).max()
            force = stiffness @ shapes
            residual = np.abs(force - mass[:, None] * shapes * data["values"]).max() / np.abs(force).max()
            hertz = np.abs(data["frequencies"] / (np.sqrt(expected) / (2 * np.pi)) - 1).max()
            print(f"{name}: values {gap:.1e}, orthonormal {identity:.1e}, residual {residual:.1e}, Hz {hertz:.1e}")
            good &= gap < 1e-8 and identity < 1e-9 and residual < 1e-7 and hertz < 1e-8
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
