#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Finding bones, adding once, an amount of nothing, files without clips: check_finding.py SUPPLE"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from glb import read_glb, write_glb  # noqa: E402
from tool import SUPPLE, run  # noqa: E402


def result_of(*words):
    run(*words, "--quiet", "--json", "r.json")
    with open("r.json", encoding="utf-8") as file:
        return json.load(file)["result"]


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def shown(path):
    """The swaying as any engine shows it."""
    run("play", path, "--clip", "sway", "--fps", "10", "-o", "shown.pc2")
    return contents("shown.pc2")


def refused(*words):
    """The sentence; nothing may be left behind."""
    before = sorted(os.listdir())
    said = run(*words, "-o", "refused.glb", good=False)
    assert said.count("\n") == 1 and sorted(os.listdir()) == before, (said, os.listdir())
    return said


def bones():
    """Every vertex hangs on one joint, areas add up to the skin, parents come before children."""
    found = result_of("info", "mochi.glb", "--bones")["files"][0]["characters"][0]
    tree = found["skeleton"]
    document, _ = read_glb("mochi.glb")
    assert len(tree) == found["joints"] == 24
    assert sum(joint["vertices"] for joint in tree) == found["body_vertices"]
    assert abs(sum(joint["fraction"] for joint in tree) - 1) < 1e-5
    seen = set()
    for joint in tree:
        assert joint["parent"] is None or joint["parent"] in seen, joint
        assert joint["influenced"] >= joint["vertices"] and not joint["helper"] and not joint["baked"]
        seen.add(joint["name"])
    assert seen == {document["nodes"][n]["name"] for n in document["skins"][0]["joints"]}
    head = next(joint for joint in tree if joint["name"] == "head")
    assert head["meshes"] == ["mochi"] and {"skin", "cream", "blush"} <= set(head["materials"]), head
    text = run("info", "mochi.glb", "--bones")
    assert "                    head        262 vertices, 24 % of the skin: skin, cream, blush, ..." in text, text
    assert "skeleton" not in result_of("info", "mochi.glb")["files"][0]["characters"][0]
    run("add", "tube.glb", "--clip", "bend", "--bones", "2", "-o", "alive.glb")
    text = run("info", "alive.glb", "--bones")
    assert "2 helper joints carry secondary motion (helper_01, ...)" in text, text
    assert text.count("carries baked motion") == 2 and "helper_01" in text, text


def patterns():
    """A pattern holds the same flesh as the names that it stands for; capitals do not matter."""
    run("make", "mochi", "--vertices", "494", "-o", "mochi.glb")
    few = ("--clip", "jump", "--bones", "1")
    for name, words in {"by_name": ("--lock", "hand_l", "--lock", "hand_r", "--lock", "tail1"),
                        "by_pattern": ("--lock", "HAND_?", "--lock", "tail"),
                        "by_part": ("--lock", "*hand*", "--lock", "tail*")}.items():
        run("add", "mochi.glb", *few, *words, "-o", f"{name}.glb")
    assert contents("by_name.glb") == contents("by_pattern.glb") == contents("by_part.glb")
    run("add", "mochi.glb", *few, "-o", "all.glb")
    assert contents("all.glb") != contents("by_name.glb")
    for name, bone in (("a", "head"), ("b", "HEAD"), ("c", "hea")):
        run("paint", "mochi.glb", "lock", "--set", "1", "--bone", bone, "-o", f"{name}.glb")
    assert contents("a.glb") == contents("b.glb") == contents("c.glb")
    for name, map_name in (("a", "stiffness"), ("b", "Stiffness"), ("c", "STIFFNESS")):
        run("paint", "mochi.glb", map_name, "--set", "2", "-o", f"{name}.glb")
    assert contents("a.glb") == contents("b.glb") == contents("c.glb")
    run("paint", "mochi.glb", "detai", "--set", "2", "--new", "-o", "a.glb")  # --new: taken as it is
    assert "_SUPPLE_DETAI\"" in json.dumps(read_glb("a.glb")[0])
    for name, clip in (("a", "jump"), ("b", "JUMP"), ("c", "mp")):
        run("play", "mochi.glb", "--clip", clip if clip != "mp" else "jum", "--fps", "5", "-o", f"{name}.pc2")
    assert contents("a.pc2") == contents("b.pc2") == contents("c.pc2")
    assert "leave nothing of mochi.glb that can move" in refused("add", "mochi.glb", "--lock", "hips", "--clip", "jump")


def once():
    """What is alive is not made alive again, whatever carries its motion; --force does."""
    few = ("--clip", "sway", "--bones", "2", "--targets", "2")
    run("add", "tube.glb", *few, "-o", "alive.glb", "--live", "live.glb")
    run("add", "tube.glb", *few, "-o", "alive.gltf")
    run("add", "tube.glb", *few, "--as", "morphs", "-o", "morphed.glb")
    run("add", "live.glb", *few, "-o", "again.glb")
    assert shown("again.glb") == shown("alive.glb")  # the models of the file are played, once
    for file, carrier in (("alive.glb", "2 helper joints"), ("alive.gltf", "2 helper joints"),
                          ("again.glb", "2 helper joints"), ("morphed.glb", "2 morph targets")):
        for words in ((), ("--preset", "fat", "--live", "second.glb"), ("--learn",), ("--amount", "0")):
            said = refused("add", file, *words)
            assert f"{file} already has baked secondary motion, in {carrier}" in said, said
    run("add", "alive.glb", *few, "--force", "-o", "twice.glb")
    # A second preset replaces the models of the first.
    run("add", "tube.glb", *few, "--preset", "fat", "-o", "fat.glb")
    run("add", "live.glb", *few, "--preset", "fat", "-o", "refat.glb")
    assert shown("fat.glb") == shown("refat.glb") != shown("alive.glb")


def nothing():
    """An amount of 0 gives the input."""
    run("add", "tube.glb", "--amount", "0", "-o", "same.glb", "--live", "same_live.glb")
    assert contents("tube.glb") == contents("same.glb") == contents("same_live.glb")
    run("add", "tube.glb", "--amount", "0", "--clip", "bend", "-o", "same.gltf")
    run("convert", "same.gltf", "-o", "back.glb")
    assert contents("tube.glb") == contents("back.glb")
    run("build", "surface", "tube.glb", "-o", "soft.glb")
    assert "--amount has no effect" in refused("add", "soft.glb", "--amount", "0")
    run("add", "soft.glb", "--preset", "soft", "--amount", "0", "-o", "bare.glb")
    assert "SUPPLE_model" not in json.dumps(read_glb("bare.glb")[0])


def still():
    """Without clips there is nothing to bake: a live model, and a sentence."""
    document, binary = read_glb("tube.glb")
    document["animations"] = []
    write_glb("still.glb", document, binary)
    text = run("add", "still.glb", "-o", "living.glb", "--live", "living2.glb", "--json", "r.json")
    assert "still.glb has no clips" in text and "living.glb: has a live model" in text, text
    assert contents("living.glb") == contents("living2.glb")
    with open("r.json", encoding="utf-8") as file:
        assert json.load(file)["result"]["live"] is True
    models = result_of("info", "living.glb")["files"][0]["characters"][0]["models"]
    assert [m["usable"] for m in models] == [True, True], models
    assert "no clips at all" in refused("add", "still.glb", "--clip", "walk")


def folders():
    """A folder that may not be written is told before the work. Root may write everywhere."""
    os.mkdir("closed")
    os.chmod("closed", 0o500)
    if os.geteuid() != 0:
        done = subprocess.run([SUPPLE, "add", "tube.glb", "-o", "closed/x.glb"], capture_output=True, text=True,
                              check=False)
        assert done.returncode == 1 and "closed/x.glb: cannot be written: Permission denied" in done.stderr, done
    os.chmod("closed", 0o700)


with tempfile.TemporaryDirectory() as place:
    os.chdir(place)
    run("make", "mochi", "--vertices", "800", "-o", "mochi.glb")
    run("make", "tube", "--vertices", "500", "-o", "tube.glb")
    for check in (bones, patterns, once, nothing, still, folders):
        check()
    os.chdir("/")
