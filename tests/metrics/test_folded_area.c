/* SPDX-License-Identifier: MIT */
/* Folded skin: folds of known angle and area, turned and bent as a whole, flattened. */
#include <math.h>

#include "check.h"
#include "shapes.h"
#include "supple/author/metrics.h"
#include "supple/io/file.h"
#include "supple/io/pool.h"

enum { NX = 12, NY = 6, COUNT = (NX + 1) * (NY + 1) };

static const double pi = 3.14159265358979323846;

/* The sheet folded upwards by `degrees` along x = column, `times` columns in a row. */
static void fold(const SupMesh *sheet, double column, int times, double degrees, SupVec3 *out) {
  for (uint32_t v = 0; v < COUNT; v++) {
    double x = 0, z = 0, at = 0, angle = 0;
    for (int k = 0; k < times; k++) {
      const double next = fmin(column + k, (double)sheet->positions[v].x);
      x += (next - at) * cos(angle), z += (next - at) * sin(angle);
      at = next;
      angle += degrees * pi / 180;
    }
    const double left = (double)sheet->positions[v].x - at;
    if (left > 0) x += left * cos(angle), z += left * sin(angle);
    out[v] = (SupVec3){(float)x, sheet->positions[v].y, (float)z};
  }
}

static SupFoldedAreaReport folded_area(const SupMesh *body, const SupVec3 *a, const SupVec3 *b,
                                       uint32_t frames, const SupJobs *jobs, float *out_frames) {
  SupArena arena;
  SupError error;
  SupFoldedAreaReport report;
  const SupFoldedAreaDef def = {body, frames, a, b, jobs};
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  assert_int_equal(sup_folded_area(&arena, &def, &report, out_frames, &error), SUP_OK);
  sup_arena_free(&arena);
  return report;
}

static SupMesh make_sheet(SupArena *arena) {
  sup_arena_init(arena, sup_heap_allocator(), 0);
  return shape_grid(arena, NX, NY);
}

/* Every crease has NY edges, each with a third of two halves of a square. */
static const double crease = 1.0 / (3 * NX);

static void folds_count_by_angle_and_area(void **state) {
  static const struct {
    double shown, wanted;
    int creases;
  } cases[] = {{29, 0, 0},  {31, 0, 1},  {-31, 0, 1},  {170, 0, 1},  {0, 31, 0},   {0, 170, 0},
               {60, 31, 0}, {62, 31, 1}, {25, -20, 1}, {-25, 20, 1}, {20, -25, 0}, {175, -170, 0}};
  SupArena arena;
  const SupMesh sheet = make_sheet(&arena);
  SupVec3 a[COUNT], b[COUNT];
  (void)state;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    fold(&sheet, 5, 1, cases[c].shown, a);
    fold(&sheet, 5, 1, cases[c].wanted, b);
    const SupFoldedAreaReport report = folded_area(&sheet, a, b, 1, NULL, NULL);
    if (fabs((double)report.worst - cases[c].creases * crease) > 1e-6) {
      fail_msg("%g instead of %g degrees: %g folded", cases[c].shown, cases[c].wanted,
               (double)report.worst);
    }
    if (!cases[c].creases) {
      assert_int_equal(report.worst_vertex, SUP_NONE);
    } else {
      assert_true(fabsf(sheet.positions[report.worst_vertex].x - 5) < 1e-6f);
    }
  }
  sup_arena_free(&arena);
}

/* A wide bend in small angles is another pose, and not folded; nor is a turn as a whole. */
static void bending_is_not_folding(void **state) {
  SupArena arena;
  const SupMesh sheet = make_sheet(&arena);
  SupVec3 a[COUNT];
  (void)state;
  fold(&sheet, 2, 8, 20, a);
  assert_true(folded_area(&sheet, a, sheet.positions, 1, NULL, NULL).worst == 0);
  fold(&sheet, 5, 1, 80, a);
  SupVec3 turned[COUNT];
  for (uint32_t v = 0; v < COUNT; v++) turned[v] = (SupVec3){a[v].z, a[v].x + 3, a[v].y};
  assert_true(folded_area(&sheet, turned, a, 1, NULL, NULL).worst == 0);
  sup_arena_free(&arena);
}

static void flattened_triangles_are_folded(void **state) {
  SupArena arena;
  const SupMesh sheet = make_sheet(&arena);
  SupVec3 point[COUNT] = {{0}};
  (void)state;
  assert_true(folded_area(&sheet, point, sheet.positions, 1, NULL, NULL).worst > 0.8f);
  assert_true(folded_area(&sheet, sheet.positions, point, 1, NULL, NULL).worst == 0);
  sup_arena_free(&arena);
}

/* Squeezed to nothing, or nearly: as flat. */
static void squeezed_triangles_are_folded(void **state) {
  SupArena arena;
  const SupMesh sheet = make_sheet(&arena);
  SupVec3 a[COUNT];
  (void)state;
  for (uint32_t v = 0; v < COUNT; v++) {
    const SupVec3 p = sheet.positions[v];
    a[v] = (SupVec3){1e-7f * p.x, p.y, p.z};
  }
  assert_true(folded_area(&sheet, a, sheet.positions, 1, NULL, NULL).worst > 0.8f);
  sup_arena_free(&arena);
}

/* A column of squares whose right side has vertices in the middle (T-junctions), closed by slivers
 * of no area: two triangles a square and a sliver beside each. */
static SupMesh slivered(SupArena *arena) {
  enum { ROWS = 8 };
  SupVec3 *positions = SUP_ALLOC(arena, SupVec3, 4 * ROWS + 3);
  uint32_t *triangles = SUP_ALLOC(arena, uint32_t, 3 * 6 * ROWS), n = 0;
  for (uint32_t y = 0; y <= ROWS; y++) {
    for (uint32_t x = 0; x < 3; x++) positions[3 * y + x] = (SupVec3){(float)x, (float)y, 0};
  }
  for (uint32_t y = 0; y < ROWS; y++) {
    const uint32_t v = 3 * y, m = 3 * ROWS + 3 + y;
    positions[m] = (SupVec3){1, (float)y + 0.5f, 0};
    const uint32_t rows[] = {v,     v + 1, v + 4, v,     v + 4, v + 3, v + 1, m,     v + 4,
                             v + 1, v + 2, m,     v + 2, v + 5, m,     v + 5, v + 4, m};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) triangles[n++] = rows[k];
  }
  return (SupMesh){.vertex_count = 4 * ROWS + 3,
                   .triangle_count = n / 3,
                   .positions = positions,
                   .triangles = triangles};
}

/* Rounding turns a triangle without area anywhere; that is no fold. A real fold beside it is. */
static void slivers_do_not_fold(void **state) {
  SupArena arena;
  SupRng rng = sup_rng(5, 0);
  SupVec3 a[64], b[64];
  (void)state;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  const SupMesh body = slivered(&arena);
  for (uint32_t v = 0; v < body.vertex_count; v++) {
    const SupVec3 p = body.positions[v];
    const SupVec3d q = {0.8 * p.x - 0.6 * p.y + 0.3, 0.36 * p.x + 0.48 * p.y + 0.7,
                        0.48 * p.x + 0.64 * p.y};
    b[v] = sup_vec3d_to_float(q);
  }
  assert_true(folded_area(&body, b, body.positions, 1, NULL, NULL).worst == 0);
  assert_true(folded_area(&body, body.positions, b, 1, NULL, NULL).worst == 0);
  for (uint32_t v = 0; v < body.vertex_count; v++) {
    a[v] = b[v];
    a[v].z += 1e-6f * ((float)sup_rng_double(&rng) - 0.5f);
  }
  assert_true(folded_area(&body, a, b, 1, NULL, NULL).worst == 0);
  a[13].z += 5; /* in the middle of the column */
  assert_true(folded_area(&body, a, b, 1, NULL, NULL).worst > 0);
  sup_arena_free(&arena);
}

/* Frame by frame; the worst is named, and threads change nothing. */
static void the_worst_frame_is_named(void **state) {
  enum { FRAMES = 5 };
  static const double angles[FRAMES] = {0, 40, 10, 0, 40};
  static const int creases[FRAMES] = {0, 1, 0, 0, 2};
  static SupVec3 a[FRAMES * COUNT], b[FRAMES * COUNT];
  float fractions[FRAMES];
  SupArena arena;
  const SupMesh sheet = make_sheet(&arena);
  (void)state;
  for (int i = 0; i < FRAMES; i++) {
    fold(&sheet, 3, i == 4 ? 2 : 1, angles[i], a + (size_t)i * COUNT);
    sup_copy(b + (size_t)i * COUNT, sheet.positions, COUNT * sizeof *b);
  }
  const SupFoldedAreaReport alone = folded_area(&sheet, a, b, FRAMES, NULL, fractions);
  for (int i = 0; i < FRAMES; i++)
    assert_true(fabs((double)fractions[i] - creases[i] * crease) < 1e-6);
  assert_int_equal(alone.worst_frame, 4);
  assert_true(fabs((double)alone.mean - 3 * crease / FRAMES) < 1e-6);
  SupPool *pool = sup_pool_create(sup_heap_allocator(), 3);
  const SupJobs jobs = sup_pool_jobs(pool);
  const SupFoldedAreaReport many = folded_area(&sheet, a, b, FRAMES, &jobs, NULL);
  sup_pool_destroy(pool);
  assert_memory_equal(&alone, &many, sizeof alone);
  sup_arena_free(&arena);
}

static void bad_requests_are_refused(void **state) {
  SupArena arena, sheets;
  SupError error;
  SupFoldedAreaReport report;
  CountingHeap heap = {0};
  const SupMesh sheet = make_sheet(&sheets);
  SupFoldedAreaDef def = {&sheet, 0, sheet.positions, sheet.positions, NULL};
  (void)state;
  sup_arena_init(&arena, counting_allocator(&heap), 0);
  assert_int_equal(sup_folded_area(&arena, &def, &report, NULL, &error), SUP_ERROR_FORMAT);
  def.frame_count = 1;
  for (size_t k = 1;; k++) {
    heap = (CountingHeap){.fail_at = k};
    const SupResult result = sup_folded_area(&arena, &def, &report, NULL, &error);
    assert_int_equal(heap.live_blocks, 0);
    if (result == SUP_OK) break;
    assert_int_equal(result, SUP_ERROR_MEMORY);
    assert_true(k < 40);
  }
  sup_arena_free(&sheets);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(folds_count_by_angle_and_area),
      cmocka_unit_test(bending_is_not_folding),
      cmocka_unit_test(flattened_triangles_are_folded),
      cmocka_unit_test(squeezed_triangles_are_folded),
      cmocka_unit_test(slivers_do_not_fold),
      cmocka_unit_test(the_worst_frame_is_named),
      cmocka_unit_test(bad_requests_are_refused),
  };
  return cmocka_run_group_tests_name("folded_area", tests, NULL, NULL);
}
