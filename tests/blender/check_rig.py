# SPDX-License-Identifier: MIT
"""A Blender character with a lattice belly as a rig, there and back: check_rig.py SUPPLE. Skipped where there is no blender.

Blender answers for the skin while the flesh is simulated; the curves go back into its file as F-curves; played there, they show the
skin that the simulation had."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tool import frames, run  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
SCRIPTS = HERE.parents[1] / "blender"
FREE = ("mochi.001.cheeks", "mochi.breath", "belly.location.x", "belly.location.y", "belly.location.z", "Belly.sag")
CHANNELS = ('mochi key_blocks["cheeks"].value 0', 'mochi ["breath"] 0', 'Belly key_blocks["sag"].value 0',
            *(f'mochi pose.bones["belly"].location {k}' for k in range(3)))  # of data-blocks
OPTIONS = ("--as", "curves", "--clip", "jump", "--tets", "300", "--fps", "30", "--step", "0.034", "--inside", "balance",
           "--key-tolerance", "0.1")


def blender(*words, good=True):
    done = subprocess.run(["blender", "--background", "--factory-startup", *words], capture_output=True, text=True, check=False,
                          env={**os.environ, "PWD": os.getcwd()})  # Blender believes $PWD
    told = done.stdout + done.stderr
    assert (done.returncode == 0) == good and "Traceback" not in told, told
    return told


def play(output, *words, free=FREE, good=True):
    command = ["exec blender --background --factory-startup hero.blend --python", f"'{SCRIPTS / 'rig_process.py'}'", "--"]
    command += [f"--free '{name}'" for name in free] + list(words) + ["2> said.txt"]
    return run("play", "mochi.glb", *OPTIONS, "--rig-command", " ".join(command), "-o", output, good=good)


def write_back(source, output, *words):
    return blender("hero.blend", "--python", str(SCRIPTS / "rig_curves.py"), "--", source, output, *words)


def played(file, *words):
    blender(file, "--python", str(HERE / "play_back.py"), "--", "jump", "seen.npz", *words)
    return dict(np.load("seen.npz"))


def check_curves():
    """Names, ranges and motion."""
    with open("curves.json", encoding="utf-8") as file:
        clip, = json.load(file)["clips"]
    found = {c["parameter"]: c for c in clip["curves"]}
    assert sorted(found) == sorted(FREE), sorted(found)
    for name, curve in found.items():
        low, high = curve["range"]
        assert np.ptp(curve["frames"]) > 0.02 * (high - low), (name, np.ptp(curve["frames"]))
    assert found["belly.location.y"]["range"][1] < 0.2 and found["mochi.breath"]["range"] == [-1, 1]
    return found


def check_played(truth):
    """F-curves on exactly these channels, beside those of the clip; the same skin; a key that is moved."""
    before, seen = played("hero.blend"), played("back.blend")
    new = set(seen["curves"]) - set(before["curves"])
    assert new == set(CHANNELS) and set(before["curves"]) < set(seen["curves"]), new ^ set(CHANNELS)
    keys = dict(zip(seen["curves"], seen["keys"]))
    assert all(2 <= keys[name] < 73 for name in new), keys
    off = np.linalg.norm(seen["vertices"] - truth, axis=2).max()
    swing = np.linalg.norm(before["vertices"] - truth, axis=2).max()
    print(f"played in Blender: {1e3 * off:.3f} mm from the simulation, which is up to {1e3 * swing:.1f} mm from the clip alone; "
          f"{sum(keys[n] for n in new)} keys")
    assert off < 5e-4 and swing > 0.02, (off, swing)
    edited = played("back.blend", "sag")
    change = np.linalg.norm(edited["vertices"] - seen["vertices"], axis=2).max(1)
    there = int(round(float(edited["moved"])))
    print(f"a key moved at frame {there}: {1e3 * change[there]:.1f} mm there, {1e3 * change[0]:.2g} mm at the start")
    assert change[there] > 0.01 and change[0] == change[-1] == 0, change


def check_table(found):
    """A .csv has a key per frame."""
    play("curves.csv")
    write_back("curves.csv", "table.blend", "--clip", "jump")
    seen = played("table.blend")
    keys = dict(zip(seen["curves"], seen["keys"]))
    assert keys['mochi ["breath"] 0'] == len(found["mochi.breath"]["frames"]) == 73, keys


def check_refusals():
    for free, words, says in ((("head.quaternion.x",), (), "give the bone 'head' an Euler rotation mode"),
                              (("Belly.swell",), (), "'Belly.swell' is no channel"),  # it has a driver
                              ((), (), "no channel is free"),
                              (FREE, ("--object", "moche"), "no mesh object 'moche'; there are: mochi.001"),
                              (FREE, ("--range", "Belly.sag=1"), "is not PATTERN=LOW,HIGH"),
                              (FREE, ("--range", "Belly.sag=0.5,1"), "excludes its rest value")):
        told = play("none.json", *words, free=free, good=False)
        assert says in told and told.count("\n") == 1, told
        assert not os.path.exists("none.json")
    told = blender("hero.blend", "--python", str(SCRIPTS / "rig_curves.py"), "--", "curves.csv", "none.blend", good=False)
    assert "give --clip NAME" in told and not os.path.exists("none.blend"), told


def main():
    if not shutil.which("blender"):
        print("skipped: no blender")
        return 77
    run("make", "mochi", "--vertices", "800", "-o", "mochi.glb")
    blender("--python", str(HERE / "lattice_belly.py"), "--", "mochi.glb", "hero.blend")
    print(play("curves.json"), end="")
    play("skin.pc2")
    found = check_curves()
    write_back("curves.json", "back.blend")
    check_played(frames("skin.pc2"))
    check_table(found)
    check_refusals()
    return 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        code = main()
        os.chdir("/")
    sys.exit(code)
