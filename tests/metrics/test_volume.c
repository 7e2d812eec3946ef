/* SPDX-License-Identifier: MIT */
/* Volume deviation: balls that swell by known amounts, pieces apart, open skins, far away. */
#include <math.h>

#include "check.h"
#include "shapes.h"
#include "supple/author/metrics.h"
#include "supple/io/file.h"
#include "supple/io/pool.h"

enum { FRAMES = 7 };

/* Two closed balls and an open sheet in one mesh; the parts' vertices lie one after another. */
typedef struct Body {
  SupArena arena;
  SupMesh mesh;
  uint32_t ball; /* vertices of each ball */
  SupVec3 *frames;
} Body;

static void append(Body *b, SupMesh part, float size, float x, SupVec3 *positions,
                   uint32_t *triangles) {
  for (uint32_t v = 0; v < part.vertex_count; v++) {
    const SupVec3 p = sup_vec3_scale(part.positions[v], size);
    positions[b->mesh.vertex_count + v] = (SupVec3){p.x + x, p.y, p.z};
  }
  for (uint32_t k = 0; k < 3 * part.triangle_count; k++) {
    triangles[3 * (size_t)b->mesh.triangle_count + k] = b->mesh.vertex_count + part.triangles[k];
  }
  b->mesh.vertex_count += part.vertex_count;
  b->mesh.triangle_count += part.triangle_count;
}

/* Balls of radius 1 and 0.5 (an eighth of the volume). */
static void make_body(Body *b, bool sheet) {
  *b = (Body){0};
  sup_arena_init(&b->arena, sup_heap_allocator(), 0);
  const SupMesh ball = shape_icosphere(&b->arena, 2), grid = shape_grid(&b->arena, 3, 3);
  SupVec3 *positions = SUP_ALLOC(&b->arena, SupVec3, 2 * ball.vertex_count + grid.vertex_count);
  uint32_t *triangles =
      SUP_ALLOC(&b->arena, uint32_t, 3 * (2 * (size_t)ball.triangle_count + grid.triangle_count));
  assert_true(positions && triangles);
  append(b, ball, 1, 0, positions, triangles);
  append(b, ball, 0.5f, 3, positions, triangles);
  if (sheet) append(b, grid, 1, 6, positions, triangles);
  b->mesh.positions = positions;
  b->mesh.triangles = triangles;
  b->ball = ball.vertex_count;
  b->frames = SUP_ALLOC(&b->arena, SupVec3, FRAMES * (size_t)b->mesh.vertex_count);
  assert_non_null(b->frames);
}

/* Frame i: the balls' lengths times these, everything turned and moved far away. */
static void pose(Body *b, uint32_t i, double first, double second, double away) {
  const uint32_t n = b->mesh.vertex_count;
  for (uint32_t v = 0; v < n; v++) {
    const bool small = v >= b->ball && v < 2 * b->ball;
    const double x = small ? 3 : 0, s = v < b->ball ? first : small ? second : 1;
    const SupVec3 p = b->mesh.positions[v];
    const double q[3] = {x + s * ((double)p.x - x), s * (double)p.y, s * (double)p.z};
    b->frames[(size_t)i * n + v] = (SupVec3){(float)(0.6 * q[0] - 0.8 * q[1] + away),
                                             (float)(0.8 * q[0] + 0.6 * q[1] - away), (float)q[2]};
  }
}

static SupVolumeReport measure(const Body *b, const SupJobs *jobs, float *frames) {
  SupArena arena;
  SupError error;
  SupVolumeReport report;
  const SupVolumeDef def = {&b->mesh, FRAMES, b->frames, jobs};
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  assert_int_equal(sup_volume_deviation(&arena, &def, &report, frames, &error), SUP_OK);
  sup_arena_free(&arena);
  return report;
}

static void near(double actual, double expected, double tolerance) {
  if (!(fabs(actual - expected) <= tolerance)) fail_msg("%g is not %g", actual, expected);
}

static double cube(double x) { return x * x * x; }

static void planted_deviations_are_found(void **state) {
  static const double sizes[FRAMES][2] = {{1, 1},      {1.05, 1},   {0.9, 1},    {1, 1.2},
                                          {1.02, 0.7}, {0.97, 1.1}, {1.01, 1.01}};
  Body b;
  float found[FRAMES];
  double squares = 0, peak = 0;
  (void)state;
  make_body(&b, true);
  for (uint32_t i = 0; i < FRAMES; i++) pose(&b, i, sizes[i][0], sizes[i][1], 0);
  const SupVolumeReport report = measure(&b, NULL, found);
  for (uint32_t i = 0; i < FRAMES; i++) {
    /* the small ball has an eighth of the large one's volume: 1 of 9 parts */
    const double d = (8 * fabs(cube(sizes[i][0]) - 1) + fabs(cube(sizes[i][1]) - 1)) / 9;
    near((double)found[i], d, 1e-5);
    squares += d * d;
    peak = fmax(peak, d);
  }
  near((double)report.peak, peak, 1e-5);
  near((double)report.rms, sqrt(squares / FRAMES), 1e-5);
  assert_int_equal(report.peak_frame, 2);
  assert_int_equal(report.piece_count, 3);
  assert_int_equal(report.closed_count, 2);               /* the sheet is left out */
  assert_true(report.rest > 4.1f && report.rest < 4.72f); /* a polyhedron in 4/3 pi 9/8 */
  sup_arena_free(&b.arena);
}

/* Rigid motion changes nothing, a kilometre away either. */
static void rigid_motion_keeps_the_volume(void **state) {
  Body b;
  (void)state;
  make_body(&b, false);
  for (uint32_t i = 0; i < FRAMES; i++) pose(&b, i, 1, 1, 1000.0 * i / FRAMES);
  near((double)measure(&b, NULL, NULL).peak, 0, 1e-4);
  sup_arena_free(&b.arena);
}

static void an_open_skin_encloses_nothing(void **state) {
  Body b;
  (void)state;
  make_body(&b, false);
  for (uint32_t i = 0; i < FRAMES; i++) pose(&b, i, 2, 2, 0);
  b.mesh.triangle_count--; /* a hole in the second ball */
  SupVolumeReport report = measure(&b, NULL, NULL);
  assert_int_equal(report.piece_count, 2);
  assert_int_equal(report.closed_count, 1);
  near((double)report.peak, 7, 1e-4);
  b.mesh.triangles++; /* shifted by one: other triangles, no surface */
  b.mesh.triangle_count = 1;
  report = measure(&b, NULL, NULL);
  assert_int_equal(report.closed_count, 0);
  assert_true(report.rest == 0 && report.peak == 0 && report.rms == 0);
  sup_arena_free(&b.arena);
}

static void threads_do_not_change_a_bit(void **state) {
  Body b;
  (void)state;
  make_body(&b, true);
  for (uint32_t i = 0; i < FRAMES; i++) pose(&b, i, 1 + 0.01 * i, 1 - 0.02 * i, 3);
  const SupVolumeReport alone = measure(&b, NULL, NULL);
  SupPool *pool = sup_pool_create(sup_heap_allocator(), 3);
  const SupJobs jobs = sup_pool_jobs(pool);
  const SupVolumeReport many = measure(&b, &jobs, NULL);
  sup_pool_destroy(pool);
  assert_memory_equal(&alone, &many, sizeof alone);
  sup_arena_free(&b.arena);
}

static void bad_requests_are_refused(void **state) {
  Body b;
  SupArena arena;
  SupError error;
  SupVolumeReport report;
  CountingHeap heap = {0};
  (void)state;
  make_body(&b, true);
  SupVolumeDef def = {&b.mesh, 0, b.frames, NULL};
  sup_arena_init(&arena, counting_allocator(&heap), 0);
  assert_int_equal(sup_volume_deviation(&arena, &def, &report, NULL, &error), SUP_ERROR_FORMAT);
  def.frame_count = FRAMES;
  for (size_t k = 1;; k++) {
    heap = (CountingHeap){.fail_at = k};
    const SupResult result = sup_volume_deviation(&arena, &def, &report, NULL, &error);
    assert_int_equal(heap.live_blocks, 0);
    if (result == SUP_OK) break;
    assert_int_equal(result, SUP_ERROR_MEMORY);
    assert_true(k < 40);
  }
  sup_arena_free(&b.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planted_deviations_are_found),
      cmocka_unit_test(rigid_motion_keeps_the_volume),
      cmocka_unit_test(an_open_skin_encloses_nothing),
      cmocka_unit_test(threads_do_not_change_a_bit),
      cmocka_unit_test(bad_requests_are_refused),
  };
  return cmocka_run_group_tests_name("volume_deviation", tests, NULL, NULL);
}
