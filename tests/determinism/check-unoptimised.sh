#!/bin/bash
# SPDX-License-Identifier: MIT
# The table of hashes from builds without optimisation, by each compiler that is here.
# usage: check-unoptimised.sh FOLDER_FOR_BUILDS
set -euo pipefail
cd "$(dirname "$0")/../.."
for compiler in gcc clang; do
  command -v "$compiler" > /dev/null || { echo "no $compiler here"; exit 1; }
  build=$1/unoptimised-$compiler
  cmake -S . -B "$build" -G Ninja -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Debug \
    -DSUPPLE_IO=OFF -DSUPPLE_TRAIN=OFF -DSUPPLE_TOOL=OFF -DSUPPLE_INSTALL=OFF -DSUPPLE_TESTS=ON \
    -DSUPPLE_CHECKS=OFF > /dev/null
  cmake --build "$build" --target hash_table > /dev/null
  echo "$compiler -O0"
  "$build/tests/determinism/hash_table" tests/determinism/golden.txt
done
