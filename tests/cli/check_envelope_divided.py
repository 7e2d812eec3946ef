# SPDX-License-Identifier: MIT
"""build envelope --subdivide: examples met, options of whole patches, other characters: check_envelope_divided.py SUPPLE"""
import json
import os
import pathlib
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tool import frames, run, write_pc2  # noqa: E402

EXAMPLE = ("--example", "bulged.pc2", "--at", "bend:1", "--fps", "30")


def play(name, *words):
    run("play", name, "--clip", "bend", "--fps", "30", "-o", "played.pc2", *words)
    return frames("played.pc2")


def largest(a, b):
    return np.abs(a - b).max()


def build(out, *words, good=True):
    return run("build", "envelope", "tube.glb", "--patches", "p.json", *EXAMPLE, "-o", out, *words, good=good)


def patches_of(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["patches"]


def examples_are_met(skinned, bulged):
    """Twelve patches make as many parts as they have sides, and these four each; the example is shown by all."""
    sides = sum(len(p["boundaries"]) for p in patches_of("p.json"))
    for times, parts in (("0", 12), ("1", sides), ("2", 4 * sides)):
        out = build(f"e{times}.glb", "--subdivide", times)
        assert f"1 example on {parts} patches" in out, out
        shown = play(f"e{times}.glb")
        assert largest(shown[30], bulged[30]) < 2e-4 and largest(shown[0], skinned[0]) < 2e-6
    # Without bulges of their own, more corners come nearer to the example.
    words = [w for p in patches_of("p.json") for w in ("--mute", p["name"])]
    gaps = []
    for times in ("0", "1"):
        build("m.glb", *words, "--subdivide", times)
        gaps.append(np.sqrt(np.square(play("m.glb")[30] - bulged[30]).mean()))
    print("  muted:", gaps)
    assert 0 < gaps[1] < 0.6 * gaps[0], gaps


def options_hold_for_parts():
    """What is said about a patch is said about its parts, and a part can be named by itself."""
    patch = patches_of("p.json")[0]
    name, parts = patch["name"], range(1, 1 + len(patch["boundaries"]))
    loud = play("e1.glb")
    build("half.glb", "--subdivide", "1", "--strength", name + "=0")
    some = largest(play("half.glb")[30], loud[30])
    one = 0
    for k in parts:
        build("one.glb", "--subdivide", "1", "--strength", f"{name}/{k}=0")
        one = max(one, largest(play("one.glb")[30], loud[30]))
    print("  a patch and a part of it:", some, one)
    assert one > 1e-5 and some > 1e-5
    words = [w for k in parts for w in ("--strength", f"{name}/{k}=0")]
    build("parts.glb", "--subdivide", "1", *words)
    build("half.glb", "--subdivide", "1", "--strength", name + "=0")
    assert largest(play("parts.glb"), play("half.glb")) == 0
    out = build("x.glb", "--subdivide", "1", "--strength", name + "=0", "--mute", name + "/1", good=False)
    assert f"patch '{name}/1' is described twice" in out, out
    out = build("x.glb", "--subdivide", "1", "--mute", "nowhere", good=False)
    assert "there is no patch 'nowhere'" in out, out
    assert not os.path.exists("x.glb")


def others_are_divided_alike():
    """A copy shows the same, another mesh bulges likewise."""
    shown = play("e1.glb")
    run("build", "envelope", "tube.glb", "--patches", "p.json", "--from", "tube.glb", "--from-patches", "p.json",
        *EXAMPLE, "--subdivide", "1", "-o", "copy.glb")
    gap = largest(play("copy.glb"), shown)
    assert gap < 2e-6, gap
    run("make", "tube", "--vertices", "900", "-o", "other.glb")
    run("build", "envelope", "other.glb", "--from", "tube.glb", *EXAMPLE, "--subdivide", "1", "-o", "carried.glb")
    carried, plain = play("carried.glb"), play("other.glb", "--plain")
    assert largest(carried[0], plain[0]) < 2e-6
    bump = largest(carried[30], plain[30])
    assert 0.02 < bump < 0.045, bump


def bad_numbers_are_refused():
    for word in ("3", "-1", "1.5", "twice"):
        out = build("x.glb", "--subdivide", word, good=False)
        assert "--subdivide" in out and not os.path.exists("x.glb"), out


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run("make", "tube", "--vertices", "494", "-o", "tube.glb")
        run("patches", "tube.glb", "-o", "p.json")
        skinned = play("tube.glb", "--plain")
        rest = skinned[0]
        along = np.exp(-((rest[:, 1] - rest[:, 1].mean()) / 0.15) ** 2)
        bulged = skinned.copy()
        bulged[:, :, 2] += (0.03 * along * (rest[:, 2] > rest[:, 2].mean()))[None]
        write_pc2("bulged.pc2", bulged)
        examples_are_met(skinned, bulged)
        options_hold_for_parts()
        others_are_divided_alike()
        bad_numbers_are_refused()
        os.chdir("/")


if __name__ == "__main__":
    main()
