#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the verbs say to a newcomer, on built-in characters: check_words.py SUPPLE

Plain words by default; what only an expert understands is said with --verbose, and everything is in --json."""
import os
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tool import run  # noqa: E402

# What nobody needs who wants a living character.
EXPERT = r"\bRMS\b|\brms\b|Newton|damping ratio|degrees|coherence|pattern|\bnodes\b|vertex \d|decays|\bgrowth\b|candidates"
FAILURES = []


def check(case, good, said):
    print(f"{'ok' if good else 'FAILED'} {case}")
    if not good:
        FAILURES.append(case)
        print(said)


def speak(*words, plain=(), expert=()):
    """Runs a verb; `plain` are sentences that everybody gets, `expert` those of --verbose alone."""
    said = run(*words)
    case = " ".join(words)
    check(f"{case}: no jargon", not re.search(EXPERT, said), said)
    for pattern in plain:
        check(f"{case}: {pattern}", re.search(pattern, said, re.MULTILINE), said)
    check(f"{case}: short lines", all(len(line) <= 140 for line in said.splitlines()), said)
    if not expert:
        return said
    more = run(*words, "--verbose")
    for pattern in expert:
        check(f"{case} --verbose: {pattern}", re.search(pattern, more) and not re.search(pattern, said), more)
    return said


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    run("make", "mochi", "--vertices", "600", "-o", "mochi.glb")
    run("make", "cat", "--vertices", "700", "-o", "cat.glb")
    speak("info", "cat.glb", plain=[r"nothing unusual"])
    added = speak(
        "add", "cat.glb", "--clip", "jump", "--bones", "4", "-o", "alive.glb",
        plain=[r"^soft: \d+ % of the skin, most of it on", r"^flesh: soft \(.*\), swings at [\d.]+ Hz, chosen for a body of",
               r"settles within [\d.]+ s", r"^the flesh moves [\d.]+ .?m beyond the skeleton on average",
               r"^1 clip, 2.4 s: it loops seamlessly$"],
        expert=[r"\d+ vibration modes", r"differs from the live result", r"\(RMS\)"])
    check("the cat wears no clothes", "clothes" not in added, added)
    speak("build", "surface", "mochi.glb", "--preset", "fat", "-o", "fat.glb",
          plain=[r"^flesh: fat, swings at 2.8 Hz where it is [\d.]+ cm thick, faster where it is thinner$",
                 r"^kept firm, judging by their names: head"], expert=[r"damping ratio 0.17"])
    speak("simulate", "mochi.glb", "--clip", "jump", "--tets", "150", "--fps", "30", "-o", "truth.pc2",
          plain=[r"^body: \d+ kg of flesh in \d+ tetrahedra, held by 24 of 24 bones$",
                 r"of the skin is too thin for them and follows its bones \(see --tets\)$"], expert=[r"nodes", r"Newton steps"])
    speak("learn", "mochi.glb", "--tets", "150", "--poses", "8", "--no-surface", "-o", "learned.glb",
          plain=[r"^learned: reduces the skinning error by \d+ % in motion that was held back \(\w+\)$",
                 r"^learned.glb: simulated for [\d.]+ s, learned for [\d.]+ s$"], expert=[r"<- kept", r"% off at most"])
    run("play", "mochi.glb", "--clip", "jump", "--fps", "30", "-o", "plain.pc2")
    speak("play", "learned.glb", "--clip", "jump", "--fps", "30", "-o", "jump.pc2", plain=[r"with flesh -> jump.pc2$"])
    of_jump = ["--of", "mochi.glb", "--clip", "jump"]
    speak("compare", "jump.pc2", "truth.pc2", *of_jump,
          plain=[r"^distance: jump.pc2 is [\d.]+ .?m from truth.pc2 on average, [\d.]+ .?m at most$",
                 r"^gain: \d+ % of the error of plain skinning is gone \(relative error 0.\d\d\)$",
                 r"^volume: changes by [\d.]+ % at most; truth.pc2 [\d.]+ %, plain skinning [\d.]+ %$"],
          expert=[r"relative error 0\.\d{4} ", r"vertex \d+ in frame", r"RMS"])
    speak("compare", "plain.pc2", "truth.pc2", *of_jump, plain=[r"^gain: none, it is as far away as plain skinning"])
    os.chdir("/")
print(f"{len(FAILURES)} failed")
sys.exit(1 if FAILURES else 0)
