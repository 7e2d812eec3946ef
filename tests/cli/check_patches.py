#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""supple patches: check_patches.py SUPPLE

Areas are added up again by numpy from the file's own triangles; a file of patches is laid on the character that it was
written for, on the same one with other positions and numbers, and mirrored."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from glb import read_glb, write_glb  # noqa: E402

SUPPLE = os.path.abspath(sys.argv[1])


def supple(*words, fails=None):
    done = subprocess.run([SUPPLE, *words], capture_output=True, text=True)
    if fails is None:
        assert done.returncode == 0, done.stderr
        return done.stdout
    assert done.returncode == 1 and fails in done.stderr, (done.returncode, done.stderr)
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def report(*words):
    supple("patches", *words, "--json", "report.json", "--quiet")
    with open("report.json") as file:
        return json.load(file)["result"]


def view(document, binary, number):
    """Accessor -> its numbers in the binary, to be read and written."""
    accessor = document["accessors"][number]
    place = document["bufferViews"][accessor["bufferView"]]
    kind = {5126: "<f4", 5125: "<u4", 5123: "<u2"}[accessor["componentType"]]
    width = {"SCALAR": 1, "VEC3": 3}[accessor["type"]]
    start = place.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    return np.frombuffer(binary, kind, accessor["count"] * width, start).reshape(-1, width)


def skin_area(path):
    document, binary = read_glb(path)
    area = 0
    for primitive in document["meshes"][0]["primitives"]:
        x = view(document, binary, primitive["attributes"]["POSITION"]).astype(float)
        f = view(document, binary, primitive["indices"]).reshape(-1, 3)
        area += np.linalg.norm(np.cross(x[f[:, 1]] - x[f[:, 0]], x[f[:, 2]] - x[f[:, 0]]), axis=1).sum() / 2
    return area


def by_name(found):
    return {patch["name"]: patch for patch in found["patches"]}


def check_automatic():
    found = report("mochi.glb", "-o", "mochi.json", "--picture", "mochi.png")
    assert found["automatic"] and found["patch_count"] >= 20, found["patch_count"]
    assert len(found["patches"]) == found["patch_count"] and len(found["features"]) == found["feature_count"]
    assert found["euler"] == found["feature_count"] - found["boundary_count"] + found["patch_count"]
    assert found["euler"] == found["skin_euler"] == 2, found["euler"]
    covered = sum(patch["area"] for patch in found["patches"])
    assert abs(covered + found["left_out_area"] - found["skin_area"]) < 1e-9 * found["skin_area"]
    assert abs(found["skin_area"] / skin_area("mochi.glb") - 1) < 1e-5, found["skin_area"]
    with open("mochi.png", "rb") as file:
        assert file.read(8) == b"\x89PNG\r\n\x1a\n"
    for patch in found["patches"]:
        assert len(patch["sides"]) >= 3 and patch["area"] > 0 and patch["triangles"] > 0
    return found


def check_again(found):
    """The file says what was found, and what is written from it is the same file."""
    again = report("mochi.glb", "--plan", "mochi.json", "-o", "again.json")
    assert not again["automatic"] and again["moved"] == [] and again["renumbered"] == 0
    for key in ("feature_count", "boundary_count", "patch_count", "euler"):
        assert again[key] == found[key], key
    first, second = by_name(found), by_name(again)
    assert sorted(first) == sorted(second)
    for name, patch in first.items():
        assert patch["sides"] == second[name]["sides"], name
        assert abs(patch["area"] - second[name]["area"]) < 0.02 * found["skin_area"], name
    with open("mochi.json", "rb") as one, open("again.json", "rb") as two:
        assert one.read() == two.read()
    assert "correspond to those of mochi.json" in supple("patches", "mochi.glb", "--match", "mochi.json")
    assert "correspond to those of mochi.glb" in supple("patches", "mochi.glb", "--plan", "again.json", "--match", "mochi.glb")


def check_edited():
    """A thinner skin, then a feature that is far from any."""
    with open("mochi.json") as file:
        plan = json.load(file)
    document, binary = read_glb("mochi.glb")
    binary = bytearray(binary)
    for primitive in document["meshes"][0]["primitives"]:
        accessor = document["accessors"][primitive["attributes"]["POSITION"]]
        x = view(document, binary, primitive["attributes"]["POSITION"])
        thin = (x * np.array([0.97, 1, 1])).astype("<f4")
        place = document["bufferViews"][accessor["bufferView"]]
        start = place.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        binary[start:start + thin.nbytes] = thin.tobytes()
        accessor["min"], accessor["max"] = thin.min(0).tolist(), thin.max(0).tolist()
    write_glb("thin.glb", document, bytes(binary))
    said = supple("patches", "thin.glb", "--plan", "mochi.json")
    assert "moved to the nearest place of the skin, by " in said, said
    moved = report("thin.glb", "--plan", "mochi.json")["moved"]
    assert len(moved) > 10
    # By no more than the skin did: 3 % of the half width.
    for move in moved:
        assert 0 < move["distance"] < 0.02, move
    plan["features"][0]["position"] = [9, 9, 9]
    plan["features"][0].pop("vertex", None)
    with open("far.json", "w") as file:
        json.dump(plan, file)
    name = plan["features"][0]["name"]
    supple("patches", "mochi.glb", "--plan", "far.json", "-o", "never.json", fails=f"far.json, line 1: feature '{name}': the skin is ")
    assert not os.path.exists("never.json")


def check_mirror():
    found = report("mochi.glb", "--plan", "mochi.json", "--mirror", "left", "-o", "both.json")
    again = report("mochi.glb", "--plan", "both.json", "--mirror", "right")
    for one in (found, again):
        names = by_name(one)
        pairs = 0
        for name, patch in names.items():
            if "_l" not in name or "_r" in name:
                continue
            other = names[name.replace("_l", "_r").replace("left", "right")]
            # Triangles on both sides are not images of each other.
            assert abs(patch["area"] - other["area"]) < 0.25 * patch["area"], (name, patch["area"], other["area"])
            pairs += 1
        assert pairs >= 8, sorted(names)
    supple("patches", "mochi.glb", "--plan", "both.json", "--match", "mochi.json")


def check_match():
    """Something else does not correspond, and it is said what."""
    supple("patches", "mochi.glb", "--match", "tube.glb", fails="supple: boundary '")
    with open("mochi.json") as file:
        plan = json.load(file)
    plan["boundaries"][0]["name"] = "another"
    old = json.load(open("mochi.json"))["boundaries"][0]["name"]
    for patch in plan.get("patches", []):
        patch["boundaries"] = ["another" if b == old else b for b in patch["boundaries"]]
    with open("renamed.json", "w") as file:
        json.dump(plan, file)
    supple("patches", "mochi.glb", "--plan", "mochi.json", "--match", "renamed.json",
           fails=f"boundary '{old}' is in mochi.json, but not in renamed.json")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        supple("make", "mochi", "--vertices", "2500", "-o", "mochi.glb", "--quiet")
        supple("make", "tube", "--vertices", "500", "-o", "tube.glb", "--quiet")
        found = check_automatic()
        check_again(found)
        check_edited()
        check_mirror()
        check_match()
        os.chdir("/")


main()
