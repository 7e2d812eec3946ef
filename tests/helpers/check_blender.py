# SPDX-License-Identifier: MIT
"""Baked files in Blender, headless: the same vertices as our player's. check_blender.py SUPPLE

Skipped where there is no blender. Blender interpolates the components of a quaternion where glTF wants the great
circle, so frames are compared where every track has a key: baked with a tolerance that keeps nearly all of them.
"""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

import numpy as np

SUPPLE = os.path.abspath(sys.argv[1])
HERE = os.path.dirname(os.path.abspath(__file__))
FRAMES = [0, 20, 60, 61, 100, 140]


def run(*words):
    subprocess.run([SUPPLE, *words, "--quiet"], check=True)


def frames(path):
    with open(path, "rb") as file:
        head = file.read(32)
        points, count = struct.unpack("<i", head[16:20])[0], struct.unpack("<i", head[28:32])[0]
        return np.frombuffer(file.read(12 * count * points), "<f4").reshape(count, points, 3).astype(float)


def main():
    if not shutil.which("blender"):
        print("skipped: no blender")
        return 77
    run("make", "mochi", "--vertices", "1500", "-o", "mochi.glb")
    run("build", "surface", "mochi.glb", "--preset", "fat", "-o", "fat.glb")
    jobs = [{"file": "mochi.glb"}]
    for kind in ("helpers", "morphs"):
        run("play", "fat.glb", "--clip", "jump", "--as", kind, "--bones", "8", "--tolerance", "1e-8", "-o", f"{kind}.glb")
        jobs.append({"file": f"{kind}.glb"})
    # Beside morph targets of its own.
    run("build", "surface", "morphs.glb", "--preset", "jelly", "-o", "both.glb")
    run("play", "both.glb", "--clip", "jump", "--as", "morphs", "--tolerance", "1e-8", "-o", "more.glb")
    jobs.append({"file": "more.glb"})
    for job in jobs:
        job.update(out=job["file"] + ".npz", fps=60, clips={"jump": FRAMES})
        run("play", job["file"], "--clip", "jump", "-o", job["file"] + ".pc2")
    with open("jobs.json", "w", encoding="utf-8") as file:
        json.dump(jobs, file)
    script = os.path.join(HERE, "blender_vertices.py")
    done = subprocess.run(["blender", "--background", "--factory-startup", "--python", script, "--", "jobs.json"],
                          capture_output=True, text=True, check=False)
    assert "vertices written" in done.stdout, done.stdout + done.stderr
    failed = 0
    for job in jobs:
        theirs, ours = np.load(job["out"])["jump"].astype(float), frames(job["file"] + ".pc2")[FRAMES]
        diagonal = np.linalg.norm(np.ptp(ours[0], axis=0))
        worst = np.linalg.norm(theirs - ours, axis=2).max() / diagonal
        print(f"{job['file']}: {worst:.1e} of the diagonal from our player")
        failed += not worst < 1e-5
    return 1 if failed else 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        code = main()
        os.chdir("/")
    sys.exit(code)
