#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Our direct delta mush against the paper's formulas in numpy, with dense inverses.

usage: check_delta_mush.py dump_delta_mush
"""
import subprocess
import sys

import numpy as np


def read(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=True)
    numbers = iter(done.stdout.split())
    n, triangles, bones = (int(next(numbers)) for _ in range(3))

    def take(rows, columns, kind=float):
        return np.array([[kind(next(numbers)) for _ in range(columns)] for _ in range(rows)])

    return (take(n, 3), take(triangles, 3, int), take(n, bones),
            take(bones, 12).reshape(bones, 4, 3).transpose(0, 2, 1), take(n, 3))


def laplacian(x, triangles):
    """Cotangents of the angles opposite to an edge, halved: positive semidefinite."""
    matrix = np.zeros((len(x), len(x)))
    for t in triangles:
        for k in range(3):
            a, b, c = t[k], t[(k + 1) % 3], t[(k + 2) % 3]
            u, v = x[a] - x[c], x[b] - x[c]
            weight = 0.5 * (u @ v) / np.linalg.norm(np.cross(u, v))
            matrix[[a, b], [b, a]] -= weight
            matrix[[a, b], [a, b]] += weight
    return matrix


def mush(x, triangles, weights, palette, rounds, lam, kappa, alpha):
    n, eye = len(x), np.eye(len(x))
    bar = laplacian(x, triangles)
    bar = bar @ np.diag(1 / np.diag(bar))
    b = np.linalg.matrix_power(np.linalg.inv(eye + lam * bar), rounds)
    c = np.linalg.matrix_power(np.linalg.inv(eye + kappa * bar), rounds)
    u = np.c_[x, np.ones(n)]
    psi = np.einsum("ki,kj,ka,kb->ijab", b, weights, u, u, optimize=True)
    smooth = c.T @ weights
    last = psi.sum(1)[:, :, 3]
    p = np.c_[last[:, :3] / last[:, 3:], np.ones(n)]
    omega = (1 - alpha) * psi + alpha * smooth[:, :, None, None] * np.einsum("ia,ib->iab", p, p)[:, None]
    moved = np.concatenate([palette, np.tile([[[0, 0, 0, 1.0]]], (len(palette), 1, 1))], axis=1)
    gathered = np.einsum("jab,ijbc->iac", moved, omega)
    gathered /= gathered[:, 3:, 3:]
    q, mean, centre = gathered[:, :3, :3], gathered[:, :3, 3], gathered[:, 3, :3]
    left, _, right = np.linalg.svd(q - mean[:, :, None] * centre[:, None, :])
    turn = left @ right
    return np.einsum("iab,ib->ia", turn, x - centre) + mean


def main():
    for parameters in ((20, 3.0, 1.0, 0.8), (8, 1.0, 0.5, 0.0), (3, 5.0, 2.0, 0.5)):
        x, triangles, weights, palette, ours = read(sys.argv[1], *parameters)
        theirs = mush(x, triangles, weights, palette, *parameters)
        plain = np.einsum("ij,jab,ib->ia", weights, palette, np.c_[x, np.ones(len(x))])
        off, moved = np.abs(ours - theirs).max(), np.abs(theirs - plain).max()
        size = np.linalg.norm(np.ptp(x, axis=0))
        if not off < 1e-5 * size:
            sys.exit(f"delta mush {parameters}: off by {off:.1e} of {size:.2f}")
        if not moved > 100 * off:
            sys.exit(f"delta mush {parameters}: does nothing ({moved:.1e})")
        print(f"delta mush {parameters}: off by {off:.1e}, from skinning {moved:.1e}")


main()
