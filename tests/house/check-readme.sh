#!/bin/bash
# SPDX-License-Identifier: MIT
# The README's C is the example's, and the example runs: check-readme.sh PLAY_CLIP SUPPLE
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck disable=SC2016  # backquotes of Markdown
diff <(sed -n '/^```c$/,/^```$/p' README.md | sed '1d; $d') \
  <(sed -n '/\/\* --- \*\//,/\/\* --- \*\//p' examples/play_clip.c | sed '1d; $d; s/^  //')
# Links in the main pages lead somewhere.
for page in README.md CONTRIBUTING.md ROADMAP.md docs/*.md docs/*/*.md; do
  sed 's/](/\n](/g' "$page" | sed -nE 's/^\]\(([^)#:]+)\).*/\1/p' | while read -r link; do
    [ -e "$(dirname "$page")/$link" ] || { echo "$page: no $link"; exit 1; }
  done
done
if "$1" /nonexistent.glb 2> /dev/null; then
  echo 'the example does not notice a missing file'
  exit 1
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$2" make toy --vertices 500 --quiet -o "$folder/toy.glb"
"$1" "$folder/toy.glb"
character=${SUPPLE_TEST_DATA:-/nonexistent}/fox.glb
if [ -f "$character" ]; then
  "$1" "$character"
else
  echo 'check-readme.sh:no_fox' >> "${SUPPLE_SKIPPED:-/dev/stdout}"
fi
