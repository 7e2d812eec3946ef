#!/bin/bash
# SPDX-License-Identifier: MIT
# What the libraries in a build folder export and need: check-symbols.sh FOLDER
set -uo pipefail
cd "$1" || exit 1
bad=0
fail() {
  echo "$1:"
  echo "$2"
  bad=1
}

for library in libsupple*.a; do
  foreign=$(nm -g --defined-only "$library" | awk 'NF == 3 && $3 !~ /^sup_/ { print $3 }')
  [ -z "$foreign" ] || fail "$library exports names without sup_" "$foreign"
done

# Freestanding: nothing from outside but what a compiler expects of every environment.
for libraries in libsupple.a 'libsupple.a libsupple_author.a'; do
  # shellcheck disable=SC2086  # words
  needed=$(comm -23 <(nm -u $libraries | awk 'NF == 2 { print $2 }' | sort -u) \
    <(nm -g --defined-only $libraries | awk 'NF == 3 { print $3 }' | sort -u) |
    grep -vxE 'memcpy|memmove|memset|memcmp|_GLOBAL_OFFSET_TABLE_')
  [ -z "$needed" ] || fail "$libraries needs from outside" "$needed"
done

# No globals: nothing that can be written, except tables of pointers that the loader fills.
for library in libsupple.a libsupple_author.a; do
  writable=$(objdump -h "$library" | awk '/file format/ { object = $1 }
    $2 ~ /^\.(data|bss|tdata|tbss)/ && $2 !~ /^\.data\.rel\.ro/ && $3 !~ /^0+$/ { print object $2 }')
  [ -z "$writable" ] || fail "$library has globals" "$writable"
done
[ $bad = 0 ] && echo "symbols: $(echo libsupple*.a) are in order"
exit $bad
