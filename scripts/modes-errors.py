#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Untrained modes against ground truth: relative and dynamic error per clip.

modes-errors.py SUPPLE SCENARIO.json FOLDER [--modes 5,15,64] [--json OUT.json]

FOLDER holds NAME.glb and, as `supple simulate` writes them, CLIP.pc2 and static-CLIP.pc2; where
amplified-CLIP.pc2 is there too, the clip at 1.8 times its amplitude is measured as well. Each
number of modes is built linear and warped, with the flesh of the scenario, and nothing is fitted.
All vertices of the file count alike. `inertial` is what the modes are for, without what plain skinning lacks in equilibrium:
RMS((played - skinning) - (truth - equilibrium)) / RMS(truth - equilibrium).
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy as np


def call(supple, *words):
    done = subprocess.run([supple, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words))}: {done.stdout}{done.stderr}")


def frames(path):
    data = path.read_bytes()
    points, count = np.frombuffer(data, "<i4", 1, 16)[0], np.frombuffer(data, "<i4", 1, 28)[0]
    return np.frombuffer(data, "<f4", 3 * count * points, 32).reshape(count, points, 3).astype(float)


def measure(supple, model, clip, truth, static, work, amplitude):
    more = ["--amplitude", amplitude] if amplitude != 1 else []
    call(supple, "play", model, "--clip", clip, "--fps", 60, *more, "-o", work / "played.pc2")
    call(supple, "play", model, "--plain", "--clip", clip, "--fps", 60, *more, "-o", work / "plain.pc2")
    played, plain, wanted = (frames(path) for path in (work / "played.pc2", work / "plain.pc2", truth))
    found = {"relative": float(np.linalg.norm(played - wanted) / np.linalg.norm(plain - wanted))}
    if static.exists():
        moved = wanted - frames(static)
        found["dynamic"] = float(np.linalg.norm(played - wanted) / np.linalg.norm(moved))
        found["inertial"] = float(np.linalg.norm(played - plain - moved) / np.linalg.norm(moved))
    return found


def main():
    parse = argparse.ArgumentParser()
    parse.add_argument("supple")
    parse.add_argument("scenario", type=pathlib.Path)
    parse.add_argument("folder", type=pathlib.Path)
    parse.add_argument("--modes", default="5,15,64")
    parse.add_argument("--json", type=pathlib.Path)
    words = parse.parse_args()
    scenario = json.loads(words.scenario.read_text())
    character = next(words.folder.glob("*.glb"))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for modes in words.modes.split(","):
            for form in ("linear", "warped"):
                model = work / "model.glb"
                call(words.supple, "build", "modes", character, "--modes", modes, "--scenario", words.scenario,
                     *(["--warp"] if form == "warped" else []), "-o", model)
                for clip in scenario["training"] + scenario["unseen"]:
                    for amplitude, before in ((1, ""), (1.8, "amplified-")):
                        truth = words.folder / f"{before}{clip}.pc2"
                        if not truth.exists():
                            continue
                        found = measure(words.supple, model, clip, truth, words.folder / f"static-{before}{clip}.pc2",
                                        work, amplitude)
                        rows.append({"modes": int(modes), "form": form, "clip": clip, "amplitude": amplitude,
                                     **found})
                        print(rows[-1], flush=True)
    if words.json:
        words.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
