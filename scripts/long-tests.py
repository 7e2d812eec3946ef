# SPDX-License-Identifier: MIT
"""Reads `ctest --show-only=json-v1`; prints "preset name limit" for every test in it."""
import json
import sys

for test in json.load(sys.stdin)["tests"]:
    limit = next(p["value"] for p in test["properties"] if p["name"] == "TIMEOUT")
    print(sys.argv[1], test["name"], int(limit))
