# SPDX-License-Identifier: MIT
"""Correctives over helpers: learning runs the helpers below, so that both together show less error than the helpers alone
on the motion that taught them, also where static poses, drawn as they were without helpers, are among the examples. From
static poses alone that holds for helpers that know such poses; for others the build refuses."""
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
    run("build", "helpers", "t.glb", "--bones", "2", *motion, "-o", "moved.glb")
    run("build", "helpers", "t.glb", "--bones", "2", *motion, *poses, "-o", "taught.glb")
    told = run("build", "correctives", "moved.glb", *poses, "-o", "refused.glb", good=False)
    assert "of plain skinning's error" in told and not os.path.exists("refused.glb"), told
    run("build", "correctives", "moved.glb", *poses, "--force", "-o", "forced.glb")
    for helpers, examples, limit in (("moved", motion, 0.9), ("moved", motion + poses, 0.9), ("taught", poses, 1)):
        run("build", "correctives", helpers + ".glb", *examples, "-o", "both.glb")
        alone, both = errors(helpers + ".glb"), errors("both.glb")
        for k, clip in enumerate(CLIPS):
            assert both[k] < limit * alone[k], (helpers, examples, clip, alone, both)
    os.chdir("/")
