#!/bin/bash
# SPDX-License-Identifier: MIT
# Links of the main pages lead somewhere, and the examples run: check-readme.sh PLAY_CLIP LIVE SUPPLE
# (run_readme.py does what the README says.)
set -euo pipefail
cd "$(dirname "$0")/../.."
for page in README.md CONTRIBUTING.md ROADMAP.md docs/*.md docs/*/*.md; do
  sed 's/](/\n](/g' "$page" | sed -nE 's/^\]\(([^)#:]+)\).*/\1/p' | while read -r link; do
    [ -e "$(dirname "$page")/$link" ] || { echo "$page: no $link"; exit 1; }
  done
done
# A link to a heading of the README, (#some-words), has that heading.
grep -o '(#[^)]*)' README.md | tr -d '(#)' | while read -r heading; do
  grep '^#' README.md | tr '[:upper:] ' '[:lower:]-' | grep -qx -- "#*-$heading" || { echo "no heading $heading"; exit 1; }
done
for example in "$1" "$2"; do
  if "$example" /nonexistent.glb 2> /dev/null; then
    echo "$example does not notice a missing file"
    exit 1
  fi
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$3" make toy --vertices 500 --quiet -o "$folder/toy.glb"
"$1" "$folder/toy.glb"
if "$2" "$folder/toy.glb" 2> /dev/null; then
  echo 'live does not notice that there are no models'
  exit 1
fi
"$3" build surface "$folder/toy.glb" --quiet -o "$folder/live.glb"
"$2" "$folder/live.glb"
character=${SUPPLE_TEST_DATA:-/nonexistent}/fox.glb
if [ -f "$character" ]; then
  "$1" "$character"
else
  echo 'check-readme.sh:no_fox' >> "${SUPPLE_SKIPPED:-/dev/stdout}"
fi
