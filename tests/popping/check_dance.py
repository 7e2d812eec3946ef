# SPDX-License-Identifier: MIT
"""Eight bars of dance on mochi and on a real man, three pairs of shapes each, as it is seen elsewhere:
check_dance.py SUPPLE SKIN_DUMP

The bulge overshoots, quivers and lets go without a jump; baked into morph targets it is the same in three.js and in
Blender, where these are installed. The man needs $SUPPLE_TEST_DATA.
"""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

import numpy as np

SUPPLE, DUMP = (os.path.abspath(word) for word in sys.argv[1:3])
TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FRAMES = [0, 6, 40, 200, 519, 1000]
BEAT = ("--beat", "110", "--bars", "8")


def run(*words):
    subprocess.run([SUPPLE, *words, "--quiet"], check=True)


def frames(path):
    with open(path, "rb") as file:
        head = file.read(32)
        points, count = struct.unpack("<i", head[16:20])[0], struct.unpack("<i", head[28:32])[0]
        return np.frombuffer(file.read(12 * count * points), "<f4").reshape(count, points, 3).astype(float)


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
    rms = np.sqrt((np.linalg.norm(frames(f"{name}-baked.pc2") - frames("loud.pc2"), axis=2) ** 2).mean())
    print(f"  baked: {1e3 * rms:.3f} mm away (root mean square)")
    assert rms < 5e-4
    return {"file": f"{name}-baked.glb", "out": f"{name}.npz", "fps": 60, "clips": {clip: FRAMES}}


def in_three(jobs):
    folder = os.path.join(TESTS, "node")
    if not shutil.which("node") or not os.path.isdir(os.path.join(folder, "node_modules")):
        print("three.js is not here")
        return
    done = subprocess.run(["node", "three_skin.mjs", DUMP, *(os.path.abspath(job["file"]) for job in jobs)], cwd=folder,
                          env={**os.environ, "SUPPLE_TEST_DATA": os.getcwd()}, capture_output=True, text=True, check=False)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr


def in_blender(jobs):
    if not shutil.which("blender"):
        print("Blender is not here")
        return
    with open("jobs.json", "w", encoding="utf-8") as file:
        json.dump(jobs, file)
    script = os.path.join(TESTS, "helpers", "blender_vertices.py")
    done = subprocess.run(["blender", "--background", "--factory-startup", "--python", script, "--", "jobs.json"],
                          capture_output=True, text=True, check=False)
    assert "vertices written" in done.stdout, done.stdout + done.stderr
    for job in jobs:
        (clip, chosen), = job["clips"].items()
        theirs, ours = np.load(job["out"])[clip].astype(float), frames(job["file"].replace(".glb", ".pc2"))[chosen]
        worst = np.linalg.norm(theirs - ours, axis=2).max() / np.linalg.norm(np.ptp(ours[0], axis=0))
        print(f"{job['file']} in Blender: {worst:.1e} of the diagonal")
        assert worst < 1e-5


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
    in_three(jobs)
    in_blender(jobs)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
