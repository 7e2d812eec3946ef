# SPDX-License-Identifier: MIT
"""One set of helpers for several materials, from the command line: check_materials.py SUPPLE"""
import json
import os
import pathlib
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tool import frames, rms, run  # noqa: E402

FLESH = {"soft": 2.2, "between": 2.84, "firm": 3.67}  # Hz


def show(name, *words):
    run("play", name, "--clip", "jump", *words, "-o", "shown.pc2")
    return frames("shown.pc2")


def main():
    run("make", "mochi", "--vertices", "494", "-o", "plain.glb")
    for name, hertz in FLESH.items():
        run("build", "modes", "plain.glb", "--modes", "8", "--tets", "400", "--frequency", str(hertz),
            "-o", "flesh.glb")
        for clip in ("jump", "run"):
            run("play", "flesh.glb", "--clip", clip, "-o", f"{name}-{clip}.pc2")
    lessons = []
    for name in ("soft", "firm"):
        lessons += ["--material", name]
        for clip in ("jump", "run"):
            lessons += ["--example", f"{name}-{clip}.pc2", "--clip", clip]
    run("build", "helpers", "plain.glb", "--bones", "3", *lessons, "-o", "both.glb", "--json", "r.json")
    with open("r.json", encoding="utf-8") as file:
        report = json.load(file)["result"]
    soft, firm = report["materials"]
    assert (soft["name"], firm["name"], soft["frequency_ratio"]) == ("soft", "firm", 1), report["materials"]
    assert 1.4 < firm["frequency_ratio"] < 2 and firm["frequency_ratio_is"] == "found" and 0.3 < firm["likeness"] <= 1, firm
    run("info", "both.glb", "--json", "i.json")
    with open("i.json", encoding="utf-8") as file:
        said = json.load(file)["result"]
    named = [m["name"] for m in said["files"][0]["characters"][0]["models"][0]["materials"]]
    assert named == ["soft", "firm"] and "made of" in run("info", "both.glb"), named
    # The first is what the file is; each is nearest to its own kind of flesh.
    pure = {name: show("both.glb", "--material", name) for name in ("soft", "firm")}
    assert (pure["soft"] == show("both.glb")).all()
    assert (pure["firm"] == show("both.glb", "--material", "firm=1,soft=0")).all()
    truth = {name: frames(f"{name}-jump.pc2") for name in FLESH}
    for name, other in (("soft", "firm"), ("firm", "soft")):
        assert rms(pure[name], truth[name]) < 0.7 * rms(pure[other], truth[name]), name
    # What swings between them is met by what lies between them, better than by either.
    half = rms(show("both.glb", "--material", "soft=0.5,firm=0.5"), truth["between"])
    for name in pure:
        assert half < 0.8 * rms(pure[name], truth["between"]), (name, half, rms(pure[name], truth["between"]))
    # Another technique on top keeps the materials.
    run("build", "surface", "both.glb", "--preset", "soft", "-o", "more.glb")
    assert not np.array_equal(show("more.glb", "--material", "firm"), show("more.glb"))
    # As joints with keys that any engine plays.
    run("play", "both.glb", "--clip", "jump", "--material", "firm", "--as", "helpers", "--bones", "4", "-o", "baked.glb")
    for words, sentence in ((["--material", "hard"], "there are: soft, firm"),
                            (["--material", "soft=0.5"], "sum to 0.5"),
                            (["--material", "soft=0.5,firm"], "NAME=FRACTION"),
                            (["--material", "soft=0.5,soft=0.5"], "twice"),
                            (["--material", "soft=2,firm=-1"], "from -0.25 to 1.25"),
                            (["--material", "sofd"], "did you mean"),
                            (["--material", "soft=0.5,firm=0.5,"], "'soft=0.5,firm=0.5,'"),
                            (["--material", "soft", "--plain"], "several materials")):
        assert sentence in run("play", "both.glb", *words, "--clip", "jump", "-o", "no.pc2", good=False), sentence
    early = ["--example", "soft-run.pc2", "--clip", "run", *lessons]
    assert "has no material" in run("build", "helpers", "plain.glb", *early, "-o", "no.glb", good=False)
    bare = [*lessons, "--material", "bare"]
    assert "--material bare needs a clip" in run("build", "helpers", "plain.glb", *bare, "-o", "no.glb", good=False)
    assert "lags to 2" in run("build", "helpers", "plain.glb", "--system", "arx", "--lags", "4", *lessons, "-o", "no.glb", good=False)
    assert "two of --material" in run("build", "helpers", "plain.glb", *early[:4], "--mix-frequencies", "-o", "no.glb", good=False)
    assert "modes` or `build helpers" in run("build", "surface", "plain.glb", "--material", "x", "-o", "no.glb", good=False)
    assert "1 to 63 bytes" in run("build", "helpers", "plain.glb", "--material", "x" * 64, *early, "-o", "no.glb", good=False)
    assert "one" in run("build", "modes", "plain.glb", "--material", "fat", "--material", "jelly", "-o", "no.glb", good=False)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
