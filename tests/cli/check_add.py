# SPDX-License-Identifier: MIT
"""supple add: check_add.py SUPPLE [SKIN_DUMP [CHARACTER...]]

On mochi: options, what is said, loops, and that nothing else in the file changes. With SKIN_DUMP (tests/anim) on
every character of $SUPPLE_TEST_DATA as well, and what the Khronos validator, three.js and Blender make of the results.
"""
import glob
import json
import os
import re
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from glb import Document, write_glb  # noqa: E402
from tool import frames, in_blender, run, skipped  # noqa: E402

DUMP = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def same_meshes(was, now):
    for a, b in zip(was.json["meshes"], now.json["meshes"], strict=True):
        for p, q in zip(a["primitives"], b["primitives"], strict=True):
            for name, index in p["attributes"].items():
                if not name.startswith(("JOINTS_", "WEIGHTS_")):
                    assert np.array_equal(was.accessor(index), now.accessor(q["attributes"][name])), name
            assert set(p["attributes"]) == set(q["attributes"]), (p["attributes"], q["attributes"])
            assert p.get("material") == q.get("material")
            if "indices" in p:
                assert np.array_equal(was.accessor(p["indices"]), now.accessor(q["indices"]))


def same_clips(was, now, old_nodes):
    for a, b in zip(was.json["animations"], now.json["animations"], strict=True):
        assert a.get("name") == b.get("name") or a.get("name") is None, (a.get("name"), b.get("name"))
        tracks = {}
        for channel in b["channels"]:
            sampler = b["samplers"][channel["sampler"]]
            target = channel["target"]
            tracks[target["node"], target["path"]] = (now.accessor(sampler["input"]), now.accessor(sampler["output"]))
            assert target["node"] >= old_nodes or target["path"] == "weights" or any(
                c["target"]["node"] == target["node"] and c["target"]["path"] == target["path"] for c in a["channels"])
        for channel in a["channels"]:
            sampler, target = a["samplers"][channel["sampler"]], channel["target"]
            times, values = tracks[target["node"], target["path"]]
            assert np.array_equal(times, was.accessor(sampler["input"])), (a.get("name"), target)
            old = was.accessor(sampler["output"])
            if old.dtype == values.dtype:
                assert np.allclose(values, old, rtol=0, atol=1e-6), (a.get("name"), target)


def nothing_else(before, after):
    """All that was in the file is there as it was, but for skin weights and new tracks."""
    was, now = Document(before), Document(after)
    own = ["SUPPLE_original_skin"]
    assert [e for e in now.json.get("extensionsUsed", []) if e not in own] == was.json.get("extensionsUsed", [])
    other = ("accessors", "bufferViews", "buffers", "nodes", "skins", "meshes", "animations", "extensionsUsed")
    for key in was.json:
        if key not in other:
            assert was.json[key] == now.json[key], key
    nodes = len(was.json["nodes"])
    for a, b in zip(was.json["nodes"], now.json["nodes"][:nodes], strict=True):
        b = dict(b)
        if "children" in b:
            b["children"] = [c for c in b["children"] if c < nodes]
            if not b["children"] and "children" not in a:
                del b["children"]
        assert a == b, (a, b)
    for a, b in zip(was.json["skins"], now.json["skins"], strict=True):
        assert b["joints"][:len(a["joints"])] == a["joints"]
    for a, b in zip(was.json.get("images", []), now.json.get("images", []), strict=True):
        if "bufferView" in a:
            assert was.view(a["bufferView"]) == now.view(b["bufferView"])
    same_meshes(was, now)
    same_clips(was, now, nodes)


def rest_of(path):
    """Positions as the file has them, in the order of caches, each with the number of its mesh."""
    document, rows = Document(path), []
    for node in document.json["nodes"]:
        for primitive in document.json["meshes"][node["mesh"]]["primitives"] if "skin" in node and "mesh" in node else ():
            points = document.accessor(primitive["attributes"]["POSITION"]).astype(float)
            rows.append(np.column_stack([points, np.full(len(points), node["mesh"])]))
    return np.concatenate(rows)


def check_motion(name, report, before, after):
    """Loops close, seams hold, no piece is left behind."""
    result = json.load(open(report, encoding="utf-8"))["result"]
    size = result["size"]
    for clip in result["played"]:
        if clip["loops"]:
            # A clip that does not end quite as it begins jumps itself; the flesh may follow it.
            allowed = 1.2 * clip["frame_change"] + min(clip["clip_open"], 1e-3 * size) + 1e-4 * size
            assert clip["loop_open"] < allowed, (name, clip)
    lively = max(result["played"], key=lambda c: c["moved_most"])["clip"]
    run("play", before, "--plain", "--clip", lively, "-o", "plain.pc2")
    run("play", after, "--clip", lively, "-o", "after.pc2")
    plain, moved = frames("plain.pc2"), frames("after.pc2")
    # Vertices that are one at rest and in every frame of plain skinning stay one.
    some = plain[[0, len(plain) // 2, -1]].transpose(1, 0, 2).reshape(plain.shape[1], -1)
    key = np.concatenate([rest_of(before), (some / size).round(6)], 1)
    _, first, group = np.unique(key, axis=0, return_index=True, return_inverse=True)
    torn = np.linalg.norm(moved - moved[:, first[group.ravel()]], axis=2).max()
    assert torn < 1e-5 * size, (name, torn)
    away = np.linalg.norm(moved - plain, axis=2)
    lost = result["export_rms"] > 0.5 * result["moved_rms"]
    assert (lost or away.max() > 0) and away.max() < 0.2 * size, (name, away.max(), size)
    if result["loops"]:
        clip = next(c["clip"] for c in result["played"] if c["loops"])
        run("play", before, "--plain", "--clip", clip, "-o", "plain.pc2")
        run("play", after, "--clip", clip, "-o", "after.pc2")
        offset = frames("after.pc2") - frames("plain.pc2")
        wrap = np.abs(offset[-1] - offset[0]).max()
        step = np.abs(np.diff(offset, axis=0)).max()
        assert wrap < 2 * step + 2e-3 * size, (name, clip, wrap, step)
    print(f"{name}: {100 * result['moved_rms'] / size:.2f} % of the size moved, {100 * result['moved_most'] / size:.1f} % at "
          f"most; export off by {100 * result['export_rms'] / size:.3f} %, {100 * result['export_worst'] / size:.2f} % at "
          f"most; {result['loops']} of {len(result['played'])} clips loop")


def add(name, before, *options):
    after, report = f"{name}-alive.glb", f"{name}.json"
    text = run("add", before, "-o", after, "--json", report, "--verbose", *options)
    assert "differs from the live result" in text and "soft:" in text, text
    assert ("most of the motion was lost" in text) == (name == "emoji_heart"), text
    nothing_else(before, after)
    check_motion(name, report, before, after)
    return after


def mochi():
    run("make", "mochi", "--vertices", "494", "-o", "mochi.glb")
    few = ("--clip", "walk", "--clip", "jump", "--bones", "6")
    add("mochi", "mochi.glb", *few, "--live", "live.glb")
    assert "SUPPLE_model" in json.dumps(Document("live.glb").json)
    # No model; the weights from before, for those who want to see before and after, and are not required.
    alive = Document("mochi-alive.glb").json
    assert set(re.findall("SUPPLE_[a-z_]+", json.dumps(alive))) == {"SUPPLE_original_skin"}
    assert "extensionsRequired" not in alive
    add("morphs", "mochi.glb", *few, "--as", "morphs", "--preset", "fat")
    # Flesh that is held back does not move: nothing on the head, and nothing at all.
    add("headless", "mochi.glb", *few, "--lock", "head")
    run("play", "mochi.glb", "--clip", "jump", "-o", "plain.pc2")
    run("play", "headless-alive.glb", "--clip", "jump", "-o", "after.pc2")
    plain, after = frames("plain.pc2"), frames("after.pc2")
    top = plain[0, :, 1] > np.quantile(plain[0, :, 1], 0.97)
    away = np.linalg.norm(after - plain, axis=2).max(0)
    assert away[top].max() < 1e-6 < 1e-3 < away.max(), (away[top].max(), away.max())
    run("add", "mochi.glb", *few, "--amount", "0.3", "--json", "less.json", "-o", "less.glb")
    less, all_of_it = (json.load(open(f, encoding="utf-8"))["result"]["moved_rms"] for f in ("less.json", "mochi.json"))
    assert 0.05 * all_of_it < less < 0.7 * all_of_it, (less, all_of_it)
    # A file with models plays those.
    assert "the flesh that the file has" in run("add", "live.glb", *few, "-o", "again.glb")
    assert "there is no bone 'hed'; did you mean 'head'" in run("add", "mochi.glb", "--only", "hed", "-o", "x.glb", good=False)
    assert "is called 'haed'; did you mean 'head'" in run("add", "mochi.glb", "--lock", "haed", "-o", "x.glb", good=False)
    assert not os.path.exists("x.glb")
    refusals()


def refusals():
    """What would mean nothing is not swallowed. Nothing is learned here."""
    for words in (("--amount", "0.5"), ("--only", "head"), ("--lock", "head"), ("--unlock", "eyes"), ("--preset", "fat")):
        if "lock" not in words[0]:
            said = run("add", "mochi.glb", "--learn", *words, "-o", "x.glb", good=False)
            assert f"{words[0]} changes flesh from a preset" in said, said
        if words[0] != "--preset":
            said = run("add", "live.glb", *words, "-o", "x.glb", good=False)
            assert "live.glb already has models" in said and words[0] in said, said
    # Options reach `learn`, whose own check of the document fails first; nothing is left.
    before = sorted(os.listdir())
    assert "no character 'nobody'" in run("add", "mochi.glb", "--learn", "--character", "nobody", "-o", "x.glb", good=False)
    assert "--color-map 'A B'" in run("add", "mochi.glb", "--learn", "--color-map", "A B", "-o", "x.glb", good=False)
    assert "20000" in run("add", "mochi.glb", "--learn", "--max-memory", "20000", "-o", "x.glb", good=False)
    too_long()
    os.remove("long.glb")
    assert sorted(os.listdir()) == before, os.listdir()


def too_long():
    """A clip of many years is refused before frames are counted."""
    document = Document("mochi.glb")
    data = bytearray(document.bytes)
    jump = next(a for a in document.json["animations"] if a["name"] == "jump")
    for index in {s["input"] for s in jump["samplers"]}:
        at, step = document.place(index)
        struct.pack_into("<f", data, at + step * (document.json["accessors"][index]["count"] - 1), 1e9)
    write_glb("long.glb", document.json, data)
    for words in (("add",), ("play", "--as", "helpers"), ("play", "--as", "morphs")):
        said = run(words[0], "long.glb", *words[1:], "--clip", "jump", "-o", "x.glb", good=False)
        assert "more than a million frames at 60 per second" in said, said


def three(dump, files):
    done = subprocess.run([os.path.join(ROOT, "scripts/node-test.sh"), "add_check.mjs", dump, *files],
                          cwd=os.path.join(ROOT, "tests/node"), capture_output=True, text=True, check=False)
    print(done.stdout)
    assert done.returncode in (0, 77), done.stdout + done.stderr


def keyed_frames(document, animation):
    """Frames at 60 a second where every rotation has a key or holds still: between keys Blender interpolates the numbers of
    a quaternion, not the rotation."""
    turning = []
    for channel in animation["channels"]:
        sampler, target = animation["samplers"][channel["sampler"]], channel["target"]
        if target["path"] == "rotation":
            values = document.accessor(sampler["output"])
            if np.abs(values - values[0]).max() > 1e-6:
                turning.append(document.accessor(sampler["input"])[:, 0])
    last = max(document.json["accessors"][s["input"]]["max"][0] for s in animation["samplers"])
    found = []
    for frame in range(int(60 * last + 1e-3) + 1):
        time = frame / 60
        if all(np.abs(t - time).min() < 1e-4 or time > t[-1] or time < t[0] for t in turning):
            found.append(frame)
    return found[::max(1, len(found) // 8)]


def blender(names, files):
    """Blender shows the files as our player does, where it shows the originals as our player does: it imports bones below
    an uneven scale differently, and refuses indices of joints that are not there even without weight."""
    jobs = []
    for name, original in zip(names, files):
        clips = [(k, a.get("name", f"Anim_{k}")) for k, a in enumerate(Document(original).json["animations"][:4])]
        for file, out in ((original, f"{name}-before.npz"), (f"{name}-alive.glb", f"{name}.npz")):
            document = Document(file)
            jobs.append({"file": file, "out": out, "fps": 60,
                         "clips": {c: keyed_frames(document, document.json["animations"][k]) for k, c in clips}})
    worst = in_blender(jobs)
    for name, before in zip(names, worst[::2]):
        if not before < 1e-5:
            skipped(f"blender_{name}")
    failed = [(name, after) for name, before, after in zip(names, worst[::2], worst[1::2]) if before < 1e-5 < after]
    assert not failed and min(worst[::2]) < 1e-5, failed


def main():
    if len(sys.argv) < 4:
        mochi()
    if not DUMP:
        return 0
    data = os.environ.get("SUPPLE_TEST_DATA", "/nonexistent")
    files = sorted(glob.glob(os.path.join(data, "*.glb")))
    if len(sys.argv) > 3:
        files = [f for f in files if os.path.basename(f)[:-4] in sys.argv[3:]]
    if not files:
        print("skipped: no characters in $SUPPLE_TEST_DATA")
        return 77
    names = []
    for file in files:
        name = os.path.basename(file)[:-4]
        add(name, file, "--tolerance", "1e-6")
        names.append(name)
    three(DUMP, [os.path.abspath(f"{n}-alive.glb") for n in names])
    if shutil.which("blender"):
        blender(names, files)
    else:
        skipped("no_blender")
    return 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        code = main()
        os.chdir("/")
    sys.exit(code)
