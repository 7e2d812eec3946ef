# SPDX-License-Identifier: MIT
"""What is learned is the same whichever kernels OpenBLAS takes: check_everywhere.py DUMP"""
import os
import subprocess
import sys

import numpy as np

# Of SSE3, SSE4.2, AVX and AVX2; those with more than this processor has would not run.
KERNELS = ["Prescott", "Nehalem"]
with open("/proc/cpuinfo", encoding="utf-8") as file:
    has = file.read().split()
KERNELS += [name for name, flag in (("Sandybridge", "avx"), ("Haswell", "avx2"), ("Zen", "avx2"), ("SkylakeX", "avx512vl")) if flag in has]


def learned(kernels):
    done = subprocess.run([sys.argv[1]], env=dict(os.environ, OPENBLAS_CORETYPE=kernels), capture_output=True, text=True, check=True)
    return np.array([line.split() for line in done.stdout.splitlines()], float)


first = learned(KERNELS[0])
assert first.shape == (2, 12) and (first[:, 4] < first[:, 3]).all(), first
for kernels in KERNELS[1:]:
    apart = np.abs(learned(kernels) / first - 1).max()
    assert apart < 1e-5, (kernels, KERNELS[0], apart)
    print(f"{kernels} and {KERNELS[0]}: {apart:.1e} apart")
