# SPDX-License-Identifier: MIT
"""A clamped beam, judged by scipy and by Timoshenko.

usage: beam.py DUMP_BEAM    runs the program at three resolutions and checks what it wrote
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import eigsh, spsolve

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from dumped import read  # noqa: E402


def matrix(triples):
    t = triples.reshape(-1, 3)
    rows, columns = t[:, 0].astype(int), t[:, 1].astype(int)
    lower = sparse.coo_matrix((t[:, 2], (rows, columns))).tocsc()
    return lower + sparse.tril(lower, -1).T


def bending_frequencies(stiffness, masses, wanted):
    """Hz of the first bending pairs: modes whose cross-sections shift sideways as a whole."""
    mass = np.repeat(masses, 3)
    scale = sparse.diags(1 / np.sqrt(mass))
    values, vectors = eigsh(scale @ stiffness @ scale, k=14, sigma=0, which="LM")
    order = np.argsort(values)
    found = []
    for k in order:
        shape = (scale @ vectors[:, k]).reshape(-1, 3) * np.sqrt(masses)[:, None]
        axial = np.sum(shape[:, 0] ** 2) / np.sum(shape**2)
        shift = np.sum(shape[:, 1:] * np.sqrt(masses)[:, None], axis=0)
        if axial < 0.3 and np.linalg.norm(shift) > 0.05 * np.sqrt(masses.sum()):
            found.append(np.sqrt(values[k]) / (2 * np.pi))
    pairs = [np.mean(found[2 * k : 2 * k + 2]) for k in range(wanted)]
    return np.array(pairs)


def check_modes(data):
    """Our modes against scipy's: values, orthonormality, residual."""
    stiffness, mass = matrix(data["stiffness"]), np.repeat(data["masses"], 3)
    values = data["mode_values"]
    shapes = data["mode_shapes"].reshape(len(values), -1).T
    scale = sparse.diags(1 / np.sqrt(mass))
    expected = np.sort(eigsh(scale @ stiffness @ scale, k=len(values), sigma=0, return_eigenvectors=False))
    gap = np.abs(values / expected - 1).max()
    identity = np.abs(shapes.T @ (mass[:, None] * shapes) - np.eye(len(values))).max()
    residual = stiffness @ shapes - mass[:, None] * shapes * values
    size = np.abs(stiffness @ shapes).max()
    print(f"modes: values {gap:.1e}, orthonormal {identity:.1e}, residual {np.abs(residual).max() / size:.1e}")
    return gap < 1e-8 and identity < 1e-9 and np.abs(residual).max() < 1e-8 * size


def timoshenko(length, width, young, poisson, density, count=400):
    """Tip deflection per newton and frequencies, by fine one-dimensional elements."""
    area, inertia = width**2, width**4 / 12
    shear = young / (2 * (1 + poisson))
    kappa = 10 * (1 + poisson) / (12 + 11 * poisson)
    tip = length**3 / (3 * young * inertia) + length / (kappa * shear * area)
    h = length / count
    # Two-node element with one shear point: unknowns w, theta at both ends.
    bend = young * inertia / h * np.array([[0, 0, 0, 0], [0, 1, 0, -1], [0, 0, 0, 0], [0, -1, 0, 1]])
    b = np.array([-1 / h, -0.5, 1 / h, -0.5])
    k = bend + kappa * shear * area * h * np.outer(b, b)
    m = density * h / 6 * np.kron([[2, 1], [1, 2]], np.diag([area, inertia]))
    size = 2 * (count + 1)
    K, M = sparse.lil_matrix((size, size)), sparse.lil_matrix((size, size))
    for e in range(count):
        K[2 * e : 2 * e + 4, 2 * e : 2 * e + 4] += k
        M[2 * e : 2 * e + 4, 2 * e : 2 * e + 4] += m
    values = eigsh(K.tocsc()[2:, 2:], k=3, M=M.tocsc()[2:, 2:], sigma=0, return_eigenvectors=False)
    return tip, np.sqrt(np.sort(values)) / (2 * np.pi)


def extrapolate(coarse, middle, fine):
    """Richardson: the measured order and the limit, for resolutions that double."""
    order = np.log2(abs((middle - coarse) / (fine - middle)))
    return order, fine + (fine - middle) / (2**order - 1)


def check(name, actual, expected, tolerance):
    error = abs(actual / expected - 1)
    print(f"{name}: {actual:.6g}, Timoshenko {expected:.6g}, {100 * error:.2f} %")
    return error <= tolerance


def main():
    tips, frequencies, good = [], [], True
    with tempfile.TemporaryDirectory() as folder:
        for n in (3, 6, 12):
            subprocess.run([sys.argv[1], str(n), f"{folder}/tip{n}", "tip"], check=True)
            tips.append(read(f"{folder}/tip{n}")["facts"][0])
        for n in (2, 4, 8):
            path = f"{folder}/beam{n}"
            subprocess.run([sys.argv[1], str(n), path], check=True)
            data = read(path)
            step = matrix(data["step_matrix"])
            solution = spsolve(step, data["step_right"])
            gap = np.abs(solution - data["step_move"]).max() / np.abs(solution).max()
            print(f"{n}: one step's system, scipy against ours: {gap:.1e}")
            good &= gap < 1e-8
            good &= check_modes(data)
            facts = data["facts"]
            frequencies.append(bending_frequencies(matrix(data["stiffness"]), data["masses"], 3))
    tip, expected = timoshenko(*facts[1:])
    order, limit = extrapolate(*tips)
    print(f"tip deflection per newton {tips}, order {order:.2f}")
    good &= check("tip", limit, tip, 0.02) and order > 1
    for k in range(3):
        series = [f[k] for f in frequencies]
        order, limit = extrapolate(*series)
        print(f"bending {k + 1}: {series} Hz, order {order:.2f}")
        good &= check(f"bending {k + 1}", limit, expected[k], 0.03) and order > 1
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
