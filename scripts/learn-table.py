#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What everything that learns (and what need not) leaves of plain skinning's error, clip by clip.

learn-table.py SUPPLE SCENARIO.json FOLDER [--only NAME,...] [--json OUT.json] [--threads N]

FOLDER holds NAME.glb and, as `supple simulate` writes them, poses.pc2 (`--poses N --seed 1`),
far.pc2 (the same with `--far`; may be missing), calibration.pc2 (`--clip @calibration`), CLIP.pc2 and static-CLIP.pc2; where amplified-CLIP.pc2 is there
too, the clip at 1.8 times its amplitude is measured as well. Surfaces learn from the scenario's training
clips; `learn` and correctives from poses and calibration alone, so that every clip is unseen for them.
`wrong` is `learn` with flesh that is 1.6 times as stiff and damped twice as much as the teacher's.

Relative error: RMS(played - truth) / RMS(skinning - truth) over all frames and vertices of the file.
Dynamic error: RMS(played - truth) / RMS(equilibrium - truth).
"""
import argparse
import json
import pathlib
import subprocess
import tempfile
import time

import numpy as np

FAT_DAMPING = 0.004  # seconds, of the material `fat`


class Table:
    def __init__(self, words, work):
        self.words, self.work = words, work
        self.scenario = json.loads(words.scenario.read_text())
        self.character = next(words.folder.glob("*.glb"))
        self.name = words.scenario.stem
        self.training = self.scenario["training"]
        self.plain = {}

    def call(self, *words):
        words = [self.words.supple, *map(str, words), "--threads", str(self.words.threads)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{' '.join(words)}: {done.stdout}{done.stderr}")

    def examples(self, *names):
        words = []
        for name in names:
            clip = "@" + name if name in ("poses", "far", "calibration") else name
            words += ["--example", self.words.folder / f"{name}.pc2", "--clip", clip]
        return words

    # One way each to make OUT.glb.

    def preset(self, out):
        self.call("build", "surface", self.character, "--preset", "soft", "-o", out)

    def surface(self, out, *more):
        self.call("build", "surface", self.character, *self.examples(*self.training), *more, "-o", out)

    def literal(self, out):
        self.surface(out, "--literal")

    def no_spokes(self, out):
        self.surface(out, "--no-spokes")

    def no_detail(self, out):
        self.surface(out, "--no-detail")

    def normal(self, out):
        self.surface(out, "--normal-stiffness")

    def poses(self):
        return [name for name in ("poses", "far") if (self.words.folder / f"{name}.pc2").exists()]

    def correctives(self, out):
        self.call("build", "correctives", self.character, *self.examples(*self.poses()), "-o", out)

    def modes(self, out):
        self.call("build", "modes", self.character, "--scenario", self.words.scenario, "-o", out)

    def learn(self, out, scenario=None):
        self.call("learn", self.character, "--scenario", scenario or self.words.scenario, "--no-surface",
                  *self.examples(*self.poses(), "calibration"), "-o", out, "--json", self.work / "learn.json")

    def wrong(self, out):
        flesh = json.loads(self.words.scenario.read_text())
        flesh["simulate"]["young"] *= 1.6
        flesh["simulate"]["damping"] = 2 * flesh["simulate"].get("damping", FAT_DAMPING)
        if "file" in flesh["character"]:
            flesh["character"]["file"] = str(self.character.resolve())
        path = self.work / "wrong.json"
        path.write_text(json.dumps(flesh))
        self.learn(out, path)

    # Measuring.

    def frames(self, path):
        data = path.read_bytes()
        points, count = np.frombuffer(data, "<i4", 1, 16)[0], np.frombuffer(data, "<i4", 1, 28)[0]
        return np.frombuffer(data, "<f4", 3 * count * points, 32).reshape(count, points, 3).astype(float)

    def play(self, model, clip, amplitude, *more):
        out = self.work / "played.pc2"
        self.call("play", model, "--clip", clip, "--fps", 60, "--amplitude", amplitude, *more, "-o", out)
        return self.frames(out)

    def clips(self):
        for clip in self.training + self.scenario["unseen"]:
            for amplitude, before in ((1, ""), (1.8, "amplified-")):
                if (self.words.folder / f"{before}{clip}.pc2").exists():
                    yield clip, amplitude, before

    def measure(self, column, model):
        for clip, amplitude, before in self.clips():
            wanted = self.frames(self.words.folder / f"{before}{clip}.pc2")
            if (clip, amplitude) not in self.plain:
                self.plain[clip, amplitude] = self.play(self.character, clip, amplitude, "--plain")
            played = self.play(model, clip, amplitude)
            error, plain = np.linalg.norm(played - wanted), np.linalg.norm(self.plain[clip, amplitude] - wanted)
            row = {"scenario": self.name, "column": column, "clip": clip, "amplitude": amplitude,
                    "trained": clip in self.training, "relative": float(error / plain)}
            static = self.words.folder / f"static-{before}{clip}.pc2"
            if static.exists():
                row["dynamic"] = float(error / np.linalg.norm(self.frames(static) - wanted))
            yield row


COLUMNS = ("preset", "literal", "surface", "normal", "no_spokes", "no_detail", "correctives", "modes", "learn",
           "wrong")


def show(rows):
    for kind in ("relative", "dynamic"):
        columns = [c for c in COLUMNS if any(r["column"] == c for r in rows)]
        print(f"\n| {kind} error | " + " | ".join(columns) + " |\n|" + "---|" * (len(columns) + 1))
        for clip, amplitude, trained in dict.fromkeys((r["clip"], r["amplitude"], r["trained"]) for r in rows):
            cells = {r["column"]: r.get(kind) for r in rows if (r["clip"], r["amplitude"]) == (clip, amplitude)}
            name = clip + (f" x {amplitude}" if amplitude != 1 else "")
            print(f"| {'**' + name + '**' if trained else name} | " +
                  " | ".join(f"{cells[c]:.2f}" if cells.get(c) is not None else "" for c in columns) + " |")


def main():
    parse = argparse.ArgumentParser()
    parse.add_argument("supple")
    parse.add_argument("scenario", type=pathlib.Path)
    parse.add_argument("folder", type=pathlib.Path)
    parse.add_argument("--only", default=",".join(COLUMNS))
    parse.add_argument("--json", type=pathlib.Path)
    parse.add_argument("--threads", type=int, default=1)
    words = parse.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        table = Table(words, pathlib.Path(folder))
        for column in words.only.split(","):
            model, began = table.work / "model.glb", time.time()
            getattr(table, column)(model)
            print(f"{column}: {time.time() - began:.0f} s", flush=True)
            rows += table.measure(column, model)
            if words.json:
                words.json.write_text(json.dumps(rows, indent=1) + "\n")
    show(rows)


if __name__ == "__main__":
    main()
