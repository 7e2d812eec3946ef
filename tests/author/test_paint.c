/* SPDX-License-Identifier: MIT */
/* Painting maps by rule: where, what, curves, mirrors. */
#include "check.h"

#include <math.h>

#include "supple/author/paint.h"
#include "supple/io/file.h"
#include "surface/tube.h"

static SupArena arena;
static SupError error;
static SupCharacter tube;
static float *weights, *values;
static uint32_t n;

static int begin(void **state) {
  (void)state;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  tube_make(&arena, 24, 41, NULL, &tube); /* axis y from 0 to 2, radius 0.4 */
  n = tube.body.vertex_count;
  weights = SUP_ALLOC(&arena, float, n);
  values = SUP_ALLOC(&arena, float, n);
  sup_select_all(n, weights);
  return 0;
}

static int end(void **state) {
  (void)state;
  sup_arena_free(&arena);
  return 0;
}

static void good(SupResult result) {
  if (result != SUP_OK) fail_msg("%s", error.text);
}

static void selections_multiply(void **state) {
  (void)state;
  const SupVec3 centre = {0.4f, 1, 0};
  const SupVec3 *p = tube.body.positions;
  sup_select_sphere(p, n, centre, 0.5f, weights);
  sup_select_height(p, n, 0, 1, weights);
  for (uint32_t v = 0; v < n; v++) {
    const float ball = fmaxf(0, 1 - sup_vec3_distance(p[v], centre) / 0.5f);
    const float height = (p[v].y + 0.1f) / 2.2f; /* the caps stand out by 0.1 */
    assert_true(fabsf(weights[v] - ball * height) < 1e-5f);
  }
  sup_select_invert(n, weights);
  sup_select_soften(n, weights);
  for (uint32_t v = 0; v < n; v++) {
    if (sup_vec3_distance(p[v], centre) > 0.5f) assert_true(weights[v] == 1);
    assert_true(weights[v] >= 0 && weights[v] <= 1);
  }
}

static void heights_may_run_downwards_and_be_steps(void **state) {
  (void)state;
  sup_select_height(tube.body.positions, n, 0.75f, 0.25f, weights);
  for (uint32_t v = 0; v < n; v++) {
    const float y = (tube.body.positions[v].y + 0.1f) / 2.2f;
    assert_true(fabsf(weights[v] - fminf(1, fmaxf(0, (0.75f - y) / 0.5f))) < 1e-5f);
  }
  sup_select_all(n, weights);
  sup_select_height(tube.body.positions, n, 0.5f, 0.5f, weights);
  for (uint32_t v = 0; v < n; v++) assert_true(weights[v] == 0 || weights[v] == 1);
}

static void bones_are_as_strong_as_their_weights(void **state) {
  (void)state;
  const bool marked[2] = {false, true};
  sup_select_joints(&tube, marked, weights);
  for (uint32_t v = 0; v < n; v++) {
    float fraction = 0;
    for (uint32_t k = tube.skin.offsets[v]; k < tube.skin.offsets[v + 1]; k++) {
      if (tube.skin.bones[k] == 1) fraction += tube.skin.weights[k];
    }
    assert_true(weights[v] == fraction);
  }
}

/* On a tube the way around is an arc, not a chord. */
static void geodesic_distance_goes_along_the_skin(void **state) {
  (void)state;
  const SupVec3 centre = {0.42f, 1, 0};
  good(sup_select_geodesic(&arena, &tube.body, centre, 1.5f, weights, &error));
  for (uint32_t v = 0; v < n; v++) {
    const SupVec3 p = tube.body.positions[v];
    if (p.y < 0.01f || p.y > 1.99f) continue;
    const float arc = 0.4f * fabsf(atan2f(p.z, p.x)), up = p.y - 1;
    const float distance = sqrtf(arc * arc + up * up);
    assert_true(fabsf(weights[v] - fmaxf(0, 1 - distance / 1.5f)) < 0.02f);
  }
}

static void brushes_do_what_they_say(void **state) {
  (void)state;
  for (uint32_t v = 0; v < n; v++) weights[v] = v % 2 ? 1 : 0.5f, values[v] = 2;
  sup_paint_set(weights, 6, n, values);
  assert_true(values[0] == 4 && values[1] == 6);
  sup_paint_add(weights, 2, n, values);
  assert_true(values[0] == 5 && values[1] == 8);
  sup_paint_scale(weights, 0.5f, n, values);
  assert_true(values[0] == 3.75f && values[1] == 4);
}

static void curves_go_through_their_points_and_never_beyond(void **state) {
  (void)state;
  static const float x[5] = {0, 0.2f, 0.5f, 0.6f, 1}, y[5] = {1, 0.2f, 0.2f, 0.9f, 0.4f};
  const SupCurve curve = {5, x, y};
  for (int k = 0; k < 5; k++) assert_true(fabsf(sup_curve_at(&curve, x[k]) - y[k]) < 1e-6f);
  assert_true(sup_curve_at(&curve, -1) == 1 && sup_curve_at(&curve, 2) == 0.4f);
  for (int k = 0; k < 4; k++) {
    float last = y[k];
    for (int i = 0; i <= 100; i++) {
      const float now = sup_curve_at(&curve, x[k] + (x[k + 1] - x[k]) * (float)i / 100);
      assert_true(now >= fminf(y[k], y[k + 1]) - 1e-6f && now <= fmaxf(y[k], y[k + 1]) + 1e-6f);
      if (y[k] < y[k + 1]) assert_true(now >= last - 1e-6f);
      last = now;
    }
  }
  sup_select_height(tube.body.positions, n, 0, 1, weights);
  sup_paint_curve(weights, &curve, true, n, values);
  for (uint32_t v = 0; v < n; v++) assert_true(values[v] == sup_curve_at(&curve, weights[v]));
}

static void smoothing_flattens_within_its_place(void **state) {
  (void)state;
  for (uint32_t v = 0; v < n; v++) values[v] = v % 3 == 0;
  sup_select_height(tube.body.positions, n, 0.5f, 0.5f, weights);
  good(sup_paint_smooth(&arena, &tube.body, weights, 30, values, &error));
  for (uint32_t v = 0; v < n; v++) {
    const float y = tube.body.positions[v].y;
    if (y < 0.99f) assert_true(values[v] == (v % 3 == 0));
    if (y > 1.3f && y < 1.9f) assert_true(values[v] > 0.2f && values[v] < 0.47f);
  }
}

static void one_side_is_copied_to_the_other(void **state) {
  (void)state;
  const SupVec3 *p = tube.body.positions;
  uint32_t lost;
  for (uint32_t v = 0; v < n; v++) values[v] = p[v].x > 0 ? p[v].x + p[v].y : -7;
  good(sup_paint_mirror(&arena, &tube.body, 0, false, weights, values, &lost, &error));
  assert_int_equal(lost, 0);
  for (uint32_t v = 0; v < n; v++) {
    if (p[v].x < -0.01f || p[v].x > 0.01f) {
      assert_true(fabsf(values[v] - (fabsf(p[v].x) + p[v].y)) < 0.01f);
    }
  }
  for (uint32_t v = 0; v < n; v++) values[v] = p[v].y; /* nothing lies across y = 0 */
  good(sup_paint_mirror(&arena, &tube.body, 1, true, weights, values, &lost, &error));
  assert_true(lost > n / 2);
  for (uint32_t v = 0; v < n; v++) {
    if (p[v].y > 0.2f) assert_true(values[v] == p[v].y);
  }
}

static void memory_may_run_out(void **state) {
  (void)state;
  bool done = false;
  for (size_t k = 1; !done; k++) {
    CountingHeap heap = {.fail_at = k};
    SupArena small;
    sup_arena_init(&small, counting_allocator(&heap), 0);
    uint32_t lost;
    const SupVec3 centre = {0, 1, 0};
    SupResult result = sup_select_geodesic(&small, &tube.body, centre, 1, weights, &error);
    if (!result) result = sup_paint_smooth(&small, &tube.body, weights, 1, values, &error);
    if (!result) {
      result = sup_paint_mirror(&small, &tube.body, 0, false, weights, values, &lost, &error);
    }
    assert_true(result == SUP_OK || result == SUP_ERROR_MEMORY);
    done = result == SUP_OK;
    sup_arena_free(&small);
    assert_int_equal(heap.live_blocks, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(selections_multiply, begin, end),
      cmocka_unit_test_setup_teardown(heights_may_run_downwards_and_be_steps, begin, end),
      cmocka_unit_test_setup_teardown(bones_are_as_strong_as_their_weights, begin, end),
      cmocka_unit_test_setup_teardown(geodesic_distance_goes_along_the_skin, begin, end),
      cmocka_unit_test_setup_teardown(brushes_do_what_they_say, begin, end),
      cmocka_unit_test_setup_teardown(curves_go_through_their_points_and_never_beyond, begin, end),
      cmocka_unit_test_setup_teardown(smoothing_flattens_within_its_place, begin, end),
      cmocka_unit_test_setup_teardown(one_side_is_copied_to_the_other, begin, end),
      cmocka_unit_test_setup_teardown(memory_may_run_out, begin, end),
  };
  return cmocka_run_group_tests_name("paint", tests, NULL, NULL);
}
