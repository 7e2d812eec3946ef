# SPDX-License-Identifier: MIT
"""The Blender add-on, headless, there and back: check_addon.py SUPPLE. Skipped where there is no blender."""
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

SUPPLE = os.path.abspath(sys.argv[1])
HERE = os.path.dirname(os.path.abspath(__file__))
ADDON = os.path.join(HERE, "../../blender/supple_addon.py")


def main(folder):
    if not shutil.which("blender"):
        print("skipped: no blender")
        return 77
    subprocess.run([SUPPLE, "make", "mochi", "--vertices", "800", "-o", os.path.join(folder, "mochi.glb"), "--quiet"],
                   check=True)
    done = subprocess.run(["blender", "--background", "--factory-startup", "--python", os.path.join(HERE, "round_trip.py"),
                           "--", ADDON, folder], env={**os.environ, "SUPPLE": SUPPLE}, capture_output=True, text=True,
                          check=False)
    assert "round trip done" in done.stdout, done.stdout + done.stderr
    seen = np.load(os.path.join(folder, "seen.npz"))
    plain, helpers, cache, held = (seen[k] for k in ("plain", "as_helpers", "as_cache", "held"))
    size = np.linalg.norm(np.ptp(plain[0], axis=0))
    print(seen["report"])
    # Maps came: some of the skin moves, some does not.
    assert 0 <= seen["amount"].min() < 0.2 and 0.7 < seen["amount"].max() <= 1
    # Maps went: what was painted stays with its bones; the rest leaves them.
    away = np.linalg.norm(cache - plain, axis=2)
    print(f"held: {away[:, held].max() / size:.1e}, free: {away[:, ~held].max() / size:.1e} of the diagonal")
    assert away[:, held].max() < 1e-5 * size and away[:, ~held].max() > 0.01 * size
    assert seen["helpers"] == 6 and seen["keys"] > 100 and seen["hidden"], seen["keys"]
    # Both bakes show the same flesh, the helpers as well as six of them can.
    other = match(plain[0], helpers, cache)
    left = np.sqrt(((helpers - cache[:, other]) ** 2).sum(2).mean())
    there = np.sqrt(((cache - plain) ** 2).sum(2).mean())
    print(f"as helpers {1e3 * left:.2f} mm from the cache, which is {1e3 * there:.2f} mm from plain skinning")
    assert left < 0.4 * there, (left, there)
    return 0


def match(_rest, helpers, cache):
    """Vertices come back in the order of the exported file; the first frame says which is which, nearly."""
    apart = np.linalg.norm(helpers[0][:, None] - cache[0][None], axis=2)
    return apart.argmin(1)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        code = main(place)
    sys.exit(code)
