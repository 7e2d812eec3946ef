#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Half and double the elements: what the number of tetrahedra changes of the ground truth.

resolution-table.py SUPPLE CHARACTER.glb[:CLIP]... [--tets 1250,2500,5000,10000] [--until 1.5] [--work DIR]

For every character: the lowest vibration with each number of tetrahedra (`supple build modes`, in parts of that with the usual
5,000, the same Young's modulus throughout), and how far the clip (the first of the file where none is named) is from that
with the most tetrahedra (`supple simulate --young`, with the modulus that is chosen for the body, then `supple compare`): in
percent of the height, and in parts of plain skinning's distance from it. Printed is a Markdown table.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

USUAL = 5000


def ask(supple, work, *words):
    report = work / "report.json"
    report.unlink(missing_ok=True)
    done = subprocess.run([supple, *map(str, words), "--json", report], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError((done.stderr.strip() or "failed").splitlines()[-1])
    return json.loads(report.read_text())["result"]


def lowest(words, character, tets, work):
    """The lowest vibration of flesh of a fixed modulus, and the modulus that is chosen for the body."""
    found = ask(words.supple, work, "build", "modes", character, "--tets", tets, "-o", work / "modes.glb")
    return found["modes"]["frequencies"][0] / math.sqrt(found["flesh"]["young"]), found["flesh"]["young"]


def row(words, character, clip, counts, work):
    name = pathlib.Path(character).stem
    found = {tets: lowest(words, character, tets, work) for tets in {*counts, USUAL}}
    usual, young = found[USUAL]
    clip = clip or ask(words.supple, work, "info", character)["files"][0]["characters"][0]["clips"][0]["name"]
    cells = []
    for tets in reversed(counts):
        cache = work / f"{tets}.pc2"
        cache.unlink(missing_ok=True)  # one of another character must not stand in where this one fails
        rate = f"{found[tets][0] / usual:.3f}"
        try:
            ask(words.supple, work, "simulate", character, "--clip", clip, "--tets", tets, "--young", young, "--until",
                words.until, "-o", cache)
            if tets == counts[-1]:
                cells.append(rate)
                continue
            apart = ask(words.supple, work, "compare", cache, work / f"{counts[-1]}.pc2", "--of", character, "--clip", clip)
            cells.append(f"{rate}, {apart['rms_percent']:.2f} %, {apart['relative_error']:.2f}")
        except RuntimeError as error:
            cells.append(f"{rate}, {error}")
    return f"| {name}, {clip} | " + " | ".join(reversed(cells)) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("supple")
    parser.add_argument("characters", nargs="+")
    parser.add_argument("--tets", default="1250,2500,5000,10000")
    parser.add_argument("--until", type=float, default=1.5)
    parser.add_argument("--work", type=pathlib.Path)
    words = parser.parse_args()
    counts = sorted(int(n) for n in words.tets.split(","))
    print("| character, clip | " + " | ".join(f"{n:,}" for n in counts) + " |")
    print("|---" * (1 + len(counts)) + "|")
    with tempfile.TemporaryDirectory() as own:
        work = words.work or pathlib.Path(own)
        work.mkdir(exist_ok=True)
        for asked in words.characters:
            character, _, clip = asked.partition(":")
            print(row(words, character, clip, counts, work), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
