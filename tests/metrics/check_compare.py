#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Volume and oscillation in `supple compare`, against numpy: check_compare.py SUPPLE"""
import json
import os
import pathlib
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tool import deviation, frames, run, triangles, write_pc2  # noqa: E402

FPS, RATE = 60, 4.3


def compare(a, b, name):
    """What `compare` says and reports of two motions of the tube's clip `sway`."""
    write_pc2(f"{name}_a.pc2", a)
    write_pc2(f"{name}_b.pc2", b)
    said = run("compare", f"{name}_a.pc2", f"{name}_b.pc2", "--of", "tube.glb", "--clip", "sway", "--fps", str(FPS), "--json",
               "c.json")
    with open("c.json", encoding="utf-8") as file:
        return said, json.load(file)["result"]


def answer(a, b, plain, rate):
    """Amplitude ratio and lag of A behind B by least squares: a sinusoid, an offset and a drift for every coordinate."""
    time = np.arange(len(b)) / FPS
    waves = np.stack([np.cos(2 * np.pi * rate * time), np.sin(2 * np.pi * rate * time), np.ones_like(time), time], 1)
    of_a, of_b = (np.linalg.lstsq(waves, (x - plain).reshape(len(x), -1), rcond=None)[0][:2] for x in (a, b))
    of_a, of_b = of_a[0] - 1j * of_a[1], of_b[0] - 1j * of_b[1]
    cross = (np.conj(of_b) * of_a).sum()
    return np.linalg.norm(of_a) / np.linalg.norm(of_b), -np.angle(cross)


def planted(plain, faces):
    """A swing of one pattern over the tube, that A shows smaller and later, and noise."""
    rng = np.random.default_rng(3)
    normal = rng.normal(size=plain.shape[1:]) * 0.002 + np.array([0.02, 0, 0.01]) * np.sin(9 * plain[0][:, 1:2])
    time = (np.arange(len(plain)) / FPS)[:, None, None]
    for ratio, lag in ((1, 0), (0.6, 0.8), (1.7, -1.1)):
        b = plain + normal * np.sin(2 * np.pi * RATE * time)
        a = plain + ratio * normal * np.sin(2 * np.pi * RATE * time - lag)
        a, b = (x + rng.normal(size=x.shape) * 2e-4 for x in (a, b))
        said, result = compare(a, b, "planted")
        found = result["vibration"]
        assert found["clear"] and abs(found["frequency"] - RATE) < 0.05, found
        assert abs(found["amplitude_ratio"] / ratio - 1) < 0.03 and abs(found["phase"] - lag) < 0.05, (ratio, lag, found)
        by_numpy = answer(a, b, plain, found["frequency"])
        assert abs(found["amplitude_ratio"] / by_numpy[0] - 1) < 0.03 and abs(found["phase"] - by_numpy[1]) < 0.05, by_numpy
        assert f"{ratio:.1f}" in said and ("early by" if lag < 0 else "late by") in said, said
        for key, motion in (("", a), ("reference_", b), ("skinning_", plain)):
            peak, root = deviation(motion, REST, faces)
            volume = result["volume"]
            assert abs(volume[key + "peak"] - peak) < 1e-5 and abs(volume[key + "rms"] - root) < 1e-5, (key, volume, peak)


def noisy(plain):
    """Noise, and a slow departure: no oscillation."""
    rng = np.random.default_rng(4)
    time = (np.arange(len(plain)) / FPS)[:, None, None]
    for b in (plain + rng.normal(size=plain.shape) * 0.003, plain + 0.05 * time * plain[:1]):
        said, result = compare(plain, b, "noisy")
        assert not result["vibration"]["clear"] and "no clear oscillation" in said, said


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    run("make", "tube", "--vertices", "500", "-o", "tube.glb")
    run("play", "tube.glb", "--clip", "sway", "--fps", str(FPS), "--plain", "--order", "body", "-o", "plain.pc2")
    REST, TRIANGLES = triangles("tube.glb")
    PLAIN = frames("plain.pc2")
    planted(PLAIN, TRIANGLES)
    noisy(PLAIN)
    os.chdir("/")
print("volume and oscillation are numpy's")
