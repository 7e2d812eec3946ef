# SPDX-License-Identifier: MIT
"""Reads `ctest --show-only=json-v1`; prints "preset name seconds" for every test in it: its COST, what it takes."""
import json
import sys

for test in json.load(sys.stdin)["tests"]:
    seconds = next(p["value"] for p in test["properties"] if p["name"] == "COST")
    print(sys.argv[1], test["name"], int(seconds))
