# SPDX-License-Identifier: MIT
"""An envelope as morph targets that joint angles drive, evaluated by nothing of ours: check_driven.py SUPPLE"""
import os
import pathlib
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from glb import Document, add_morph_target, read_glb, write_glb  # noqa: E402
from tool import frames, rms, run  # noqa: E402

FPS = 30


# ---- An engine ------------------------------------------------------------------------------------------------------

def times(a, b):
    """Product of quaternions x y z w."""
    v = a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])
    return np.append(v, a[3] * b[3] - a[:3] @ b[:3])


def weight(driver, rotations):
    """As docs/formats.md says."""
    if "node" not in driver:
        return 1.0
    rest = np.array(driver["rest"]) * [-1, -1, -1, 1]
    turn = times(rest, rotations[driver["node"]])
    angle = 2 * np.arctan2(np.array(driver["axis"]) @ turn[:3], turn[3])
    angle = (angle + np.pi) % (2 * np.pi) - np.pi
    return np.interp(angle, driver["angles"], driver["weights"])


def rotation_at(keys, values, when):
    k = int(np.clip(np.searchsorted(keys, when, "right") - 1, 0, len(keys) - 2))
    a, b = values[k], values[k + 1]
    u = np.clip((when - keys[k]) / (keys[k + 1] - keys[k]), 0, 1)
    b = b if a @ b >= 0 else -b
    angle = np.arccos(min(1.0, a @ b))
    q = a if angle < 1e-9 else (np.sin((1 - u) * angle) * a + np.sin(u * angle) * b) / np.sin(angle)
    return q / np.linalg.norm(q)


class Engine:
    """Nodes, clips, one skin, one mesh."""

    def __init__(self, path):
        self.file = Document(path)
        json = self.file.json
        self.mesh = json["meshes"][0]
        parts = self.mesh["primitives"]
        self.rest = np.concatenate([self.attribute(p, "POSITION").astype(float) for p in parts])
        self.bones = np.concatenate([self.attribute(p, "JOINTS_0").astype(int) for p in parts])
        self.share = np.concatenate([self.attribute(p, "WEIGHTS_0").astype(float) for p in parts])
        every = [[self.target(t["POSITION"]) for t in p.get("targets", ())] for p in parts]
        self.targets = [np.concatenate(target) for target in zip(*every)]
        skin = json["skins"][0]
        self.joints = skin["joints"]
        self.bind = self.file.accessor(skin["inverseBindMatrices"]).astype(float).reshape(-1, 4, 4).transpose(0, 2, 1)

    def attribute(self, part, name):
        return self.file.accessor(part["attributes"][name])

    def target(self, index):
        accessor = self.file.json["accessors"][index]
        return self.file.accessor(index).astype(float) if "bufferView" in accessor else np.zeros((accessor["count"], 3))

    def channels(self, clip):
        animation = next(a for a in self.file.json["animations"] if a["name"] == clip)
        for channel in animation["channels"]:
            sampler = animation["samplers"][channel["sampler"]]
            yield (channel["target"]["path"], channel["target"]["node"],
                   self.file.accessor(sampler["input"])[:, 0].astype(float),
                   self.file.accessor(sampler["output"]).astype(float))

    def pose(self, clip, when):
        """Local translations and rotations of all nodes."""
        nodes = self.file.json["nodes"]
        moved = {i: (np.array(n.get("translation", [0, 0, 0]), float), np.array(n.get("rotation", [0, 0, 0, 1]), float))
                 for i, n in enumerate(nodes)}
        for path, node, keys, values in self.channels(clip):
            if path == "rotation":
                moved[node] = (moved[node][0], rotation_at(keys, values, when))
            elif path == "translation":
                moved[node] = (np.array([np.interp(when, keys, values[:, c]) for c in range(3)]), moved[node][1])
        return moved

    def matrices(self, pose):
        nodes, out = self.file.json["nodes"], {}

        def visit(index, above):
            t, q = pose[index]
            x, y, z, w = q
            local = np.eye(4)
            local[:3, :3] = [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                             [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                             [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]
            local[:3, 3] = t
            out[index] = above @ local
            for child in nodes[index].get("children", ()):
                visit(child, out[index])
        for root in self.file.json["scenes"][0]["nodes"]:
            visit(root, np.eye(4))
        return np.array([out[j] for j in self.joints]) @ self.bind

    def weights(self, pose):
        rotations = {node: q for node, (_, q) in pose.items()}
        driven = [weight(d, rotations) for d in self.mesh["extras"]["supple_drivers"]]
        return np.array([0.0] * (len(self.targets) - len(driven)) + driven)  # behind the character's own

    def shape(self, pose, weights):
        moved = self.rest + np.tensordot(weights, np.array(self.targets), 1) if len(weights) else self.rest
        palette = np.einsum("vk,vkij->vij", self.share, self.matrices(pose)[self.bones])
        return np.einsum("vij,vj->vi", palette[:, :3, :3], moved) + palette[:, :3, 3]


# ---- What is asked of it --------------------------------------------------------------------------------------------

def keys_follow_the_drivers():
    """Every key of every clip, from the drivers and the joints' rotations alone."""
    run("play", "e.glb", "--as", "morphs", "--driven", "--fps", str(FPS), "--tolerance", "1e-7", "-o", "all.glb")
    engine, worst, count = Engine("all.glb"), 0, 0
    wide = len(engine.targets)
    for clip in ("bend", "axial", "sway"):
        for path, _, keys, values in engine.channels(clip):
            if path != "weights":
                continue
            for when, row in zip(keys, values.reshape(len(keys), wide)):
                worst = max(worst, np.abs(engine.weights(engine.pose(clip, when)) - row).max())
                count += 1
    print(f"  {count} keys of {wide} targets: {worst:.1e}")
    assert count > 60 and worst < 1e-5, (count, worst)
    assert wide == 1 + len(engine.mesh["extras"]["supple_drivers"]) and 2 < wide <= 65
    assert all(-1e-9 <= w <= 1 for d in engine.mesh["extras"]["supple_drivers"] for w in d.get("weights", ()))


def clip_that_was_not_baked(name):
    """Targets and drivers know nothing of the clip; the file that they are from does not have it."""
    made, binary = read_glb("e.glb")
    made["animations"] = [a for a in made["animations"] if a["name"] != name]
    write_glb("part.glb", made, binary)
    run("play", "part.glb", "--as", "morphs", "--driven", "-o", "driven.glb")
    run("play", "e.glb", "--clip", name, "--fps", str(FPS), "-o", "goal.pc2")
    run("play", "e.glb", "--plain", "--clip", name, "--fps", str(FPS), "-o", "plain.pc2")
    goal, plain = frames("goal.pc2"), frames("plain.pc2")
    poses, engine = Engine("e.glb"), Engine("driven.glb")
    own = np.array([engine.shape(poses.pose(name, np.float32(t / FPS)), ()) for t in range(len(goal))])
    assert np.abs(own - plain).max() < 1e-5, np.abs(own - plain).max((1, 2))  # it skins as we do
    shown = np.array([engine.shape(p, engine.weights(p)) for p in (poses.pose(name, np.float32(t / FPS)) for t in range(len(goal)))])
    left = rms(shown, goal) / rms(plain, goal)
    print(f"  {name}: {1e3 * rms(shown, goal):.3f} mm of {1e3 * rms(plain, goal):.2f}")
    return left


def nothing_moves_in_the_dress_pose():
    engine = Engine("all.glb")
    pose = {i: (np.array(n.get("translation", [0, 0, 0]), float), np.array(n.get("rotation", [0, 0, 0, 1]), float))
            for i, n in enumerate(engine.file.json["nodes"])}
    assert np.abs(engine.shape(pose, engine.weights(pose)) - engine.shape(pose, ())).max() < 2e-6


def mistakes_are_told():
    for says, words in (("needs an envelope", ("tube.glb", "--as", "morphs", "--driven")),
                        ("no effect without --as morphs", ("e.glb", "--as", "helpers", "--driven")),
                        ("two --targets", ("e.glb", "--as", "morphs", "--driven", "--targets", "1"))):
        said = run("play", *words, "-o", "x.glb", good=False)
        assert says in said and not os.path.exists("x.glb"), said


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run("make", "tube", "--vertices", "494", "-o", "tube.glb")
        run("convert", "tube.glb", "-o", "rest.obj")
        with open("rest.obj", encoding="utf-8") as file:
            rest = np.array([[float(x) for x in line.split()[1:4]] for line in file if line.startswith("v ")])
        bump = np.zeros_like(rest)
        side = rest[:, 0] > rest[:, 0].mean()
        bump[:, 0] = 0.03 * side * np.exp(-((rest[:, 1] - rest[:, 1].mean()) / 0.15) ** 2)
        add_morph_target("tube.glb", "m.glb", "bulged", rest + bump)
        run("build", "envelope", "m.glb", "--example", "bulged", "--at", "bend:1", "-o", "e.glb")
        keys_follow_the_drivers()
        nothing_moves_in_the_dress_pose()
        assert clip_that_was_not_baked("sway") < 0.2
        mistakes_are_told()
        os.chdir("/")


if __name__ == "__main__":
    main()
