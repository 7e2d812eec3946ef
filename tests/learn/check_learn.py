# SPDX-License-Identifier: MIT
"""supple learn as a user would: a body teaches itself; what it learned beats skinning on motion that
nobody showed it; the file plays; the report says everything."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tool import SUPPLE, deviation, frames, rms, triangles  # noqa: E402


def run(*words, fails=False):
    done = subprocess.run([SUPPLE, *words], capture_output=True, text=True)
    if (done.returncode != 0) != fails:
        sys.exit("supple %s: %d\n%s%s" % (" ".join(words), done.returncode, done.stdout, done.stderr))
    return done.stdout + done.stderr


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    flesh = ["--material", "fat", "--young", "20000", "--tets", "300"]
    run("make", "tube", "--vertices", "600", "-o", "tube.glb")
    said = run("learn", "tube.glb", *flesh, "--poses", "16", "--no-surface", "-o", "learned.glb", "--json", "l.json", "--verbose")
    with open("l.json") as file:
        result = json.load(file)["result"]
    stacks = {c["stack"]: c for c in result["candidates"]}
    assert result["kept"].startswith("correctives + modes"), result["kept"]
    assert abs(stacks["plain skinning"]["held_back"] - 1) < 1e-5
    assert stacks[result["kept"]]["held_back"] < 0.5, stacks[result["kept"]]
    assert stacks[result["kept"]]["bytes"] > 0 and result["teaching_seconds"] > 0
    assert "reduces the skinning error by" in said and "<- kept" in said, said
    uses = {(c["clip"], c["use"]) for c in stacks["modes"]["clips"]}
    assert ("@calibration", "training") in uses and any(u == "held back" for _, u in uses), uses
    # A clip that neither taught nor chose.
    held = [c for c, u in uses if u == "held back"][0]
    clip = "sway" if held != "sway" else "bend"
    run("simulate", "tube.glb", *flesh, "--clip", clip, "-o", "truth.pc2")
    run("play", "learned.glb", "--clip", clip, "-o", "shown.pc2")
    run("compare", "shown.pc2", "truth.pc2", "--of", "tube.glb", "--clip", clip, "--json", "c.json")
    with open("c.json") as file:
        error = json.load(file)["result"]["relative_error"]
    print("%s, never seen: %.3f of skinning's error" % (clip, error))
    assert error < 0.5, error
    # From examples instead; and what is wrong is said.
    run("simulate", "tube.glb", *flesh, "--poses", "16", "-o", "p.pc2")
    run("simulate", "tube.glb", *flesh, "--poses", "8", "--far", "-o", "f.pc2")
    assert "--far" in run("simulate", "tube.glb", *flesh, "--far", "-o", "x.pc2", fails=True)
    run("simulate", "tube.glb", *flesh, "--clip", "bend", "-o", "b.pc2")
    run("simulate", "tube.glb", *flesh, "--clip", clip, "--quasistatic", "-o", "still.pc2")
    run("learn", "tube.glb", *flesh, "--no-surface", "--example", "p.pc2", "--clip", "@poses", "--example", "f.pc2",
        "--clip", "@far", "--example", "b.pc2", "--clip", "bend", "--example", "truth.pc2", "--clip", clip, "--test", clip,
        "--quasistatic", clip + "=still.pc2", "-o", "again.glb", "--json", "a.json")
    with open("a.json") as file:
        again = json.load(file)["result"]
    # Both errors again, from caches of the body; all vertices count alike.
    run("play", "again.glb", "--clip", clip, "--order", "body", "-o", "shown.pc2")
    run("play", "tube.glb", "--clip", clip, "--order", "body", "-o", "plain.pc2")
    run("simulate", "tube.glb", *flesh, "--clip", clip, "--order", "body", "-o", "truth.pc2")
    run("simulate", "tube.glb", *flesh, "--clip", clip, "--quasistatic", "--order", "body", "-o", "still.pc2")
    shown, plain, truth, still = (frames(f"{name}.pc2") for name in ("shown", "plain", "truth", "still"))
    errors = {"relative_error": rms(shown, truth) / rms(plain, truth), "dynamic_error": rms(shown, truth) / rms(still, truth)}
    kept = {c["clip"]: c for c in [c for c in again["candidates"] if c["stack"] == again["kept"]][0]["clips"]}
    assert "dynamic_error" not in kept["bend"], kept
    for name, error in errors.items():
        assert abs(kept[clip][name] / error - 1) < 0.002, (name, kept[clip], error)
    # Volumes again, of what is shown and of the examples; how it swings beside them.
    rest, faces = triangles("tube.glb")
    for key, motion in (("", shown), ("reference_", truth)):
        peak, root = deviation(motion, rest, faces)
        volume = kept[clip]["volume"]
        assert abs(volume[key + "peak"] - peak) < 1e-4 and abs(volume[key + "rms"] - root) < 1e-4, (key, volume, peak, root)
    vibration = kept[clip]["vibration"]
    assert vibration["frequency"] > 0 and {"clear", "amplitude_ratio", "phase"} <= set(vibration), vibration
    assert "% off at most" in said and ("no clear oscillation" in said or "amplitude" in said), said
    assert "CLIP=FILE" in run("learn", "tube.glb", "--example", "b.pc2", "--clip", "bend", "--quasistatic", "b.pc2", "-o",
                              "x.glb", fails=True)
    assert {c["use"] for c in again["candidates"][0]["clips"]} == {"training", "held back", "test"}, again["candidates"][0]
    assert "one --clip for each --example" in run("learn", "tube.glb", "--example", "p.pc2", "-o", "x.glb", fails=True)
    assert "no motion" in run("learn", "tube.glb", "--example", "p.pc2", "--clip", "@poses", "-o", "x.glb", fails=True)
    assert ".glb" in run("learn", "tube.glb", "-o", "x.pc2", fails=True)
    assert not os.path.exists("x.glb")
