# SPDX-License-Identifier: MIT
"""Table 4.3, and chunks against the full simulation: check_swdc.py SUPPLE"""
import json
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tool import run  # noqa: E402


def rows_of(part):
    return {(row["bend"], row["twist"]): row for row in part["rows"]}


def main():
    run("reproduce", "guo2007-swdc", "--quick", "--json", "r.json")
    with open("r.json", encoding="utf-8") as file:
        result = json.load(file)["result"]
    for row in result["counts"]["rows"]:
        assert row["nodes"] == row["paper_nodes"] and row["triangles"] == row["paper_triangles"], row
    for row, (chunks, limbs, nodes) in zip(result["times"]["rows"], ((24, 4, 5784), (44, 9, 11100)), strict=True):
        assert row["chunks"] == chunks and row["limbs"] == limbs, row
        assert abs(row["nodes"] / nodes - 1) < 0.01 and row["frame_seconds"] < 0.05 and row["setup_seconds"] < 30, row
    limb, waist, trunk = (rows_of(result[name]) for name in ("limb", "hourglass", "trunk"))
    twisted = limb[0, 90]
    # Frames of slices keep the volume that one frame, or displacements alone, inflate.
    assert abs(twisted["eased"]["volume"] - 1) < 0.005 and abs(twisted["full"]["volume"] - 1) < 0.02, twisted
    for name in ("untwisted", "one_frame"):
        assert abs(twisted[name]["volume"] - 1.168) < 0.003, twisted
        assert twisted["eased"]["rms"] < 0.4 * twisted[name]["rms"], twisted
    # Part of a bend is left to the flesh: nearer to the full simulation, and nothing inverts.
    for rows in (limb, waist):
        bent, most = rows[60, 0], rows[120, 90]
        assert bent["eased"]["rms"] < 0.4 * bent["slices"]["rms"], bent
        assert bent["eased"]["rms"] < 0.05, bent
        assert most["eased"]["least"] > 0.3 and most["one_frame"]["least"] < -0.3, most
        assert most["eased"]["rms"] < most["slices"]["rms"], most
    for pose, most in (((0, 90), 0.012), ((60, 0), 0.012), ((120, 90), 0.05)):
        row = trunk[pose]
        assert 1e-4 < row["gauss"]["rms"] < most and row["gauss"]["least"] > 0, row
        assert row["gauss"]["rms"] != row["nodal"]["rms"], row


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
