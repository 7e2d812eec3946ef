#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Other people's odd and broken files through info and convert: check_strange_files.py SUPPLE

Debian's assimp-testmodels are what an importer must survive. Every file ends with exit 0, or with
exit 1 and one sentence; never with a signal, a sanitizer's report or a half-written file.
"""
import os
import subprocess
import sys
import tempfile

SUPPLE = os.path.abspath(sys.argv[1])
FOLDER = "/usr/share/assimp/models"
ENDINGS = (".gltf", ".glb", ".vrm", ".obj", ".mdd", ".pc2")
if not os.path.isdir(FOLDER):
    print("assimp-testmodels is not installed")
    sys.exit(77)

failures = 0
counts = {0: 0, 1: 0}


def run(*words):
    global failures
    try:
        done = subprocess.run([SUPPLE, *words], capture_output=True, timeout=120)
    except subprocess.TimeoutExpired:
        print("TOO SLOW:", *words)
        failures += 1
        return 1
    sentence = done.stderr.decode("utf-8", "replace")
    if done.returncode not in (0, 1) or (done.returncode == 1 and sentence.count("\n") != 1):
        print("FAILED:", *words, done.returncode, sentence)
        failures += 1
    counts[done.returncode] = counts.get(done.returncode, 0) + 1
    if done.returncode:
        print(sentence.strip())
    return done.returncode


paths = sorted(os.path.join(folder, name) for folder, _, names in os.walk(FOLDER)
               for name in names if name.lower().endswith(ENDINGS))
with tempfile.TemporaryDirectory() as folder:
    for path in paths:
        readable = run("info", path) == 0
        run("info", path, "--max-memory", "300K")
        for ending in (".glb", ".gltf", ".obj"):
            output = os.path.join(folder, "out" + ending)
            status = run("convert", path, "-o", output)
            if os.path.exists(output) != (status == 0):
                print("FAILED: half-written:", path, ending)
                failures += 1
            if status == 0 and readable and run("info", output) != 0:
                print("FAILED: cannot read what was written:", path, ending)
                failures += 1
            for name in os.listdir(folder):
                os.unlink(os.path.join(folder, name))
print(f"{len(paths)} files, {counts[0]} runs done, {counts[1]} refused, {failures} failures")
sys.exit(1 if failures or len(paths) < 50 else 0)
