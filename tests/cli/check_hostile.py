#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No byte of a file reaches a terminal uncleaned: check_hostile.py SUPPLE

Characters whose every string is hostile go through every verb that reads one. What comes out on stdout and stderr is
UTF-8 without control characters but for line ends, and without characters that turn the direction of writing."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from glb import read_glb, write_glb  # noqa: E402

SUPPLE = os.path.abspath(sys.argv[1])
failures = []
HOSTILE = {
    "escapes": "\x1b[31m\x1b]0;owned\x07{}\r\t\b\x7f\x9b2J\x90q\x9c\n",
    "turned": "\u202e{}\u2066\u200f\u061c\u2028\u2029",
    "long": "{}" + "\u00e9\x1b[2J" * 3000,
    "ends": "a\u0301\nsupple: all is well\n{}",
}
# What decides how a file is read, not what is shown of it.
KEPT = {"version", "minVersion", "type", "path", "interpolation", "mode", "uri", "mimeType", "alphaMode",
        "extensionsUsed", "extensionsRequired", "kind", "technique"}


def hostile(value, form, key=""):
    """A copy of the document in which every string is the form, each with a number of its own."""
    if isinstance(value, dict):
        return {k: hostile(v, form, k) for k, v in value.items()}
    if isinstance(value, list):
        return [hostile(v, form, key) for v in value]
    if isinstance(value, str) and key not in KEPT:
        hostile.count += 1
        return form.format(hostile.count)
    return value


hostile.count = 0


def control(character):
    code = ord(character)
    return (code < 0x20 and character != "\n") or 0x7f <= code < 0xa0 or code in (0x200e, 0x200f, 0x61c) or \
        0x2028 <= code <= 0x202e or 0x2066 <= code <= 0x2069


def look(words, done):
    shown = [w if len(w) < 40 else w[:40] + "..." for w in words]
    for name, data in (("stdout", done.stdout), ("stderr", done.stderr)):
        try:
            bad = sorted({f"U+{ord(c):04X}" for c in data.decode("utf-8") if control(c)})
        except UnicodeDecodeError as broken:
            bad = [str(broken)]
        if bad:
            failures.append(f"{shown}: {name} has {', '.join(bad)}: {data[:400]!r}")
            print("FAILED:", failures[-1])
    forged = [line for line in (done.stdout + done.stderr).split(b"\n") if line.startswith(b"supple: all is well")]
    if forged or done.stderr.count(b"\n") > 1 or done.returncode not in (0, 1, 2):
        failures.append(f"{shown}: exit {done.returncode}, forged {forged}, stderr {done.stderr[:400]!r}")
        print("FAILED:", failures[-1])
    return done.returncode


def supple(*words, status=None):
    done = subprocess.run([SUPPLE, *words], capture_output=True, timeout=120, check=False)
    code = look(words, done)
    if status is not None and code != status:
        failures.append(f"{words[:3]}: exit {code}, not {status}: {done.stderr[:300]!r}")
        print("FAILED:", failures[-1])
    return done.stdout


def dress(source, target, form, wrong_map=False):
    """The file with every string replaced; its document."""
    document, binary = read_glb(source)
    dressed = hostile(document, form)
    dressed["asset"].update(generator=form.format("g"), copyright=form.format("c"))
    dressed.setdefault("materials", [{}])[0]["name"] = form.format("material")
    dressed.setdefault("images", []).append({"name": form.format("image"), "mimeType": "image/png", "bufferView": 0})
    for mesh in dressed["meshes"]:
        for primitive in mesh["primitives"]:
            used = primitive["attributes"]
            count = dressed["accessors"][used["POSITION"]]["count"]
            dressed["accessors"].append({"componentType": 5126, "type": "SCALAR", "count": count})
            used[("_SUPPLE_" + form.format("MAP"))[:200]] = \
                used["POSITION"] if wrong_map else len(dressed["accessors"]) - 1
    write_glb(target, dressed, binary)
    return dressed


def over_all_verbs(form):
    document = dress("plain.glb", "h.glb", form)
    dress("alive.glb", "a.glb", form)
    dress("alive.glb", "m.glb", form, wrong_map=True)
    supple("info", "m.glb")
    clip = document["animations"][0]["name"]
    for path in ("h.glb", "a.glb"):
        supple("info", path)
        supple("info", path, "--json", "-")
        supple("convert", path, "-o", "c.gltf")
        supple("convert", path, "-o", "c.obj")
        supple("convert", path, "-o", "c.supple")
        supple("play", path, "--fps", "4", "-o", "p.pc2")
        supple("play", path, "--plain", "--clip", "no such clip", "-o", "p.pc2", status=2)
        supple("play", path, "--plain", "--character", "nobody", "-o", "p.pc2")
        supple("paint", path, "lock", "--set", "1", "--bone", "no such joint", "-o", "q.glb")
        supple("paint", path, "amount", "--set", "0.5", "-o", "q.glb")
        supple("build", "surface", path, "-o", "b.glb")
        supple("build", "modes", path, "--tets", "60", "--modes", "2", "-o", "b.glb")
        supple("build", "popping", path, "--clench", "no such shape", "-o", "b.glb")
        supple("view", path, "-o", "v.html")
    supple("info", "c.obj")
    if len(clip) < 1000:
        for verb in ("play", "simulate"):
            more = ("--plain",) if verb == "play" else ("--tets", "60")
            supple(verb, "h.glb", "--clip", clip, "--fps", "2", *more, "-o", "p.pc2", status=0)
        supple("compare", "p.pc2", "p.pc2", "--of", "h.glb", "--clip", clip)
        supple("compare", "p.pc2", "p.pc2", "--of", "h.glb", "--clip", clip, "--json", "-")
    supple("add", "h.glb", "-o", "added.glb")
    supple("play", "h.glb", "--clips-from", "a.glb", "--fps", "2", "-o", "p.pc2")
    with open("scenario.json", "w", encoding="utf-8") as file:
        json.dump({"name": form.format("n"), "about": form.format("t"), "character": form.format("x")}, file)
    supple("simulate", "scenario.json", "-o", "p.pc2")
    broken = dict(document, asset={"version": form.format(2), "minVersion": form.format(2)})
    broken["extensionsRequired"] = broken["extensionsUsed"] = [form.format("EXT_")]
    write_glb("x.glb", broken, b"")
    supple("info", "x.glb")
    outside = read_glb("plain.glb")[0]
    outside["buffers"][0]["uri"] = form.format("a/../../b.bin")
    with open("uri.gltf", "w", encoding="utf-8") as file:
        json.dump(outside, file)
    supple("info", "uri.gltf", status=1)
    supple(form.format("verb")[:300])


def broken_bytes():
    """Bytes that are no UTF-8, where JSON is not the reader's business: names in models and in OBJ, paths."""
    for name in (b"b\xff\xc3\x1b[31m.glb", b"\xe2\x80.glb"):
        done = subprocess.run([SUPPLE.encode(), b"info", name], capture_output=True, timeout=60, check=False)
        look(["info", repr(name)], done)
        os.link("plain.glb", name)
        done = subprocess.run([SUPPLE.encode(), b"info", name], capture_output=True, timeout=60, check=False)
        look(["info", repr(name)], done)
    data = open("plain.glb", "rb").read()
    at = data.index(b'"generator":"') + 13
    open("raw.glb", "wb").write(data[:at] + b"\xff\xc3\x9b" + data[at + 3:])
    supple("info", "raw.glb")
    open("raw.obj", "wb").write(b"o \xff\x1b[31m\nv 0 0 0\nusemtl \x9b\nf 1 2 \x1b[2J\xff\n")
    supple("info", "raw.obj")


def utf8_stays():
    """What is text stays text."""
    document, binary = read_glb("plain.glb")
    document["asset"]["generator"] = "G\u00e9n\u00e9rateur \u7b2c\u4e00 \U0001f600"
    write_glb("good.glb", document, binary)
    for more in ((), ("--json", "-")):
        if document["asset"]["generator"].encode() not in supple("info", "good.glb", *more, status=0):
            failures.append(f"info {more} does not show the generator as it is")
            print("FAILED:", failures[-1])
    document["asset"]["generator"] = HOSTILE["escapes"] + HOSTILE["turned"]
    write_glb("bad.glb", document, binary)
    report = json.loads(supple("info", "bad.glb", "--json", "-", status=0))
    if report["result"]["files"][0]["generator"] != document["asset"]["generator"]:
        failures.append("the report does not hold the generator as it is")
        print("FAILED:", failures[-1])


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    supple("make", "tube", "--vertices", "500", "-o", "plain.glb", status=0)
    supple("build", "surface", "plain.glb", "-o", "alive.glb", status=0)
    broken_bytes()
    utf8_stays()
    for kind in HOSTILE.values():
        over_all_verbs(kind)
    os.chdir("/")
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
