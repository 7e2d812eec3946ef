# SPDX-License-Identifier: MIT
"""simulate clench, build popping, play on a beat, against an oracle: check_popping.py SUPPLE"""
import json
import os
import pathlib
import struct
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from glb import add_morph_target, read_glb, write_glb  # noqa: E402
from tool import frames, run  # noqa: E402

ALPHA, RELAX = 0.2, 8.0


def add_still_clip(path, out, seconds, events):
    """A clip `still` in which nothing moves, with events in its extras."""
    document, binary = read_glb(path)
    joint = document["skins"][0]["joints"][0]
    turn = document["nodes"][joint].get("rotation", [0, 0, 0, 1])
    binary = binary[:document["buffers"][0]["byteLength"]]
    binary += b"\0" * (-len(binary) % 4)
    first = len(document["bufferViews"])
    for numbers, kind in (([0, seconds], "SCALAR"), (turn * 2, "VEC4")):
        view = {"buffer": 0, "byteOffset": len(binary), "byteLength": 4 * len(numbers)}
        binary += struct.pack(f"<{len(numbers)}f", *numbers)
        document["bufferViews"].append(view)
        document["accessors"].append({"bufferView": len(document["bufferViews"]) - 1, "componentType": 5126,
                                      "count": 2, "type": kind, **({"min": [0], "max": [seconds]} if kind == "SCALAR"
                                                                   else {})})
    assert first + 2 == len(document["bufferViews"])
    document["buffers"][0]["byteLength"] = len(binary)
    count = len(document["accessors"])
    document["animations"].append({
        "name": "still", "extras": {"supple_events": events},
        "samplers": [{"input": count - 2, "output": count - 1}],
        "channels": [{"sampler": 0, "target": {"node": joint, "path": "rotation"}}]})
    write_glb(path if out is None else out, document, binary)


def oracle(relaxed, clenched, hits, count, rise=0.03, fps=60):
    """Son and Han's equations, vertex by vertex, in doubles."""
    way = clenched - relaxed
    distance = np.linalg.norm(way, axis=1)
    alpha = 1 + (ALPHA - 1) * distance / distance.max()
    share, velocity = np.zeros(len(way)), np.zeros(len(way))
    level, phase, since, start, length, strength = 0.0, 0, 0.0, 0.0, 0.0, 0.0
    shown = []
    for step in range(count):
        time = step / fps
        if step:
            since += 1 / fps
            if phase == 2:
                level *= np.exp(-RELAX / fps)
            elif phase == 1 and length and since >= length - 1e-9:
                phase = 2
            for hit in hits:
                if time - 1 / fps + 1e-9 < hit["time"] <= time + 1e-9 or (step == 1 and hit["time"] == 0):
                    start, since = (level if phase else 0.0), time - hit["time"]
                    phase, length, strength = 1, hit["length"], hit.get("strength", 1)
            if phase == 1:
                x = since / rise if rise else 1
                level = start + (strength - start) * (x * np.exp(1 - x) if x < 1 else 1)
                velocity = (1 - alpha) * velocity + alpha * (level - share)
                share = share + velocity
            elif phase == 2:
                velocity = share * (np.exp(-RELAX / fps) - 1)
                share = share + velocity
        shown.append(relaxed + share[:, None] * way)
    return np.array(shown)


def check_oracle():
    hits = [{"time": 0.1, "length": 0.3}, {"time": 0.6, "length": 0.2, "strength": 1.2}, {"time": 1.0, "length": 0.25}]
    run("simulate", "clench", "mochi.glb", "--at", "rest", "--tets", "1500", "--young", "60000", "-o", "one.pc2")
    run("build", "popping", "mochi.glb", "--example", "one.pc2", "--at", "rest", "--alpha", str(ALPHA), "-o", "one.glb")
    add_still_clip("one.glb", None, 1.6, hits)
    run("play", "one.glb", "--clip", "still", "-o", "still.pc2")
    played, pair = frames("still.pc2"), frames("one.pc2")
    wanted = oracle(pair[0], pair[1], hits, len(played))
    bulge = np.linalg.norm(pair[1] - pair[0], axis=1).max()
    gap = np.linalg.norm(played - wanted, axis=2).max(axis=1)
    swing = np.linalg.norm(played - pair[0], axis=2).max() / bulge
    print(f"oracle: worst frame {100 * gap.max() / bulge:.4f} % of a bulge of {bulge:.4f}; peak {swing:.2f} bulges")
    # Releasing ends at a ten-thousandth of the height, which the oracle does not.
    assert gap.max() < 2e-3 * bulge and swing > 1.2, (gap.max(), bulge)
    # The same in a file of events, and louder with no extras: files win.
    with open("events.txt", "w", encoding="utf-8") as file:
        file.write("# time muscle strength seconds\n")
        file.writelines(f"{h['time']} * {h.get('strength', 1)} {h['length']}\n" for h in hits)
    run("play", "one.glb", "--clip", "still", "--events", "events.txt", "-o", "file.pc2")
    assert np.array_equal(frames("file.pc2"), played)
    # Clips of another file come with their events, not with those of the character's clip of that name.
    add_still_clip("mochi.glb", "moves.glb", 1.6, hits)
    run("build", "popping", "mochi.glb", "--example", "one.pc2", "--at", "rest", "--alpha", str(ALPHA), "-o", "mute.glb")
    add_still_clip("mute.glb", None, 1.6, [])
    run("play", "mute.glb", "--clip", "still", "--clips-from", "moves.glb", "-o", "moves.pc2")
    assert np.abs(frames("moves.pc2") - played).max() < 1e-6
    # `add` bakes them too.
    for name, low, high in (("one", 0.8 * swing * bulge, 1.1 * swing * bulge), ("mute", 0, 1e-5)):
        run("add", f"{name}.glb", "--clip", "still", "--as", "morphs", "--targets", "2", "--json", "r.json", "-o", "x.glb")
        with open("r.json", encoding="utf-8") as file:
            report = json.load(file)["result"]
        assert low <= report["moved_most"] <= high and report["export_rms"] <= 0.2 * report["moved_rms"] + 1e-5, report


def check_beat():
    poses = [word for at in ("pop:0", "pop:1", "pop:2.5") for word in ("--at", at)]
    run("simulate", "clench", "mochi.glb", *poses, "--tets", "1500", "--young", "60000", "-o", "pairs.pc2")
    run("build", "popping", "mochi.glb", "--example", "pairs.pc2", *poses, "--group", "belly=spine+chest",
        "--group", "arms=upper_arm_l+upper_arm_r", "--json", "r.json", "-o", "dancer.glb")
    with open("r.json", encoding="utf-8") as file:
        report = json.load(file)["result"]["popping"]
    assert report["pairs"] == 3 and report["muscles"] == 2 and report["left"] < 0.05 * report["bulge"], report
    words = ("play", "dancer.glb", "--clip", "pop", "--beat", "110", "--pattern", "belly=x.x.xx..", "--pattern",
             "arms=..X_")
    for fps in ("60", "30", "120", "50"):
        run(*words, "--fps", fps, "-o", f"p{fps}.pc2")
    run("play", "dancer.glb", "--clip", "pop", "-o", "silent.pc2")
    at60, silent = frames("p60.pc2"), frames("silent.pc2")
    bulge = np.linalg.norm(at60 - silent, axis=2).max()
    assert bulge > 0.005, bulge
    for fps, ours, theirs in (("30", slice(None), slice(None, None, 2)), ("120", slice(None, None, 2), slice(None)),
                              ("50", slice(None, None, 5), slice(None, None, 6))):
        other = frames(f"p{fps}.pc2")[ours]
        gap = np.linalg.norm(other - at60[theirs][: len(other)], axis=2).max()
        print(f"{fps} frames a second: {gap / bulge:.2e} of the bulge")
        assert gap < 1e-4 * bulge + 2e-6
    # 8 bars: the clip goes round, and the last is like the first after the music has begun.
    run(*words, "--bars", "8", "-o", "bars.pc2")
    assert len(frames("bars.pc2")) == int(8 * 4 * 60 / 110 * 60) + 1
    # Into morph targets, and under a surface.
    run(*words, "--as", "morphs", "--targets", "24", "-o", "morphs.glb")
    document, _ = read_glb("morphs.glb")
    assert any(c["target"]["path"] == "weights" for a in document["animations"] for c in a["channels"])
    said = run("build", "surface", "dancer.glb", "--preset", "muscle", "-o", "both.glb")
    assert "popping, then surface" in said, said
    run("play", "both.glb", *words[2:], "-o", "both.pc2")
    assert 1e-4 < np.linalg.norm(frames("both.pc2") - at60, axis=2).max() < 0.2


def check_shapes():
    """Clenched shapes from OBJ files and from a morph target are the same."""
    pair = frames("one.pc2")
    run("convert", "mochi.glb", "-o", "rest.obj")
    with open("rest.obj", encoding="utf-8") as file:
        lines = file.read().splitlines()
    for name, shape in (("relaxed", pair[0]), ("clenched", pair[1])):
        rows = iter(shape)
        with open(f"{name}.obj", "w", encoding="utf-8") as file:
            for line in lines:
                file.write("v {:.9g} {:.9g} {:.9g}\n".format(*next(rows)) if line.startswith("v ") else line + "\n")
    run("build", "popping", "mochi.glb", "--clench", "clenched.obj", "--relax", "relaxed.obj", "--alpha", str(ALPHA),
        "-o", "obj.glb")
    run("play", "obj.glb", "--clip", "idle", "--beat", "100", "-o", "obj.pc2")
    run("play", "one.glb", "--clip", "idle", "--beat", "100", "-o", "cache.pc2")
    gap = np.abs(frames("obj.pc2") - frames("cache.pc2")).max()
    assert gap < 1e-6, gap
    # The same as a morph target, from the character's own shape.
    add_morph_target("mochi.glb", "target.glb", "fist", pair[1])
    run("build", "popping", "target.glb", "--clench", "fist", "--alpha", str(ALPHA), "-o", "morph.glb")
    run("build", "popping", "mochi.glb", "--clench", "clenched.obj", "--alpha", str(ALPHA), "-o", "obj.glb")
    for name in ("morph", "obj"):
        run("play", f"{name}.glb", "--clip", "walk", "--beat", "100", "-o", f"{name}.pc2")
    gap = np.abs(frames("morph.pc2") - frames("obj.pc2")).max()
    assert gap < 1e-6, gap


def check_muscles():
    """Painted masks, frequency and damping in place of alpha, a painted stiffness."""
    run("paint", "mochi.glb", "mask_1", "--set", "1", "--height", "0.5,0.6", "-o", "top.glb")
    run("paint", "top.glb", "quiver", "--new", "--set", "0.1", "-o", "painted.glb")
    pair = ("--example", "one.pc2", "--at", "rest")
    run("build", "popping", "painted.glb", *pair, "--group", "upper=mask_1", "--frequency", "6", "--damping", "0.1",
        "--json", "r.json", "-o", "upper.glb")
    with open("r.json", encoding="utf-8") as file:
        report = json.load(file)["result"]["popping"]
    assert abs(report["frequency"] - 6) < 1e-3 and abs(report["damping"] - 0.1) < 1e-4, report
    run("play", "upper.glb", "--clip", "idle", "--beat", "100", "--pattern", "X_______", "-o", "upper.pc2")
    run("play", "upper.glb", "--clip", "idle", "--beat", "100", "--pattern", ".", "-o", "calm.pc2")
    bulge = np.linalg.norm(frames("upper.pc2") - frames("calm.pc2"), axis=2).max(axis=0)
    height = frames("calm.pc2")[0][:, 1]
    low = height < height.min() + 0.45 * np.ptp(height)
    assert bulge[low].max() == 0 and bulge.max() > 0.005, (bulge[low].max(), bulge.max())
    run("build", "popping", "painted.glb", *pair, "--stiff-map", "quiver", "--json", "r.json", "-o", "x.glb")
    with open("r.json", encoding="utf-8") as file:
        report = json.load(file)["result"]["popping"]
    assert abs(report["frequency"] - 3.11) < 0.01, report  # alpha 0.1 everywhere


def check_sentences():
    assert "clenched shapes" in run("build", "popping", "mochi.glb", "-o", "x.glb", good=False)
    assert "no muscle is called" in run("play", "dancer.glb", "--beat", "90", "--pattern", "nose=x.", "-o", "x.pc2",
                                        good=False)
    assert "no muscles" in run("play", "mochi.glb", "--beat", "90", "-o", "x.pc2", good=False)
    assert "use x" in run("play", "dancer.glb", "--beat", "90", "--pattern", "y", "-o", "x.pc2", good=False)
    assert "need --beat" in run("play", "dancer.glb", "--pattern", "x", "-o", "x.pc2", good=False)
    with open("bad.txt", "w", encoding="utf-8") as file:
        file.write("0.5 belly 1\n")
    assert "line 1" in run("play", "dancer.glb", "--events", "bad.txt", "-o", "x.pc2", good=False)
    assert "no morph target" in run("build", "popping", "mochi.glb", "--clench", "nothing", "-o", "x.glb", good=False)


def check_reproduction():
    run("reproduce", "sonhan", "--part", "scheme", "--json", "r.json")
    with open("r.json", encoding="utf-8") as file:
        rows = json.load(file)["result"]["scheme"]["rows"]
    for row in rows:
        size = np.abs(np.linalg.eigvals([[1 - row["alpha"], -row["alpha"]], [1 - row["alpha"], 1 - row["alpha"]]])).max()
        assert abs(row["left"] - size) < 1e-12 and abs(size - np.sqrt(1 - row["alpha"])) < 1e-12, row
        assert row["steps_to_one_percent"] > 1.5 * np.log(0.01) / np.log(row["left_printed"]), row


def main():
    run("make", "mochi", "--vertices", "700", "-o", "mochi.glb")
    check_oracle()
    check_beat()
    check_shapes()
    check_muscles()
    check_sentences()
    check_reproduction()


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
