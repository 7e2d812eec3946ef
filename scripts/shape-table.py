#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What correctives and helpers leave of plain skinning's error on clips that nothing is taught by.

shape-table.py SUPPLE SCENARIO.json FOLDER [--jobs N] [--kinds correctives,helpers] [--bones 8] [--more "--chains off"]

FOLDER is that of truth-folder.py. Correctives learn from static poses and are measured against the equilibria of the clips;
helpers learn from the calibration clip, the scenario's first clip and the static poses, and are measured against the motion,
beside what `learn` makes of calibration and poses. Relative error: RMS(played - truth) / RMS(skinning - truth) over all
frames and vertices of the file; with x 1.8 at 1.8 times the amplitude.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

CORRECTIVES = {
    "correctives, rotations alone": (["poses"], ["--no-products"]),
    "correctives": (["poses"], []),
    "correctives, with poses beyond the clips": (["poses", "far"], []),
    "... and 32 components": (["poses", "far"], ["--components", 32]),
    "... and 64 components": (["poses", "far"], ["--components", 64]),
}


def call(supple, *words):
    done = subprocess.run([supple, *map(str, words), "--threads", "1"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}: {done.stdout}{done.stderr}")


def frames(path):
    data = path.read_bytes()
    points, count = np.frombuffer(data, "<i4", 1, 16)[0], np.frombuffer(data, "<i4", 1, 28)[0]
    return np.frombuffer(data, "<f4", 3 * count * points, 32).reshape(count, points, 3).astype(float)


def examples(folder, names):
    words = []
    for name in names:
        clip = "@" + name if name in ("poses", "far", "calibration") else name
        words += ["--example", folder / f"{name}.pc2", "--clip", clip]
    return words


def build(words, name, character, work):
    """The character with one model, and the caches that it is measured against begin with this."""
    out = work / ("".join(c if c.isalnum() else "-" for c in name) + ".glb")
    if name in CORRECTIVES:
        taught, more = CORRECTIVES[name]
        call(words.supple, "build", "correctives", character, *examples(words.folder, taught), *more, "-o", out)
        return out, "static-"
    taught = ["calibration", "poses"]
    if name == "learn":
        call(words.supple, "learn", character, *examples(words.folder, taught), "-o", out)
    else:
        taught.insert(1, words.first)
        more = ["--bones", words.bones, *words.more.split()]
        call(words.supple, "build", "helpers", character, *more, *examples(words.folder, taught), "-o", out)
    return out, ""


def error(words, model, truth, clip, amplitude, still, work):
    said = ["--clip", clip, "--fps", 60, "--amplitude", amplitude]
    played, plain = work / f"{model.stem}-{clip}-{amplitude}.pc2", work / f"{model.stem}-{clip}-{amplitude}-plain.pc2"
    call(words.supple, "play", model, *said, *(["--exaggerate", 0] if still else []), "-o", played)
    call(words.supple, "play", model, "--plain", *said, "-o", plain)
    a, b, c = (frames(path) for path in (played, plain, truth))
    count = min(len(a), len(c))
    played.unlink()
    plain.unlink()
    return np.linalg.norm(a[:count] - c[:count]) / np.linalg.norm(b[:count] - c[:count])


def row(words, name, model, prefix, still, unseen, work):
    cells = []
    for kind, amplitude in (("", 1), ("amplified-", 1.8)):
        for clip in unseen:
            truth = words.folder / f"{prefix}{kind}{clip}.pc2"
            if truth.exists():
                cells.append((f"{clip}{' x 1.8' if kind else ''}", error(words, model, truth, clip, amplitude, still, work)))
    mean = np.mean([value for cell, value in cells if "x 1.8" not in cell])
    return f"{name}: mean {mean:.3f}; " + ", ".join(f"{cell} {value:.2f}" for cell, value in cells)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("supple")
    parser.add_argument("scenario", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--kinds", default="correctives,helpers")
    parser.add_argument("--bones", type=int, default=8)
    parser.add_argument("--more", default="", help="options of `build helpers`")
    words = parser.parse_args()
    scenario = json.loads(words.scenario.read_text())
    words.first = scenario["training"][0]
    character = words.folder / f"{words.scenario.stem}.glb"
    names = list(CORRECTIVES) if "correctives" in words.kinds else []
    names += [f"helpers, {words.bones}", "learn"] if "helpers" in words.kinds else []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(words.jobs) as pool:
        work = pathlib.Path(folder)

        def measure(name):
            model, prefix = build(words, name, character, work)
            lines = [row(words, name, model, prefix, False, scenario["unseen"], work)]
            if name.startswith("helpers"):
                lines.append(row(words, name + ", by the pose alone", model, prefix, True, scenario["unseen"], work))
            return lines

        for lines in pool.map(measure, names):
            print("\n".join(lines), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
