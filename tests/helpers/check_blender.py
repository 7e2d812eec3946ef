# SPDX-License-Identifier: MIT
"""Baked files in Blender, headless: the same vertices as our player's. check_blender.py SUPPLE

Skipped where there is no blender. Blender interpolates the components of a quaternion where glTF wants the great
circle, so frames are compared where every track has a key: baked with a tolerance that keeps nearly all of them.
"""
import os
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tool import in_blender, run  # noqa: E402

FRAMES = [0, 20, 60, 61, 100, 140]


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
    return 0 if max(in_blender(jobs)) < 1e-5 else 1


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        code = main()
        os.chdir("/")
    sys.exit(code)
