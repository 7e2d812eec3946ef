#!/bin/bash
# SPDX-License-Identifier: MIT
# Supple as a folder of somebody else's project, with that project's flags.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
cmake -S "$here/stranger" -B "$build" -G Ninja -DSUPPLE_SOURCE="$(cd "$here/../.." && pwd)" > /dev/null
cmake --build "$build"
"$build/stranger"

# The stranger's -ffast-math must not reach the library.
ninja -C "$build" -t commands supple/src/libsupple.a > "$build/commands"
compile=$(sed -n 's/ -MD.*//; /-ffast-math/p' "$build/commands" | awk 'NR == 1')
[ -n "$compile" ]
if (cd "$build" && $compile -E -dM -x c /dev/null) | grep __FAST_MATH__; then
  echo 'the host project turned fast-math on in libsupple'
  exit 1
fi
echo 'subproject: builds, runs, and keeps its own arithmetic'
