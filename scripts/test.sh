#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds and tests every lane of a tier: test.sh test | test-all | slice.
#
# A lane is a preset of CMakePresets.json: configure, build, ctest. What needs no build of its own
# (layout of the sources, layers, install, the bare Debian, ...) is a test of the release lane.
# `test` leaves out the tests labelled long; `test-all` runs them and adds lanes; `slice`, after
# `test`, runs those long ones that the commit's hash puts first, as many as fit into 7 minutes.
# The last line is "N passed, N failed, N skipped" over all lanes; a lane that does not build is one
# failure.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

tier=${1:-test}
jobs=${JOBS:-$(nproc)}
out=build/test-results
[ "$tier" = slice ] || rm -rf "$out" # a slice adds to what `test` found
mkdir -p "$out"
results=$out/all.txt # lines "status seconds lane/test"
: >> "$results"

# No detect_stack_use_after_return: its frames are not aligned enough for 64-byte vectors with gcc 12.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1}

# build_lane PRESET: false when it does not build, or when there is nothing to test in it.
build_lane() {
  local log=$out/$1.log
  if ! cmake --preset "$1" -DSUPPLE_TESTS=ON > "$log" 2>&1; then
    :
  elif ctest --test-dir "build/$1" -N | grep -q '^Total Tests: 0$'; then
    echo "   no tests in it"
    return 1
  elif cmake --build "build/$1" -j "$jobs" >> "$log" 2>&1; then
    return 0
  fi
  tail -n 40 "$log"
  echo "failed 0 $1/build" >> "$results"
  return 1
}

# run_ctest PRESET [ctest options...]: runs and records.
run_ctest() {
  local preset=$1 report=$PWD/$out/$1.xml
  shift
  rm -f "$report"
  ctest --test-dir "build/$preset" -j "$jobs" --output-on-failure --progress \
    --output-junit "$report" "$@" > "$out/$preset.ctest" 2>&1
  if [ ! -f "$report" ]; then
    cat "$out/$preset.ctest"
    echo "failed 0 $preset/ctest" >> "$results"
    return
  fi
  grep -q 'status="fail"' "$report" && sed '/^\[/d; /% tests passed/,$d' "$out/$preset.ctest"
  sed -n 's/.*<testcase name="\([^"]*\)".* time="\([^"]*\)" status="\([^"]*\)".*/\3 \2 \1/p' \
    "$report" | sed "s|^run|passed|; s|^fail|failed|; s|^notrun|skipped|; s| \([^ ]*\)$| $preset/\1|" \
    >> "$results"
}

lane() {
  local preset=$1 start=$SECONDS
  shift
  echo "== $preset"
  build_lane "$preset" || return
  local built=$SECONDS
  run_ctest "$preset" "$@"
  echo "   built in $((built - start)) s, tested in $((SECONDS - built)) s"
}

# What `slice` chooses from, as lines "preset name limit" in the order the commit's hash gives: the long
# tests, and whole lanes that only `test-all` has (name "lane").
candidates() {
  local commit preset
  commit=$(git rev-parse HEAD 2> /dev/null)
  {
    for preset in release asan-ubsan fuzz; do
      ctest --test-dir "build/$preset" -L long --show-only=json-v1 |
        python3 scripts/long-tests.py "$preset"
    done
    echo 'debug lane 300'
    command -v aarch64-linux-gnu-gcc qemu-aarch64 > /dev/null && echo 'aarch64 lane 300'
  } | while read -r preset name limit; do
    echo "$(sha256sum <<< "$commit $preset $name") $preset $name $limit"
  done | sort | cut -d ' ' -f 4-
}

slice() {
  local deadline=$((SECONDS + 420)) preset name limit
  while read -r preset name limit; do
    if ((SECONDS + limit > deadline)); then
      continue
    elif [ "$name" = lane ]; then
      lane "$preset" -LE long
    else
      echo "== $preset, long: $name"
      run_ctest "$preset" -R "^$name\$"
    fi
  done < <(candidates)
}

count() { grep -c "^$1 " "$results"; }

summary() {
  echo "== slowest"
  sort -k 2,2 -rn "$results" | head -n 10 | awk '{ printf "   %8.1f s  %s\n", $2, $3 }'
  grep '^skipped' "$results" | awk '{ print "   skipped: " $3 }'
  grep '^failed' "$results" | awk '{ print "   FAILED: " $3 }'
  echo "   all in $SECONDS s"
  echo "$(count passed) passed, $(count failed) failed, $(count skipped) skipped"
  [ "$(count failed)" = 0 ] && [ "$(count passed)" != 0 ]
}

scripts/node-packages.sh
case $tier in
  test)
    for preset in release clang asan-ubsan tsan wasm fuzz; do lane "$preset" -LE long; done
    ;;
  slice) slice ;;
  test-all)
    for preset in release clang asan-ubsan tsan wasm fuzz debug aarch64; do lane "$preset"; done
    ;;
  *)
    # Not a tier: the lanes that are named.
    for preset in "$@"; do lane "$preset" -LE long; done
    ;;
esac
summary
