#!/bin/sh
# SPDX-License-Identifier: MIT
# Does libsupple_cuda build where a CUDA compiler is, with libsupple alone and none of the offline
# libraries? Where there is a GPU too, its batches are compared with the processor's.
#
# usage: check-cuda.sh FOLDER     builds there
set -eu
cd "$(dirname "$0")/../.."
PATH="$PATH:/usr/local/cuda/bin"
command -v nvcc > /dev/null || { echo 'skipped: there is no CUDA compiler (nvcc)'; exit 77; }
cmake -S . -B "$1" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CUDA_ARCHITECTURES=90 \
  -DSUPPLE_CUDA=ON -DSUPPLE_IO=OFF -DSUPPLE_TRAIN=OFF -DSUPPLE_TOOL=OFF -DSUPPLE_INSTALL=OFF > /dev/null
cmake --build "$1" --target batch_check bench_batches > "$1/log" || { tail -20 "$1/log"; exit 1; }
status=0
"$1/tests/gpu/batch_check" cuda || status=$?
[ "$status" = 77 ] || exit "$status"
echo 'libsupple_cuda builds; there is no GPU to run it on'
"$1/tests/gpu/batch_check" cpu 60
