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

# The stranger's -ffast-math must not reach the library: 1e30 + 1 - 1e30 may not be reassociated.
commands=$(cd "$build" && ninja -t commands supple/src/libsupple.a | grep -m 1 memory.c)
# shellcheck disable=SC2001
commands=$(sed 's/ -o .*//; s/ -MD.*//; s/ -M[TF] [^ ]*//g' <<< "$commands")
if (cd "$build" && $commands -E -dM -x c /dev/null) | grep -q __FAST_MATH__; then
  echo 'the host project turned fast-math on in libsupple'
  exit 1
fi
echo 'subproject: builds, runs, and keeps its own arithmetic'
