/* SPDX-License-Identifier: MIT */
/* Winding numbers: known ones, counted crossings of rays, and the fast way against the exact. */
#include "supple/geom/winding.h"

#include <math.h>

#include "groups.h"
#include "shapes.h"
#include "supple/io/file.h"
#include "supple/io/pool.h"

static SupArena new_arena(void) {
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  return arena;
}

static SupWinding winding_of(SupArena *arena, SupMesh mesh) {
  SupBvh *bvh = SUP_ALLOC(arena, SupBvh, 1);
  SupWinding winding;
  assert_int_equal(sup_bvh_build(arena, &mesh, bvh, NULL), SUP_OK);
  assert_int_equal(sup_winding_build(arena, bvh, &winding, NULL), SUP_OK);
  return winding;
}

static SupVec3 random_point(SupRng *rng, float size) {
  return (SupVec3){size * (2 * sup_rng_float(rng) - 1), size * (2 * sup_rng_float(rng) - 1),
                   size * (2 * sup_rng_float(rng) - 1)};
}

static double volume_of(const double a[3], const double b[3], const double c[3]) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
         a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* Crossings of the ray from q along d, out minus in: the winding number of a closed surface. The
 * ray passes through a triangle if d lies inside the cone of its corners: three equal signs. */
static int count_crossings(SupMesh mesh, SupVec3 q, const double d[3]) {
  int count = 0;
  for (uint32_t f = 0; f < mesh.triangle_count; f++) {
    double p[3][3];
    for (int k = 0; k < 3; k++) {
      SupVec3 c = mesh.positions[mesh.triangles[3 * f + (uint32_t)k]];
      p[k][0] = (double)c.x - (double)q.x;
      p[k][1] = (double)c.y - (double)q.y;
      p[k][2] = (double)c.z - (double)q.z;
    }
    double u = volume_of(d, p[0], p[1]), v = volume_of(d, p[1], p[2]), w = volume_of(d, p[2], p[0]);
    double all = volume_of(p[0], p[1], p[2]);
    if (u > 0 && v > 0 && w > 0 && all > 0) count++;
    if (u < 0 && v < 0 && w < 0 && all < 0) count--;
  }
  return count;
}

/* Closed surfaces, also many that cut through each other, one of them inside out. */
static void closed_surfaces_give_whole_numbers(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupRng rng = sup_rng(1, 8);
  SupMesh soup = shape_box_soup(&arena, 40, &rng);
  uint32_t *triangles = SUP_COPY(&arena, uint32_t, soup.triangles, 3 * soup.triangle_count);
  for (uint32_t f = 0; f < 12; f++) {
    triangles[3 * f] = soup.triangles[3 * f + 1];
    triangles[3 * f + 1] = soup.triangles[3 * f];
  }
  SupMesh turned = soup;
  turned.triangles = triangles;
  SupMesh meshes[4] = {shape_icosphere(&arena, 3), shape_torus(&arena, 30, 20, 1, 0.4), soup,
                       turned};
  int seen[16] = {0};
  for (unsigned m = 0; m < 4; m++) {
    SupWinding winding = winding_of(&arena, meshes[m]);
    for (unsigned round = 0; round < 1500; round++) {
      SupVec3 q = random_point(&rng, 1.3f);
      const double d[3] = {sup_rng_double(&rng) - 0.5, sup_rng_double(&rng) - 0.5, 0.7};
      int expected = count_crossings(meshes[m], q, d);
      double exact = sup_winding_exact(&meshes[m], q);
      assert_true(fabs(exact - expected) < 1e-9);
      assert_true(fabs(sup_winding_at(&winding, q, INFINITY) - expected) < 1e-9);
      assert_true(fabs(sup_winding_at(&winding, q, 3) - expected) < 0.01);
      if (expected + 1 >= 0 && expected < 15) seen[expected + 1]++;
    }
  }
  for (int k = 0; k < 5; k++) assert_true(seen[k] > 0); /* from -1 to 3 */
  sup_arena_free(&arena);
}

/* From the middle of a tube the two open ends are seen as discs. */
static void open_surfaces_give_the_solid_angle(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupMesh tube = shape_tube(&arena, 400, 20, 2);
  SupWinding winding = winding_of(&arena, tube);
  for (int k = -10; k <= 30; k++) {
    float y = 0.1f * (float)k + 0.013f;
    double low = (double)y / hypot(1, (double)y), high = (2 - (double)y) / hypot(1, 2 - (double)y);
    double expected = (low + high) / 2;
    SupVec3 q = {0, y, 0};
    assert_true(fabs(sup_winding_exact(&tube, q) - expected) < 1e-4);
    assert_true(fabs(sup_winding_at(&winding, q, 2) - expected) < 0.01);
  }
  sup_arena_free(&arena);
}

static void fast_equals_exact_within_its_accuracy(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupRng rng = sup_rng(2, 8);
  SupMesh soup = shape_box_soup(&arena, 200, &rng);
  bool *drop = SUP_ALLOC(&arena, bool, soup.triangle_count);
  for (uint32_t f = 0; f < soup.triangle_count; f++) drop[f] = sup_rng_below(&rng, 3) == 0;
  SupVec3 *random = SUP_ALLOC(&arena, SupVec3, 100);
  uint32_t *corners = SUP_ALLOC(&arena, uint32_t, 900);
  for (int v = 0; v < 100; v++) random[v] = random_point(&rng, 1);
  for (int k = 0; k < 900; k++) corners[k] = sup_rng_below(&rng, 100); /* degenerate ones too */
  SupMesh sphere = shape_icosphere(&arena, 4);
  SupMesh far = shape_union(&arena, shape_box(&arena), sphere, (SupVec3){300, 500, -200});
  SupMesh meshes[5] = {sphere, shape_tube(&arena, 50, 30, 1), shape_without(&arena, soup, drop),
                       (SupMesh){100, 300, random, corners}, far};
  for (unsigned m = 0; m < 5; m++) {
    SupWinding winding = winding_of(&arena, meshes[m]);
    double mean[3] = {0}, worst[3] = {0};
    static const float accuracies[3] = {2, 4, INFINITY};
    for (unsigned round = 0; round < 1000; round++) {
      SupVec3 q = random_point(&rng, 1.5f);
      if (m == 4) q = (SupVec3){q.x + 300, q.y + 500, q.z - 200};
      double exact = sup_winding_exact(&meshes[m], q);
      for (int k = 0; k < 3; k++) {
        double error = fabs(sup_winding_at(&winding, q, accuracies[k]) - exact);
        mean[k] += error / 1000;
        worst[k] = fmax(worst[k], error);
      }
    }
    assert_true(mean[0] < 3e-3 && worst[0] < 0.03);
    assert_true(mean[1] < 2e-4 && worst[1] < 2e-3);
    assert_true(worst[2] < 1e-11);
  }
  sup_arena_free(&arena);
}

/* From outside everything is one cluster. Its series ends with the second order, so twice as far
 * the error must be 2^5 times smaller; a wrong coefficient leaves 2^2 to 2^4. */
static void series_has_second_order(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupRng rng = sup_rng(4, 8);
  SupVec3 positions[60];
  uint32_t triangles[60];
  for (unsigned k = 0; k < 60; k++) {
    positions[k] = random_point(&rng, 1);
    triangles[k] = k;
  }
  SupMesh mesh = {60, 20, positions, triangles};
  SupWinding winding = winding_of(&arena, mesh);
  double near = 0, far = 0;
  for (unsigned round = 0; round < 300; round++) {
    SupVec3 d = sup_vec3_normalise(random_point(&rng, 1));
    SupVec3 p = sup_vec3_scale(d, 8), q = sup_vec3_scale(d, 16);
    near += fabs(sup_winding_at(&winding, p, 1) - sup_winding_exact(&mesh, p));
    far += fabs(sup_winding_at(&winding, q, 1) - sup_winding_exact(&mesh, q));
  }
  assert_true(near / far > 28);
  sup_arena_free(&arena);
}

static void on_the_surface_it_is_the_mean(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupMesh box = shape_box(&arena);
  SupVec3 face = {1, 0.25f, 0.5f}, edge = {1, 1, 0.5f}, corner = {1, 1, 1}, none = {0, 0, 0};
  assert_true(fabs(sup_winding_exact(&box, face) - 0.5) < 1e-12);
  assert_true(fabs(sup_winding_exact(&box, edge) - 0.25) < 1e-12);
  assert_true(fabs(sup_winding_exact(&box, corner) - 0.125) < 1e-12);
  box.triangle_count = 0;
  SupWinding winding = winding_of(&arena, box);
  assert_true(sup_winding_at(&winding, none, 2) == 0);
  sup_arena_free(&arena);
}

static void batches_are_the_same_on_any_threads(void **state) {
  (void)state;
  SupArena arena = new_arena();
  enum { COUNT = 3000 };
  SupRng rng = sup_rng(3, 8);
  SupWinding winding = winding_of(&arena, shape_icosphere(&arena, 4));
  SupVec3 *points = SUP_ALLOC(&arena, SupVec3, COUNT);
  double *expected = SUP_ALLOC(&arena, double, COUNT);
  for (unsigned k = 0; k < COUNT; k++) {
    points[k] = random_point(&rng, 2);
    expected[k] = sup_winding_at(&winding, points[k], 2);
  }
  for (uint32_t threads = 0; threads <= 4; threads++) {
    double *numbers = SUP_ALLOC(&arena, double, COUNT);
    SupPool *pool = threads ? sup_pool_create(sup_heap_allocator(), threads) : NULL;
    SupJobs jobs = {0};
    if (pool) jobs = sup_pool_jobs(pool);
    sup_winding_all(&winding, points, COUNT, 2, pool ? &jobs : NULL, numbers);
    assert_memory_equal(numbers, expected, COUNT * sizeof *numbers);
    sup_pool_destroy(pool);
  }
  sup_arena_free(&arena);
}

static void failing_memory_is_told(void **state) {
  (void)state;
  SupArena shapes = new_arena();
  SupMesh mesh = shape_icosphere(&shapes, 4);
  SupBvh bvh;
  assert_int_equal(sup_bvh_build(&shapes, &mesh, &bvh, NULL), SUP_OK);
  size_t k = 1;
  for (SupResult result = SUP_ERROR_MEMORY; result != SUP_OK; k++) {
    CountingHeap heap = {.fail_at = k};
    SupArena arena;
    sup_arena_init(&arena, counting_allocator(&heap), 0);
    SupWinding winding = {0};
    result = sup_winding_build(&arena, &bvh, &winding, NULL);
    if (result != SUP_OK) {
      assert_int_equal(result, SUP_ERROR_MEMORY);
      assert_null(winding.bvh);
    }
    sup_arena_free(&arena);
    assert_int_equal(heap.live_blocks, 0);
  }
  assert_true(k > 2);
  sup_arena_free(&shapes);
}

int run_winding_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_surfaces_give_whole_numbers),
      cmocka_unit_test(open_surfaces_give_the_solid_angle),
      cmocka_unit_test(fast_equals_exact_within_its_accuracy),
      cmocka_unit_test(series_has_second_order),
      cmocka_unit_test(on_the_surface_it_is_the_mean),
      cmocka_unit_test(batches_are_the_same_on_any_threads),
      cmocka_unit_test(failing_memory_is_told),
  };
  return cmocka_run_group_tests_name("winding", tests, NULL, NULL);
}
