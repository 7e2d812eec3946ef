#!/bin/bash
# SPDX-License-Identifier: MIT
# The linter has nothing to say about our shell scripts.
set -euo pipefail
cd "$(dirname "$0")/../.."
command -v shellcheck > /dev/null || { echo 'skipped: no shellcheck'; exit 77; }
mapfile -t scripts < <(find scripts tests cli web blender .ci -name node_modules -prune -o \
  \( -name '*.sh' -o -path .ci/run \) -print)
shellcheck "${scripts[@]}"
echo "scripts: ${#scripts[@]} are clean"
