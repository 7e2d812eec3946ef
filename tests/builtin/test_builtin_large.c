/* SPDX-License-Identifier: MIT */
/* The largest built-in characters: a hundred thousand, a million and sixteen million vertices. */
#include "surface_check.h"

#include <stdio.h>

#include "supple/io/pool.h"

/* Bytes in use now and at most. */
typedef struct Gauge {
  SupAllocator heap;
  size_t used, peak;
} Gauge;

static void *gauge_allocate(void *user, size_t bytes) {
  Gauge *gauge = user;
  gauge->used += bytes;
  if (gauge->used > gauge->peak) gauge->peak = gauge->used;
  return gauge->heap.allocate(gauge->heap.user, bytes);
}

static void gauge_release(void *user, void *block, size_t bytes) {
  Gauge *gauge = user;
  gauge->used -= bytes;
  gauge->heap.release(gauge->heap.user, block, bytes);
}

static void check_large(const char *name, uint32_t vertices) {
  Gauge gauge = {sup_heap_allocator(), 0, 0};
  SupArena arena;
  sup_arena_init(&arena, (SupAllocator){gauge_allocate, gauge_release, &gauge}, 0);
  SupPool *pool = sup_pool_create(sup_heap_allocator(), 2);
  SupJobs jobs = sup_pool_jobs(pool);
  SupBuiltinDef def = {name, vertices, &jobs};
  SupCharacter c;
  SupError error = {""};
  if (sup_builtin_character(&arena, &def, &c, &error) != SUP_OK) fail_msg("%s", error.text);
  size_t peak = gauge.peak;
  SurfaceFacts facts = surface_facts(&arena, &c);
  double off = 100.0 * ((double)c.body.vertex_count - vertices) / vertices;
  printf("%s: %u vertices (%+.3f %%), quality low %.3f mean %.3f, facing %.3f, peak %.2f GB\n",
         name, c.body.vertex_count, off, facts.quality_low, facts.quality_mean, facts.facing_low,
         1e-9 * (double)peak);
  assert_true(fabs(off) <= 1);
  assert_true(facts.closed);
  assert_int_equal(facts.euler, 2);
  assert_int_equal(facts.component_count, 1);
  assert_true(facts.quality_low >= 0.3);
  assert_true(facts.facing_low > 0.9);
  assert_true(peak < 100000000 + 450 * (size_t)vertices); /* what the header promises */
  sup_pool_destroy(pool);
  sup_arena_free(&arena);
}

static void test_up_to_a_million(void **state) {
  (void)state;
  check_large("mochi", 100000);
  check_large("mochi", 1000000);
  check_large("sheet", 1000000);
}

static void test_sixteen_million(void **state) {
  (void)state;
  check_large("mochi", SUP_BUILTIN_VERTICES_MAX);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_up_to_a_million),
      cmocka_unit_test(test_sixteen_million),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
