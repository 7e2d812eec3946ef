#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One Newton step and the whole step of rigspace's reference, by numpy and scipy.

usage: check_rigspace.py DUMP_PROGRAM

St. Venant-Kirchhoff flesh with its own volume term, implicit Euler, a linear rig: the functional is
written down again here, from the formulas of docs/techniques/rigspace.md.
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import scipy.linalg
import scipy.optimize

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import dumped  # noqa: E402

H = 0.01


class Functional:
    def __init__(self, data):
        self.rest = data["rest"].reshape(-1, 3)
        self.tets = data["tets"].astype(int).reshape(-1, 4)
        young, poisson, density = data["material"]
        self.mu = young / (1 + poisson)  # twice Lame's
        self.lam = young * poisson / ((1 + poisson) * (1 - 2 * poisson)) / 2
        edges = self.edges(self.rest)
        self.volume = np.linalg.det(edges) / 6
        assert self.volume.min() > 0
        self.inverse = np.linalg.inv(edges)
        self.mass = np.zeros(len(self.rest))
        for corner in range(4):
            np.add.at(self.mass, self.tets[:, corner], density * self.volume / 4)
        self.target = (data["x"] + H * data["v"]).reshape(-1, 3)
        self.load = self.mass[:, None] * data["gravity"]
        self.at = data["at"].reshape(-1, 3)
        self.surface = len(self.at)
        self.columns = data["columns"].reshape(-1, 3 * self.surface)

    def edges(self, x):
        return np.stack([x[self.tets[:, k]] - x[self.tets[:, 0]] for k in (1, 2, 3)], axis=2)

    def value_and_gradient(self, x):
        f = self.edges(x) @ self.inverse
        strain = (np.swapaxes(f, 1, 2) @ f - np.eye(3)) / 2
        det = np.linalg.det(f)
        value = self.volume @ (self.mu / 2 * (strain**2).sum((1, 2)) + self.lam * (1 - det) ** 2)
        cofactor = det[:, None, None] * np.linalg.inv(np.swapaxes(f, 1, 2))
        stress = self.mu * f @ strain - 2 * self.lam * (1 - det)[:, None, None] * cofactor
        force = self.volume[:, None, None] * stress @ np.swapaxes(self.inverse, 1, 2)
        gradient = np.zeros_like(x)
        for k in (1, 2, 3):
            np.add.at(gradient, self.tets[:, k], force[:, :, k - 1])
            np.add.at(gradient, self.tets[:, 0], -force[:, :, k - 1])
        lag = x - self.target
        value += (self.mass @ (lag**2).sum(1)) / (2 * H * H) - (self.load * x).sum()
        return value, gradient + self.mass[:, None] * lag / H**2 - self.load

    def place(self, unknowns):
        n = len(self.columns)
        x = np.empty_like(self.rest)
        x[: self.surface] = self.at + (unknowns[:n] @ self.columns).reshape(-1, 3)
        x[self.surface :] = unknowns[n:].reshape(-1, 3)
        return x

    def reduced(self, unknowns):
        value, gradient = self.value_and_gradient(self.place(unknowns))
        return value, np.concatenate(
            [self.columns @ gradient[: self.surface].ravel(), gradient[self.surface :].ravel()]
        )


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "dump"
        with open(path, "wb") as file:
            subprocess.run([sys.argv[1]], stdout=file, check=True)
        data = dumped.read(path)
    functional = Functional(data)
    n = len(functional.columns)
    start = np.concatenate([np.zeros(n), data["x"][3 * functional.surface :]])
    size = len(start)
    # Newton's matrix by central differences of the gradient, which is exact.
    matrix = np.empty((size, size))
    step = 1e-6
    for k in range(size):
        e = np.zeros(size)
        e[k] = step
        matrix[k] = (functional.reduced(start + e)[1] - functional.reduced(start - e)[1]) / (2 * step)
    matrix = (matrix + matrix.T) / 2
    newton = scipy.linalg.solve(matrix, -functional.reduced(start)[1], assume_a="pos")
    first = np.abs(newton[:n] - data["first_y"]).max() / np.abs(newton[:n]).max()
    inside = np.abs(start[n:] + newton[n:] - data["first_x"][3 * functional.surface :]).max()
    print(f"first step: {first:.1e} of the parameters, {inside:.1e} m inside")
    assert first < 1e-6 and inside < 1e-8
    best = scipy.optimize.minimize(
        functional.reduced, start, jac=True, method="trust-exact",
        hess=lambda _: matrix, options={"gtol": 1e-7, "maxiter": 200},
    )
    last = np.abs(best.x[:n] - data["last_y"]).max() / np.abs(best.x[:n]).max()
    ours = functional.reduced(
        np.concatenate([data["last_y"], data["last_x"][3 * functional.surface :]]))
    print(f"minimum: {last:.1e} of the parameters; gradient there {np.abs(ours[1]).max():.1e}, value "
          f"{ours[0] - best.fun:.1e} above scipy's")
    assert last < 1e-6 and ours[0] <= best.fun + 1e-9 * abs(best.fun)
    print("rigspace: scipy agrees")


main()
