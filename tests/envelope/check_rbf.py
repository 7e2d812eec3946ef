#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""GUO-T5: our radial functions against scipy's and against numpy's solution of the whole system.

usage: check_rbf.py dump_rbf
"""
import subprocess
import sys

import numpy as np
from scipy.interpolate import RBFInterpolator


def ours(program, kernel, centres, values, places, ridge):
    head = f"{kernel} {centres.shape[1]} {len(centres)} {values.shape[1]} {len(places)} {ridge!r}\n"
    body = "\n".join(" ".join(repr(float(x)) for x in block.ravel()) for block in (centres, values, places))
    done = subprocess.run([program], input=head + body, capture_output=True, text=True, check=True)
    return np.array([[float(x) for x in line.split()] for line in done.stdout.splitlines()])


def phi(kernel, r):
    return r**3 if kernel else np.where(r > 0, r * r * np.log(np.maximum(r, 1e-300)), 0)


def solved(kernel, centres, values, places, ridge):
    n, d = centres.shape
    p = np.c_[np.ones(n), centres]
    a = phi(kernel, np.linalg.norm(centres[:, None] - centres[None], axis=2)) + ridge * np.eye(n)
    a = np.block([[a, p], [p.T, np.zeros((d + 1, d + 1))]])
    w = np.linalg.solve(a, np.vstack([values, np.zeros((d + 1, values.shape[1]))]))
    r = np.linalg.norm(places[:, None] - centres[None], axis=2)
    return np.c_[phi(kernel, r), np.ones(len(places)), places] @ w


def main():
    program, worst = sys.argv[1], 0.0
    rng = np.random.default_rng(5)
    for dimensions in (2, 3, 4, 5):
        for kernel, name in enumerate(("thin_plate_spline", "cubic")):
            for ridge in (0.0, 0.05):
                centres = rng.uniform(-1, 1, (120, dimensions))
                if dimensions > 2:  # places in a chart times a few postures, as an envelope has them
                    centres = np.vstack([np.c_[centres[:40, :2], np.tile(level, (40, 1))]
                                         for level in rng.uniform(-0.5, 0.5, (dimensions, dimensions - 2))])
                values = np.c_[np.sin(3 * centres[:, 0]), centres @ np.arange(1, dimensions + 1), centres[:, 1] ** 2]
                places = rng.uniform(-1.5, 1.5, (60, dimensions))
                got = ours(program, kernel, centres, values, places, ridge)
                scipy = RBFInterpolator(centres, values, kernel=name, degree=1, smoothing=ridge)(places)
                full = solved(kernel, centres, values, places, ridge)
                scale = np.abs(full).max()
                off = max(np.abs(got - scipy).max(), np.abs(got - full).max()) / scale
                worst = max(worst, off)
                if off > 1e-8:
                    sys.exit(f"{name}, {dimensions} dimensions, ridge {ridge}: off by {off:.1e}")
    print(f"radial functions agree with scipy and numpy within {worst:.1e}")


main()
