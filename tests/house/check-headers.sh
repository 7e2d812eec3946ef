#!/bin/bash
# SPDX-License-Identifier: MIT
# Every public header alone, twice in one file, as C17 and as C++17, with both compilers.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
flags='-fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Iinclude'
bad=0 count=0
while read -r header; do
  source=$(printf '#include "%s"\n#include "%s"\n' "${header#include/}" "${header#include/}")
  for compiler in 'gcc -x c -std=c17' 'clang -x c -std=c17' \
    'g++ -x c++ -std=c++17' 'clang++ -x c++ -std=c++17'; do
    # shellcheck disable=SC2086  # words
    if ! $compiler $flags - <<< "$source"; then
      echo "$header does not stand alone: $compiler"
      bad=1
    fi
  done
  count=$((count + 1))
done < <(find include -name '*.h' | sort)
echo "$count headers"
[ $count -gt 0 ] && exit $bad
