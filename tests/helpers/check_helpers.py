# SPDX-License-Identifier: MIT
"""Helpers with controllers, from the command line: check_helpers.py SUPPLE"""
import json
import os
import pathlib
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from glb import document  # noqa: E402
from tool import frames, rms, run  # noqa: E402


def main():
    run("make", "mochi", "--vertices", "494", "-o", "plain.glb")
    run("build", "modes", "plain.glb", "--modes", "8", "--tets", "400", "--frequency", "2.8", "-o", "flesh.glb")
    for clip in ("jump", "run", "stomp"):
        run("play", "flesh.glb", "--clip", clip, "-o", f"{clip}.pc2")
        run("play", "plain.glb", "--clip", clip, "-o", f"plain-{clip}.pc2")
    run("build", "helpers", "plain.glb", "--bones", "4", "--example", "jump.pc2", "--clip", "jump",
        "--example", "run.pc2", "--clip", "run", "-o", "live.glb", "--json", "r.json")
    with open("r.json", encoding="utf-8") as file:
        report = json.load(file)["result"]
    helpers = report["helpers"]
    assert helpers["helpers"] == 4 and helpers["spectral_radius"] < 1, helpers
    assert helpers["rmse"] < 0.8 * helpers["static_rmse"] < 0.9 * helpers["plain_rmse"], helpers
    assert report["stack"] == ["helpers"]
    names = [node.get("name", "") for node in document("live.glb")["nodes"]]
    assert sum(name.startswith("helper_") for name in names) == 4, names
    # The stomp was never seen and is not like the others: bounded, and hardly worse than by the pose alone.
    for clip, most, most_calm in (("jump", 0.8, 1), ("run", 0.8, 1), ("stomp", 1.6, 1.3)):
        run("play", "live.glb", "--clip", clip, "-o", "live.pc2")
        run("play", "live.glb", "--clip", clip, "--exaggerate", "0", "-o", "calm.pc2")
        truth, plain = frames(f"{clip}.pc2"), frames(f"plain-{clip}.pc2")
        live, calm = frames("live.pc2"), frames("calm.pc2")
        assert rms(live, truth) < most * rms(plain, truth), (clip, rms(live, truth), rms(plain, truth))
        assert rms(live, truth) < most_calm * rms(calm, truth), (clip, rms(live, truth), rms(calm, truth))
    run("play", "live.glb", "--clip", "jump", "--exaggerate", "0", "-o", "calm.pc2")
    run("play", "live.glb", "--clip", "jump", "--exaggerate", "2", "-o", "wild.pc2")
    run("play", "live.glb", "--clip", "jump", "-o", "live.pc2")
    calm, live, wild = frames("calm.pc2"), frames("live.pc2"), frames("wild.pc2")
    ratio = rms(wild, calm) / rms(live, calm)
    assert 1.8 < ratio < 2.2, ratio
    # One helper alone; all of them by themselves are all at once.
    helper = [name for name in names if name.startswith("helper_")]
    run("play", "live.glb", "--clip", "jump", "--exaggerate-bone", f"{helper[0]}=2", "-o", "one.pc2")
    run("play", "live.glb", "--clip", "jump", *(w for name in helper for w in ("--exaggerate-bone", f"{name}=2")), "-o", "all.pc2")
    assert 0 < rms(frames("one.pc2"), live) < 0.95 * rms(wild, live) and (frames("all.pc2") == wild).all()
    assert "not a helper" in run("play", "live.glb", "--exaggerate-bone", "head=2", "-o", "no.pc2", good=False)
    assert "HELPER=N" in run("play", "live.glb", "--exaggerate-bone", "head", "-o", "no.pc2", good=False)
    twice = (w for by in "23" for w in ("--exaggerate-bone", f"{helper[0]}={by}"))
    assert "twice" in run("play", "live.glb", *twice, "-o", "no.pc2", good=False)
    # Dual quaternions: other vertices, and no worse.
    run("play", "live.glb", "--clip", "jump", "--skinning", "dqs", "-o", "dual.pc2")
    dual, truth = frames("dual.pc2"), frames("jump.pc2")
    assert 1e-5 < rms(dual, live) < 0.5 * rms(plain_jump := frames("plain-jump.pc2"), truth), rms(dual, live)
    assert rms(dual, truth) < 0.9 * rms(plain_jump, truth), (rms(dual, truth), rms(plain_jump, truth))
    # Helpers share flesh with bones: the motion to learn from is that of the character without them.
    for source in (["plain.glb"], ["live.glb", "--clips-from", "plain.glb"]):
        run("play", *source, "--clip", "@calibration", "--fps", "10", "-o", f"cal-{len(source)}.pc2")
    assert frames("cal-1.pc2").shape == frames("cal-3.pc2").shape
    assert "helpers" in run("info", "live.glb")
    # Another technique on top of the new bones; not the other way round.
    run("build", "surface", "live.glb", "--preset", "soft", "-o", "both.glb")
    run("play", "both.glb", "--clip", "jump", "-o", "both.pc2")
    assert "build" in run("build", "helpers", "flesh.glb", "--example", "jump.pc2", "--clip", "jump", "-o",
                          "no.glb", good=False)
    assert "example" in run("build", "helpers", "plain.glb", "-o", "no.glb", good=False)
    assert "--system arx" in run("build", "helpers", "plain.glb", "--example", "jump.pc2", "--clip", "jump",
                                "--lags", "3", "-o", "no.glb", good=False)
    for word, value in (("--order-by", "bic"), ("--order", "4")):
        said = run("build", "helpers", "plain.glb", "--example", "jump.pc2", "--clip", "jump", "--system", "arx",
                   word, value, "-o", "no.glb", good=False)
        assert f"{word} has no effect with --system arx" in said, said
    assert "already" in run("build", "helpers", "live.glb", "--example", "jump.pc2", "--clip", "jump",
                            "--fresh", "-o", "no.glb", good=False)
    chains()
    # The same learning twice gives the same file.
    run("build", "helpers", "plain.glb", "--bones", "4", "--example", "jump.pc2", "--clip", "jump",
        "--example", "run.pc2", "--clip", "run", "-o", "again.glb", "--threads", "1")
    with open("live.glb", "rb") as a, open("again.glb", "rb") as b:
        assert a.read() == b.read()


def chains():
    """Helpers below helpers: in the file as in the report, and played from there as they were while they were learned."""
    run("build", "helpers", "plain.glb", "--bones", "8", "--example", "jump.pc2", "--clip", "jump", "--chains", "on",
        "--threads", "1", "-o", "chain.glb", "--json", "r.json")
    with open("r.json", encoding="utf-8") as file:
        helpers = json.load(file)["result"]["helpers"]
    nodes = document("chain.glb")["nodes"]
    below = {nodes[child]["name"]: node.get("name", "") for node in nodes for child in node.get("children", ())}
    for k, controller in enumerate(helpers["controllers"]):
        assert below[f"helper_{k + 1:02}"] == controller["below"], (k, below, controller)
    assert any(c["below"].startswith("helper_") for c in helpers["controllers"]), below
    run("play", "chain.glb", "--clip", "jump", "-o", "chain.pc2")
    run("compare", "chain.pc2", "jump.pc2", "--of", "plain.glb", "--clip", "jump", "--json", "c.json")
    with open("c.json", encoding="utf-8") as file:
        played = json.load(file)["result"]["rms"]
    assert abs(played / helpers["rmse"] - 1) < 1e-4, (played, helpers["rmse"])
    assert "--replay" in run("build", "helpers", "plain.glb", "--replay", "--chains", "on", "--example", "jump.pc2",
                             "--clip", "jump", "-o", "no.glb", good=False)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
