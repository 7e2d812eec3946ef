# SPDX-License-Identifier: MIT
"""What test programs write for an oracle: lines `NAME COUNT`, each followed by COUNT doubles."""
import numpy as np


def records(path):
    with open(path, "rb") as file:
        while line := file.readline():
            name, count = line.split()
            yield name.decode(), np.frombuffer(file.read(8 * int(count)), dtype=float)


def read(path):
    return dict(records(path))
