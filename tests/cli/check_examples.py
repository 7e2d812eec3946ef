#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The examples of every --help run as they are written, in an empty folder: check_examples.py SUPPLE"""
import os
import re
import subprocess
import sys
import tempfile
import time

SUPPLE = os.path.abspath(sys.argv[1])
WORDS = {**os.environ, "PATH": os.path.dirname(SUPPLE) + ":" + os.environ["PATH"]}


def output(*words):
    return subprocess.run([SUPPLE, *words], capture_output=True, text=True, check=True).stdout


def example_of(page):
    """The lines under the last heading of a page ("build surface"), as a person would copy them."""
    head, _, lines = output(*page.split(), "--help").rpartition("\nExample\n")
    return [line[2:] for line in lines.splitlines()] if head else []


verbs = re.findall(r"^  ([a-z]+) +\S", output("help"), re.MULTILINE)
kinds = re.findall(r"^  ([a-z]+) +\S", output("build", "--help").split("\nKinds ")[1].split("\n\n")[0], re.MULTILINE)
assert len(kinds) >= 5, kinds
failures = 0
for verb in verbs + [f"build {kind}" for kind in kinds]:
    lines = example_of(verb)
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        done = subprocess.run(["sh", "-e"], input="\n".join(lines) + "\n", text=True, cwd=folder,
                              env=WORDS, capture_output=True, check=False)
    names = any(re.match(rf"supple {verb}\b", line) for line in lines)
    good = done.returncode == 0 and not done.stderr and names
    if verb == "view" and "without the page" in done.stderr:
        good = names  # a tool that was built without node
    failures += not good
    print(f"{'ok' if good else 'FAILED'} {verb}: {time.monotonic() - began:.1f} s")
    if not good:
        print("\n".join(lines), done.stdout, done.stderr, sep="\n")
sys.exit(1 if failures or len(verbs) < 10 else 0)
