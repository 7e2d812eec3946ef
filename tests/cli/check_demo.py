# SPDX-License-Identifier: MIT
"""The whole demo: check_demo.py SUPPLE. Learning helps, baking keeps it, and the ground truth is an ordinary jump."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tool import SUPPLE, frames  # noqa: E402

with tempfile.TemporaryDirectory() as place:
    done = subprocess.run([SUPPLE, "demo", "-o", "d"], cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)
    with open(os.path.join(place, "d/demo.json"), encoding="utf-8") as file:
        errors = json.load(file)["result"]["compare"]
    assert errors["jump"] == 1 and errors["jump-learned"] < 0.8, errors
    assert errors["jump-baked"] < errors["jump-learned"] + 0.1, errors
    assert set(errors) == {"jump", "jump-learned", "jump-baked"}, errors  # a preset imitates no simulation
    for name in ("mochi-alive.glb", "jump.png"):
        assert os.path.getsize(os.path.join(place, "d", name)) > 10000, name
    # An ordinary jump: flesh is chosen for the body, and nobody is crushed.
    assert "chosen for a body of" in done.stdout, done.stdout
    truth, plain = (frames(os.path.join(place, "d", name)) for name in ("jump-truth.pc2", "jump.pc2"))
    height = (plain[0, :, 1] - plain[0, :, 1].min()) / np.ptp(plain[0, :, 1])
    trunk = (height > 0.12) & (height < 0.5) & (np.abs(plain[0, :, 0]) < 0.25)
    kept = (np.ptp(truth[:, trunk, 1], axis=1) / np.ptp(plain[:, trunk, 1], axis=1)).min()
    print(f"the belly keeps {kept:.2f} of its height")
    assert kept > 0.8, kept
    # What to do next is what the last lines say, and it is true.
    assert "try next:" in done.stdout.splitlines()[-3], done.stdout
