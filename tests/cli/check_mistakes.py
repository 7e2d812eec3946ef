#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plausible mistakes and what the tool says to them: check_mistakes.py SUPPLE [--update]

mistakes.txt beside this file is the table: a command line behind "$", then the exit status and the sentence on stderr, or
"0" and what the tool says of a name that it understood. --update writes what the tool says now; read it as a newcomer would
before it is committed. No mistake may leave a file behind, and those that take processor time are named: what can be refused
is refused before the work."""
import base64
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from glb import read_glb, write_glb  # noqa: E402

SUPPLE = os.path.abspath(sys.argv[1])
TABLE = pathlib.Path(__file__).resolve().parent / "mistakes.txt"


def supple(*words):
    subprocess.run([SUPPLE, *words, "--quiet"], check=True)


def write(name, content):
    with open(name, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def make_files():
    """The folder that the mistakes are made in."""
    supple("make", "mochi", "--vertices", "800", "-o", "mochi.glb")
    supple("make", "tube", "--vertices", "500", "-o", "tube.glb")
    supple("play", "tube.glb", "--clip", "bend", "--fps", "5", "-o", "bend.pc2")
    supple("make", "tube", "--vertices", "500", "-o", "body.obj")
    supple("build", "surface", "tube.glb", "-o", "soft.glb")
    supple("convert", "soft.glb", "--model", "surface", "-o", "soft.supple")
    supple("add", "tube.glb", "--clip", "bend", "--bones", "2", "-o", "alive.glb")
    supple("add", "tube.glb", "--clip", "bend", "--as", "morphs", "--targets", "2", "-o", "morphed.glb")
    document, binary = read_glb("mochi.glb")
    document["animations"] = []
    write_glb("still.glb", document, binary)
    document, binary = read_glb("tube.glb")
    for animation, name in zip(document["animations"], ("Run_fast", "Run_slow")):
        animation["name"] = name
    write_glb("runs.glb", document, binary)
    del document["animations"]
    document.pop("skins")
    for node in document["nodes"]:
        node.pop("skin", None)
    write_glb("statue.glb", document, binary)
    picture = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
    write("face.png", picture)
    write("face.glb", picture)
    write("photo.glb", b"\xff\xd8\xff\xe0\0\x10JFIF\0" + bytes(200))
    for name in ("empty.glb", "empty.gltf", "empty.pc2", "empty.mdd", "empty.obj", "empty.supple", "empty.json"):
        write(name, b"")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "a" * 64 + "\nsize 48133644\n"
    for name in ("lfs.glb", "lfs.pc2", "lfs.obj"):
        write(name, pointer)
    write("download.glb", "<!DOCTYPE html>\n<html><head><title>404 Not Found</title></head></html>\n")
    write("packed.glb", b"PK\x03\x04" + bytes(100))
    write("package.gltf", json.dumps({"name": "web", "version": "1.0.0", "dependencies": {"three": "^0.160.0"}}))
    write("list.gltf", "[1, 2, 3]")
    write("torn.gltf", '{"asset": {"version": "2.0"}, "nodes": [')
    write("scene.json", json.dumps({"about": "x", "character": {"builtin": "mochy"}, "training": ["jump"]}))
    write("hero.fbx", b"Kaydara FBX Binary  \0")
    write("hero_fbx.glb", b"Kaydara FBX Binary  \0" + bytes(100))
    write("hero.blend", b"BLENDER-v300" + bytes(100))
    write("notes.txt", "remember the milk")
    for copy, of in (("mochi.pc2", "mochi.glb"), ("bend.glb", "bend.pc2"), ("mochi.obj", "mochi.glb"),
                     ("mochi.supple", "mochi.glb"), ("mochi.mdd", "mochi.glb"), ("soft_model.glb", "soft.supple")):
        with open(of, "rb") as file:
            write(copy, file.read())
    with open("mochi.glb", "rb") as file:
        write("half.glb", file.read()[:20000])
    os.mkdir("characters")


def read_table():
    """Lines as they are, and for each command its place and what is expected."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    cases = []
    for k, line in enumerate(lines):
        if line.startswith("$ "):
            cases.append((k, line[2:]))
    return lines, cases


def shell(command):
    """What the command line gives: status and sentences, the tool's name as a person would type it."""
    began = os.times()
    words = shlex.split(command)
    assert words[0] == "supple", command
    done = subprocess.run([SUPPLE, *words[1:]], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)
    said = done.stderr if done.returncode else done.stdout
    ended = os.times()
    return done.returncode, said.splitlines(), ended.children_user - began.children_user


def main():
    update = "--update" in sys.argv
    lines, cases = read_table()
    failures, written = 0, []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_files()
        before = sorted(os.listdir())
        place = 0
        for k, command in cases:
            status, said, seconds = shell(command)
            got = [f"{status} {line}" for line in said]
            end = k + 1
            while end < len(lines) and lines[end] and not lines[end].startswith(("$ ", "#")):
                end += 1
            wanted = lines[k + 1:end]
            if status == 0:  # the line that matters, of all that a verb says when it is done
                got = wanted if wanted and set(wanted) <= set(got) else got[:1]
                for name in set(os.listdir()) - set(before):
                    os.remove(name)
            written += lines[place:k + 1] + got
            place = end
            left = sorted(set(os.listdir()) - set(before))
            good = got == wanted and not left
            if status and len(got) != 1:
                good = False
            failures += not good
            if not good and not update:
                print(f"FAILED: {command} ({seconds:.1f} s, left {left})")
                print("  wanted:", *wanted, sep="\n    ")
                print("  got:", *got, sep="\n    ")
            if seconds > 2:
                print(f"{seconds:.1f} s: {command}")
        os.chdir("/")
    written += lines[place:]
    if update:
        TABLE.write_text("\n".join(written) + "\n", encoding="utf-8")
    print(f"{len(cases)} mistakes, {failures} not as in the table")
    return 0 if update or (failures == 0 and len(cases) >= 50) else 1


sys.exit(main())
