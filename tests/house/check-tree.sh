#!/bin/bash
# SPDX-License-Identifier: MIT
# Files of the tree: unique names, a licence line, no leftovers, no names of private places, sane
# size. check-tree.sh [ROOT]; without ROOT it also proves that it notices each of these.
set -uo pipefail
self=$(realpath "$0")
cd "${1:-$(dirname "$0")/../..}" || exit 1
git rev-parse --git-dir > /dev/null 2>&1 || { echo 'skipped: not a git checkout'; exit 77; }
bad=0
# report TITLE LINES: any line is a failure.
report() {
  if [ -n "$2" ]; then
    printf '%s:\n%s\n' "$1" "$2"
    bad=1
  fi
}
files() {
  git ls-files --cached --others --exclude-standard -- "$@" | while read -r file; do
    [ -f "$file" ] && echo "$file"
  done
}
# search PATTERN: lines of any file but .ci/run, which alone looks beside the tree.
search() { files | grep -vx '\.ci/run' | xargs grep -nIE -- "$1" /dev/null; }

# A technique has include/supple/T.h and include/supple/train/T.h on purpose; a page of docs and that
# of its measurements have one name.
report 'names that occur twice' "$(files | grep -vE '^(include/supple/train|docs/measurements)/' | sed 's|.*/||' |
  sort | uniq -d | grep -vxE 'CMakeLists\.txt|README\.md|package(-lock)?\.json|tsconfig\.json')"
report 'no SPDX line' "$(files '*.c' '*.h' '*.inl' '*.cu' '*.cpp' '*.sh' '*.py' '*.js' '*.mjs' '*.ts' .ci |
  while read -r file; do
    head -n 3 "$file" | grep -q 'SPDX-License-Identifier: MIT' || echo "$file"
  done)"
report 'over 800 lines' "$(files '*.c' '*.h' '*.inl' '*.cu' | xargs wc -l /dev/null |
  awk '$1 > 800 && $2 != "total"')"
# Brackets keep this file from finding itself.
report 'leftovers' "$(search '\b(TO[D]O|FIXM[E]|XX[X])\b')"
report 'private places' "$(search '/wor[k]/|\.\./share[d]|(SPE[C]|DESIG[N]|STYL[E]|PER[F]|LEARNIN[G])\.md')"
# Every page of docs that is mentioned is there, but for those of techniques that are still planned;
# that of technique T stands for all of them.
is_planned() {
  local name=${1#docs/techniques/}
  [ "$1" = docs/techniques/T.md ] || grep -qsE "^[|] .${name%.md}. .*[|] planned" README.md
}
report 'pages that are not there' "$(files | xargs grep -noIE 'docs/[A-Za-z0-9_/-]+[.]md' /dev/null |
  while IFS=: read -r file line page; do
    [ -f "$page" ] || is_planned "$page" || echo "$file:$line: $page"
  done)"
report 'hosts of registries' "$(search 'registr[y]\.|de[b]\.debian\.org|pypi\.or[g]|"resolve[d]":')"

if [ $bad = 0 ] && [ $# = 0 ]; then
  copy=$(mktemp -d)
  trap 'rm -rf "$copy"' EXIT
  git -C "$copy" init -q
  # plant NAME TEXT: a tree with this file must be refused.
  plant() {
    mkdir -p "$copy/$(dirname "$1")"
    printf '%b\n' "$2" > "$copy/$1"
    if "$self" "$copy" > /dev/null; then
      echo "not noticed: $2 in $1"
      bad=1
    fi
    rm "$copy/$1"
  }
  echo fine > "$copy/notes.txt"
  spdx='/* SPDX-License-Identifier: MIT */'
  "$self" "$copy" > /dev/null || { echo 'a tree in order is refused'; bad=1; }
  plant deeper/notes.txt fine
  plant file.c 'int x;'
  plant file.c "$spdx$(printf '\\n%.0s' {1..800})"
  plant file.c "$spdx /* TO""DO */"
  plant page.md "see SPE""C.md"
  plant page.md "in /wor""k/main"
  plant page.md "see LEARNIN""G.md"
  plant page.md "see docs/nowhere"".md"
  plant src/file.c "$spdx /* docs/nowhere"".md */"
  plant lock.json '"resolve''d": "x"'
fi
[ $bad = 0 ] && echo 'tree: in order'
exit $bad
