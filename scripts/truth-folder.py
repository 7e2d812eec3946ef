#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The ground truth of a scenario without gravity, as learn-table.py, modes-errors.py and shape-table.py read it.

truth-folder.py SUPPLE SCENARIO.json FOLDER [--jobs N] [--until SECONDS]

Written to FOLDER: the character as NAME.glb, poses.pc2 and far.pc2 (static poses, and such beyond the clips), calibration.pc2,
and of every clip of the scenario CLIP.pc2, static-CLIP.pc2 and, of clips that nothing is taught by, amplified-CLIP.pc2 (1.8
times the amplitude; of the first two static-amplified-CLIP.pc2). What is there already stays. A run that fails is told and
leaves its file out.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys


def options(scenario):
    """What the scenario says of its flesh, as words; a rest shape that sags into the given one needs gravity."""
    words = []
    for key, value in scenario["simulate"].items():
        if key == "sag-free":
            continue
        for one in value if isinstance(value, list) else [value]:
            words += ["--" + key] if one is True else ["--" + key, str(one)]
    return words


def character(words, scenario, name):
    path = words.folder / f"{name}.glb"
    who = scenario["character"]
    if "builtin" in who:
        subprocess.run([words.supple, "make", who["builtin"], "--vertices", str(who["vertices"]), "-o", path, "--quiet"], check=True)
        return path
    beside = words.scenario.parent / who["file"]
    shutil.copy(beside if beside.exists() else pathlib.Path(os.environ["SUPPLE_TEST_DATA"]) / who["file"], path)
    return path


def runs(words, scenario):
    seed, poses = str(scenario["seed"]), str(scenario["poses"])
    until = ["--until", str(words.until)] if words.until else []
    yield "poses", ["--poses", poses, "--seed", seed]
    yield "far", ["--poses", poses, "--far", "--seed", seed]
    yield "calibration", ["--clip", "@calibration", *until]
    for clip in scenario["training"] + scenario["unseen"]:
        yield clip, ["--clip", clip, *until]
        yield f"static-{clip}", ["--clip", clip, "--quasistatic", *until]
    for clip in scenario["unseen"]:
        yield f"amplified-{clip}", ["--clip", clip, "--amplitude", "1.8", *until]
    for clip in scenario["unseen"][:2]:
        yield f"static-amplified-{clip}", ["--clip", clip, "--amplitude", "1.8", "--quasistatic", *until]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("supple")
    parser.add_argument("scenario", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--until", type=float, default=0)
    words = parser.parse_args()
    scenario = json.loads(words.scenario.read_text())
    words.folder.mkdir(parents=True, exist_ok=True)
    source = character(words, scenario, words.scenario.stem)

    def simulate(run):
        name, more = run
        out = words.folder / f"{name}.pc2"
        if out.exists():
            return None
        told = [words.supple, "simulate", source, *options(scenario), *more, "--threads", "1", "-o", out]
        done = subprocess.run(told, capture_output=True, text=True, check=False)
        return f"{name}: {done.stderr.strip()}" if done.returncode else None

    with concurrent.futures.ThreadPoolExecutor(words.jobs) as pool:
        failures = [said for said in pool.map(simulate, runs(words, scenario)) if said]
    print("\n".join(failures) or f"{words.folder}: complete")
    return 0


if __name__ == "__main__":
    sys.exit(main())
