#!/bin/sh
# SPDX-License-Identifier: MIT
# Fetches the node packages of folders when their lock file has changed since the last time:
# node-packages.sh FOLDER... (web, tests/node). Without a network what needs them is left out: the
# page of `supple view`, some tests.
set -eu
cd "$(dirname "$0")/.."
for folder in "$@"; do
  stamp=$folder/node_modules/.fetched
  cmp -s "$folder/package-lock.json" "$stamp" && continue
  echo "supple: fetching the node packages of $folder"
  if (cd "$folder" && npm ci --silent --no-audit --no-fund --ignore-scripts); then
    cp "$folder/package-lock.json" "$stamp"
  else
    echo "supple: npm could not fetch the packages of $folder: what needs them is left out" >&2
  fi
done
