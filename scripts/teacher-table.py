#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the ground truth does on every character of a folder when nobody gives it an option.

teacher-table.py SUPPLE FOLDER [--only NAME,...] [--clips 6] [--skip 0] [--until 1.5] [--work DIR] [--append FILE]

For every .glb and .gltf: `supple info`, then `supple simulate` on up to --clips clips, in the order of the SHA-256 of their
names and after the first --skip of them. Of each clip only the first --until seconds are simulated, with one thread; nothing
else is said to the tool. A second run with --quasistatic, 20 frames a second, gives the equilibria.

Printed is a Markdown table per character. Secondary motion is the distance of a vertex from where it is in the equilibrium of
the same frame, the greatest of all vertices, in percent of the longest side of the body at rest: what 95 % of a clip's frames
stay below, and the most. Processor seconds and memory are those of the run with inertia and all of its clips, the choice of
the flesh and the filling included.
"""
import argparse
import array
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

STATIC_FPS = 20
DYNAMIC_FPS = 60  # what `simulate` writes by default


def run(words, report):
    """Exit status, processor seconds, peak memory in MB, the result, why it failed."""
    report.unlink(missing_ok=True)
    with tempfile.TemporaryFile("w+") as said:
        child = subprocess.Popen([*map(str, words), "--json", str(report)], stdout=said, stderr=said)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        lines = said.read().strip().splitlines()
    found = json.loads(report.read_text()) if report.exists() else {}
    seconds = usage.ru_utime + usage.ru_stime
    why = found.get("error") or (lines[-1] if lines else "")
    return child.returncode, seconds, usage.ru_maxrss / 1024, found.get("result") or {}, why


def frames(path):
    """The coordinates of every frame of a point cache."""
    data = path.read_bytes()
    head = array.array("i", data[16:20] + data[28:32])
    values = array.array("f", data[32:])
    count = 3 * head[0]
    return [values[i * count:(i + 1) * count] for i in range(head[1])]


def farthest(a, b):
    x, y, z = ([p - q for p, q in zip(a[k::3], b[k::3])] for k in range(3))
    return max(p * p + q * q + r * r for p, q, r in zip(x, y, z)) ** 0.5


def swing(moving, static, size):
    """What 95 % of the frames stay below, and the most."""
    fast, calm = frames(moving), frames(static)
    every = DYNAMIC_FPS // STATIC_FPS
    found = sorted(100 * farthest(f, c) / size for f, c in zip(fast[::every], calm))
    return found[int(0.95 * (len(found) - 1))], found[-1]


def simulate(words, character, clips, name, extra, work):
    """One run for all clips; one by one if that fails, so that one bad clip does not hide the others."""
    def once(some, stem):
        options = [word for clip in some for word in ("--clip", clip)]
        return run([words.supple, "simulate", character, *options, "--until", words.until, "--threads", 1, *extra,
                    "-o", work / f"{stem}.pc2"], work / f"{stem}.json")
    code, seconds, memory, result, said = once(clips, name)
    if code == 0:
        return seconds, memory, result, {c["clip"]: c for c in result["clips"]}, {}
    done, failed = {}, {}
    for i, clip in enumerate(clips):
        code, more, most, here, said = once([clip], f"{name}-{i}")
        seconds, memory = seconds + more, max(memory, most)
        if code == 0:
            result, done[clip] = here, here["clips"][0]
        else:
            failed[clip] = said
    return seconds, memory, result, done, failed


def character_table(words, character, work):
    name = character.stem
    code, info_seconds, _, info, said = run([words.supple, "info", character], work / "info.json")
    if code:
        return f"### {name}\n`info` failed: {said}\n"
    known = info["files"][0]["characters"][0]["clips"]
    every = sorted({c["name"] for c in known}, key=lambda n: hashlib.sha256(n.encode()).hexdigest())
    clips = every[words.skip:words.skip + words.clips]
    if not clips:
        return ""
    stem = f"{name}.{words.skip}"
    seconds, memory, result, done, failed = simulate(words, character, clips, stem, [], work)
    still = ["--quasistatic", "--fps", STATIC_FPS]
    calm_seconds, _, _, calm, calm_failed = simulate(words, character, clips, stem + ".static", still, work)
    text = f"### {name}\n"
    if result:
        flesh, body = result["flesh"], result["body"]
        size = flesh["size"] / flesh["metres_per_unit"]
        text += (f"{len(clips)} of {len(every)} clips; `info` {info_seconds:.1f} s, `simulate` {seconds:.0f} s and "
                 f"{memory:.0f} MB, equilibria {calm_seconds:.0f} s; {body['tetrahedra']} tetrahedra, "
                 f"{body['bones_tied']} of {body['bones']} bones hold flesh, locked {100 * result['not_flesh']['area']:.1f} %, "
                 f"thin {100 * body['thin_area']:.0f} %; {flesh['size']:.3g} m, {flesh['frequency']:.2f} Hz "
                 f"(expected {flesh['natural_frequency']:.2f}), {flesh['young'] / 1000:.3g} kPa\n")
    text += "\n| clip | frames | least element | 95 % below | peak |\n|---|---|---|---|---|\n"
    for clip in clips:
        shown = clip.replace("|", "\\|")
        if clip not in done:
            text += f"| {shown} | failed: {failed[clip]} | | | |\n"
            continue
        one = done[clip]
        far = ("equilibrium failed", calm_failed.get(clip, ""))
        if clip in calm:
            far = [f"{s:.1f} %" for s in swing(pathlib.Path(one["output"]), pathlib.Path(calm[clip]["output"]), size)]
        text += f"| {shown} | {len(one['frames'])} | {one['worst_volume']:.2f} | {far[0]} | {far[1]} |\n"
    return text


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("supple", type=pathlib.Path)
    words.add_argument("folder", type=pathlib.Path)
    words.add_argument("--only", default="")
    words.add_argument("--clips", type=int, default=6)
    words.add_argument("--skip", type=int, default=0)
    words.add_argument("--until", type=float, default=1.5)
    words.add_argument("--work", type=pathlib.Path, help="keep point caches and reports here")
    words.add_argument("--append", type=pathlib.Path, help="add the tables to this file as they come")
    words = words.parse_args()
    only = [name for name in words.only.split(",") if name]
    found = sorted(p for p in words.folder.iterdir() if p.suffix in (".glb", ".gltf") and (not only or p.stem in only))
    with tempfile.TemporaryDirectory() as scratch:
        work = words.work or pathlib.Path(scratch)
        work.mkdir(parents=True, exist_ok=True)
        for character in found:
            began = time.time()
            text = character_table(words, character, work)
            print(text, flush=True)
            print(f"{character.stem}: {time.time() - began:.0f} s", file=sys.stderr, flush=True)
            if words.append:
                with words.append.open("a") as file:
                    file.write(text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
