#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The surface technique against numpy, written from the equations and not from the library.

check_surface.py DUMP runs the program DUMP (surface_dump.c), which plays 200 frames of mochi's jump,
and computes the same in double precision: its own one-rings from the triangles, its own spokes,
skinning, forces and steps. With the library's rotation rule (one Newton step per frame from the
last rotation) positions must agree within 1e-4 of the greatest distance from the goal; with the
exact polar decomposition within 2e-3 of it in the root mean square. What learning minimises, the
sum over frames and vertices of area times squared distance from the example, must agree as well.
"""
import json
import subprocess
import sys

import numpy as np

FRAMES = 200


def read(kind):
    data = subprocess.run([sys.argv[1], kind, str(FRAMES)], check=True, stdout=subprocess.PIPE).stdout
    end = data.index(b"\n") + 1
    head = json.loads(data[:end])
    at = end

    def take(dtype, *shape):
        nonlocal at
        a = np.frombuffer(data, dtype, int(np.prod(shape)), at).reshape(shape)
        at += a.nbytes
        return a.astype(float) if dtype == "<f4" else a.astype(int)

    n = head["vertices"]
    head["rest"] = take("<f4", n, 3)
    head["normal"] = take("<f4", n, 3)
    head["tri"] = take("<u4", head["triangles"], 3)
    head["offsets"] = take("<u4", n + 1)
    head["bone"] = take("<u4", head["influences"])
    head["weight"] = take("<f4", head["influences"])
    head["segment"] = take("<f4", head["segments"], 7)
    head["maps"] = take("<f4", 8, n)
    frames = [(take("<f4", head["bones"], 4, 3), take("<f4", n, 3)) for _ in range(FRAMES)]
    # Affine maps are stored by columns: linear part first, translation last.
    head["linear"] = np.array([f[0][:, :3].transpose(0, 2, 1) for f in frames])
    head["shift"] = np.array([f[0][:, 3] for f in frames])
    head["x"] = np.array([f[1] for f in frames])
    head["errors"] = np.frombuffer(data, "<f8", 2, at) if kind.startswith("objective") else None
    return head


def polar(a):
    """The rotations nearest to matrices a[n, 3, 3], determinant 1."""
    u, _, vt = np.linalg.svd(a)
    u[:, :, 2] *= np.sign(np.linalg.det(u @ vt))[:, None]
    return u @ vt


def turned(r, half, scalar):
    """r times the rotation of the quaternions (half, scalar), of any length."""
    q = np.concatenate([half, scalar[:, None]], 1)
    x, y, z, w = (q / np.linalg.norm(q, axis=1)[:, None]).T
    step = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
    return r @ step.transpose(2, 0, 1)


def newton(r, a):
    """One step of the rule in docs/techniques/surface.md from rotations r towards the maximum of trace(r^T a): a
    Newton step, or where that is not safe the best turn about the axis that curves upwards most, or
    a Newton step with a shifted matrix. Returns how many were not safe."""
    size = np.abs(a).max((1, 2))
    s = r.transpose(0, 2, 1) @ a
    half_trace = np.trace(s, axis1=1, axis2=2)
    h = half_trace[:, None, None] * np.eye(3) - (s + s.transpose(0, 2, 1)) / 2
    g = np.stack([s[:, 2, 1] - s[:, 1, 2], s[:, 0, 2] - s[:, 2, 0], s[:, 1, 0] - s[:, 0, 1]], 1)
    minor = h[:, 0, 0] * h[:, 1, 1] - h[:, 0, 1]**2
    good = ((half_trace > size / 64) & (h[:, 0, 0] > 0) & (minor > 0)
            & (np.linalg.det(h) > half_trace**3 / 4096))
    safe = np.where(good[:, None, None], h, np.eye(3))
    half = np.linalg.solve(safe, g[:, :, None])[:, :, 0] / 2
    good &= (half**2).sum(1) <= 1
    scalar = np.ones(len(a))
    odd = np.nonzero(~good)[0]
    if len(odd):
        h, g, size = h[odd], g[odd], size[odd]
        values, vectors = np.linalg.eigh(h)
        n, curvature = vectors[:, :, 0], values[:, 0]
        along = (n * g).sum(1)
        up = (curvature < -size / 2048) & ((g * g).sum(1) < curvature**2)
        sine = np.hypot(curvature, along) - curvature
        shift = np.maximum(-curvature, 0) + size / 64
        d = np.linalg.solve(h + shift[:, None, None] * np.eye(3), g[:, :, None])[:, :, 0] / 2
        half[odd] = np.where(up[:, None], n * sine[:, None], d)
        scalar[odd] = np.where(up, along, 1)
    return turned(r, half, scalar), len(odd)


class Model:
    def __init__(self, d):
        n = d["vertices"]
        self.d, self.n = d, n
        t = d["tri"]
        e = np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]])
        e = np.unique(np.concatenate([e, e[:, ::-1]]), axis=0)
        self.i, self.j = e[:, 0], e[:, 1]
        self.edge = d["rest"][self.j] - d["rest"][self.i]
        self.first = np.searchsorted(self.i, np.arange(n))  # sorted; every vertex has a ring
        self.degree = np.diff(np.append(self.first, len(self.i))).astype(float)[:, None]
        assert (self.degree > 0).all()
        self.mean_edge = self.ring_mean(self.edge)
        self.vertex = np.repeat(np.arange(n), np.diff(d["offsets"]))
        self.spokes()

    def ring_sum(self, values):
        return np.add.reduceat(values, self.first)

    def over_bones(self, values):
        return np.add.reduceat(values, self.d["offsets"][:-1])

    def ring_mean(self, values):
        return self.ring_sum(values) / self.degree

    @staticmethod
    def foot(p, a, b):
        d = b - a
        square = (d * d).sum(1)
        t = np.where(square > 0, ((p - a) * d).sum(1) / np.where(square > 0, square, 1), 0)
        return a + np.clip(t, 0, 1)[:, None] * d

    def spokes(self):
        """For each influence the nearest segment of its bone, and the rest length."""
        d = self.d
        p = d["rest"][self.vertex]
        best = np.full(len(p), np.inf)
        self.segment = np.full(len(p), -1)
        for k, s in enumerate(d["segment"]):
            a, b = np.broadcast_to(s[1:4], p.shape), np.broadcast_to(s[4:], p.shape)
            length = np.linalg.norm(p - self.foot(p, a, b), axis=1)
            better = (d["bone"] == int(s[0])) & (length < best)
            best[better], self.segment[better] = length[better], k
        assert (self.segment >= 0).all()
        self.length = best

    def blend(self, frame):
        d = self.d
        full = np.concatenate([d["linear"][frame], d["shift"][frame][:, :, None]], 2)
        return self.over_bones(d["weight"][:, None, None] * full[d["bone"]])

    def bone_forces(self, x, frame):
        d = self.d
        s = d["segment"]
        bone = s[:, 0].astype(int)
        place = lambda p: np.einsum("kij,kj->ki", d["linear"][frame][bone], p) + d["shift"][frame][bone]
        a, b = place(s[:, 1:4])[self.segment], place(s[:, 4:])[self.segment]
        r = x[self.vertex] - self.foot(x[self.vertex], a, b)
        length = np.maximum(np.linalg.norm(r, axis=1), 0.1 * self.length)
        length = np.maximum(length, 1e-12)
        return self.over_bones((d["weight"] * (self.length / length - 1))[:, None] * r)

    def play(self, kind, exact):
        alpha, beta, gamma, lam, delta, eta, normal_alpha, normal_delta = self.d["maps"][:, :, None]
        out, goals, odd = [], [], 0
        x = dx = goal = goal_step = r = None
        for frame in range(FRAMES):
            m = self.blend(frame)
            new = np.einsum("vij,vj->vi", m[:, :, :3], self.d["rest"]) + m[:, :, 3]
            if frame < 2:  # at the goal, and moving as it does
                step = new - goal if frame else np.zeros_like(new)
                x, dx, r = new, step, polar(m[:, :, :3])
                out.append(x)
                x = x + dx
            else:
                step = new - goal
                if kind == "undelayed" and frame > 2:  # what the last step could not know
                    x, dx = x + eta * (step - goal_step), dx + eta * (step - goal_step)
                out.append(x)
                e = x[self.j] - x[self.i]
                a = m[:, :, :3] if kind == "bones" else self.ring_sum(e[:, :, None] * self.edge[:, None, :])
                if exact:
                    r = polar(a)
                else:
                    r, count = newton(r, a)
                    odd += count
                w = dx if kind == "absolute" else dx - step
                detail = self.ring_mean(e) - np.einsum("vij,vj->vi", r, self.mean_edge)
                damping = self.ring_mean(w[self.j] - w[self.i])
                if kind == "normal":  # apart along the goal's normal, and along the skin
                    n = np.einsum("vij,vj->vi", m[:, :, :3], self.d["normal"])
                    n /= np.linalg.norm(n, axis=1)[:, None]
                    along = lambda v: n * (n * v).sum(1)[:, None]
                    pull = alpha * (new - x - along(new - x)) + normal_alpha * along(new - x)
                    drag = delta * (w - along(w)) + normal_delta * along(w)
                else:
                    pull, drag = alpha * (new - x), delta * w
                dx = (dx + pull + beta * detail + gamma * self.bone_forces(x, frame)
                      + lam * damping - drag + (kind != "undelayed") * eta * (step - goal_step))
                x = x + dx
            goal, goal_step = new, step
            goals.append(new)
        return np.array(out), np.array(goals), odd


def check_objective(kind, played):
    """Other maps than the example's: the error of the whole simulation, and that of the goals."""
    d = read(kind)
    d["maps"] = 0.8 * d["maps"]
    x, goal, _ = Model(d).play(played, False)
    corner = d["rest"][d["tri"]]
    share = np.linalg.norm(np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]), axis=1)
    area = np.bincount(d["tri"].ravel(), np.repeat(share, 3), d["vertices"])
    area /= area.mean()
    wrong = False
    for name, shown, found in zip(("learning", "goals"), (x, goal), d["errors"]):
        error = (area * ((shown - d["x"])[2:]**2).sum(2)).sum()
        off = abs(found / error - 1)
        wrong |= not off < 1e-5
        print(kind + ", %s: %.9g here, %.9g there: %.1e apart" % (name, error, found, off))
    return wrong


def main():
    failed = check_objective("objective", "ring")
    failed |= check_objective("objective-normal", "normal")
    failed |= check_objective("objective-undelayed", "undelayed")
    for kind in ("ring", "bones", "absolute", "normal", "undelayed"):
        d = read(kind)
        model = Model(d)
        for exact in (False, True):
            x, goal, odd = model.play(kind, exact)
            distance = np.linalg.norm(x - d["x"], axis=2)
            secondary = np.linalg.norm(d["x"] - goal, axis=2)
            peak = secondary.max()
            largest, rms = distance.max() / peak, np.sqrt((distance**2).mean()) / peak
            ok = rms < 2e-3 if exact else largest < 1e-4
            failed |= not (ok and peak > 0.05)
            rule = "exact polar" if exact else "same rule, %d odd rings" % odd
            print("%-8s %-24s peak %.4f m, largest %.2e, rms %.2e of it  %s"
                  % (kind, rule, peak, largest, rms, "ok" if ok else "WRONG"))
    sys.exit(1 if failed else 0)


main()
