# SPDX-License-Identifier: MIT
"""For tests of the command line: the tool, named by the first argument, and what it reads and writes."""
import json
import os
import struct
import subprocess
import sys

import numpy as np

SUPPLE = os.path.abspath(sys.argv[1])
TESTS = os.path.dirname(os.path.abspath(__file__))


def run(*words, good=True):
    done = subprocess.run([SUPPLE, *words], capture_output=True, text=True, check=False)
    assert good is None or (done.returncode == 0) == good, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def skipped(case):
    """A part of a test that cannot run here: one line in the file that scripts/test.sh counts."""
    name = f"{os.path.basename(sys.argv[0])}:{case}"
    print(f"skipped: {name}")
    told = os.environ.get("SUPPLE_SKIPPED")
    if told:
        with open(told, "a", encoding="utf-8") as file:
            print(name, file=file)


def frames(path):
    """A point cache as [frame, vertex, 3]."""
    with open(path, "rb") as file:
        head = file.read(32)
        points, count = np.frombuffer(head[16:20], "<i4")[0], np.frombuffer(head[28:32], "<i4")[0]
        return np.frombuffer(file.read(12 * count * points), "<f4").reshape(count, points, 3).astype(float)


def write_pc2(path, positions):
    """[frame, vertex, 3] as a point cache of another program."""
    with open(path, "wb") as file:
        file.write(struct.pack("<12siiffi", b"POINTCACHE2", 1, positions.shape[1], 0, 1, len(positions)))
        file.write(positions.astype("<f4").tobytes())


def triangles(path):
    """The body of a character at rest, and its triangles, from an OBJ."""
    run("convert", path, "-o", "body.obj", "--order", "body")
    with open("body.obj", encoding="utf-8") as file:
        rows = [line.split() for line in file]
    faces = [[int(x.split("/")[0]) - 1 for x in r[1:]] for r in rows if r and r[0] == "f"]
    return np.array([r[1:4] for r in rows if r and r[0] == "v"], float), np.array(faces)


def deviation(motion, rest, faces):
    """Peak and root mean square of how far the volume in a closed skin is from that at rest."""
    def volume(positions):
        p, q, r = (positions[..., faces[:, k], :] - positions[..., :1, :] for k in range(3))
        return np.einsum("...ij,...ij->...", p, np.cross(q, r)) / 6
    off = np.abs(volume(motion) / volume(rest) - 1)
    return off.max(), np.sqrt((off ** 2).mean())


def rms(a, b):
    return np.sqrt(((a - b) ** 2).sum(2).mean())


def in_blender(jobs):
    """Has Blender play the jobs of blender_vertices.py, and our player the same files. Gives for every job how far apart
    the two are at most, in parts of the diagonal, or infinity where Blender cannot import the file. Only where blender is
    installed."""
    with open("jobs.json", "w", encoding="utf-8") as file:
        json.dump(jobs, file)
    script = os.path.join(TESTS, "helpers", "blender_vertices.py")
    done = subprocess.run(["blender", "--background", "--factory-startup", "--python", script, "--", "jobs.json"],
                          capture_output=True, text=True, check=False)
    assert "vertices written" in done.stdout, done.stdout + done.stderr
    worst = []
    for job in jobs:
        imported = os.path.exists(job["out"])
        apart = 0 if imported else np.inf
        for clip, chosen in job["clips"].items() if imported else ():
            run("play", job["file"], "--clip", clip.replace("Anim_", "clip_"), "-o", "ours.pc2")
            ours, theirs = frames("ours.pc2")[chosen], np.load(job["out"])[clip].astype(float)
            assert ours.shape == theirs.shape, (job["file"], clip, ours.shape, theirs.shape)
            apart = max(apart, np.linalg.norm(ours - theirs, axis=2).max() / np.linalg.norm(np.ptp(ours[0], axis=0)))
        print(f"{job['file']} in Blender: {apart:.1e} of the diagonal from our player")
        worst.append(apart)
    return worst
