# SPDX-License-Identifier: MIT
"""build chunks: flesh from patches alone, bulges, what is left out, and sentences: check_chunks.py SUPPLE"""
import json
import os
import pathlib
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from glb import read_glb, write_glb  # noqa: E402
from tool import deviation, frames, run, triangles  # noqa: E402

FPS = 15


def build(source, out, *words):
    text = run("build", "chunks", source, *words, "--json", "r.json", "-o", out)
    with open("r.json", encoding="utf-8") as file:
        return json.load(file)["result"]["chunks"], text


def play(name, clip, *words):
    run("play", name, "--clip", clip, "--fps", str(FPS), "-o", "played.pc2", "--order", "body", *words)
    return frames("played.pc2")


def rest_is_kept_and_volume_too():
    """At rest nothing moves; an arm that is raised keeps its volume better than skinning does."""
    made, text = build("arm.glb", "chunks.glb")
    assert made["chunks"] == len(made["list"]) > 1 and made["limbs"] > 0, text
    assert made["nodes"] == sum(c["nodes"] for c in made["list"])
    assert f"chunks: {made['chunks']} on 32 patches that were found" in text, text
    assert "chunks" in run("info", "chunks.glb")
    rest, faces = triangles("arm.glb")
    still, stood = play("arm.glb", "bend")[0], play("chunks.glb", "bend")[0]
    assert np.abs(stood - still).max() < 1e-4
    skinned, shown = play("arm.glb", "raise"), play("chunks.glb", "raise")
    assert np.abs(shown - skinned).max() > 0.01
    peak, rms = deviation(shown, rest, faces)
    peak_skinned, rms_skinned = deviation(skinned, rest, faces)
    print(f"volume: {100 * rms:.2f} % beside {100 * rms_skinned:.2f} %, peaks {100 * peak:.2f}, {100 * peak_skinned:.2f}")
    assert rms < 0.9 * rms_skinned and np.isfinite(shown).all(), (rms, rms_skinned)
    # The same bytes whatever the number of threads; --fresh and a second build replace the first.
    build("arm.glb", "one.glb", "--threads", "1")
    build("chunks.glb", "two.glb", "--threads", "2")
    assert pathlib.Path("one.glb").read_bytes() == pathlib.Path("two.glb").read_bytes()


def limb_patch():
    """A patch on the upper arm, from the patch file."""
    run("patches", "arm.glb", "-o", "arm.json")
    with open("arm.json", encoding="utf-8") as file:
        document = json.load(file)
    return document, next(p["name"] for p in document["patches"] if p["zone"] == "shoulder")


def bulges_rise_with_a_joint():
    document, patch = limb_patch()
    build("arm.glb", "plain.glb", "--patches", "arm.json")
    build("arm.glb", "bulged.glb", "--patches", "arm.json", "--bulge", f"{patch}=0.05@forearm:0:60")
    before, after = play("plain.glb", "bend"), play("bulged.glb", "bend")
    far = np.linalg.norm(after - before, axis=2).max(axis=1)
    print(f"bulge of 0.05: {far.max():.4f} at most")
    assert far[0] < 1e-6 and 0.005 < far.max() < 0.055, far
    # Half as high, half as far.
    build("arm.glb", "half.glb", "--patches", "arm.json", "--bulge", f"{patch}=0.025@forearm:0:60")
    half = np.linalg.norm(play("half.glb", "bend") - before, axis=2).max(axis=1)
    assert abs(half.max() / far.max() - 0.5) < 0.02, (half.max(), far.max())
    return document, patch


def what_is_muted_is_skinned():
    made, _ = build("arm.glb", "some.glb", "--mute", "body", "--mute", "chest", "--mute", "shoulder")
    assert {c["zone"] for c in made["list"]} == {"forearm"}, made
    skinned, shown = play("arm.glb", "bend"), play("some.glb", "bend")
    moved = np.linalg.norm(shown - skinned, axis=2).max(axis=0)
    assert 0 < (moved > 1e-4).mean() < 0.5, (moved > 1e-4).mean()


def resolution_is_asked_for():
    made, _ = build("arm.glb", "fine.glb", "--slices", "5", "--slices", "forearm=9", "--levels", "1", "--poisson", "0.4")
    for chunk in made["list"]:
        assert chunk["levels"] == 1 and chunk["slices"] == (9 if chunk["zone"] == "forearm" else 5), chunk


def refused(sentence, *words):
    text = run("build", "chunks", *words, "-o", "no.glb", good=False)
    assert sentence in text and len(text.strip().splitlines()) == 1, text
    assert not os.path.exists("no.glb")


def mistakes_are_told(document, patch):
    refused("--slices: 'x' is not NUMBER or NAME=NUMBER with a whole number from 3 to 256", "arm.glb", "--slices", "x")
    refused("--slices: '=5'", "arm.glb", "--slices", "=5")
    refused("--levels: '6'", "arm.glb", "--levels", "6")
    refused("--poisson: 'forearm=0.5'", "arm.glb", "--poisson", "forearm=0.5")
    refused("--depth: '0.1' is not ZONE=NUMBER", "arm.glb", "--depth", "0.1")
    for bad in ("0.1", "p=", "p=x", "p=0.1@", "p=0.1@elbow:30:30", "=0.1", "p=0.1 up"):
        refused(f"--bulge: '{bad}' is not PATCH=HEIGHT", "arm.glb", "--bulge", bad)
    refused("there is no patch 'nowhere'", "arm.glb", "--bulge", "nowhere=0.1@forearm")
    refused("is on a limb", "arm.glb", "--bulge", f"{patch}=0.1")
    refused("nowhere", "arm.glb", "--bulge", f"{patch}=0.1@nowhere")
    refused("nowhere", "arm.glb", "--mute", "nowhere")
    refused("zone 'forearm' has no shell", "arm.glb", "--depth", "forearm=0.1")
    document["zones"]["forearm"] = "solid"
    with open("bare.json", "w", encoding="utf-8") as file:
        json.dump(document, file)
    refused("forearm", "arm.glb", "--patches", "bare.json")
    document["zones"]["forearm"] = {"kind": "solid", "bone": ["forearm", "wrist"]}
    with open("bare.json", "w", encoding="utf-8") as file:
        json.dump(document, file)
    refused("wrist", "arm.glb", "--patches", "bare.json")


def one_model_has_the_shape():
    """Beside an envelope: said before any work, and with what to do; --fresh drops it."""
    run("play", "arm.glb", "--clip", "bend", "-o", "shape.pc2")
    run("build", "envelope", "arm.glb", "--example", "shape.pc2", "--at", "bend:0.5", "-o", "sculpted.glb")
    refused("sculpted.glb: its envelope model says the shape of every pose, and chunks would, too", "sculpted.glb")
    made, _ = build("sculpted.glb", "dropped.glb", "--fresh")
    assert made["chunks"] > 1
    text = run("build", "envelope", "dropped.glb", "--example", "shape.pc2", "--at", "bend:0.5", "-o", "no.glb", good=False)
    assert "its chunks model says the shape of every pose, and envelope would, too" in text, text


def what_is_asked_in_vain(patch):
    """Rings that a zone does not have; a bulge of what stays skinned."""
    refused("there is no chunk 'forearm-9': zone 'forearm' has", "arm.glb", "--slices", "forearm-9=5")
    _, text = build("arm.glb", "vain.glb", "--patches", "arm.json", "--bulge", f"{patch}=0.05@forearm:0:60", "--mute", "shoulder")
    assert f"the bulge of patch '{patch}' raises nothing" in text, text


def shells_of_a_file_are_checked(document):
    """A shell that turns its wedges over is refused with the line, not quietly left out."""
    tip = next(f for f in document["features"] if f["name"] == "body.tip")
    document["zones"]["body"] = {"kind": "stratum", "shell": {"body.tip": [0, tip["position"][1] + 2, 0]}}
    with open("over.json", "w", encoding="utf-8") as file:
        json.dump(document, file)
    refused("over.json, line 1: zone 'body': its shell is given", "arm.glb", "--patches", "over.json")


def pull_apart(name, out, joint, clip, by):
    """The same character, of which a clip takes a joint away by so much."""
    document, binary = read_glb(name)
    node = next(k for k, n in enumerate(document["nodes"]) if n.get("name") == joint)
    rest = np.array(document["nodes"][node].get("translation", [0, 0, 0]))
    first = len(document["accessors"])
    for kind, values in (("SCALAR", np.array([0, 1])), ("VEC3", np.array([rest, rest + by]))):
        binary += b"\0" * (-len(binary) % 4)
        data = values.astype("<f4").tobytes()
        document["bufferViews"].append({"buffer": 0, "byteOffset": len(binary), "byteLength": len(data)})
        document["accessors"].append({"bufferView": len(document["bufferViews"]) - 1, "componentType": 5126, "count": 2, "type": kind})
        binary += data
    document["accessors"][first].update({"min": [0], "max": [1]})
    document["buffers"][0]["byteLength"] = len(binary)
    animation = next(a for a in document["animations"] if a["name"] == clip)
    animation["channels"] = [c for c in animation["channels"] if (c["target"]["node"], c["target"]["path"]) != (node, "translation")]
    animation["samplers"].append({"input": first, "output": first + 1})
    animation["channels"].append({"sampler": len(animation["samplers"]) - 1, "target": {"node": node, "path": "translation"}})
    write_glb(out, document, binary)


def what_stands_out_is_left_out():
    """A clip that takes the forearm away from the arm: flesh around it does not follow, so it stays skinned."""
    whole, _ = build("arm.glb", "whole.glb")
    pull_apart("arm.glb", "apart.glb", "forearm", "bend", [0, 2, 0])
    made, text = build("apart.glb", "left.glb")
    left = [s["name"] for s in made["skinned"] if "stand out from the skin beside it in clip 'bend'" in s["reason"]]
    assert "forearm" in left and not whole["skinned"] and made["chunks"] < whole["chunks"], text
    assert not set(left) & {c["name"] for c in made["list"]}, text
    skinned, shown = play("apart.glb", "bend"), play("left.glb", "bend")
    assert np.abs(shown - skinned).max() < 0.3, np.abs(shown - skinned).max()


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    run("make", "arm", "--vertices", "2000", "-o", "arm.glb")
    rest_is_kept_and_volume_too()
    what_is_muted_is_skinned()
    what_stands_out_is_left_out()
    resolution_is_asked_for()
    document, patch = bulges_rise_with_a_joint()
    what_is_asked_in_vain(patch)
    mistakes_are_told(document, patch)
    one_model_has_the_shape()
    document["zones"]["forearm"] = {"kind": "solid", "bone": ["forearm", "hand"]}
    shells_of_a_file_are_checked(document)
