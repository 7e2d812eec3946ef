#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A rig behind a pipe: check_rig_process.py SUPPLE RIG_SERVER

The rig of a character, asked through a process, gives the curves of the same rig in the tool; whatever the process does wrong
is one sentence, exit 1, no output and no process left behind."""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tool import SUPPLE, frames  # noqa: E402

SERVER = os.path.abspath(sys.argv[2])
QUICK = ("--as", "curves", "--clip", "lateral", "--tets", "200", "--fps", "30", "--step", "0.034", "--inside", "balance")
RIG = {"rig": 1, "parameters": [{"name": f"bow.{c}", "zone": "bow", "range": [-0.5, 0.5],
                                 "drives": {"joint": "upper", "channel": f"turn.{c}"}} for c in "xz"]}


def play(output, *more):
    done = subprocess.run([SUPPLE, "play", "tube.glb", *QUICK, "-o", output, *more], capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stdout + done.stderr


def through(output, *words, more=()):
    return play(output, "--rig-command", " ".join(["exec", SERVER, "tube.glb", "bow.json", *words]), *more)


def table(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    return rows[0], np.array(rows[1:], float)


def children():
    """Rig processes that run or have not been waited for: those that work in this folder."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/cwd") == os.getcwd() and int(pid) != os.getpid():
                found.append(pid)
        except OSError:
            pass
    return found


def check_agreement():
    assert play("in.csv", "--rig", "bow.json")[0] == 0
    assert play("in.pc2", "--rig", "bow.json")[0] == 0
    head, inside = table("in.csv")
    skin = frames("in.pc2")
    size = np.abs(inside[:, 1:]).max()
    assert size > 0.02, size
    for words, tolerance in (((), 1e-6), (("single",), 1e-3)):
        code, told = through("out.csv", *words)
        assert code == 0, told
        name, outside = table("out.csv")
        off = np.abs(outside - inside).max() / size
        code, told = through("out.pc2", *words)
        apart = np.linalg.norm(frames("out.pc2") - skin, axis=2).max()
        print(f"process {words}: {off:.1e} of the largest value, the skin {apart:.1e} m from the rig in the tool")
        assert name == head and off < tolerance and apart < tolerance, off
    code, told = through("lock.csv", more=("--lock", "bow.x"))
    assert code == 0 and table("lock.csv")[0] == ["time", "bow.z"], told


def check_faults():
    cases = (("nan", "vertex 7 with a number that is not finite"), ("count", "vectors"),
             ("version", "speaks version 7 of the protocol"), ("garbage", "something else than messages"),
             ("late", "did not answer within 1 s again after it was started once more"),
             ("die", "was ended by signal 6 again"), ("exit", "ended without an answer again"),
             ("sentence", "the rig process says: the lattice broke"), ("other", "another question"),
             ("range", "excludes its rest value"))
    for fault, says in cases:
        began = time.time()
        code, told = through("none.csv", fault, more=("--rig-timeout", "1", "--quiet"))
        assert code == 1 and says in told, (fault, code, told)
        assert told.count("\n") == 1, (fault, told)
        assert not os.path.exists("none.csv") and not [f for f in os.listdir(".") if f.startswith(".supple")]
        assert time.time() - began < 60 and not children(), fault
    code, told = play("none.csv", "--rig-command", "/nowhere/rig", "--quiet")
    assert code == 1 and "cannot be started" in told, told
    code, told = play("none.csv", "--rig-command", "cat > /dev/null; sleep 100", "--rig-timeout", "0.5", "--quiet")
    assert code == 1 and "did not answer within 0.5 s" in told and not children(), told


def check_restart():
    """Once at fault: the same bytes as without. What a program prints first is skipped."""
    for words in (("die", "mark.die"), ("late", "mark.late"), ("banner",)):
        code, told = through("again.csv", *words, more=("--rig-timeout", "3"))
        assert code == 0, told
        with open("again.csv", "rb") as a, open("good.csv", "rb") as b:
            assert a.read() == b.read(), words
        assert words[-1] == "banner" or os.path.exists(words[-1])
        assert not children()


def check_setup():
    """A stored set-up of a process: the same bytes; not without the process, nor with one of other parameters."""
    def build(*words, good):
        command = " ".join(["exec", SERVER, "tube.glb", *words])
        done = subprocess.run([SUPPLE, "build", "rigspace", "tube.glb", "--clip", "lateral", "--tets", "200", "--quiet",
                               "--rig-command", command, "--rig-timeout", "3", "-o", "process.supple"], capture_output=True,
                              text=True, check=False)
        assert (done.returncode == 0) == good and os.path.exists("process.supple") == good, done.stdout + done.stderr
        assert good or done.stderr.count("\n") == 1, done.stderr
    for fault in ("nan", "die"):
        build("bow.json", fault, good=False)
    build("bow.json", good=True)
    stored = [w for w in QUICK if w not in ("--tets", "200")] + ["--setup", "process.supple"]

    def stored_play(output, *more):
        done = subprocess.run([SUPPLE, "play", "tube.glb", *stored, "-o", output, *more], capture_output=True, text=True,
                              check=False)
        return done.returncode, done.stdout + done.stderr
    code, told = stored_play("stored.csv", "--rig-command", f"exec {SERVER} tube.glb bow.json")
    assert code == 0, told
    with open("stored.csv", "rb") as a, open("good.csv", "rb") as b:
        assert a.read() == b.read()
    with open("other.json", "w", encoding="utf-8") as file:
        json.dump({"rig": 1, "parameters": RIG["parameters"][:1]}, file)
    for more, says in (((), "give --rig-command as well"),
                       (("--rig-command", f"exec {SERVER} tube.glb other.json"), "of other parameters")):
        code, told = stored_play("none.csv", *more)
        assert code != 0 and says in told and not os.path.exists("none.csv"), (code, told)
    assert not children()


def check_refusals():
    for output, more, says in (("none.glb", (), "a glTF file cannot hold"), ("none.csv", ("--rig", "bow.json"), "--rig has no"),
                               ("none.csv", ("--lock", "bau"), "--lock: 'bau'")):
        code, told = through(output, more=more)
        assert code == 2 and says in told, (code, told)
        assert not os.path.exists(output) and not children()
    subprocess.run([SUPPLE, "make", "mochi", "--vertices", "800", "-o", "mochi.glb"], check=True, capture_output=True)
    code, told = play("none.csv", "--rig-command", f"{SERVER} mochi.glb none.json")
    assert code == 1 and "ended without an answer" in told, told
    with open("head.json", "w", encoding="utf-8") as file:
        json.dump({"rig": 1, "parameters": [{"name": "h", "drives": {"joint": "head", "channel": "turn.x"}}]}, file)
    code, told = play("none.csv", "--rig-command", f"{SERVER} mochi.glb head.json", "--quiet")
    assert code == 1 and "vertices" in told and " m" in told, told


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(os.path.realpath(folder))
        subprocess.run([SUPPLE, "make", "tube", "--vertices", "500", "-o", "tube.glb"], check=True, capture_output=True)
        with open("bow.json", "w", encoding="utf-8") as file:
            json.dump(RIG, file)
        check_refusals()
        check_faults()
        check_agreement()
        assert through("good.csv")[0] == 0
        check_restart()
        check_setup()
        os.chdir("/")
    print("a rig behind a pipe does what the rig does")


main()
