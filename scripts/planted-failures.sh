#!/bin/bash
# SPDX-License-Identifier: MIT
# Do the tests go red? In a copy of the tree plants a failing assertion, a leak, a data race and a
# crash that only fuzzing finds, one after the other, and runs the lane that must notice, through the
# same scripts/test.sh as always. And are skipped cases counted as skipped?
set -euo pipefail
cd "$(dirname "$0")/.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z --cached --others --exclude-standard | tar -c --null -T - | tar -x -C "$copy"
# The other areas, the page and node's packages have nothing to do with it.
for folder in tests/node web; do
  mkdir -p "$copy/$folder/node_modules"
  cp $folder/package-lock.json "$copy/$folder/node_modules/.fetched"
done
find "$copy/tests" -mindepth 2 -name CMakeLists.txt -delete
mkdir "$copy/tests/planted"
cat > "$copy/tests/planted/CMakeLists.txt" << 'END'
supple_test(planted THREADS SOURCES test_planted.c LIBS supple supple_io)
supple_fuzz(planted SOURCES fuzz_planted.c LIBS supple)
END
cat > "$copy/tests/planted/fuzz_planted.c" << 'END'
#include "planted.h"
#include "supple/base.h"
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
#ifdef PLANTED_CRASH
  if (bytes > 3 && data[0] == 'b' && data[1] == 'u' && data[2] == 'g') __builtin_trap();
#endif
  return sup_hash(data, bytes, 0) == 42;
}
END
cat > "$copy/tests/planted/test_planted.c" << 'END'
#include "planted.h"

#include "check.h"

#include <sched.h>

#include "supple/io/file.h"
#include "supple/io/pool.h"

/* Two tasks that wait for each other, so that two threads run them, without ordering the sums. */
static void add(void *context, uint32_t index) {
  int *started = (int *)context, *sum = started + 1;
  __atomic_fetch_add(started, 1, __ATOMIC_RELAXED);
  while (__atomic_load_n(started, __ATOMIC_RELAXED) < 2) sched_yield();
#ifdef PLANTED_RACE
  *(volatile int *)sum += (int)index;
#else
  __atomic_fetch_add(sum, (int)index, __ATOMIC_RELAXED);
#endif
}

static void planted(void **state) {
  (void)state;
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  assert_non_null(sup_arena_alloc(&arena, 10, 10));
#ifndef PLANTED_LEAK
  sup_arena_free(&arena);
#endif
  SupPool *pool = sup_pool_create(sup_heap_allocator(), 4);
  SupJobs jobs = sup_pool_jobs(pool);
  int counters[2] = {0, 0};
  jobs.run(jobs.user, 2, add, counters);
  sup_pool_destroy(pool);
#ifdef PLANTED_ASSERTION
  assert_int_equal(sup_range_count(10, 5), 3);
#endif
}

static void unlucky(void **state) {
  (void)state;
#if defined PLANTED_SKIP || defined PLANTED_ONLY_SKIP
  skip();
#endif
}

int main(void) {
#ifdef PLANTED_ONLY_SKIP
  const struct CMUnitTest tests[] = {cmocka_unit_test(unlucky)};
  (void)planted;
#else
  const struct CMUnitTest tests[] = {cmocka_unit_test(planted), cmocka_unit_test(unlucky)};
#endif
  return cmocka_run_group_tests(tests, NULL, NULL);
}
END

# lane PRESET [MACRO]: runs the lane with MACRO planted; its exit status, and what it said.
lane() {
  echo "${2:+#define $2}" > "$copy/tests/planted/planted.h"
  (cd "$copy" && scripts/test.sh "$1" > said.txt 2>&1)
}
for plant in 'release PLANTED_ASSERTION' 'asan-ubsan PLANTED_LEAK' 'tsan PLANTED_RACE' \
  'fuzz PLANTED_CRASH'; do
  read -r preset macro <<< "$plant"
  rm -rf "$copy/build"
  if ! lane "$preset"; then
    cat "$copy/said.txt"
    echo "planted: $preset is red before anything was planted"
    exit 1
  fi
  if lane "$preset" "$macro"; then
    echo "planted: $preset did not notice $macro"
    exit 1
  fi
  grep -E 'ERROR: (Leak|Address)Sanitizer|WARNING: ThreadSanitizer|deadly signal|!= 0x' \
    "$copy/said.txt" || true
  grep "FAILED: $preset/.*planted" "$copy/said.txt"
  echo "planted: $macro turned $preset red: $(tail -n 1 "$copy/said.txt")"
done

# One case of two, then all: skipped is not passed, and a run in which nothing passed has failed.
rm -rf "$copy/build"
lane release PLANTED_SKIP || { cat "$copy/said.txt"; exit 1; }
[ "$(tail -n 1 "$copy/said.txt")" = '1 passed, 0 failed, 1 skipped' ] || { cat "$copy/said.txt"; exit 1; }
if lane release PLANTED_ONLY_SKIP; then
  echo 'planted: a run in which everything was skipped is green'
  exit 1
fi
[ "$(tail -n 1 "$copy/said.txt")" = '0 passed, 0 failed, 1 skipped' ] || { cat "$copy/said.txt"; exit 1; }
echo 'planted: skipped cases are counted as skipped'
