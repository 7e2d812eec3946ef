# SPDX-License-Identifier: MIT
"""Runs one scenario through: no element stays inside out, and flesh moves as it should.

usage: check_scenario.py SUPPLE SCENARIO.json [option of supple simulate]...
"""
import json
import os
import subprocess
import sys
import tempfile

tool, path = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
scenario = json.load(open(path))
name = scenario["character"].get("file")
if name and not os.path.exists(os.path.join(os.environ.get("SUPPLE_TEST_DATA", "/nonexistent"), name)):
    print(f"skipped: no {name} in $SUPPLE_TEST_DATA")
    sys.exit(77)
good = True
with tempfile.TemporaryDirectory() as folder:
    report = os.path.join(folder, "report.json")
    line = [tool, "simulate", path, "-o", os.path.join(folder, "x.pc2"), "--json", report] + sys.argv[3:]
    done = subprocess.run(line, text=True)
    if done.returncode:
        sys.exit(1)
    runs = json.load(open(report))["result"]["runs"]
for part in runs:
    for kind in ("moving", "static"):
        for clip in part[kind]["clips"]:
            if clip["inverted_frames"]:
                print(f"{kind} {clip['clip']}: elements are inside out in {clip['inverted_frames']} frames, "
                      f"{clip['inverted_at_end']} at the end")
            good &= clip["inverted_at_end"] == 0
    if len(sys.argv) == 3:  # the whole of it, not a part
        # The tube's is 1.8 Hz: three of its clips swing it at 1.1 to 2 Hz themselves.
        good &= 1.7 <= part["frequency"] <= 8 and 1 <= part["amplitude_percent"] <= 5
    good &= all(clip["worst_percent"] < 35 for clip in part["secondary"])
    print(f"gravity {part['gravity']}: {part['frequency']:.2f} Hz, {part['amplitude_percent']:.2f} %")
sys.exit(0 if good else 1)
