#!/bin/sh
# SPDX-License-Identifier: MIT
# Is every C source laid out as .clang-format says? With --fix, lays them out.
set -eu
cd "$(dirname "$0")/.."
if [ "${1:-}" = --fix ]; then set -- -i; else set -- --dry-run --Werror; fi
git ls-files -z '*.c' '*.h' '*.cu' | xargs -0 clang-format --style=file "$@"
