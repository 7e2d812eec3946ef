# SPDX-License-Identifier: MIT
"""build modes, play, build surface on top, bind again: check_modes_cli.py SUPPLE"""
import json
import os
import pathlib
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tool import frames, run  # noqa: E402


def main():
    run("make", "mochi", "--vertices", "600", "-o", "mochi.glb")
    said = run("build", "modes", "mochi.glb", "--modes", "5", "--tets", "1500", "--json", "r.json", "-o", "five.glb")
    assert "Hz" in said and "modes" in said, said
    with open("r.json", encoding="utf-8") as file:
        report = json.load(file)["result"]
    hertz = report["modes"]["frequencies"]
    assert len(hertz) == 5 and hertz == sorted(hertz) and 0.5 < hertz[0] < 20, hertz
    # The flesh that simulate chooses, nothing being locked, and no other: the frequencies of a given modulus, scaled.
    flesh, own = report["flesh"], {}
    run("simulate", "mochi.glb", "--clip", "idle", "--until", "0", "--unlock", "*", "--tets", "1500", "--json", "r.json",
        "-o", "x.pc2")
    with open("r.json", encoding="utf-8") as file:
        own = json.load(file)["result"]["flesh"]
    assert abs(flesh["young"] / own["young"] - 1) < 1e-9 and abs(flesh["frequency"] - own["frequency"]) < 1e-9, (flesh, own)
    with open("fat.json", "w", encoding="utf-8") as file:
        json.dump({"character": {"builtin": "mochi"}, "training": ["jump"], "unseen": ["run"], "simulate":
                   {"material": "fat", "young": 10000, "unlock": ["*"], "tets": 1500}}, file)
    run("build", "modes", "mochi.glb", "--modes", "5", "--scenario", "fat.json", "--json", "r.json", "-o", "x.glb")
    os.remove("x.glb")
    with open("r.json", encoding="utf-8") as file:
        given = json.load(file)["result"]["modes"]["frequencies"]
    assert np.allclose(hertz, np.array(given) * (flesh["young"] / 10000) ** 0.5, rtol=1e-6), (hertz, given, flesh)
    # A material is as many times stiffer as its preset says.
    run("build", "modes", "mochi.glb", "--modes", "5", "--tets", "1500", "--material", "muscle", "--json", "r.json",
        "-o", "muscle.glb")
    with open("r.json", encoding="utf-8") as file:
        assert json.load(file)["result"]["flesh"]["young"] > 3 * flesh["young"]
    run("build", "modes", "mochi.glb", "--modes", "5", "--tets", "1500", "--frequency", "9", "--damping", "0.1",
        "--json", "r.json", "-o", "quick.glb")
    with open("r.json", encoding="utf-8") as file:
        quick = json.load(file)["result"]["modes"]
    assert abs(quick["frequencies"][0] - 9) < 1e-6 and abs(quick["damping_ratios"][0] - 0.1) < 1e-6

    run("play", "mochi.glb", "--clip", "jump", "-o", "plain.pc2")
    for fps in ("60", "30", "120"):
        run("play", "five.glb", "--clip", "jump", "--fps", fps, "-o", f"five{fps}.pc2")
    plain, five = frames("plain.pc2"), frames("five60.pc2")
    offset = np.linalg.norm(five - plain, axis=2).max()
    assert 1e-3 < offset < 1, offset
    for fps, ours, theirs in (("30", slice(None), slice(None, None, 2)), ("120", slice(None, None, 2), slice(None))):
        other = frames(f"five{fps}.pc2")[ours]
        gap = np.linalg.norm(other - five[theirs][: len(other)], axis=2).max()
        print(f"{fps} frames a second: {100 * gap / offset:.2f} % of the offset")
        assert gap < 0.02 * offset

    # A scenario's flesh is that of the same words; zones have modes of their own.
    with open("flesh.json", "w", encoding="utf-8") as file:
        json.dump({"character": {"builtin": "mochi"}, "training": ["jump"], "unseen": ["run"], "simulate":
                   {"material": "muscle", "young": 25000, "bone-material": ["head=fat"], "tets": 1500}}, file)
    built = {}
    for name, words in (("muscle", ("--material", "muscle", "--tets", "1500")), ("flesh", ("--scenario", "flesh.json")),
                        ("zone", ("--tets", "1500", "--material", "muscle", "--zone", "head", "--zone", "tail1")),
                        ("limbs", ("--tets", "1500", "--material", "muscle", "--limbs"))):
        run("build", "modes", "mochi.glb", "--modes", "3", *words, "--json", "r.json", "-o", f"{name}.glb")
        with open("r.json", encoding="utf-8") as file:
            built[name] = json.load(file)["result"]["modes"]
    assert 0.3 < built["flesh"]["frequencies"][0] / built["muscle"]["frequencies"][0] < 0.999, built
    assert built["zone"]["count"] == 6 and built["zone"]["zones"] == 2, built["zone"]
    assert built["zone"]["frequencies"][0] > built["muscle"]["frequencies"][0]
    assert built["limbs"]["zones"] > 4 and built["limbs"]["count"] > 12, built["limbs"]
    run("play", "zone.glb", "--clip", "jump", "-o", "zone.pc2")
    moved = np.linalg.norm(frames("zone.pc2") - plain, axis=2).max(axis=0)
    assert 0.05 < (moved > 1e-5).mean() < 0.7, (moved > 1e-5).mean()
    assert "tail1" in run("build", "modes", "mochi.glb", "--zone", "tail_1", "-o", "x.glb", good=False)
    assert "--tets" in run("build", "modes", "mochi.glb", "--scenario", "flesh.json", "--tets", "9", "-o", "x.glb",
                           good=False)

    # Warped: the same swing, along arcs.
    run("build", "modes", "mochi.glb", "--modes", "5", "--tets", "1500", "--warp", "-o", "warp.glb")
    run("play", "warp.glb", "--clip", "jump", "-o", "warp.pc2")
    gap = np.linalg.norm(frames("warp.pc2") - five, axis=2).max()
    print(f"warped: {100 * gap / offset:.1f} % of the offset")
    assert 0.005 * offset < gap < 0.7 * offset

    run("play", "quick.glb", "--clip", "jump", "-o", "quick.pc2")
    assert np.linalg.norm(frames("quick.pc2") - plain, axis=2).max() < 0.5 * offset

    # Detail and volume pull at a bent skin whoever bent it: without them a surface adds nothing.
    said = run("build", "surface", "five.glb", "--detail", "0", "--volume", "0", "-o", "both.glb")
    assert "modes, then surface" in said, said
    run("play", "both.glb", "--clip", "jump", "-o", "both.pc2")
    gap = np.linalg.norm(frames("both.pc2") - five, axis=2).max()
    print(f"with a surface on top: {100 * gap / offset:.1f} % of the offset")
    assert gap < 0.01 * offset

    assert "build surface" in run("build", "modes", "mochi.glb", "--preset", "fat", "-o", "x.glb", good=False)
    assert "build modes" in run("build", "surface", "mochi.glb", "--modes", "5", "-o", "x.glb", good=False)
    assert "material" in run("build", "modes", "mochi.glb", "--material", "stone", "-o", "x.glb", good=False)
    assert "modes" in run("build", "modes", "mochi.glb", "--modes", "1000", "--tets", "100", "-o", "x.glb", good=False)
    assert not os.path.exists("x.glb")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        main()
