# SPDX-License-Identifier: MIT
"""Flesh baked into helper joints and morph targets: check_bake.py SUPPLE [FOLDER]

With FOLDER the two files are left there for others to look at.
"""
import json
import os
import pathlib
import shutil
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from glb import document, read_glb, write_glb  # noqa: E402
from tool import frames, rms, run  # noqa: E402


def result(*words):
    run(*words, "--json", "r.json")
    with open("r.json", encoding="utf-8") as file:
        return json.load(file)["result"]


def own_targets():
    """A character with morph targets of its own, which move: they are kept, and act beside what is baked."""
    run("build", "surface", "morphs.glb", "--preset", "jelly", "-o", "both.glb")
    run("play", "both.glb", "--clip", "jump", "--fps", "30", "-o", "both.pc2")
    run("play", "morphs.glb", "--clip", "jump", "--fps", "30", "-o", "own.pc2")
    both, own = frames("both.pc2"), frames("own.pc2")
    for kind in ("helpers", "morphs"):
        report = result("play", "both.glb", "--clip", "jump", "--fps", "30", "--as", kind, "--tolerance", "1e-4", "-o", "x.glb")
        run("play", "x.glb", "--clip", "jump", "--fps", "30", "-o", "again.pc2")
        left = rms(both, frames("again.pc2"))
        targets = len(document("x.glb")["meshes"][0]["primitives"][0]["targets"])
        print(f"beside 12 morph targets of its own, as {kind}: {1e3 * left:.2f} mm of {1e3 * rms(both, own):.2f}")
        assert left < 0.5 * rms(both, own) and abs(report["rmse"] - left) < 0.3 * left + 2e-4, (left, report["rmse"])
        assert abs(report["plain_rmse"] - rms(both, own)) < 0.3 * report["plain_rmse"], report
        assert targets == (12 if kind == "helpers" else 28), targets
        os.remove("x.glb")


def crowded_weights():
    """Many tracks of one mesh's weights, none linear: each is sampled, and there is room for that."""
    made, binary = read_glb("both.glb")
    jump = next(a for a in made["animations"] if a["name"] == "jump")
    channel = next(c for c in jump["channels"] if c["target"]["path"] == "weights")
    jump["samplers"][channel["sampler"]]["interpolation"] = "STEP"
    jump["channels"] += [channel] * 400
    write_glb("crowd.glb", made, binary)
    run("play", "crowd.glb", "--clip", "jump", "--fps", "30", "-o", "crowd.pc2")
    report = result("play", "crowd.glb", "--clip", "jump", "--fps", "30", "--as", "morphs", "--tolerance", "1e-4", "-o",
                    "x.glb")
    run("play", "x.glb", "--clip", "jump", "--fps", "30", "-o", "again.pc2")
    left = rms(frames("crowd.pc2"), frames("again.pc2"))
    assert left < 0.5 * report["plain_rmse"] and abs(report["rmse"] - left) < 0.3 * left + 2e-4, (left, report)
    os.remove("x.glb")


def refusals():
    """One sentence each, before anything is learned."""
    assert ".glb" in run("play", "flesh.glb", "--as", "helpers", "-o", "x.pc2", good=False)
    assert "example" in run("build", "helpers", "plain.glb", "--replay", "-o", "x.glb", good=False)
    assert "--replay" in run("build", "helpers", "plain.glb", "-o", "x.glb", good=False)
    example = ("--example", "flesh.pc2", "--clip", "jump")
    for word, value in (("--as", "morphs"), ("--tolerance", "1e-4"), ("--targets", "4")):
        said = run("build", "helpers", "plain.glb", *example, word, value, "-o", "x.glb", good=False)
        assert f"{word} has no effect without --replay" in said, said
    for words in (("--gravity", "9"), ("--degree", "1"), ("--order", "4"), ("--system", "arx"), ("--order-by", "bic"),
                  ("--lags", "3"), ("--beta", "9"), ("--each",), ("--published-inputs",), ("--keep-weights",)):
        said = run("build", "helpers", "plain.glb", "--replay", *example, *words, "-o", "x.glb", good=False)
        assert f"{words[0]} has no effect with --replay" in said, said
    assert "give --replay" in run("build", "helpers", "bare.obj", *example, "-o", "x.glb", good=False)
    for mode in ((), ("--replay",)):
        said = run("build", "helpers", "plain.glb", *mode, *example, "-o", "x.supple", good=False)
        assert "go into a .glb or .gltf" in said, said
    assert "could change" in run("play", "flesh.glb", "--exaggerate", "2", "-o", "x.pc2", good=False)
    assert "default: 8, with --replay 16" in " ".join(run("build", "helpers", "--help").split())


def main():
    run("make", "mochi", "--vertices", "494", "-o", "plain.glb")
    run("build", "surface", "plain.glb", "--preset", "jelly", "-o", "flesh.glb")
    run("play", "flesh.glb", "--clip", "jump", "--fps", "30", "-o", "flesh.pc2")
    run("play", "plain.glb", "--clip", "jump", "--fps", "30", "-o", "plain.pc2")
    run("play", "plain.glb", "--clip", "idle", "-o", "idle.pc2")
    flesh, plain = frames("flesh.pc2"), frames("plain.pc2")
    before = rms(flesh, plain)
    assert before > 1e-3, before
    last = {}
    for kind, option in (("helpers", "--bones"), ("morphs", "--targets")):
        for count in (4, 12):
            report = result("play", "flesh.glb", "--clip", "jump", "--fps", "30", "--as", kind, option, str(count),
                            "--tolerance", "1e-4", "-o", f"{kind}.glb")
            run("play", f"{kind}.glb", "--clip", "jump", "--fps", "30", "-o", "again.pc2")
            left = rms(flesh, frames("again.pc2"))
            print(f"{count} {kind}: {1e3 * left:.2f} mm of {1e3 * before:.2f}, "
                  f"{report['keys']} keys of {report['samples']}")
            assert left < 0.7 * before and left < last.get(kind, 1), (left, before)
            # Helpers' own figure is over body vertices, without the keys' error; morphs' by area.
            assert 0.7 * left - 2e-4 < report["rmse"] < 1.3 * left + 2e-4, (report["rmse"], left)
            assert report["keys"] < report["samples"]
            last[kind] = left
        made = document(f"{kind}.glb")
        assert "SUPPLE_model" not in json.dumps(made)
        assert [a["name"] for a in made["animations"]] == [a["name"] for a in document("plain.glb")["animations"]]
        if kind == "helpers":
            names = [node.get("name") for node in made["nodes"]]
            assert sum(name.startswith("helper_") for name in names) == 12 and len(made["skins"][0]["joints"]) == 36
            assert "JOINTS_1" not in json.dumps(made["meshes"])
        else:
            # What was not baked moves as before.
            run("play", "morphs.glb", "--clip", "idle", "-o", "again.pc2")
            assert rms(frames("again.pc2"), frames("idle.pc2")) < 1e-7
    # The examples themselves, by the other verb.
    report = result("build", "helpers", "plain.glb", "--replay", "--bones", "8", "--example", "flesh.pc2", "--clip",
                    "jump", "-o", "replay.glb")
    run("play", "replay.glb", "--clip", "jump", "--fps", "30", "-o", "again.pc2")
    assert rms(flesh, frames("again.pc2")) < 0.7 * before and report["helpers"] == 8
    # A mesh alone: all bones are free.
    run("convert", "plain.glb", "-o", "bare.obj")
    report = result("build", "helpers", "bare.obj", "--replay", "--bones", "16", "--example", "flesh.pc2", "--clip",
                    "leap", "-o", "bare.glb")
    run("play", "bare.glb", "--clip", "leap", "--fps", "30", "-o", "again.pc2")
    left = rms(flesh, frames("again.pc2"))
    print(f"bare, 16 bones: {1e3 * left:.2f} mm of {1e3 * report['plain_rmse']:.2f}")
    assert report["helpers"] == 16 and left < 0.15 * report["plain_rmse"], (left, report)
    assert "glTF" in run("build", "surface", "bare.obj", "-o", "x.glb", good=False)
    refusals()
    own_targets()
    crowded_weights()
    assert not any(os.path.exists(f"x.{ending}") for ending in ("glb", "pc2", "supple"))


if __name__ == "__main__":
    keep = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        main()
        for name in ("helpers.glb", "morphs.glb") if keep else ():
            shutil.copy(name, keep)
        os.chdir("/")
