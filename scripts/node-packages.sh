#!/bin/sh
# SPDX-License-Identifier: MIT
# Fetches the packages of tests/node when the lock file has changed since the last time. Without a
# network the tests that need them are skipped (scripts/node-test.sh).
set -eu
cd "$(dirname "$0")/../tests/node"
stamp=node_modules/.fetched
cmp -s package-lock.json "$stamp" && exit 0
if npm ci --silent --no-audit --no-fund --ignore-scripts; then
  cp package-lock.json "$stamp"
else
  echo 'supple: npm could not fetch tests/node: the tests that need it will be skipped' >&2
fi
