#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `supple view` writes, and what it refuses: check_view.py SUPPLE PAGE (ON: the tool has it)"""
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

SUPPLE = os.path.abspath(sys.argv[1])
failures = 0


def supple(*words):
    return subprocess.run([SUPPLE, *words], capture_output=True, text=True, check=False)


def check(name, good, said=""):
    global failures
    failures += not good
    print("ok" if good else "FAILED", name, "" if good else said)


def entries(page):
    """(head, bytes) of everything in a page."""
    heads = re.findall(r'<script type="application/json" class="supple-entry">(.*?)</script>', page, re.S)
    blocks = re.findall(r'<script type="text/plain" class="supple-bytes">(.*?)</script>', page, re.S)
    assert len(heads) == len(blocks)
    return [(json.loads(h), base64.b64decode(b, validate=True)) for h, b in zip(heads, blocks)]


def main():
    if sys.argv[2] != "ON":
        done = supple("view", "-o", "page.html")
        check("a tool without the page says so", done.returncode == 1 and "without the page" in done.stderr
              and done.stderr.count("\n") == 1 and not os.path.exists("page.html"), done.stderr)
        return
    # A name that tries to break out, in the file's name and in a clip's.
    evil = '</script><script>alert(1)<!--"\u2028\'&.glb'.replace("/", "\u2215")
    assert supple("make", "mochi", "--vertices", "700", "-o", "mochi.glb").returncode == 0
    assert supple("play", "mochi.glb", "--clip", "jump", "--fps", "30", "-o", "jump.pc2").returncode == 0
    shutil.copy("mochi.glb", evil)
    done = supple("view", evil, "jump.pc2", "-o", "page.html")
    check("a page is written", done.returncode == 0, done.stderr)
    page = open("page.html", encoding="utf-8").read()
    found = entries(page)
    check("it holds both", [h["kind"] for h, _ in found] == ["character", "samples"])
    check("names are kept", found[0][0]["name"] == evil, found[0][0]["name"])
    check("names are escaped", "alert(1)" in page and "<script>alert" not in page)
    check("the character is a .glb", found[0][1][:4] == b"glTF")
    head, block = found[1]
    check("samples have their clip", head["clip"] == "jump" and head["fps"] == 30 and head["of"] == 0)
    check("samples have 16 bits a number", len(block) == 6 * head["frames"] * head["vertices"])
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page).group(1)
    check("a policy forbids everything else", policy.startswith("default-src 'none'") and "http" not in policy
          and "unsafe-inline" not in policy and "unsafe-eval" not in policy.replace("wasm-unsafe-eval", ""), policy)
    check("nothing is loaded", not re.search(r'(src|href)="?[a-z]+:|@import|url\(', re.sub(r"<script.*?</script>", "", page, flags=re.S)))

    # What is not flesh comes as a map: it locks the page's flesh, and only shows where there are models.
    assert supple("build", "surface", "mochi.glb", "--preset", "soft", "-o", "soft.glb").returncode == 0
    assert supple("paint", "mochi.glb", "lock", "--set", "1", "--bone", "head", "-o", "painted.glb").returncode == 0
    for name, there, other in (("mochi.glb", b"_SUPPLE_LOCK", b"_SUPPLE_NOT_FLESH"), ("soft.glb", b"_SUPPLE_NOT_FLESH", b"_SUPPLE_LOCK"),
                               ("painted.glb", b"_SUPPLE_LOCK", b"_SUPPLE_NOT_FLESH")):
        done = supple("view", name, "-o", "map.html")
        glb = entries(open("map.html", encoding="utf-8").read())[0][1]
        check(f"{name} has its map", done.returncode == 0 and there in glb and other not in glb, done.stderr)
        check(f"{name} on the disk stays as it is", b"_SUPPLE_NOT_FLESH" not in open(name, "rb").read())
    # Baked motion is played as it is, and the weights that it replaced are kept for plain skinning.
    assert supple("play", "soft.glb", "--clip", "jump", "--as", "helpers", "--bones", "3", "-o", "baked.glb").returncode == 0
    done = supple("view", "baked.glb", "-o", "baked.html")
    glb = entries(open("baked.html", encoding="utf-8").read())[0][1]
    check("baked motion is told", done.returncode == 0 and "clips, baked motion" in done.stdout, done.stdout + done.stderr)
    check("a baked file has its map", b"_SUPPLE_NOT_FLESH" in glb and b"_SUPPLE_LOCK" not in glb)
    document = json.loads(glb[20:20 + int.from_bytes(glb[12:16], "little")])
    parts = [part for mesh in document["meshes"] for part in mesh["primitives"] if "JOINTS_0" in part["attributes"]]
    kept = [part.get("extensions", {}).get("SUPPLE_original_skin", {}) for part in parts]
    check("it keeps the weights of the original", "SUPPLE_original_skin" in document["extensionsUsed"] and all(
        len(set(old.values()) | {part["attributes"]["JOINTS_0"], part["attributes"]["WEIGHTS_0"]}) == 2 + len(old) >= 4
        and all(document["accessors"][k]["count"] == document["accessors"][part["attributes"]["POSITION"]]["count"] for k in old.values())
        for old, part in zip(kept, parts)), kept)
    done = supple("view", "-o", "empty.html")
    check("without a file", done.returncode == 0 and "drop" in done.stdout and not entries(open("empty.html", encoding="utf-8").read()))
    for name, words, code, part in (
            ("samples before a character", ("jump.pc2", "-o", "x.html"), 2, "character first"),
            ("another ending", ("mochi.glb", "-o", "x.txt"), 2, ".html"),
            ("an unknown clip", ("mochi.glb", "jump.pc2", "--clip", "jmp", "-o", "x.html"), 2, "no clip"),
            ("no such file", ("none.glb", "-o", "x.html"), 1, "none.glb"),
            ("a broken file", ("broken.glb", "-o", "x.html"), 1, "broken.glb")):
        with open("broken.glb", "wb") as broken:
            broken.write(open("mochi.glb", "rb").read()[:1000])
        done = supple("view", *words)
        check(name, done.returncode == code and part in done.stderr and not os.path.exists("x.html"),
              f"{done.returncode} {done.stderr}")
    shutil.copy("jump.pc2", "truth.pc2")
    done = supple("view", "mochi.glb", "truth.pc2", "-o", "length.html")
    check("a clip is found by its length", done.returncode == 0 and "frames of jump" in done.stdout, done.stdout + done.stderr)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
    os.chdir("/")
sys.exit(1 if failures else 0)
