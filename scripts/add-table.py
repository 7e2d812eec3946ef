#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of docs/measurements/add.md, but for what one sees: `supple add` on every character of a folder, without an option.

add-table.py SUPPLE FOLDER [--only NAME,...] [--jobs N]
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def row(supple, path, work):
    """One run alone in its process, so that time and memory are its own."""
    report = work / f"{path.stem}.json"
    with open(work / f"{path.stem}.txt", "w") as said:
        child = subprocess.Popen([supple, "add", path, "-o", work / f"{path.stem}.glb", "--threads", "1", "--json", report],
                                 stdout=said, stderr=said)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        said = (work / f"{path.stem}.txt").read_text().strip() or f"exit status {child.returncode}"
        return f"| {path.stem} | failed: {said.splitlines()[-1]} |"
    r = json.loads(report.read_text())["result"]
    percent = [100 * r[key] / r["size"] for key in ("moved_rms", "moved_most", "export_rms", "export_worst")]
    return (f"| {path.stem} | {len(r['played'])} ({r['loops']}) | {100 * r['soft_area']:.0f} % | {percent[0]:.2f}, {percent[1]:.1f} % "
            f"| {percent[2]:.2f}, {percent[3]:.1f} % | {usage.ru_utime + usage.ru_stime:.0f} s | {usage.ru_maxrss / 1024:.0f} MB |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("supple")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    words = parser.parse_args()
    only = [name for name in words.only.split(",") if name]
    files = [path for path in sorted(words.folder.glob("*.glb")) if not only or path.stem in only]
    print("| character | clips (loops) | soft | moves | export error | time | memory |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(words.jobs) as pool:
        for line in pool.map(lambda path: row(words.supple, path, pathlib.Path(work)), files):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
