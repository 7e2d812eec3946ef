# SPDX-License-Identifier: MIT
"""Reads `ctest --show-only=json-v1`; prints "key preset name limit" for every test.

The key is a hash of the commit and the name: sorted by it, each commit tries another selection.
"""
import hashlib
import json
import sys

preset, commit = sys.argv[1:]
for test in json.load(sys.stdin)["tests"]:
    limit = next(p["value"] for p in test["properties"] if p["name"] == "TIMEOUT")
    key = hashlib.sha256(f"{commit} {preset} {test['name']}".encode()).hexdigest()
    print(key, preset, test["name"], int(limit))
