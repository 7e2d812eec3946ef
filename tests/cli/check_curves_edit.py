#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What an animator does to curves: check_curves_edit.py SUPPLE

Obstacles that move evenly, along a path and with a joint, against each other and against where they must push flesh to; and
edited keys that are kept over an interval: exactly there, smoothly into it and out of it, and nothing before it."""
import csv
import json
import os
import pathlib
import struct
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from glb import Document  # noqa: E402
from tool import run  # noqa: E402

FPS = 30


def play(output, clip, *more, good=True):
    told = run("play", "tube.glb", "--as", "curves", "--clip", clip, "--setup", f"{clip}.supple", "--fps", str(FPS), "--step", "0.034", "-o", output,
               *more, good=good)
    if not good:
        return told
    with open(output, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    return rows[0], np.array(rows[1:], float)


def write_path(path, times, places):
    with open(path, "w", encoding="utf-8") as file:
        file.write("# time x y z\n")
        for t, x in zip(times, places):
            file.write(f"{t:.17g} {x[0]:.17g} {x[1]:.17g} {x[2]:.17g}\n")


def make_rig():
    """A body that can only go up and down, on a plane: where that goes, it goes."""
    rig = {"rig": 1, "parameters": [{"name": "lift", "range": [-1, 1], "drives": {"joint": "lower", "channel": "translation.y"}}]}
    with open("lift.rig.json", "w", encoding="utf-8") as file:
        json.dump(rig, file)
    run("build", "rigspace", "tube.glb", "--clip", "axial", "--rig", "lift.rig.json", "--tets", "300", "-o", "axial.supple")
    loose(rig)
    for clip in ("translation", "bend"):
        run("build", "rigspace", "tube.glb", "--clip", clip, "--tets", "300", "-o", f"{clip}.supple")


def loose(rig):
    """A lift that nothing holds is told, and the flesh is tuned by what is held, as if it were not there."""
    helper = {"name": "h", "parent": "upper", "at": [0.1, 0.75, 0], "radius": 0.25}
    bump = {"name": "h.x", "range": [-0.1, 0.1], "drives": {"joint": "h", "channel": "translation.x"}}
    found = {}
    for name, parameters in (("lift", rig["parameters"]), ("both", rig["parameters"] + [bump]), ("bump", [bump])):
        with open("loose.json", "w", encoding="utf-8") as file:
            json.dump({"rig": 1, "helpers": [helper] if name != "lift" else [], "parameters": parameters}, file)
        told = run("play", "tube.glb", "--as", "curves", "--clip", "axial", "--rig", "loose.json", "--tets", "300", "-o", "loose.csv", "--json", "loose-report.json")
        with open("loose-report.json", encoding="utf-8") as file:
            found[name] = json.load(file)["result"]
        assert ("does not resist" in told) == (name != "bump"), told
        assert name != "lift" or "1 of 1 directions" in told and "too soft" in told, told
        assert name != "both" or "1 of 2 directions" in told and "by the others" in told, told
    print("a lift that nothing holds, Hz:", {name: one["frequency"] for name, one in found.items()})
    assert found["lift"]["frequency"] == 0 and abs(found["both"]["frequency"] / found["bump"]["frequency"] - 1) < 1e-6, found


def check_lift():
    """The plane goes up by 0.1 m, or evenly, and the body in balance with gravity exactly as far."""
    weight = ("--gravity", "9.81", "--plane")
    _, still = play("a.csv", "axial", *weight, "0,0,0,0,2,0")
    _, ground = play("b.csv", "axial", "--gravity", "9.81", "--ground", "0")
    t = np.arange(61) / 60
    u = np.minimum(t / 0.6, 1)
    write_path("up.csv", t, np.stack([0 * t, 0.1 * u**3 * (10 - 15 * u + 6 * u * u), 0 * t], 1))
    _, moved = play("c.csv", "axial", *weight, "0,0,0,0,1,0@up.csv")
    _, even = play("d.csv", "axial", *weight, "0,0,0,0,1,0,0,0.03,0")
    off, evenly = moved[-1, 1] - still[-1, 1] - 0.1, even[-1, 1] - still[-1, 1] - 0.03 * even[-1, 0]
    print(f"a plane that rises: sinks {-still[-1, 1]:.4f} m into it, {off:.1e} and {evenly:.1e} m beside where it must be")
    assert -0.1 < still[-1, 1] < -1e-4 and np.array_equal(still, ground)
    assert abs(off) < 1e-7 and abs(evenly) < 1e-5
    assert moved[10, 1] < moved[18, 1] - 0.02


def keys_of(document, clip, node, path):
    animation = next(a for a in document.json["animations"] if a["name"] == clip)
    channel = next(c for c in animation["channels"] if c["target"] == {"node": node, "path": path})
    sampler = animation["samplers"][channel["sampler"]]
    return document.accessor(sampler["input"])[:, 0].astype(float), document.accessor(sampler["output"]).astype(float)


def turned(q, x):
    v, w = q[:, :3], q[:, 3:]
    return x + 2 * np.cross(v, np.cross(v, x) + w * x)


def between(times, q, t):
    """Rotations at times t, on the shorter arc."""
    k = np.clip(np.searchsorted(times, t, "right") - 1, 0, len(times) - 2)
    a, b = q[k], q[k + 1] * np.sign((q[k] * q[k + 1]).sum(1, keepdims=True) + 1e-300)
    u = ((t - times[k]) / (times[k + 1] - times[k]))[:, None]
    angle = np.arccos(np.clip((a * b).sum(1, keepdims=True), -1, 1))
    s = np.where(angle < 1e-6, 1, np.sin(angle))
    out = np.where(angle < 1e-6, (1 - u) * a + u * b, (np.sin((1 - u) * angle) * a + np.sin(u * angle) * b) / s)
    return out / np.linalg.norm(out, axis=1, keepdims=True)


def check_joint():
    """With a joint that is carried, or turns, as along the path that the joint takes it."""
    document = Document("tube.glb")
    names = [n["name"] for n in document.json["nodes"]]
    times, places = keys_of(document, "translation", names.index("lower"), "translation")
    rest = np.array(document.json["nodes"][names.index("lower")]["translation"], float)
    write_path("carried.csv", times, places - rest)
    ball = "0.3,0.75,0,0.2"
    _, free = play("a.csv", "translation")
    _, still = play("b.csv", "translation", "--obstacle", ball)
    _, path = play("c.csv", "translation", "--obstacle", f"{ball}@carried.csv")
    _, joint = play("d.csv", "translation", "--obstacle", f"{ball}@upper")
    span = np.ptp(free[:, 1:], axis=0).max()
    off, pushed = np.abs(path - joint).max() / span, np.abs(joint - free).max() / span
    print(f"a ball with a joint that is carried: {off:.1e} from that on its path, {pushed:.2f} from none, in parts of the motion")
    assert off < 1e-4 and pushed > 0.05 and np.abs(joint - still).max() > 0.05 * span
    times, turns = keys_of(document, "bend", names.index("upper"), "rotation")
    t = np.linspace(0, times[-1], int(round(times[-1] * 1920)) + 1)
    centre = np.array([0, 0.5, 0])
    a = np.array([[0.3, 0.75, 0]])
    write_path("turned.csv", t, turned(between(times, turns, t), a - centre) + centre - a)
    _, free = play("e.csv", "bend")
    _, path = play("f.csv", "bend", "--obstacle", f"{ball}@turned.csv")
    _, joint = play("g.csv", "bend", "--obstacle", f"{ball}@upper")
    span = np.ptp(free[:, 1:], axis=0).max()
    off, pushed = np.abs(path - joint).max() / span, np.abs(joint - free).max() / span
    print(f"a ball with a joint that turns: {off:.1e} from that on its path, {pushed:.2f} from none")
    assert off < 1e-3 and pushed > 0.02
    _, plane = play("h.csv", "bend", "--plane", "0.15,0.75,0,-2,0,0@upper")
    _, huge = play("i.csv", "bend", "--obstacle", "200000.15,0.75,0,200000@upper")
    off, pushed = np.abs(plane - huge).max() / span, np.abs(plane - free).max() / span
    print(f"a plane with a joint that turns: {off:.1e} from a huge ball, {pushed:.2f} from none")
    assert off < 1e-3 and pushed > 0.02


def edit_document(path, joint, shift, output):
    """Moves all keys of a joint's translation by `shift`, in the file's bytes."""
    document = Document(path)
    node = next(i for i, n in enumerate(document.json["nodes"]) if n.get("name") == joint)
    animation = next(a for a in document.json["animations"] if a["name"] == "bend")
    channel = next(c for c in animation["channels"] if c["target"] == {"node": node, "path": "translation"})
    accessor = document.json["accessors"][animation["samplers"][channel["sampler"]]["output"]]
    view = document.json["bufferViews"][accessor["bufferView"]]
    with open(path, "rb") as file:
        data = bytearray(file.read())
    first = 20 + struct.unpack_from("<I", data, 12)[0] + 8 + view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    for k in range(1, accessor["count"], 3):  # tangent, value, tangent
        for axis in range(3):
            at = first + 12 * k + 4 * axis
            struct.pack_into("<f", data, at, struct.unpack_from("<f", data, at)[0] + shift[axis])
    with open(output, "wb") as file:
        file.write(data)


def write_table(path, head, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *rows.tolist()])


def check_keep_in_loop():
    """A key that is kept around the seam: the frame that closes the round is held as well."""
    head, free = play("round.csv", "bend", "--loop")
    _, kept = play("held.csv", "bend", "--loop", "--keep", f"{head[1]}=0,0.3,0.2")
    t, span = kept[:, 0], np.abs(free[:, 1:]).max()
    inside, before = (t < 0.3 + 1e-9) | (t > t[-1] - 1e-9), (t > t[-1] - 0.1) & (t < t[-1] - 1e-9)
    print(f"kept in a loop: {np.abs(kept[inside, 1]).max():.1e} beside rest, {np.abs(kept[before, 1]).max():.1e} just before, "
          f"free {np.abs(free[inside, 1]).max():.1e}")
    assert np.abs(kept[inside, 1]).max() < 1e-12 * span < np.abs(free[inside, 1]).max()
    assert np.abs(kept[before, 1]).max() < 0.3 * np.abs(free[:, 1]).max()


def check_keep():
    """An edited key over an interval."""
    head, free = play("free.csv", "bend", "--states", "free.states")
    name, t, span = head[1], free[:, 0], 2 * np.abs(free[:, 1:]).max()
    shift = 0.3 * np.ptp(free[:, 1])
    edited = free.copy()
    edited[:, 1] += shift
    write_table("edited.csv", head, edited)
    keep = ("--keep", f"{name}=1,1.5,0.3")
    _, kept = play("kept.csv", "bend", *keep, "--edited", "edited.csv", "--states", "kept.states")
    inside, before = (t > 1 - 1e-9) & (t < 1.5 + 1e-9), t < 0.7 - 1e-9
    others = np.abs((kept - free)[:, 2:]).max()
    turns = [np.abs(np.diff(x[:, 1], 2)).max() for x in (kept, free)]
    print(f"kept: {np.abs(kept - edited)[inside, 1].max():.1e} from the edited keys, which are {shift:.4f} m off; "
          f"others move {others:.4f} m; turns of {turns[0]:.4f} m per frame^2, free {turns[1]:.4f}")
    assert np.abs(kept - edited)[inside, 1].max() < 1e-12 * span and np.array_equal(kept[before], free[before])
    assert others > 1e-4 and turns[0] < 2 * turns[1] + 0.2 * shift
    ramp = (kept - free)[(t > 0.7 + 1e-9) & (t < 1 - 1e-9), 1] / shift
    assert ramp[0] < 0.3 and ramp[-1] > 0.7 and np.abs(np.diff(ramp)).max() < 0.5, ramp
    assert np.abs(kept - free)[-1].max() < 0.5 * shift
    check_keep_in_loop()
    # From a frame before it on: the bytes of the run through.
    with open("kept.csv", "rb") as file:
        whole = file.read()
    play("again.csv", "bend", *keep, "--edited", "edited.csv", "--states", "free.states", "--from", "20")
    with open("again.csv", "rb") as file:
        assert file.read() == whole
    # Edited in a .glb, within the tolerance of its keys.
    run("play", "tube.glb", "--as", "curves", "--clip", "bend", "--setup", "bend.supple", "--fps", str(FPS), "--step", "0.034",
        "-o", "free.glb")
    joint = name.split(".")[0]
    edit_document("free.glb", joint, [shift, 0, 0], "edited.glb")
    _, other = play("other.csv", "bend", "--keep", f"{joint}=1,1.5,0.3", "--edited", "edited.glb")
    wide = {c["parameter"]: c["range"] for c in json_curves()}
    off = np.abs((other - edited)[inside, 1]).max() / (wide[name][1] - wide[name][0])
    print(f"kept from an edited .glb: {off:.4f} of the range from the table")
    assert name.endswith(".x") and off <= 0.0051
    # The clip's own keys, which helpers do not have; from the start; with other outputs.
    _, rest = play("rest.csv", "bend", "--keep", f"{name}=0,1,0.2")
    assert np.abs(rest[t < 1 + 1e-9, 1]).max() == 0 and np.abs(rest[t > 1.3, 1]).max() > 0.3 * np.abs(free[t > 1.3, 1]).max()
    _, added = play("added.csv", "bend", *keep, "--edited", "edited.csv", "--additive", "--weight", f"{joint}=0.5")
    assert np.abs(added - edited)[inside, 1].max() < 1e-12 * span
    return name


def json_curves():
    run("play", "tube.glb", "--as", "curves", "--clip", "bend", "--setup", "bend.supple", "--fps", str(FPS), "--step", "0.034",
        "-o", "free.json")
    with open("free.json", encoding="utf-8") as file:
        return json.load(file)["clips"][0]["curves"]


def check_keep_refusals(name):
    for table, text in (("head", "x,y\n1,2\n"), ("row", f"time,{name}\n0,1\n1\n"), ("word", f"time,{name}\n0,zero\n"),
                        ("back", f"time,{name}\n1,0\n0,0\n"), ("more", f"time,{name}\n0,0,0\n"), ("none", f"time,{name}\n"),
                        ("other", "time,other\n0,0\n"), ("open", 'time,"x\n0,0\n')):
        with open(f"{table}.csv", "w", encoding="utf-8") as file:
            file.write(text)
    keep = ("--keep", f"{name}=1,1.5")
    cases = [(("--keep", f"{name}=2,1"), "is not of the form"), (("--keep", name), "is not of the form"),
             (("--keep", "belly=1,2"), "is no free parameter"), (("--edited", "free.csv"), "say what and when with --keep"),
             ((*keep, "--lock", name), "is no free parameter"),
             ((*keep, "--edited", "tube.glb"), "has no joint"), ((*keep, "--edited", "free.json"), "is no .glb, .gltf or .csv"),
             ((*keep, "--states", "free.states", "--from", "30"), "go on from an earlier one"),
             ((*keep, "--edited", "missing.csv"), "missing.csv")]
    cases += [((*keep, "--edited", f"{table}.csv"), says) for table, says in (
        ("head", "line 1: a table of curves begins"), ("row", "line 3: 1 numbers are too few"), ("word", "column 2 is no number"),
        ("back", "line 3: times must rise"), ("more", "more than the columns"), ("none", "no rows"), ("other", "has no column"),
        ("open", "not closed"))]
    for words, says in cases:
        told = play("nothing.csv", "bend", *words, good=False)
        assert says in told and told.count("\n") == 1, (words, told)
    told = run("play", "tube.glb", "--keep", "a=1,2", "-o", "nothing.pc2", good=False)
    assert "--keep belongs to --as curves" in told, told
    assert not os.path.exists("nothing.csv")


def check_equal():
    """Two parameters that do the same share it, though nothing says how; one that does it alone goes twice as far."""
    drives = {"joint": "upper", "channel": "turn.x"}
    for count in (1, 2):
        rig = {"rig": 1, "parameters": [{"name": f"p{k}", "range": [-0.4, 0.4], "drives": drives} for k in range(count)]}
        with open(f"equal{count}.json", "w", encoding="utf-8") as file:
            json.dump(rig, file)
        run("build", "rigspace", "tube.glb", "--clip", "axial", "--tets", "300", "--rig", f"equal{count}.json", "-o", "lateral.supple")
        run("play", "tube.glb", "--as", "curves", "--clip", "lateral", "--setup", "lateral.supple", "--fps", str(FPS), "--step",
            "0.034", "-o", f"equal{count}.csv")
    one, two = (np.genfromtxt(f"equal{count}.csv", delimiter=",", skip_header=1) for count in (1, 2))
    size = np.abs(one[:, 1]).max()
    apart, off = np.abs(two[:, 1] - two[:, 2]).max() / size, np.abs(two[:, 1] + two[:, 2] - one[:, 1]).max() / size
    print(f"two parameters of one effect: {apart:.1e} apart, {off:.1e} beside one alone")
    assert size > 0.01 and apart < 1e-5 and off < 1e-2


def check_refusals():
    write_path("falling.csv", [0, 1, 1], np.zeros((3, 3)))
    with open("words.csv", "w", encoding="utf-8") as file:
        file.write("time,x,y,z\n0 0 0 0\n")
    with open("empty.csv", "w", encoding="utf-8") as file:
        file.write("# nothing\n")
    for words, says in ((("--obstacle", "0,0,0,0.1@uper"), "did you mean 'upper'"),
                        (("--obstacle", "0,0,0,0.1@"), "behind the @ stands a joint"),
                        (("--obstacle", "0,0,0,0"), "R > 0"),
                        (("--plane", "0,0,0,0,0,0"), "a normal that is not 0"),
                        (("--capsule", "0,0,0,1,1,1,0.1,1,0,0@upper"), "is not of the form"),
                        (("--obstacle", "0,0,0,0.1@falling.csv"), "times of its path must rise"),
                        (("--obstacle", "0,0,0,0.1@words.csv"), "words.csv, line 1: wanted time x y z"),
                        (("--obstacle", "0,0,0,0.1@empty.csv"), "empty.csv is empty"),
                        (("--obstacle", "0,0,0,0.1@none.csv"), "none.csv")):
        told = play("nothing.csv", "bend", *words, good=False)
        assert says in told and told.count("\n") == 1, (words, told)
    assert not os.path.exists("nothing.csv")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run("make", "tube", "--vertices", "500", "-o", "tube.glb")
        make_rig()
        check_refusals()
        check_equal()
        check_lift()
        check_joint()
        check_keep_refusals(check_keep())
        os.chdir("/")
    print("obstacles move as they are told, and kept keys stay")


main()
