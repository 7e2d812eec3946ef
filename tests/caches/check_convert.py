#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""supple convert and supple info against readers of our own: check_convert.py SUPPLE"""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from glb import read_glb  # noqa: E402
from tool import skipped  # noqa: E402

SUPPLE = os.path.abspath(sys.argv[1])
DATA = os.environ.get("SUPPLE_TEST_DATA", "")
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)
        print("FAILED:", what)


def supple(*words, status=0):
    """Runs the tool; stdout, stderr."""
    done = subprocess.run([SUPPLE, *words], capture_output=True, text=True)
    check(done.returncode == status, f"{' '.join(words)}: exit {done.returncode}: {done.stderr}")
    if status:
        check(done.stderr.count("\n") == 1 and done.stderr.startswith("supple: "),
              f"{' '.join(words)}: not one sentence: {done.stderr}")
    return done.stdout, done.stderr


def info(path, *words):
    out, _ = supple("info", path, "--quiet", "--json", "-", *words)
    return json.loads(out)["result"]["files"][0]


# ---- Readers and writers of the formats, from their descriptions --------------------------------


def read_pc2(path):
    data = open(path, "rb").read()
    magic, version, points, start, sampling, frames = struct.unpack_from("<12siiffi", data)
    check(magic == b"POINTCACHE2\0" and version == 1, "PC2 head")
    values = np.frombuffer(data, "<f4", 3 * points * frames, 32)
    return values.reshape(frames, points, 3), start, sampling


def read_mdd(path):
    data = open(path, "rb").read()
    frames, points = struct.unpack_from(">ii", data)
    times = np.frombuffer(data, ">f4", frames, 8)
    values = np.frombuffer(data, ">f4", 3 * points * frames, 8 + 4 * frames)
    return values.reshape(frames, points, 3).astype("<f4"), times.astype(float)


def write_pc2(path, values, start=0.0, sampling=1.0):
    frames, points, _ = values.shape
    with open(path, "wb") as file:
        file.write(struct.pack("<12siiffi", b"POINTCACHE2", 1, points, start, sampling, frames))
        file.write(values.astype("<f4").tobytes())


def write_mdd(path, values, times):
    frames, points, _ = values.shape
    with open(path, "wb") as file:
        file.write(struct.pack(">ii", frames, points))
        file.write(np.asarray(times).astype(">f4").tobytes() + values.astype(">f4").tobytes())


def read_obj(path):
    lines = [line.split() for line in open(path, encoding="utf-8")]
    v = np.array([[float(x) for x in line[1:4]] for line in lines if line and line[0] == "v"])
    f = np.array([[int(c.split("/")[0]) - 1 for c in line[1:]]
                  for line in lines if line and line[0] == "f"])
    return v, f


def xxh64(data, seed=0):
    """From the specification of XXH64, for the layout that docs/formats.md promises."""
    p1, p2, p3, p4, p5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
                          0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
    mask = (1 << 64) - 1

    def turn(x, k):
        return ((x << k) | (x >> (64 - k))) & mask

    def lane(acc, word):
        return turn((acc + word * p2) & mask, 31) * p1 & mask

    at, end = 0, len(data)
    if end >= 32:
        acc = [(seed + p1 + p2) & mask, (seed + p2) & mask, seed, (seed - p1) & mask]
        for at in range(0, end - 31, 32):
            acc = [lane(a, w) for a, w in zip(acc, struct.unpack_from("<4Q", data, at))]
        at += 32
        h = sum(turn(a, k) for a, k in zip(acc, (1, 7, 12, 18))) & mask
        for a in acc:
            h = ((h ^ lane(0, a)) * p1 + p4) & mask
    else:
        h = (seed + p5) & mask
    h = (h + end) & mask
    while end - at >= 8:
        h = (turn(h ^ lane(0, struct.unpack_from("<Q", data, at)[0]), 27) * p1 + p4) & mask
        at += 8
    if end - at >= 4:
        h = (turn(h ^ struct.unpack_from("<I", data, at)[0] * p1 & mask, 23) * p2 + p3) & mask
        at += 4
    for byte in data[at:]:
        h = turn(h ^ byte * p5 & mask, 11) * p1 & mask
    h = (h ^ h >> 33) * p2 & mask
    h = (h ^ h >> 29) * p3 & mask
    return h ^ h >> 32


# ---- Caches -------------------------------------------------------------------------------------


def caches_convert_both_ways():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(9, 1234, 3)).astype("<f4")
    write_pc2("a.pc2", values, start=12, sampling=2)
    supple("convert", "a.pc2", "-o", "a.mdd", "--fps", "60")
    got, times = read_mdd("a.mdd")
    check(np.array_equal(got, values), "PC2 -> MDD positions")
    check(np.allclose(times, 12 / 60 + np.arange(9) / 30, rtol=1e-6), "PC2 -> MDD times")
    supple("convert", "a.mdd", "-o", "b.pc2")
    got, start, sampling = read_pc2("b.pc2")
    check(np.array_equal(got, values), "MDD -> PC2 positions")
    check(abs(start - 0.2 * 30) < 1e-4 and sampling == 1, "MDD -> PC2 times")
    write_mdd("c.mdd", values, 5 + np.arange(9) / 25)
    found = info("c.mdd")
    check(found["fps"] == 25 and found["start"] == 5 and found["frames"] == 9, "MDD info")
    check(info("a.pc2")["fps"] == 12, "PC2 info assumes 24 frames per second")
    check(info("a.pc2", "--fps", "60")["fps"] == 30, "PC2 info is told the rate")


def units_and_axes_are_applied():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(2, 50, 3)).astype("<f4")
    write_pc2("z.pc2", values)
    supple("convert", "z.pc2", "-o", "y.pc2", "--units", "cm", "--up-axis", "z")
    got, _, _ = read_pc2("y.pc2")
    turned = values[:, :, [0, 2, 1]] * np.float32(0.01) * np.array([1, 1, -1], "f4")
    check(np.allclose(got, turned, rtol=1e-6), "--units cm --up-axis z")
    supple("convert", "z.pc2", "-o", "n.pc2", "--units", "2.5")
    check(np.allclose(read_pc2("n.pc2")[0], 2.5 * values, rtol=1e-6), "--units 2.5")
    supple("convert", "z.pc2", "-o", "n.pc2", "--units", "parsec", status=2)


def mistakes_have_one_sentence():
    for ending, word in ((".fbx", "FBX2glTF"), (".dae", "Blender"), (".usdz", "Blender"),
                         (".abc", "point cache"), (".xyz", ".glb"), ("", ".glb")):
        name = "in" + ending
        open(name, "wb").write(b"x")
        check(word in supple("info", name, status=1)[1], f"info {name} says {word}")
        check(word in supple("convert", name, "-o", "o.glb", status=1)[1], f"convert {name}")
    supple("convert", "a.pc2", "-o", "o.glb", status=1)
    supple("convert", "a.pc2", "-o", "o.mdd", "--order", "body", status=2)
    supple("convert", "none.pc2", "-o", "o.mdd", status=1)
    supple("info", "none.glb", status=1)
    whole = open("a.pc2", "rb").read()
    open("cut.pc2", "wb").write(whole[:5000])
    supple("convert", "cut.pc2", "-o", "o.mdd", status=1)
    bad = bytearray(whole)
    bad[-4:] = b"\0\0\xc0\x7f"  # not a number in the last frame, when most of it is written
    open("bad.pc2", "wb").write(bad)
    supple("convert", "bad.pc2", "-o", "o.mdd", status=1)
    supple("info", "a.pc2", "--max-memory", "20K", status=1)
    check(not [name for name in os.listdir() if name.startswith("o.")], "no half-written file")


# ---- Meshes and characters ----------------------------------------------------------------------


def meshes_convert():
    v = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1]], float)
    open("m.obj", "w").write("".join("v %g %g %g\n" % tuple(p) for p in v) +
                             "f 1 2 3 4\nf 1 2 6 5\n")
    found = info("m.obj")
    check(found["vertices"] == 6 and found["triangles"] == 4, "OBJ counts")
    check(found["surface"]["open_edges"] == 6, "OBJ open edges")
    supple("convert", "m.obj", "-o", "m2.obj", "--units", "cm", "--up-axis", "z")
    got, faces = read_obj("m2.obj")
    check(np.allclose(got, v[:, [0, 2, 1]] * [0.01, 0.01, -0.01], rtol=1e-6), "OBJ units")
    check(faces.tolist() == [[0, 1, 2], [0, 2, 3], [0, 1, 5], [0, 5, 4]], "OBJ faces")
    supple("convert", "m.obj", "-o", "m.glb")
    document, binary = read_glb("m.glb")
    accessor = document["accessors"][
        document["meshes"][0]["primitives"][0]["attributes"]["POSITION"]]
    view = document["bufferViews"][accessor["bufferView"]]
    offset = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    got = np.frombuffer(binary, "<f4", 18, offset).reshape(6, 3)
    check(accessor["count"] == 6 and np.array_equal(got, v.astype("f4")), "OBJ -> GLB")


def models_are_told():
    """A block made by hand, as docs/formats.md describes it."""
    rest = struct.pack("<6f", 0, 0, 0, 1, 2, 3)
    body = struct.pack("<QIIffff", 7, 2, 0, 1, 0, 0, 0) + struct.pack("<fI", 1 / 60, 1) + bytes(56)
    body += struct.pack("<4sIQQQ", b"REST", 12, 2, 192, 0) + bytes(32) + rest + bytes(40)
    head = struct.pack("<4sI4sIQ", b"SUPM", 1, b"HAND", 3, 256)
    block = head + struct.pack("<Q", xxh64(body, xxh64(head))) + body
    open("hand.supple", "wb").write(block)
    found = info("hand.supple")["models"][0]
    check(found["kind"] == "HAND" and found["version"] == 3 and found["vertices"] == 2, "model")
    check(not found["usable"], "an unknown kind is not usable")
    for bytes_ in range(0, 256, 5):
        open("cut.supple", "wb").write(block[:bytes_])
        supple("info", "cut.supple", status=1)
    open("cut.supple", "wb").write(block[:200] + b"x" + block[201:])
    check("checksum" in supple("info", "cut.supple", status=1)[1], "damage is told")
    supple("convert", "hand.supple", "-o", "o.glb", status=1)
    supple("convert", "m.obj", "-o", "o.supple", status=1)


def vertex_count(document, primitive):
    return document["accessors"][primitive["attributes"]["POSITION"]]["count"]


def corner_count(document, primitive):
    if "indices" in primitive:
        return document["accessors"][primitive["indices"]]["count"]
    return vertex_count(document, primitive)


def characters_are_told(name):
    """Counts of `info` against the document's own JSON."""
    path = os.path.join(DATA, name)
    document, _ = read_glb(path)
    character = info(path)["characters"][0]
    skinned = [node for node in document["nodes"] if "skin" in node and "mesh" in node]
    primitives = [p for node in skinned for p in document["meshes"][node["mesh"]]["primitives"]]
    vertices = sum(vertex_count(document, p) for p in primitives)
    triangles = sum(corner_count(document, p) // 3 for p in primitives)
    check(character["vertices"] == vertices, f"{name}: vertices")
    check(character["triangles"] == triangles, f"{name}: triangles")
    joints = set(j for node in skinned for j in document["skins"][node["skin"]]["joints"])
    check(character["bones"] >= len(joints), f"{name}: bones")
    animations = document.get("animations", [])
    check(len(character["clips"]) == len(animations), f"{name}: clips")
    for clip, animation in zip(character["clips"], animations):
        last = max(document["accessors"][s["input"]]["max"][0] for s in animation["samplers"])
        check(abs(clip["seconds"] - last) < 1e-4, f"{name}: length of {clip['name']}")


def orders_convert(name):
    """A body cache of a real character becomes a file cache, also from a shuffled copy."""
    path = os.path.join(DATA, name)
    supple("convert", path, "-o", "body.obj", "--order", "body")
    supple("convert", path, "-o", "file.obj", "--order", "file")
    lines = [line.split() for line in open("file.obj", encoding="utf-8")]
    normals = np.array([[float(x) for x in line[1:]] for line in lines if line[:1] == ["vn"]])
    spots, faces = read_obj("file.obj")
    check(len(normals) == len(spots), "OBJ normals")
    if len(normals) == len(spots):
        a, b, c = (spots[faces[:, k]] for k in range(3))
        flat = np.cross(b - a, c - a)
        along = np.einsum("ij,ij->i", flat, normals[faces[:, 0]]) > 0
        check(np.allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-4), "OBJ normals have length 1")
        check(along.mean() > 0.95, f"OBJ normals point outwards in the scene: {along.mean()}")
    body, _ = read_obj("body.obj")
    file, _ = read_obj("file.obj")
    check(len(file) > len(body), f"{name} has seams")
    rng = np.random.default_rng(3)
    motion = np.stack([body + 0.1 * k * np.sin(5 * body) for k in range(4)])
    expected = np.stack([file + 0.1 * k * np.sin(5 * file) for k in range(4)])
    shuffle = rng.permutation(len(body))
    for tag, cache in (("welded body", motion), ("position", motion[:, shuffle])):
        write_pc2("o1.pc2", cache)
        out, _ = supple("convert", "o1.pc2", "--of", path, "--order", "file", "-o", "o2.mdd")
        check(tag in out, f"{name}: the match is said: {out}")
        got, _ = read_mdd("o2.mdd")
        check(got.shape == expected.shape and np.abs(got - expected).max() < 1e-4 *
              np.ptp(file), f"{name}: {tag} order becomes file order")
        supple("convert", "o2.mdd", "--of", path, "--order", "body", "-o", "o3.pc2")
        check(np.allclose(read_pc2("o3.pc2")[0], motion, atol=1e-4 * np.ptp(file)),
              f"{name}: and back")
    write_pc2("o1.pc2", motion[:, :-1] + 100)
    _, sentence = supple("convert", "o1.pc2", "--of", path, "--order", "body", "-o", "o4.pc2",
                         status=1)
    check(str(len(body)) in sentence and "--units" in sentence, "a stranger is refused")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    caches_convert_both_ways()
    units_and_axes_are_applied()
    mistakes_have_one_sentence()
    meshes_convert()
    models_are_told()
    if DATA:
        for glb in sorted(os.listdir(DATA)):
            if glb.endswith(".glb"):
                characters_are_told(glb)
        orders_convert("cesium_man.glb")
        orders_convert("kaykit_mage.glb")
    else:
        skipped("no_real_characters")
    os.chdir("/")
sys.exit(1 if failures else 0)
