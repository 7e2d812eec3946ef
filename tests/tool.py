# SPDX-License-Identifier: MIT
"""For tests of the command line: the tool, named by the first argument, and what it reads and writes."""
import json
import os
import struct
import subprocess
import sys

import numpy as np

SUPPLE = os.path.abspath(sys.argv[1])


def run(*words, good=True):
    done = subprocess.run([SUPPLE, *words], capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == good, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def frames(path):
    """A point cache as [frame, vertex, 3]."""
    with open(path, "rb") as file:
        head = file.read(32)
        points, count = np.frombuffer(head[16:20], "<i4")[0], np.frombuffer(head[28:32], "<i4")[0]
        return np.frombuffer(file.read(12 * count * points), "<f4").reshape(count, points, 3).astype(float)


def read_glb(path):
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20:20 + size]), data[20 + size + 8:]


def document(path):
    return read_glb(path)[0]


def rms(a, b):
    return np.sqrt(((a - b) ** 2).sum(2).mean())
