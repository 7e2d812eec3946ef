# SPDX-License-Identifier: MIT
"""The whole demo: check_demo.py SUPPLE. Learning helps, and baking keeps it."""
import json
import os
import subprocess
import sys
import tempfile

SUPPLE = os.path.abspath(sys.argv[1])

with tempfile.TemporaryDirectory() as place:
    done = subprocess.run([SUPPLE, "demo", "-o", "d"], cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)
    with open(os.path.join(place, "d/demo.json"), encoding="utf-8") as file:
        errors = json.load(file)["result"]["compare"]
    assert errors["jump"] == 1 and errors["jump-learned"] < 0.8, errors
    assert errors["jump-baked"] < errors["jump-learned"] + 0.1, errors
    assert os.path.exists(os.path.join(place, "d/mochi-alive.glb"))
