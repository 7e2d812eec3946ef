#!/bin/bash
# SPDX-License-Identifier: MIT
# Builds and tests every lane of a tier: test.sh test | test-all | slice.
#
# A lane is a preset of CMakePresets.json: configure, build, ctest. What needs no build of its own
# (layout of the sources, layers, install, the bare Debian, ...) is a test of the release lane.
# `test` leaves out the tests labelled long; `test-all` runs them and adds lanes; `slice`, after
# `test`, runs some of what only `test-all` has, for SLICE_SECONDS (1500) in all: first `make demo` on
# a bare Debian, then in the order that the commit's hash gives whatever still fits by what it is
# known to take (COST in tests/CMakeLists.txt). What is not done by then is cut short and skipped.
# In `test` the lanes behind the first run a third of the tests with TURNS; the commit's hash says which.
# The last line is "N passed, N failed, N skipped" over all lanes; a lane that does not build is one
# failure, and a case that was skipped within a test that passed is one skipped (tests/check.h).
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

# OpenBLAS takes other kernels on every kind of processor. What is learned does not hang on their last bits
# (learned_everywhere), but the tests of one commit use the same ones wherever there is AVX2.
if [ -z "${OPENBLAS_CORETYPE:-}" ] && grep -qsw avx2 /proc/cpuinfo; then
  export OPENBLAS_CORETYPE=Haswell
fi

# Tests run side by side, one thread each, numpy's as well.
export OPENBLAS_NUM_THREADS=${OPENBLAS_NUM_THREADS:-1}

deadline= # in $SECONDS; empty: none
always=house_bare_demo # of the slice
only=                  # the one test that runs, if it is one

# bounded COMMAND...: runs it until the deadline at most; 124 when it was cut short.
bounded() {
  if [ -z "$deadline" ]; then
    "$@"
  elif ((SECONDS < deadline)); then
    timeout --kill-after=10 $((deadline - SECONDS)) "$@"
  else
    return 124
  fi
}

is_late() { [ -n "$deadline" ] && ((SECONDS >= deadline)); }

# build_lane PRESET: false when it does not build, or when there is nothing to test in it.
build_lane() {
  local log=$out/$1.log
  if ! bounded cmake --preset "$1" -DSUPPLE_TESTS=ON > "$log" 2>&1; then
    :
  elif ctest --test-dir "build/$1" -N | grep -q '^Total Tests: 0$'; then
    echo "   no tests in it"
    return 1
  elif bounded cmake --build "build/$1" -j "$jobs" >> "$log" 2>&1; then
    return 0
  fi
  if is_late; then
    echo "skipped 0 $1/build-out-of-time" >> "$results"
    return 1
  fi
  tail -n 40 "$log"
  echo "failed 0 $1/build" >> "$results"
  return 1
}

# record_part PRESET: what a ctest that was cut short had finished.
record_part() {
  sed -nE 's/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: ([^ ]+) \.*[ *]*([A-Za-z]+).* ([0-9.]+) sec.*/\2 \3 \1/p' \
    "$out/$1.ctest" | sed "s|^Passed|passed|; s|^Skipped|skipped|; s|^[A-Z][a-z]*|failed|
      s| \([^ ]*\)$| $1/\1|" >> "$results"
  echo "skipped 0 $1/${only:-rest}-out-of-time" >> "$results"
}

# run_ctest PRESET [ctest options...]: runs and records.
run_ctest() {
  local preset=$1
  record_ctest "$@"
  [ ! -f "$SUPPLE_SKIPPED" ] || sed "s|^|skipped 0 $preset/|" "$SUPPLE_SKIPPED" >> "$results"
}

record_ctest() {
  local preset=$1 report=$PWD/$out/$1.xml
  shift
  export SUPPLE_SKIPPED=$PWD/$out/$preset.skipped # cases that a test left out, one per line
  rm -f "$report" "$SUPPLE_SKIPPED"
  bounded ctest --test-dir "build/$preset" -j "$jobs" --output-on-failure --output-junit "$report" "$@" > \
    "$out/$preset.ctest" 2>&1
  if [ ! -f "$report" ] && is_late; then
    record_part "$preset"
    return
  elif [ ! -f "$report" ]; then
    cat "$out/$preset.ctest"
    echo "failed 0 $preset/ctest" >> "$results"
    return
  fi
  grep -q 'status="fail"' "$report" && sed -E \
    '/^ +Start +[0-9]+:/d; / Passed +[0-9.]+ sec/d; /% tests passed/,$d' "$out/$preset.ctest"
  sed -n 's/.*<testcase name="\([^"]*\)".* time="\([^"]*\)" status="\([^"]*\)".*/\3 \2 \1/p' \
    "$report" | sed "s|^run|passed|; s|^fail|failed|; s|^notrun|skipped|; s| \([^ ]*\)$| $preset/\1|" \
    >> "$results"
}

commit=$(git rev-parse HEAD 2> /dev/null)

# not_in_turn PRESET: an expression for the tests with TURNS that this commit leaves out of the lane.
not_in_turn() {
  local name hash out=
  while read -r name; do
    hash=$(sha256sum <<< "$commit $name")
    ((0x${hash:0:8} % 3 == 0)) || out="$out|$name"
  done < <(ctest --test-dir "build/$1" -L '^turns$' -N | sed -n 's/^ *Test *#[0-9]*: //p')
  echo "^(${out#|})\$"
}

lane() {
  local preset=$1 start=$SECONDS
  shift
  echo "== $preset"
  build_lane "$preset" || return
  local built=$SECONDS
  if [ "$tier" = test ]; then
    set -- "$@" -E "$(not_in_turn "$preset")"
  fi
  run_ctest "$preset" "$@"
  echo "   built in $((built - start)) s, tested in $((SECONDS - built)) s"
}

# What `slice` chooses from, as lines "preset name seconds" in the order the commit's hash gives: the
# long tests, and whole lanes that only `test-all` has (name "lane").
candidates() {
  local preset
  {
    for preset in release asan-ubsan fuzz; do
      [ -d "build/$preset" ] || continue
      ctest --test-dir "build/$preset" -L long --show-only=json-v1 |
        python3 scripts/long-tests.py "$preset"
    done
    echo 'debug lane 700'
    command -v aarch64-linux-gnu-gcc qemu-aarch64 > /dev/null && echo 'aarch64 lane 240'
  } | while read -r preset name seconds; do
    [ "$name" = "$always" ] || echo "$(sha256sum <<< "$commit $preset $name") $preset $name $seconds"
  done | sort | cut -d ' ' -f 4-
}

long_test() {
  local start=$SECONDS only=$2
  echo "== $1, long: $2"
  run_ctest "$1" -R "^$2\$"
  echo "   $((SECONDS - start)) s"
}

slice() {
  local preset name seconds left too_long=
  deadline=$((SECONDS + ${SLICE_SECONDS:-1500}))
  long_test release "$always"
  left=$((deadline - SECONDS))
  while read -r preset name seconds; do
    if ((seconds > left)); then
      too_long="$too_long $preset/$name"
    elif ((SECONDS + seconds > deadline)); then
      continue
    elif [ "$name" = lane ]; then
      lane "$preset" -LE long
    else
      long_test "$preset" "$name"
    fi
  done < <(candidates)
  [ -z "$too_long" ] || echo "== too long for a slice like this:$too_long"
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

scripts/node-packages.sh web tests/node
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
