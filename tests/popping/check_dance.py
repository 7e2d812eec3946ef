# SPDX-License-Identifier: MIT
"""Eight bars of dance on mochi and on a real man, three pairs of shapes each, as it is seen elsewhere:
check_dance.py SUPPLE SKIN_DUMP

The bulge overshoots, quivers and releases without a jump; baked into morph targets it is the same in three.js and in
Blender, where these are installed. The man needs $SUPPLE_TEST_DATA.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tool import TESTS, frames, in_blender, rms, run, skipped  # noqa: E402

DUMP = os.path.abspath(sys.argv[2])
FRAMES = [0, 6, 40, 200, 519, 1000]
BEAT = ("--beat", "110", "--bars", "8")


def repeated(option, words):
    return [word for value in words for word in (option, value)]


def dance(name, character, clip, times, flesh, groups):
    """Builds, plays with and without music, bakes; says what the bulge does."""
    at = repeated("--at", [f"{clip}:{time}" for time in times])
    run("simulate", "clench", character, *at, "--tets", "2000", "--young", "60000", "--tension", "60000", *flesh, "-o",
        "pairs.pc2")
    run("build", "popping", character, "--example", "pairs.pc2", *at, *repeated("--group", groups), "-o", f"{name}.glb")
    first, second = (group.split("=")[0] for group in groups)
    music = ("--pattern", f"{first}=x.x.xx..", "--pattern", f"{second}=..x...x_")
    run("play", f"{name}.glb", "--clip", clip, *BEAT, *music, "-o", "loud.pc2")
    run("play", f"{name}.glb", "--clip", clip, *BEAT, "--pattern", ".", "-o", "silent.pc2")
    bulge = np.linalg.norm(frames("loud.pc2") - frames("silent.pc2"), axis=2)
    belly = bulge.max(axis=0).argmax()
    held, peak = bulge[11, belly], bulge[:12, belly].max()
    step = np.abs(np.diff(bulge, axis=0)).max()
    print(f"{name}: bulge {1e3 * bulge.max():.1f} mm, first peak {peak / held:.2f} of what is held then, "
          f"at most {100 * step / bulge.max():.0f} % of it in a frame")
    assert peak > 1.2 * held, "it does not overshoot"
    assert step < 0.4 * bulge.max(), "it jumps"
    fall = bulge[14:30, belly]
    assert (np.diff(fall) < 0).all() and fall[-1] < 0.2 * fall[0], "it does not let go evenly"
    run("play", f"{name}.glb", "--clip", clip, *BEAT, *music, "--as", "morphs", "--targets", "24", "--tolerance", "1e-6",
        "-o", f"{name}-baked.glb")
    run("play", f"{name}-baked.glb", "--clip", clip, "-o", f"{name}-baked.pc2")
    off = rms(frames(f"{name}-baked.pc2"), frames("loud.pc2"))
    print(f"  baked: {1e3 * off:.3f} mm away (root mean square)")
    assert off < 5e-4
    return {"file": f"{name}-baked.glb", "out": f"{name}.npz", "fps": 60, "clips": {clip: FRAMES}}


def in_three(jobs):
    folder = os.path.join(TESTS, "node")
    if not shutil.which("node") or not os.path.isdir(os.path.join(folder, "node_modules")):
        skipped("no_three_js")
        return
    done = subprocess.run(["node", "three_skin.mjs", DUMP, *(os.path.abspath(job["file"]) for job in jobs)], cwd=folder,
                          env={**os.environ, "SUPPLE_TEST_DATA": os.getcwd()}, capture_output=True, text=True, check=False)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr


def main():
    run("make", "mochi", "--vertices", "2000", "-o", "small.glb")
    jobs = [dance("mochi", "small.glb", "pop", (0, 1, 2.5), (),
                  ("belly=spine+chest+hips", "arms=upper_arm_l+upper_arm_r+forearm_l+forearm_r"))]
    man = os.path.join(os.environ.get("SUPPLE_TEST_DATA", ""), "mh_muscular_man.glb")
    if os.path.exists(man):
        flesh = repeated("--muscle", ("upperarm_l", "upperarm_r", "lowerarm_l", "lowerarm_r", "thigh_l", "thigh_r", "calf_l",
                                      "calf_r"))
        flesh += repeated("--lock", ("hand_l", "hand_r", "head", "foot_l", "foot_r"))
        jobs.append(dance("man", man, "Punch_Cross", (0, 0.35, 0.55), flesh,
                          ("legs=thigh_l+thigh_r+calf_l+calf_r", "arms=upperarm_l+upperarm_r+lowerarm_l+lowerarm_r")))
    else:
        skipped("no_man")
    in_three(jobs)
    if shutil.which("blender"):
        assert max(in_blender(jobs)) < 1e-5
    else:
        skipped("no_blender")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
