# SPDX-License-Identifier: MIT
"""Steps of the subspace technique, taken again in numpy and minimised by scipy.

The rotation of a cluster is that of its singular vectors here; the energy is written out from
docs/techniques/subspace.md, its gradient compared with differences.

usage: check_subspace.py DUMP_SUBSPACE
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from scipy.optimize import minimize

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from dumped import read  # noqa: E402


def polar(gradient):
    u, _, v = np.linalg.svd(gradient)
    u[..., 2] *= np.sign(np.linalg.det(u @ v))[:, None]
    return u @ v


def symmetric(turn, gradient):
    local = np.swapaxes(turn, 1, 2) @ gradient
    return (local + np.swapaxes(local, 1, 2)) / 2


class Model:
    def __init__(self, data):
        self.functions, self.bones, blocks, self.vertices = data["counts"].astype(int)
        self.h, self.beta, self.drag, self.stiffening, self.rho = data["numbers"][:5]
        self.centre, self.gravity = data["numbers"][5:8], data["numbers"][8:11]
        self.weight, self.elastic = data["weight"], data["elastic"]
        self.inertia_bones = data["inertia_bones"].reshape(self.functions, -1)
        self.elastic_bones = data["elastic_bones"].reshape(self.functions, -1)
        lanes = data["gradients"].reshape(blocks, self.functions, 3, 16)
        own = np.moveaxis(lanes, 3, 1).reshape(-1, self.functions, 3)
        wide = np.zeros((16 * blocks, 4 * self.bones, 3))
        rows = data["bone_gradients"].reshape(-1, 4, 3, 16)
        first, names = data["bone_first"].astype(int), data["bones"].astype(int)
        for block in range(blocks):
            for row in range(first[block], first[block + 1]):
                at = slice(4 * names[row], 4 * names[row] + 4)
                wide[16 * block : 16 * block + 16, at] = np.moveaxis(rows[row], 2, 0)
        used = data["stiffness"] > 0
        self.g, self.g_bones = own[used], wide[used]
        self.stiffness, self.ratio = data["stiffness"][used], data["ratio"][used]
        self.shape = data["vertex_functions"].reshape(self.vertices, -1)

    def pose(self, palette):
        """The bones' parameters, 3 x 4 bones: amplitudes of their functions."""
        return np.moveaxis(palette.reshape(-1, 4, 3), 2, 0).reshape(3, -1)

    def gradients(self, pose):
        return np.einsum("ip,cpj->cij", pose, self.g_bones)


def energy(model, z, step):
    """Energy and gradient of a step at z[3 * K]."""
    z = z.reshape(3, -1)
    change = np.einsum("ik,ckj->cij", z, model.g)
    f, r, s = step["rigid"] + change, model.ratio, model.stiffness
    eye = np.eye(3)
    cofactor = np.stack([np.cross(f[:, 1], f[:, 2]), np.cross(f[:, 2], f[:, 0]), np.cross(f[:, 0], f[:, 1])], 1)
    gap = np.linalg.det(f) - 1
    w = ((f**2).sum((1, 2)) - 3) / 2 - gap + r / 2 * gap**2
    stress = f - cofactor + (r * gap)[:, None, None] * cofactor
    stress *= (1 + model.stiffening * w)[:, None, None]
    density = w + model.stiffening / 2 * w**2
    a = step["a"]
    if a > 0:
        rate = symmetric(step["turn"], f - step["still_gradient"])
        trace = np.trace(rate, axis1=1, axis2=2)
        density += a * ((rate**2).sum((1, 2)) + (r - 1) / 2 * trace**2)
        stress += a * step["turn"] @ (2 * rate + ((r - 1) * trace)[:, None, None] * eye)
    off = change - np.einsum("ik,ckj->cij", step["still"], model.g)
    density -= model.rho * ((change**2).sum((1, 2)) + a * (off**2).sum((1, 2)))
    stress -= 2 * model.rho * (change + a * off)
    total = (s * density).sum()
    slope = np.einsum("c,cij,ckj->ik", s, stress, model.g)
    lag, move = z - step["target"], z - step["still"]
    total += step["k"] / 2 * (lag**2).sum() + step["drag"] / 2 * (move**2).sum()
    total += (model.elastic * (z**2 + a * move**2)).sum() / 2 + (step["linear"] * z).sum()
    slope += step["k"] * lag + step["drag"] * move + model.elastic * (z + a * move) + step["linear"]
    return total, slope.ravel()


def solve(model, start, step):
    scale = 1 / np.sqrt(np.tile(step["k"] + (1 + step["a"]) * model.elastic, 3))
    rest = energy(model, np.zeros_like(start), step)[0]

    def scaled(y):
        value, slope = energy(model, scale * y, step)
        return value - rest, scale * slope

    tight = {"maxiter": 4000, "maxfun": 8000, "ftol": 1e-16, "gtol": 1e-9, "maxcor": 40}
    y = start / scale
    for _ in range(3):
        y = minimize(scaled, y, jac=True, method="L-BFGS-B", options=tight).x
    return scale * y


class History:
    """Values of the last two steps and their velocities, BDF2."""

    def __init__(self, now, before, velocity):
        self.x, self.v = [now, before], [velocity, velocity]

    def still(self):
        return (4 * self.x[0] - self.x[1]) / 3

    def target(self, h):
        return self.still() + h * (2 * self.v[0] - self.v[1] / 2) / 2.25

    def advance(self, x, h):
        self.v = [(1.5 * x - 2 * self.x[0] + 0.5 * self.x[1]) / h, self.v[0]]
        self.x = [x, self.x[0]]


def place(model, pose):
    zero = np.zeros((3, model.functions))
    step = {"rigid": model.gradients(pose), "a": 0, "k": 0, "drag": 0, "still": zero, "target": zero}
    step["linear"] = pose @ model.elastic_bones.T - np.outer(model.gravity, model.weight)
    return solve(model, zero.ravel(), step)


def follow(model, poses):
    """Amplitudes of all frames: equilibrium first, then steps."""
    z = place(model, poses[0])
    shapes = History(z.reshape(3, -1), z.reshape(3, -1), np.zeros((3, model.functions)))
    way = poses[1] - poses[0]
    bones = History(poses[0], poses[0] - way, way / model.h)
    found = [z]
    for pose in poses[1:]:
        k, a = 2.25 / model.h**2, model.beta * 1.5 / model.h
        rate = a * (pose - bones.still())
        step = {"rigid": model.gradients(pose), "a": a, "k": k, "drag": model.drag * 1.5 / model.h}
        step["still"], step["target"] = shapes.still(), shapes.target(model.h)
        step["linear"] = (pose + rate) @ model.elastic_bones.T - np.outer(model.gravity, model.weight)
        step["linear"] += k * (pose - bones.target(model.h)) @ model.inertia_bones.T
        guess = 2 * shapes.x[0] - shapes.x[1]
        step["turn"] = polar(step["rigid"] + np.einsum("ik,ckj->cij", guess, model.g))
        still = model.gradients(bones.still()) + np.einsum("ik,ckj->cij", shapes.still(), model.g)
        step["still_gradient"] = still
        z = solve(model, guess.ravel(), step)
        shapes.advance(z.reshape(3, -1), model.h)
        bones.advance(pose, model.h)
        found.append(z)
        last = step
    return np.array(found), last


def slope_error(model, step):
    z = 0.1 * np.random.default_rng(1).normal(size=3 * model.functions)
    slope = energy(model, z, step)[1]
    ways = 1e-4 * np.eye(len(z))
    near = np.array([energy(model, z + way, step)[0] - energy(model, z - way, step)[0] for way in ways]) / 2e-4
    return np.abs(near - slope).max() / np.abs(slope).max()


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.argv[1], f"{folder}/model"], check=True)
        data = read(f"{folder}/model")
    model = Model(data)
    palettes = data["palettes"].reshape(-1, model.bones, 12)
    ours = data["offsets"].reshape(len(palettes), model.vertices, 3)
    z, step = follow(model, [model.pose(p) for p in palettes])
    theirs = np.einsum("vk,fik->fvi", model.shape, z.reshape(len(palettes), 3, -1))
    size = np.linalg.norm(np.ptp(palettes[:, :, 9:12].reshape(-1, 3), axis=0))
    gaps = np.abs(ours - theirs).max((1, 2)) / size
    slope = slope_error(model, step)
    print(f"offsets up to {np.abs(theirs).max() / size:.3f} of the size; gaps by frame", *(f"{g:.1e}" for g in gaps))
    print(f"gradient against differences {slope:.1e}")
    return 0 if gaps.max() < 1e-5 and slope < 1e-5 and np.abs(theirs).max() > 0.01 * size else 1


if __name__ == "__main__":
    sys.exit(main())
