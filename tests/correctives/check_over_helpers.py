# SPDX-License-Identifier: MIT
"""Correctives over helpers: learning runs the helpers below, so that both together show less error than the helpers alone
on the motion that taught them, and static poses, drawn as they were without helpers, do little harm."""
import json
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tool import run  # noqa: E402

CLIPS = ("bend", "sway")


def errors(name):
    found = []
    for clip in CLIPS:
        run("play", name, "--clip", clip, "--fps", "60", "-o", "shown.pc2")
        run("compare", "shown.pc2", clip + ".pc2", "--of", "t.glb", "--clip", clip, "--json", "c.json")
        with open("c.json", encoding="utf-8") as file:
            found.append(json.load(file)["result"]["relative_error"])
    print(name, found)
    return found


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    run("make", "tube", "--vertices", "500", "-o", "t.glb")
    motion = []
    for clip in CLIPS:
        run("simulate", "t.glb", "--clip", clip, "--tets", "400", "--fps", "60", "-o", clip + ".pc2")
        motion += ["--example", clip + ".pc2", "--clip", clip]
    run("simulate", "t.glb", "--poses", "16", "--tets", "400", "-o", "poses.pc2")
    poses = ["--example", "poses.pc2", "--clip", "@poses"]
    run("build", "helpers", "t.glb", "--bones", "2", *motion, "-o", "helpers.glb")
    assert "note: helpers" not in run("build", "correctives", "helpers.glb", *motion, "-o", "motion.glb")
    assert "note: helpers" in run("build", "correctives", "helpers.glb", *poses, "-o", "poses.glb")
    assert "note: helpers" not in run("build", "correctives", "t.glb", *poses, "-o", "alone.glb")
    helpers, moved, posed = (errors(f"{name}.glb") for name in ("helpers", "motion", "poses"))
    for k, clip in enumerate(CLIPS):
        assert moved[k] < 0.9 * helpers[k], (clip, moved, helpers)
        assert posed[k] < 1.4 * helpers[k], (clip, posed, helpers)
    os.chdir("/")
