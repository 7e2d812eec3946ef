/* SPDX-License-Identifier: MIT */
/* Distances along surfaces whose distances are known. */
#include "supple/geom/geodesic.h"

#include <math.h>
#include <string.h>

#include "groups.h"
#include "shapes.h"
#include "supple/io/file.h"

#define PI 3.14159265358979323846

static SupArena new_arena(void) {
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  return arena;
}

static SupGeodesic distances_from(SupArena *arena, SupMesh mesh, uint32_t count,
                                  const uint32_t *sources) {
  SupTopology *topology = SUP_ALLOC(arena, SupTopology, 1);
  assert_int_equal(sup_topology(arena, &mesh, topology, NULL), SUP_OK);
  SupGeodesicDef def = {mesh, topology, count, sources, 0};
  SupGeodesic g;
  assert_int_equal(sup_geodesic(arena, &def, &g, NULL), SUP_OK);
  return g;
}

static double straight(SupMesh mesh, uint32_t v, uint32_t w) {
  SupVec3 p = mesh.positions[v], q = mesh.positions[w];
  double x = (double)p.x - (double)q.x, y = (double)p.y - (double)q.y,
         z = (double)p.z - (double)q.z;
  return sqrt(x * x + y * y + z * z);
}

static SupMesh jittered_plane(SupArena *arena, uint32_t nx, uint32_t ny, double amount) {
  SupRng rng = sup_rng(1, 7);
  SupMesh mesh = shape_jitter(arena, shape_grid(arena, nx, ny), amount, &rng);
  SupVec3 *flat = SUP_COPY(arena, SupVec3, mesh.positions, mesh.vertex_count);
  for (uint32_t v = 0; v < mesh.vertex_count; v++) flat[v].z = 0;
  mesh.positions = flat;
  return shape_shuffle(arena, mesh, &rng, NULL);
}

/* Exact on a plane, from one source and from several, also with triangles turned over. */
static void planes_are_exact(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupMesh mesh = jittered_plane(&arena, 40, 30, 0.22);
  const uint32_t sources[3] = {17, 444, 1003};
  for (uint32_t count = 1; count <= 3; count += 2) {
    SupGeodesic g = distances_from(&arena, mesh, count, sources);
    double worst = 0, mean = 0;
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
      uint32_t nearest = sources[0];
      for (uint32_t k = 1; k < count; k++) {
        if (straight(mesh, v, sources[k]) < straight(mesh, v, nearest)) nearest = sources[k];
      }
      double error = fabs(g.distances[v] - straight(mesh, v, nearest));
      worst = fmax(worst, error);
      mean += error / mesh.vertex_count;
      assert_true(fabs(straight(mesh, v, g.nearest[v]) - straight(mesh, v, nearest)) < 0.4);
    }
    /* Where the regions of several sources meet, a vertex may be cut off from its own. */
    assert_true(count == 1 ? worst < 1e-9 : worst < 0.4 && mean < 1e-3);
  }
  uint32_t *turned = SUP_COPY(&arena, uint32_t, mesh.triangles, 3 * mesh.triangle_count);
  for (uint32_t f = 0; f < mesh.triangle_count; f += 3) {
    turned[3 * f] = mesh.triangles[3 * f + 1];
    turned[3 * f + 1] = mesh.triangles[3 * f];
  }
  mesh.triangles = turned;
  SupGeodesic g = distances_from(&arena, mesh, 1, sources);
  for (uint32_t v = 0; v < mesh.vertex_count; v++) {
    assert_true(fabs(g.distances[v] - straight(mesh, v, 17)) < 1e-9);
  }
  sup_arena_free(&arena);
}

/* Around a square hole: straight lines over its corners. */
static void paths_bend_around_corners(void **state) {
  (void)state;
  SupArena arena = new_arena();
  enum { SIZE = 20, LOW = 8, HIGH = 12 };
  SupMesh grid = shape_grid(&arena, SIZE, SIZE);
  bool *drop = SUP_ALLOC(&arena, bool, grid.triangle_count);
  for (uint32_t y = LOW; y < HIGH; y++) {
    for (uint32_t x = LOW; x < HIGH; x++) {
      drop[2 * (y * SIZE + x)] = drop[2 * (y * SIZE + x) + 1] = true;
    }
  }
  SupMesh mesh = shape_without(&arena, grid, drop);
  uint32_t source = 10 * (SIZE + 1) + 4;
  SupGeodesic g = distances_from(&arena, mesh, 1, &source);
  double mean = 0;
  for (uint32_t v = 0; v < mesh.vertex_count; v++) {
    double x = (double)mesh.positions[v].x, y = (double)mesh.positions[v].y;
    if (x > LOW && x < HIGH && y > LOW && y < HIGH) {
      assert_true(isinf(g.distances[v])); /* left in the hole, without triangles */
      continue;
    }
    /* Mirror to the lower half; seen directly, or over one corner, or over two. */
    double below = y > 10 ? 20 - y : y, expected = hypot(x - 4, below - 10);
    bool hidden = x > LOW && below > 10 - 2 * (x - 4) / 4;
    if (hidden) expected = hypot(4, 2) + hypot(x - LOW, below - LOW);
    if (hidden && x >= HIGH && below > LOW) {
      expected = hypot(4, 2) + 4 + hypot(x - HIGH, below - LOW);
    }
    assert_true(fabs(g.distances[v] - expected) < (hidden ? 2e-3 * expected : 1e-9));
    mean += fabs(g.distances[v] - expected) / mesh.vertex_count;
  }
  assert_true(mean < 3e-3);
  sup_arena_free(&arena);
}

/* A prism unrolls onto a plane, in two directions. */
static void tubes_unroll(void **state) {
  (void)state;
  SupArena arena = new_arena();
  enum { AROUND = 24, ALONG = 20 };
  SupMesh mesh = shape_tube(&arena, AROUND, ALONG, 5);
  uint32_t source = 3 * AROUND + 7;
  SupGeodesic g = distances_from(&arena, mesh, 1, &source);
  double side = 2 * sin(PI / AROUND), mean = 0;
  for (uint32_t v = 0; v < mesh.vertex_count; v++) {
    int turn = abs((int)(v % AROUND) - 7);
    double expected = hypot(side * (turn < AROUND - turn ? turn : AROUND - turn),
                            0.25 * ((double)(v / AROUND) - 3));
    mean += fabs(g.distances[v] - expected) / mesh.vertex_count;
    assert_true(fabs(g.distances[v] - expected) < 0.02 * expected + 1e-6);
    /* Away from the line opposite to the source it is exact. */
    if (turn < 10 || turn > 14) assert_true(fabs(g.distances[v] - expected) < 1e-5);
  }
  assert_true(mean < 1e-3);
  sup_arena_free(&arena);
}

static void spheres_have_great_circles(void **state) {
  (void)state;
  SupArena arena = new_arena();
  double previous = 0.02;
  for (unsigned subdivisions = 3; subdivisions <= 5; subdivisions++) {
    SupMesh mesh = shape_icosphere(&arena, subdivisions);
    uint32_t source = 33;
    SupGeodesic g = distances_from(&arena, mesh, 1, &source);
    double mean = 0, worst = 0;
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
      if (v == source) continue;
      double expected = 2 * asin(fmin(1, straight(mesh, v, source) / 2));
      double error = fabs(g.distances[v] / expected - 1);
      mean += error / mesh.vertex_count;
      worst = fmax(worst, error);
    }
    assert_true(mean < 0.6 * previous); /* 0.7 %, 0.3 %, 0.15 %: halves with the edge length */
    assert_true(worst < 0.03);
    previous = mean;
  }
  assert_true(previous < 0.002);
  sup_arena_free(&arena);
}

static void limits_and_components(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupMesh ball = shape_icosphere(&arena, 3);
  SupMesh two = shape_union(&arena, ball, ball, (SupVec3){5, 0, 0});
  const uint32_t sources[2] = {4, 4};
  SupGeodesic g = distances_from(&arena, two, 2, sources);
  for (uint32_t v = 0; v < two.vertex_count; v++) {
    assert_int_equal(isinf(g.distances[v]) != 0, v >= ball.vertex_count);
    assert_int_equal(g.nearest[v], v < ball.vertex_count ? 4 : SUP_NONE);
  }
  SupTopology topology;
  assert_int_equal(sup_topology(&arena, &two, &topology, NULL), SUP_OK);
  SupGeodesicDef def = {two, &topology, 2, sources, 1.0};
  SupGeodesic near;
  assert_int_equal(sup_geodesic(&arena, &def, &near, NULL), SUP_OK);
  for (uint32_t v = 0; v < two.vertex_count; v++) {
    assert_true(near.distances[v] == (g.distances[v] <= 1 ? g.distances[v] : INFINITY));
  }
  def.source_count = 0;
  assert_int_equal(sup_geodesic(&arena, &def, &near, NULL), SUP_OK);
  assert_true(isinf(near.distances[0]));
  const uint32_t outside[2] = {1, 2 * ball.vertex_count};
  def.sources = outside;
  def.source_count = 2;
  SupGeodesic untouched = {0};
  SupError error;
  assert_int_equal(sup_geodesic(&arena, &def, &untouched, &error), SUP_ERROR_ARGUMENT);
  assert_non_null(strstr(error.text, "source 1"));
  assert_null(untouched.distances);
  sup_arena_free(&arena);
}

/* On a grid with one diagonal per square: diagonals one way, corners the other. */
static void edge_distance_is_dijkstra(void **state) {
  (void)state;
  SupArena arena = new_arena();
  enum { SIZE = 12 };
  SupMesh mesh = shape_grid(&arena, SIZE, SIZE);
  SupTopology topology;
  assert_int_equal(sup_topology(&arena, &mesh, &topology, NULL), SUP_OK);
  uint32_t source = 5 * (SIZE + 1) + 6;
  SupGeodesicDef def = {mesh, &topology, 1, &source, 0};
  SupGeodesic g;
  assert_int_equal(sup_edge_distance(&arena, &def, &g, NULL), SUP_OK);
  for (int y = 0; y <= SIZE; y++) {
    for (int x = 0; x <= SIZE; x++) {
      int dx = x - 6, dy = y - 5;
      double expected = abs(dx) + abs(dy);
      if ((dx > 0) == (dy > 0)) expected -= (2 - sqrt(2)) * (abs(dx) < abs(dy) ? abs(dx) : abs(dy));
      assert_true(fabs(g.distances[y * (SIZE + 1) + x] - expected) < 1e-12);
    }
  }
  sup_arena_free(&arena);
}

static void failing_memory_is_told(void **state) {
  (void)state;
  SupArena shapes = new_arena();
  SupMesh mesh = shape_torus(&shapes, 100, 100, 2, 0.5);
  SupTopology topology;
  assert_int_equal(sup_topology(&shapes, &mesh, &topology, NULL), SUP_OK);
  uint32_t source = 0;
  SupGeodesicDef def = {mesh, &topology, 1, &source, 0};
  size_t k = 1;
  for (SupResult result = SUP_ERROR_MEMORY; result != SUP_OK; k++) {
    CountingHeap heap = {.fail_at = k};
    SupArena arena;
    sup_arena_init(&arena, counting_allocator(&heap), 0);
    SupGeodesic g = {0};
    result = sup_geodesic(&arena, &def, &g, NULL);
    if (result != SUP_OK) {
      assert_int_equal(result, SUP_ERROR_MEMORY);
      assert_null(g.distances);
    }
    sup_arena_free(&arena);
    assert_int_equal(heap.live_blocks, 0);
  }
  assert_true(k > 3);
  sup_arena_free(&shapes);
}

int run_geodesic_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planes_are_exact),       cmocka_unit_test(paths_bend_around_corners),
      cmocka_unit_test(tubes_unroll),           cmocka_unit_test(spheres_have_great_circles),
      cmocka_unit_test(limits_and_components),  cmocka_unit_test(edge_distance_is_dijkstra),
      cmocka_unit_test(failing_memory_is_told),
  };
  return cmocka_run_group_tests_name("geodesic", tests, NULL, NULL);
}
