#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a script of tests/node; exit 77 (skipped) where its packages are not there.
set -eu
if [ ! -f "$(dirname "$0")/../tests/node/node_modules/.fetched" ]; then
  echo 'skipped: the packages of tests/node are not there (scripts/node-packages.sh fetches them)'
  exit 77
fi
exec node "$@"
