/* SPDX-License-Identifier: MIT */
/* Welding: meshes are torn apart in known ways and must come back exactly. */
#include "supple/geom/weld.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "groups.h"
#include "shapes.h"
#include "supple/io/file.h"

static SupArena new_arena(void) {
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  return arena;
}

/* The definition, in quadratic time: sets of vertices connected by distances within tolerance. */
static uint32_t *weld_by_brute_force(SupArena *arena, const SupWeldDef *def) {
  uint32_t n = def->vertex_count;
  uint32_t *set = SUP_ALLOC(arena, uint32_t, n);
  for (uint32_t v = 0; v < n; v++) set[v] = v;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t a = 0; a < n; a++) {
      for (uint32_t b = a + 1; b < n; b++) {
        SupVec3 p = def->positions[a], q = def->positions[b];
        double x = (double)p.x - (double)q.x, y = (double)p.y - (double)q.y,
               z = (double)p.z - (double)q.z;
        double tolerance = (double)def->tolerance;
        if (set[a] == set[b] || x * x + y * y + z * z > tolerance * tolerance) continue;
        bool one_group = !def->groups || def->groups[a] == def->groups[b];
        if (!one_group && !(def->may_merge && def->may_merge(def->user, a, b))) continue;
        set[a] = set[b] = set[a] < set[b] ? set[a] : set[b];
        changed = true;
      }
    }
  }
  return set;
}

static void check_against_brute_force(const SupWeldDef *def) {
  SupArena arena = new_arena();
  SupWeld weld;
  assert_int_equal(sup_weld(&arena, def, &weld, NULL), SUP_OK);
  uint32_t *set = weld_by_brute_force(&arena, def);
  uint32_t count = 0;
  for (uint32_t v = 0; v < def->vertex_count; v++) {
    if (set[v] == v) {
      assert_int_equal(weld.representatives[count], v);
      assert_int_equal(weld.map[v], count++);
    }
    assert_int_equal(weld.map[v], weld.map[set[v]]);
  }
  assert_int_equal(weld.welded_count, count);
  sup_arena_free(&arena);
}

static bool same_parity(void *user, uint32_t a, uint32_t b) {
  (void)user;
  return (a + b) % 2 == 0;
}

/* Clouds of all densities, from a few pairs to everything connected, at several places and scales:
 * this crosses the borders of cells in every way. */
static void weld_equals_its_definition(void **state) {
  (void)state;
  SupRng rng = sup_rng(7, 1);
  static const double scales[4] = {1, 1e-6, 1e9, 1e30};
  for (unsigned round = 0; round < 120; round++) {
    SupVec3 positions[160];
    uint32_t groups[160];
    double scale = scales[round % 4], offset = round % 3 ? -0.5 : 3e3;
    for (unsigned v = 0; v < 160; v++) {
      float *p = &positions[v].x;
      for (int k = 0; k < 3; k++) p[k] = (float)(scale * (sup_rng_double(&rng) + offset));
      groups[v] = sup_rng_below(&rng, 3);
      /* Distances that are exactly the tolerance, and copies. */
      if (v && v % 7 == 0) positions[v] = positions[v - 1];
    }
    SupWeldDef def = {.vertex_count = 160, .positions = positions};
    def.tolerance = (float)(scale * 0.01 * (double)(1 + sup_rng_below(&rng, 25)));
    check_against_brute_force(&def);
    def.groups = groups;
    check_against_brute_force(&def);
    def.tolerance = 0;
    check_against_brute_force(&def);
  }
}

static void callback_joins_groups(void **state) {
  (void)state;
  SupRng rng = sup_rng(8, 1);
  for (unsigned round = 0; round < 40; round++) {
    SupVec3 positions[100];
    uint32_t groups[100];
    for (unsigned v = 0; v < 100; v++) {
      positions[v] =
          (SupVec3){sup_rng_float(&rng), sup_rng_float(&rng), round % 2 ? sup_rng_float(&rng) : 0};
      groups[v] = v; /* every vertex its own group: one vertex per node, so all pairs are asked */
    }
    SupWeldDef def = {.vertex_count = 100,
                      .positions = positions,
                      .tolerance = 0.02f + 0.08f * sup_rng_float(&rng),
                      .groups = groups,
                      .may_merge = same_parity};
    check_against_brute_force(&def);
  }
}

/* A lattice with spacing equal to the tolerance: distances of exactly the tolerance merge. */
static void tolerance_is_inclusive(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupMesh grid = shape_grid(&arena, 9, 9);
  SupWeld weld;
  SupWeldDef def = {.vertex_count = 100, .positions = grid.positions, .tolerance = 1};
  assert_int_equal(sup_weld(&arena, &def, &weld, NULL), SUP_OK);
  assert_int_equal(weld.welded_count, 1);
  assert_int_equal(weld.largest_set, 100);
  assert_true(fabs((double)weld.farthest - 9 * sqrt(2.0)) < 1e-5);
  def.tolerance = 0.999f;
  assert_int_equal(sup_weld(&arena, &def, &weld, NULL), SUP_OK);
  assert_int_equal(weld.welded_count, 100);
  assert_int_equal(weld.largest_set, 1);
  sup_arena_free(&arena);
}

/* Explode, jitter, shuffle: the vertices and triangles of before must come back. */
static void torn_mesh_comes_back(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupRng rng = sup_rng(9, 1);
  SupMesh meshes[3] = {shape_icosphere(&arena, 4), shape_torus(&arena, 60, 30, 2, 0.7),
                       shape_box_soup(&arena, 50, &rng)};
  for (unsigned m = 0; m < 3; m++) {
    SupMesh whole = meshes[m];
    const uint32_t *origins, *renamed;
    SupMesh torn = shape_explode(&arena, whole, &origins);
    torn = shape_jitter(&arena, torn, 1e-5, &rng);
    torn = shape_shuffle(&arena, torn, &rng, &renamed);
    SupWeldDef def = {
        .vertex_count = torn.vertex_count, .positions = torn.positions, .tolerance = 1e-4f};
    SupWeld weld;
    assert_int_equal(sup_weld(&arena, &def, &weld, NULL), SUP_OK);
    assert_int_equal(weld.welded_count, whole.vertex_count);
    uint32_t *back = SUP_ALLOC(&arena, uint32_t, whole.vertex_count);
    memset(back, 0xff, whole.vertex_count * sizeof *back);
    for (uint32_t v = 0; v < torn.vertex_count; v++) {
      uint32_t w = weld.map[renamed[v]];
      if (back[origins[v]] == SUP_NONE) back[origins[v]] = w;
      assert_int_equal(back[origins[v]], w);
    }
    SupCleanTriangles clean;
    assert_int_equal(
        sup_triangles_clean(&arena, torn.triangles, torn.triangle_count, weld.map, &clean, NULL),
        SUP_OK);
    assert_int_equal(clean.triangle_count, whole.triangle_count);
    assert_int_equal(clean.degenerate + clean.duplicate, 0);
  }
  sup_arena_free(&arena);
}

/* Everything at one place, or within the tolerance: must not take quadratic time. */
static void crowds_are_cheap(void **state) {
  (void)state;
  enum { COUNT = 100000 };
  SupArena arena = new_arena();
  SupVec3 *positions = SUP_ALLOC(&arena, SupVec3, COUNT);
  SupWeldDef def = {.vertex_count = COUNT, .positions = positions, .tolerance = 1};
  SupWeld weld;
  assert_int_equal(sup_weld(&arena, &def, &weld, NULL), SUP_OK);
  assert_int_equal(weld.welded_count, 1);
  SupRng rng = sup_rng(10, 1);
  for (uint32_t v = 0; v < COUNT; v++) {
    positions[v] = (SupVec3){sup_rng_float(&rng), sup_rng_float(&rng), sup_rng_float(&rng)};
  }
  assert_int_equal(sup_weld(&arena, &def, &weld, NULL), SUP_OK);
  assert_int_equal(weld.welded_count, 1);
  def.tolerance = 0.08f;
  assert_int_equal(sup_weld(&arena, &def, &weld, NULL), SUP_OK);
  assert_int_equal(weld.welded_count, 1);
  sup_arena_free(&arena);
}

static bool never(void *user, uint32_t a, uint32_t b) {
  ++*(uint32_t *)user;
  assert_true(a < b);
  return false;
}

static void refusals_are_counted(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupMesh box = shape_box(&arena);
  SupMesh two = shape_union(&arena, box, box, (SupVec3){0, 0, 0});
  uint32_t groups[16] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1};
  uint32_t asked = 0;
  SupWeldDef def = {.vertex_count = 16,
                    .positions = two.positions,
                    .tolerance = 0.1f,
                    .groups = groups,
                    .may_merge = never,
                    .user = &asked};
  SupWeld weld;
  assert_int_equal(sup_weld(&arena, &def, &weld, NULL), SUP_OK);
  assert_int_equal(weld.welded_count, 16);
  assert_int_equal(weld.refused, 8);
  assert_int_equal(asked, 8);
  sup_arena_free(&arena);
}

static void bad_triangles_go(void **state) {
  (void)state;
  SupArena arena = new_arena();
  const uint32_t triangles[24] = {0, 1, 2, 1, 2, 0, 2, 1, 0, 3, 3, 1,
                                  4, 5, 6, 6, 4, 5, 0, 1, 7, 5, 4, 6};
  const uint32_t map[8] = {0, 1, 2, 3, 4, 5, 6, 1};
  SupCleanTriangles clean;
  assert_int_equal(sup_triangles_clean(&arena, triangles, 8, NULL, &clean, NULL), SUP_OK);
  assert_int_equal(clean.triangle_count, 5);
  assert_int_equal(clean.degenerate, 1);
  assert_int_equal(clean.duplicate, 2);
  assert_int_equal(sup_triangles_clean(&arena, triangles, 8, map, &clean, NULL), SUP_OK);
  static const uint32_t kept[4] = {0, 2, 4, 7};
  assert_int_equal(clean.triangle_count, 4);
  assert_int_equal(clean.degenerate, 2);
  for (unsigned f = 0; f < 4; f++) {
    assert_int_equal(clean.sources[f], kept[f]);
    assert_memory_equal(clean.triangles + 3 * f, triangles + 3 * kept[f], 12);
  }
  sup_arena_free(&arena);
}

static void bad_input_is_refused(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupVec3 positions[3] = {{0, 0, 0}, {0, NAN, 0}, {1, 1, 1}};
  SupWeldDef def = {.vertex_count = 3, .positions = positions, .tolerance = 1};
  SupWeld weld = {.welded_count = 77};
  SupError error;
  assert_int_equal(sup_weld(&arena, &def, &weld, &error), SUP_ERROR_FORMAT);
  assert_non_null(strstr(error.text, "vertex 1"));
  positions[1].y = INFINITY;
  assert_int_equal(sup_weld(&arena, &def, &weld, &error), SUP_ERROR_FORMAT);
  positions[1].y = 3e38f;
  def.tolerance = -1;
  assert_int_equal(sup_weld(&arena, &def, &weld, &error), SUP_ERROR_ARGUMENT);
  def.tolerance = NAN;
  assert_int_equal(sup_weld(&arena, &def, &weld, &error), SUP_ERROR_ARGUMENT);
  assert_int_equal(weld.welded_count, 77);
  def.tolerance = 0;
  def.vertex_count = 0;
  assert_int_equal(sup_weld(&arena, &def, &weld, &error), SUP_OK);
  assert_int_equal(weld.welded_count, 0);
  sup_arena_free(&arena);
}

static void failing_memory_is_told(void **state) {
  (void)state;
  SupArena shapes = new_arena();
  SupMesh mesh = shape_explode(&shapes, shape_icosphere(&shapes, 5), NULL);
  SupWeldDef def = {
      .vertex_count = mesh.vertex_count, .positions = mesh.positions, .tolerance = 1e-5f};
  size_t k = 1;
  for (SupResult result = SUP_ERROR_MEMORY; result != SUP_OK; k++) {
    CountingHeap heap = {.fail_at = k};
    SupArena arena;
    sup_arena_init(&arena, counting_allocator(&heap), 0);
    SupWeld weld = {.welded_count = 77};
    SupCleanTriangles clean = {.triangle_count = 77};
    SupError error = {"?"};
    result = sup_weld(&arena, &def, &weld, &error);
    if (result == SUP_OK) {
      result = sup_triangles_clean(&arena, mesh.triangles, mesh.triangle_count, weld.map, &clean,
                                   &error);
    } else {
      assert_int_equal(weld.welded_count, 77);
    }
    if (result != SUP_OK) {
      assert_int_equal(result, SUP_ERROR_MEMORY);
      assert_int_equal(clean.triangle_count, 77);
      assert_non_null(strstr(error.text, "memory"));
    }
    sup_arena_free(&arena);
    assert_int_equal(heap.live_blocks, 0);
  }
  assert_true(k > 4);
  sup_arena_free(&shapes);
}

int run_weld_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(weld_equals_its_definition), cmocka_unit_test(callback_joins_groups),
      cmocka_unit_test(tolerance_is_inclusive),     cmocka_unit_test(torn_mesh_comes_back),
      cmocka_unit_test(crowds_are_cheap),           cmocka_unit_test(refusals_are_counted),
      cmocka_unit_test(bad_triangles_go),           cmocka_unit_test(bad_input_is_refused),
      cmocka_unit_test(failing_memory_is_told),
  };
  return cmocka_run_group_tests_name("weld", tests, NULL, NULL);
}
