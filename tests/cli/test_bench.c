/* SPDX-License-Identifier: MIT */
/* The bench frame: percentiles, ratios of work whose ratio is known, hashes that must agree. Time
 * is the test's own: the linker leads clock_gettime to a clock that only work moves. */
#include "check.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "supple/io/file.h"

static void percentiles_are_interpolated(void **state) {
  (void)state;
  double eleven[] = {10, 0, 9, 1, 8, 2, 7, 3, 6, 4, 5};
  BenchSpread spread = bench_spread(eleven, 11);
  assert_true(spread.median == 5 && spread.p10 == 1 && spread.p90 == 9);
  double two[] = {3, 1};
  spread = bench_spread(two, 2);
  assert_true(spread.median == 2);
  double one[] = {7};
  spread = bench_spread(one, 1);
  assert_true(spread.median == 7 && spread.p10 == 7 && spread.p90 == 7);
}

static uint64_t clock_now; /* nanoseconds */

int __wrap_clock_gettime(clockid_t clock, struct timespec *out_time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out_time) {
  (void)clock;
  out_time->tv_sec = (time_t)(clock_now / 1000000000);
  out_time->tv_nsec = (long)(clock_now % 1000000000);
  return 0;
}

/* Work that takes `steps` nanoseconds. */
typedef struct Work {
  uint32_t steps;
  uint64_t value;
  uint64_t runs;
  uint64_t prepared;
} Work;

static void work_run(void *context) {
  Work *work = context;
  work->runs++;
  clock_now += work->steps;
  work->value = work->steps % 2; /* 1000 and 4000 steps: the same "result" */
}

static void work_prepare(void *context) { ((Work *)context)->prepared++; }

static uint64_t work_hash(const void *context) { return ((const Work *)context)->value; }

typedef struct Rows {
  BenchRow rows[8];
  uint32_t count;
} Rows;

static void keep_row(void *user, const BenchRow *row) {
  Rows *rows = user;
  rows->rows[rows->count++] = *row;
}

static Bench make_bench(SupArena *arena, Rows *rows) {
  return (Bench){.arena = arena,
                 .thread_count = 1,
                 .sample_count = 11,
                 .sample_seconds = 2e-4,
                 .row = keep_row,
                 .user = rows,
                 .suite = "test"};
}

static void a_known_ratio_is_found(void **state) {
  (void)state;
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  Work slow = {.steps = 4000}, fast = {.steps = 1000};
  BenchVariant variants[] = {
      {"naive", work_run, work_prepare, work_hash, &slow, false, true},
      {"fast", work_run, NULL, work_hash, &fast, false, true},
  };
  BenchCase job = {"work", "run", 2, 2, variants};
  Rows rows = {.count = 0};
  Bench bench = make_bench(&arena, &rows);
  SupError error;
  assert_int_equal(bench_measure(&bench, &job, &error), SUP_OK);
  assert_int_equal(rows.count, 2);
  const BenchRow *naive = &rows.rows[0], *quick = &rows.rows[1];
  assert_true(naive->ratio.median == 1 && naive->ratio.p10 == 1 && naive->ratio.p90 == 1);
  /* Two items a run. The clock is read as seconds in doubles. */
  assert_true(fabs(quick->ratio.median - 4) < 1e-6);
  assert_true(fabs(quick->ratio.p10 - 4) < 1e-6 && fabs(quick->ratio.p90 - 4) < 1e-6);
  assert_true(fabs(naive->nanoseconds.median - 2000) < 1e-3);
  assert_true(fabs(quick->nanoseconds.median - 500) < 1e-3);
  /* A sample lasts 0.2 ms: 50 runs of 4 us, 200 of 1 us, and not many more. */
  assert_true(slow.runs >= 11 * 50 && slow.runs < 2 * 11 * 50);
  assert_true(fast.runs >= 11 * 200 && fast.runs < 2 * 11 * 200);
  assert_int_equal(naive->hash, quick->hash);
  assert_string_equal(quick->variant, "fast");
  assert_int_equal(quick->sample_count, 11);
  assert_true(slow.prepared >= 12 && slow.runs >= slow.prepared);
  sup_arena_free(&arena);
}

static void different_bits_fail(void **state) {
  (void)state;
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  Work even = {.steps = 10}, odd = {.steps = 11}, odd_again = {.steps = 11};
  BenchVariant variants[] = {
      {"free", work_run, NULL, work_hash, &even, false, false},
      {"first", work_run, NULL, work_hash, &odd, false, true},
      {"second", work_run, NULL, work_hash, &odd_again, false, true},
  };
  BenchCase job = {"work", "run", 1, 3, variants};
  Rows rows = {.count = 0};
  Bench bench = make_bench(&arena, &rows);
  bench.sample_count = 1;
  SupError error;
  assert_int_equal(bench_measure(&bench, &job, &error), SUP_OK);
  odd_again.steps = 12;
  assert_int_equal(bench_measure(&bench, &job, &error), SUP_ERROR_NUMERIC);
  assert_non_null(strstr(error.text, "first"));
  assert_non_null(strstr(error.text, "second"));
  assert_int_equal(rows.count, 3);
  sup_arena_free(&arena);
}

static void suites_have_names_of_their_own(void **state) {
  (void)state;
  for (size_t a = 0; bench_suites[a]; a++) {
    assert_true(bench_suites[a]->name[0] && bench_suites[a]->summary[0]);
    for (size_t b = 0; b < a; b++) {
      assert_string_not_equal(bench_suites[a]->name, bench_suites[b]->name);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(percentiles_are_interpolated),
      cmocka_unit_test(a_known_ratio_is_found),
      cmocka_unit_test(different_bits_fail),
      cmocka_unit_test(suites_have_names_of_their_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
