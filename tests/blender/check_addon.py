# SPDX-License-Identifier: MIT
"""The Blender add-on, headless, there and back: check_addon.py SUPPLE. Skipped where there is no blender."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from glb import Document  # noqa: E402
from tool import SUPPLE, run  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ADDON = os.path.join(HERE, "../../blender/supple_addon.py")


def main(folder):
    if not shutil.which("blender"):
        print("skipped: no blender")
        return 77
    run("make", "mochi", "--vertices", "800", "-o", os.path.join(folder, "mochi.glb"))
    done = subprocess.run(["blender", "--background", "--factory-startup", "--python", os.path.join(HERE, "round_trip.py"),
                           "--", ADDON, folder], env={**os.environ, "SUPPLE": SUPPLE}, capture_output=True, text=True,
                          check=False)
    assert "round trip done" in done.stdout, done.stdout + done.stderr
    seen = np.load(os.path.join(folder, "seen.npz"))
    plain, helpers, cache, held = (seen[k] for k in ("plain", "as_helpers", "as_cache", "held"))
    size = np.linalg.norm(np.ptp(plain[0], axis=0))
    print(seen["report"])
    # Maps came: those that the tool gives the same character.
    run("build", "surface", os.path.join(folder, "mochi.glb"), "--preset", "fat", "-o", os.path.join(folder, "fat.glb"))
    fat = Document(os.path.join(folder, "fat.glb"))
    parts = [p["attributes"] for p in fat.json["meshes"][0]["primitives"]]
    rest, amount = (np.concatenate([fat.accessor(p[key]) for p in parts]) for key in ("POSITION", "_SUPPLE_AMOUNT"))
    rest = np.stack([rest[:, 0], -rest[:, 2], rest[:, 1]], 1)
    apart = np.linalg.norm(seen["rest"][:, None] - rest[None], axis=2)
    assert apart.min(1).max() < 1e-5 * size
    off = np.abs(seen["amount"] - amount[apart.argmin(1), 0]).max()
    print(f"maps: {off:.1e} from those of the tool, which go from {amount.min():.2f} to {amount.max():.2f}")
    assert off < 0.02 and np.ptp(amount) > 0.5
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
