#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Secondary motion as curves of a rig: check_curves.py SUPPLE

What play --as curves writes says the same in every format, plays in any reader of glTF, goes on from stored states as if it
had never stopped, and is locked, muted and blended as asked for."""
import csv
import json
import os
import pathlib
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from glb import Document  # noqa: E402
from tool import frames, run  # noqa: E402

QUICK = ("--as", "curves", "--clip", "lateral", "--tets", "300", "--fps", "30", "--step", "0.034")


def play(output, *more, good=True):
    return run("play", "tube.glb", *QUICK, "-o", output, *more, good=good)


def curves(path):
    with open(path, encoding="utf-8") as file:
        return {c["parameter"]: c for c in json.load(file)["clips"][0]["curves"]}


def table(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    return rows[0], np.array(rows[1:], float)


def hermite(times, rows, t):
    """A CUBICSPLINE channel at times t, from the description of glTF: rows are in-tangent, value, out-tangent."""
    k = np.clip(np.searchsorted(times, t, "right") - 1, 0, max(len(times) - 2, 0))
    if len(times) == 1:
        return np.repeat(rows[1:2], len(t), 0)
    d = (times[k + 1] - times[k])[:, None]
    u = np.clip((t - times[k])[:, None] / d, 0, 1)
    a, out, b, come = rows[3 * k + 1], rows[3 * k + 2], rows[3 * k + 4], rows[3 * k + 3]
    return ((2 * u**3 - 3 * u**2 + 1) * a + d * (u**3 - 2 * u**2 + u) * out
            + (3 * u**2 - 2 * u**3) * b + d * (u**3 - u**2) * come)


def check_formats():
    """JSON, CSV, glTF and the point cache are of one motion; HAHN-T12: the keys are within their tolerance."""
    play("a.json", "--states", "a.states")
    assert "keep as many" in play("i.json", "--influences", "1")
    found = curves("a.json")
    values = np.array([c["frames"] for c in found.values()])
    span = np.array([c["range"][1] - c["range"][0] for c in found.values()])
    moved = (np.abs(values).max(1) / span).max()
    assert len(found) == 12 and 0.05 < moved <= 0.5 + 1e-9, moved
    for name, c in found.items():
        keys = np.stack([np.array(c[k]) for k in ("key_tangents", "key_values", "key_tangents")], 1).reshape(-1, 1)
        back = hermite(np.array(c["key_times"]), keys, np.arange(values.shape[1]) / 30)[:, 0]
        off = np.abs(back - c["frames"]).max() / (c["range"][1] - c["range"][0])
        assert off <= 0.00501, (name, off)
    assert sum(len(c["key_times"]) for c in found.values()) < 0.6 * values.size
    play("a.csv", "--save-rig", "tube.rig.json")
    head, rows = table("a.csv")
    assert head == ["time", *found] and np.abs(rows[:, 1:].T - values).max() == 0 and rows[1, 0] == 1 / 30
    play("b.csv", "--rig", "tube.rig.json")
    head, again = table("b.csv")
    assert head == ["time", *found] and np.abs(again - rows).max() < 1e-9 * span.max(), np.abs(again - rows).max()
    return found, values, span


def check_document(found, values, span):
    """Exactly the channels of the free parameters get cubic keys; all else stays as it was."""
    play("a.glb")
    was, now = Document("tube.glb"), Document("a.glb")
    names = [n.get("name") for n in now.json["nodes"]]
    helpers = {n.split(".")[0] for n in found}
    assert helpers <= set(names) and len(names) == len(was.json["nodes"]) + len(helpers)
    animation = next(a for a in now.json["animations"] if a["name"] == "lateral")
    before = next(a for a in was.json["animations"] if a["name"] == "lateral")
    cubic = {}
    for channel in animation["channels"]:
        sampler = animation["samplers"][channel["sampler"]]
        name = names[channel["target"]["node"]]
        if name not in helpers:
            continue
        assert channel["target"]["path"] == "translation" and sampler["interpolation"] == "CUBICSPLINE"
        cubic[name] = (now.accessor(sampler["input"])[:, 0].astype(float), now.accessor(sampler["output"]).astype(float))
    assert set(cubic) == helpers
    assert len(animation["channels"]) == len(before["channels"]) + len(helpers)
    order = list(found)
    for name, (times, rows) in cubic.items():
        at = hermite(times, rows, np.arange(values.shape[1]) / 30)
        rest = np.array(now.json["nodes"][names.index(name)].get("translation", [0, 0, 0]))
        for axis in range(3):
            k = order.index(f"{name}.translation.{'xyz'[axis]}")
            off = np.abs(at[:, axis] - rest[axis] - values[k]).max() / span[k]
            assert off <= 0.0051, (name, axis, off)
    for a in was.json["animations"]:
        if a["name"] != "lateral":
            other = next(b for b in now.json["animations"] if b["name"] == a["name"])
            assert len(other["channels"]) == len(a["channels"])


def check_skin(span):
    """The point cache is what the animation of the .glb gives by plain skinning."""
    play("a.pc2")
    run("play", "a.glb", "--plain", "--clip", "lateral", "--fps", "30", "-o", "b.pc2")
    run("play", "tube.glb", "--plain", "--clip", "lateral", "--fps", "30", "-o", "plain.pc2")
    a, b, plain = frames("a.pc2"), frames("b.pc2"), frames("plain.pc2")
    moved, off = np.linalg.norm(a - plain, axis=2).max(), np.linalg.norm(a - b, axis=2).max()
    print(f"skin: moves {moved:.4f} m, the .glb is within {off:.6f} m of the point cache")
    assert moved > 0.01 and off <= 0.0051 * 3 * span.max()


def check_lattice():
    """A lattice before skinning and turns of a joint, in a .glb: morph targets, exactly, and quaternions."""
    rig = {"rig": 1, "before_skinning": [{"lattice": "cage", "low": [-0.3, 0.3, -0.3], "high": [0.3, 1.2, 0.3],
                                          "points": [3, 3, 3]}],
           "parameters": [{"name": f"cage.{c}", "zone": "cage", "range": [-0.2, 0.2],
                           "drives": {"lattice": "cage", "point": [1, 1, 1], "channel": c}} for c in "xyz"]
           + [{"name": f"bow.{c}", "range": [-0.5, 0.5], "drives": {"joint": "upper", "channel": f"turn.{c}"}} for c in "xz"]}
    with open("cage.rig.json", "w", encoding="utf-8") as file:
        json.dump(rig, file)
    play("cage.glb", "--rig", "cage.rig.json")
    play("cage.pc2", "--rig", "cage.rig.json")
    run("play", "cage.glb", "--plain", "--clip", "lateral", "--fps", "30", "-o", "back.pc2")
    a, b, plain = frames("cage.pc2"), frames("back.pc2"), frames("plain.pc2")
    moved, off = np.linalg.norm(a - plain, axis=2).max(), np.linalg.norm(a - b, axis=2).max()
    print(f"lattice: moves {moved:.4f} m, the .glb is within {off:.6f} m of the point cache")
    assert moved > 0.005 and off <= 0.01
    document = Document("cage.glb").json
    assert document["meshes"][0]["extras"]["targetNames"] == ["cage.111.x", "cage.111.y", "cage.111.z"]
    play("mute.glb", "--rig", "cage.rig.json", "--mute", "cage")
    assert "targets" not in Document("mute.glb").json["meshes"][0]["primitives"][0]


def check_restart():
    """From a frame on, from stored states: the same bytes as the run through."""
    with open("a.json", "rb") as file:
        whole = file.read()
    play("again.json", "--states", "a.states", "--from", "40")
    with open("again.json", "rb") as file:
        assert file.read() == whole
    for words, says in ((("--from", "40"), "give --states FILE"),
                        (("--from", "40", "--states", "a.json"), "holds no states"),
                        (("--from", "4000", "--states", "a.states"), "no frame 4000"),
                        (("--from", "40", "--states", "a.states", "--lock", "lower_flesh"), "of another clip, rig")):
        told = play("none.json", *words, good=False)
        assert says in told, told
        assert not os.path.exists("none.json")


def check_hands(found, values):
    """Lock, mute, weight and additive output."""
    names = list(found)
    helpers = sorted({n.split(".")[0] for n in names})
    first, second = helpers[0], helpers[1]
    play("w.csv", "--weight", f"{first}=0.5", "--weight", "*.translation.y=0", "--mute", second)
    head, rows = table("w.csv")
    assert not any(n.startswith(f"{second}.") for n in head)
    for k, name in enumerate(names):
        if name in head:
            factor = 0 if name.endswith(".y") else 0.5 if name.startswith(f"{first}.") else 1
            assert np.abs(rows[:, head.index(name)] - factor * values[k]).max() < 1e-12, name
    play("l.csv", "--lock", first)
    head, rows = table("l.csv")
    assert not any(n.startswith(f"{first}.") for n in head) and len(head) == 10
    play("d.csv", "--additive")
    head, rows = table("d.csv")
    off = np.abs(rows[:, 1:].T - values).max() / np.abs(values).max()
    print(f"additive: {off:.2e} of the largest value from the plain output, where the flesh has no static offset")
    assert off < 0.02


def check_refusals():
    """Bad input: one sentence, nothing written."""
    good = {"rig": 1, "parameters": [{"name": "sway", "range": [-0.1, 0.1],
                                      "drives": {"joint": "upper", "channel": "translation.x"}}]}
    cases = [
        ("NAME", {**good, "parameters": [{"name": "a", "drives": {"joint": "uper", "channel": "translation.x"}}]},
         "did you mean 'upper'"),
        ("REST", {**good, "parameters": [{**good["parameters"][0], "rest": 3}]}, "rest"),
        ("EFFECT", {**good, "parameters": [good["parameters"][0], {"name": "idle", "range": [-1, 1],
                    "drives": {"joint": "lower", "channel": "scale.x", "factor": 1e-12}}]}, "idle"),
    ]
    for label, rig, says in cases:
        with open("bad.json", "w", encoding="utf-8") as file:
            json.dump(rig, file, indent=1)
        told = play("none.glb", "--rig", "bad.json", good=False)
        assert says in told and told.count("\n") == 1, (label, told)
    for words, says in ((("--lock", "bellly"), "--lock: 'bellly' is no parameter or zone"),
                        (("--mute", "nothing"), "--mute: 'nothing' is no free parameter"),
                        (("--weight", "lower"), "is not NAME=FRACTION"),
                        (("--lock", "*"), "no free parameter"),
                        (("--bones", "8"), "--bones has no effect")):
        told = play("none.glb", *words, good=False)
        assert says in told, told
    told = play("none.txt", good=False)
    assert ".csv or .json" in told, told
    told = run("play", "tube.glb", "--rig", "bad.json", "-o", "none.pc2", good=False)
    assert "--rig belongs to --as curves" in told, told
    assert not [f for f in os.listdir(".") if f.startswith("none")]


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run("make", "tube", "--vertices", "500", "-o", "tube.glb")
        check_refusals()
        found, values, span = check_formats()
        check_document(found, values, span)
        check_skin(span)
        check_lattice()
        check_restart()
        check_hands(found, values)
        os.chdir("/")
    print("curves agree in every format")


main()
