#!/bin/sh
# SPDX-License-Identifier: MIT
# Is every C source laid out as .clang-format says? With --fix, lays them out.
set -eu
cd "$(dirname "$0")/.."
git rev-parse --git-dir > /dev/null 2>&1 || { echo 'skipped: not a git checkout'; exit 77; }
if [ "${1:-}" = --fix ]; then set -- -i; else set -- --dry-run --Werror; fi
git ls-files -z '*.c' '*.h' '*.inl' '*.cu' | xargs -0 clang-format --style=file "$@"
