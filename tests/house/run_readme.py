#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does everything that a page of Markdown tells a reader to do, in its order, as if in a clean clone that was built:
run_readme.py BUILD_FOLDER [PAGE]

Every block of commands runs in one shell (exports last, as they do for the reader); each command must succeed and each
file named after -o must appear. Blocks of other languages are files: the last name in backquotes before the block. One that
the tree has must be the same there. `make` is not run: its target must exist."""
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMMANDS = ("sh", "")  # what a block is said to be
FILES = ("c", "cmake")
NO_PAGE = "this supple was built without the page"


def blocks(text):
    """(language, lines, the last file named in backquotes before it), in order."""
    found = []
    parts = re.split(r"^```(.*)\n", text, flags=re.MULTILINE)
    for k in range(1, len(parts) - 1, 4):
        named = re.findall(r"`([\w./-]+\.\w+)`", parts[k - 1])
        found.append((parts[k].strip(), parts[k + 1], named[-1] if named else None))
    return found


def clone(place, build):
    """A folder that looks like a clone after `make build`: links to what the tree has, and a build folder."""
    names = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=False).stdout
    for name in {line.split("/")[0] for line in names.splitlines()} or set(os.listdir(ROOT)) - {"build"}:
        os.symlink(os.path.join(ROOT, name), os.path.join(place, name))
    os.mkdir(os.path.join(place, "build"))
    os.symlink(build, os.path.join(place, "build", "release"))
    os.symlink("release/supple", os.path.join(place, "build", "supple"))


class Reader:
    """Somebody who types what the page says, and remembers the environment."""

    def __init__(self, place):
        self.place = place
        self.environment = {**os.environ, "HOME": os.path.join(place, "home")}
        os.mkdir(self.environment["HOME"])
        self.failures = 0
        self.skipped = []

    def fail(self, line, why):
        self.failures += 1
        print(f"FAILED {line}\n  {why}")

    def make(self, line):
        for target in shlex.split(line, comments=True)[1:]:
            done = subprocess.run(["make", "-n", "-C", ROOT, target], capture_output=True, text=True, check=False)
            if done.returncode:
                self.fail(line, done.stderr)

    def type(self, line):
        if line.startswith("make "):
            return self.make(line)
        began, spent = time.monotonic(), os.times()
        done = subprocess.run(["bash", "-e", "-c", f"{line}\nenv -0 > .environment"], cwd=self.place,
                              env=self.environment, capture_output=True, text=True, check=False)
        if done.returncode:
            if NO_PAGE in done.stderr:
                return self.skipped.append(line)
            return self.fail(line, f"exit {done.returncode}: {done.stdout}{done.stderr}")
        with open(os.path.join(self.place, ".environment"), encoding="utf-8") as file:
            self.environment = dict(pair.split("=", 1) for pair in file.read().split("\0") if "=" in pair)
        used = os.times()
        used = used.children_user + used.children_system - spent.children_user - spent.children_system
        print(f"ok {time.monotonic() - began:6.1f} s ({used:.1f} of the processor)  {line}")
        print("".join(f"     {said}\n" for said in done.stdout.splitlines()[-20:]), end="", flush=True)
        words = shlex.split(line, comments=True)
        for name in (words[k + 1] for k in range(len(words) - 1) if words[k] in ("-o", "--live")):
            path = os.path.join(self.place, name)
            if not os.path.exists(path) or not os.path.getsize(path):
                self.fail(line, f"{name} was not written")

    def save(self, name, text):
        if name is None:
            return self.fail(text.splitlines()[0], "no file is named before this block")
        if os.path.exists(os.path.join(ROOT, name)):
            with open(os.path.join(ROOT, name), encoding="utf-8") as file:
                if not file.read().endswith(text):
                    self.fail(name, "the page shows something else")
        else:
            with open(os.path.join(self.place, name), "w", encoding="utf-8") as file:
                file.write(text)


def main(build, page):
    with open(page, encoding="utf-8") as file:
        found = blocks(file.read())
    with tempfile.TemporaryDirectory() as place:
        clone(place, os.path.abspath(build))
        reader = Reader(place)
        for language, text, name in found:
            if language in COMMANDS:
                for line in text.splitlines():
                    reader.type(line)
            elif language in FILES:
                reader.save(name, text)
            else:
                reader.fail(f"```{language}", "what is this?")
    lines = sum(len(text.splitlines()) for language, text, _ in found if language in COMMANDS)
    print(f"{len(found)} blocks, {lines} lines of commands, {reader.failures} failed")
    for line in reader.skipped:
        print(f"skipped, no page in this build: {line}")
        told = os.environ.get("SUPPLE_SKIPPED")
        if told:
            with open(told, "a", encoding="utf-8") as file:
                print("run_readme.py:no_page", file=file)
    return 1 if reader.failures or lines < 10 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else os.path.join(ROOT, "README.md")))
