/* SPDX-License-Identifier: MIT */
/* Nearest points and rays against testing every triangle, with arithmetic of the test's own. */
#include "supple/geom/bvh.h"

#include <math.h>
#include <string.h>

#include "groups.h"
#include "shapes.h"
#include "supple/io/file.h"
#include "supple/io/pool.h"

enum { MESHES = 6 };

static SupArena new_arena(void) {
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  return arena;
}

/* Closed, open, cutting through itself, non-manifold, and slivers. */
static void make_meshes(SupArena *arena, SupMesh *meshes) {
  SupRng rng = sup_rng(1, 3);
  meshes[0] = shape_icosphere(arena, 3);
  meshes[1] = shape_tube(arena, 20, 10, 1);
  meshes[2] = shape_box_soup(arena, 60, &rng);
  bool *drop = SUP_ALLOC(arena, bool, meshes[2].triangle_count);
  for (uint32_t f = 0; f < meshes[2].triangle_count; f++) drop[f] = sup_rng_below(&rng, 3) == 0;
  meshes[3] = shape_without(arena, meshes[2], drop);
  /* 90 random triangles on 30 vertices, some of them degenerate. */
  SupVec3 *positions = SUP_ALLOC(arena, SupVec3, 30);
  uint32_t *triangles = SUP_ALLOC(arena, uint32_t, 270);
  for (int v = 0; v < 30; v++) {
    positions[v] = (SupVec3){2 * sup_rng_float(&rng) - 1, 2 * sup_rng_float(&rng) - 1,
                             v < 10 ? 0 : 2 * sup_rng_float(&rng) - 1};
  }
  for (int k = 0; k < 270; k++) triangles[k] = sup_rng_below(&rng, 30);
  meshes[4] = (SupMesh){30, 90, positions, triangles};
  meshes[5] = shape_torus(arena, 200, 5, 1, 0.001);
}

static SupBvh bvh_of(SupArena *arena, SupMesh mesh) {
  SupBvh bvh;
  assert_int_equal(sup_bvh_build(arena, &mesh, &bvh, NULL), SUP_OK);
  return bvh;
}

static SupVec3 random_point(SupRng *rng, float size) {
  return (SupVec3){size * (2 * sup_rng_float(rng) - 1), size * (2 * sup_rng_float(rng) - 1),
                   size * (2 * sup_rng_float(rng) - 1)};
}

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void corners_of(SupMesh mesh, uint32_t f, double p[3][3]) {
  for (int k = 0; k < 3; k++) {
    SupVec3 c = mesh.positions[mesh.triangles[3 * f + (uint32_t)k]];
    p[k][0] = (double)c.x;
    p[k][1] = (double)c.y;
    p[k][2] = (double)c.z;
  }
}

/* Distance to a triangle by minimising the convex quadratic over the edges and the interior: the
 * interior by solving the 2 x 2 normal equations. */
static double triangle_distance(SupMesh mesh, uint32_t f, SupVec3 q) {
  double p[3][3], best = INFINITY;
  corners_of(mesh, f, p);
  double point[3] = {(double)q.x, (double)q.y, (double)q.z}, e[2][3], d[3];
  for (int k = 0; k < 3; k++) {
    double t, edge[3], gap[3];
    for (int i = 0; i < 3; i++) edge[i] = p[(k + 1) % 3][i] - p[k][i];
    for (int i = 0; i < 3; i++) gap[i] = point[i] - p[k][i];
    t = dot(edge, edge) > 0 ? fmin(fmax(dot(gap, edge) / dot(edge, edge), 0), 1) : 0;
    for (int i = 0; i < 3; i++) gap[i] -= t * edge[i];
    best = fmin(best, sqrt(dot(gap, gap)));
  }
  for (int i = 0; i < 3; i++) {
    e[0][i] = p[1][i] - p[0][i];
    e[1][i] = p[2][i] - p[0][i];
    d[i] = point[i] - p[0][i];
  }
  double a = dot(e[0], e[0]), b = dot(e[0], e[1]), c = dot(e[1], e[1]);
  double s = (c * dot(e[0], d) - b * dot(e[1], d)) / (a * c - b * b);
  double t = (a * dot(e[1], d) - b * dot(e[0], d)) / (a * c - b * b);
  if (s >= 0 && t >= 0 && s + t <= 1) {
    for (int i = 0; i < 3; i++) d[i] -= s * e[0][i] + t * e[1][i];
    best = fmin(best, sqrt(dot(d, d)));
  }
  return best;
}

static void check_tree(const SupBvh *bvh) {
  uint8_t seen[20000] = {0};
  assert_true(bvh->mesh.triangle_count <= 20000);
  for (uint32_t n = 0; n < bvh->node_count; n++) {
    const SupBvhNode *node = &bvh->nodes[n];
    assert_true(node->count <= 4);
    for (uint32_t i = node->first; i < node->first + node->count; i++) {
      uint32_t f = bvh->triangles[i];
      seen[f]++;
      for (int k = 0; k < 3; k++) {
        SupVec3 p = bvh->mesh.positions[bvh->mesh.triangles[3 * f + (uint32_t)k]];
        assert_true(node->low.x <= p.x && p.x <= node->high.x);
        assert_true(node->low.y <= p.y && p.y <= node->high.y);
        assert_true(node->low.z <= p.z && p.z <= node->high.z);
      }
    }
    for (uint32_t c = node->first; node->count == 0 && c < node->first + 2; c++) {
      const SupBvhNode *child = &bvh->nodes[c];
      assert_true(c > n && c < bvh->node_count);
      assert_true(node->low.x <= child->low.x && child->high.x <= node->high.x);
      assert_true(node->low.y <= child->low.y && child->high.y <= node->high.y);
      assert_true(node->low.z <= child->low.z && child->high.z <= node->high.z);
    }
  }
  for (uint32_t f = 0; f < bvh->mesh.triangle_count; f++) assert_int_equal(seen[f], 1);
}

static void nearest_equals_brute_force(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupMesh meshes[MESHES];
  make_meshes(&arena, meshes);
  SupRng rng = sup_rng(2, 3);
  for (unsigned m = 0; m < MESHES; m++) {
    SupBvh bvh = bvh_of(&arena, meshes[m]);
    check_tree(&bvh);
    for (unsigned round = 0; round < 2000; round++) {
      SupVec3 q = random_point(&rng, round % 10 ? 1.5f : 100);
      if (round % 7 == 0) q = meshes[m].positions[sup_rng_below(&rng, meshes[m].vertex_count)];
      SupNearest nearest = sup_bvh_nearest(&bvh, q, INFINITY);
      double best = INFINITY;
      for (uint32_t f = 0; f < meshes[m].triangle_count; f++) {
        best = fmin(best, triangle_distance(meshes[m], f, q));
      }
      assert_true(fabs((double)nearest.distance - best) < 1e-6 * (best + 1));
      /* The place is on the triangle that is named, at that distance. */
      double p[3][3],
          sum = 0, gap[3] = {0},
          on[3] = {(double)nearest.point.x, (double)nearest.point.y, (double)nearest.point.z};
      corners_of(meshes[m], nearest.triangle, p);
      for (int k = 0; k < 3; k++) {
        assert_true(nearest.barycentric[k] >= 0);
        sum += (double)nearest.barycentric[k];
        for (int i = 0; i < 3; i++) gap[i] += (double)nearest.barycentric[k] * p[k][i];
      }
      assert_true(fabs(sum - 1) < 1e-6);
      for (int i = 0; i < 3; i++) assert_true(fabs(gap[i] - on[i]) < 1e-6);
      /* Within a limit just above and just below. */
      assert_int_equal(sup_bvh_nearest(&bvh, q, nearest.distance * 1.001f + 1e-6f).triangle,
                       nearest.triangle);
      if (best > 1e-5) {
        assert_int_equal(sup_bvh_nearest(&bvh, q, nearest.distance * 0.999f).triangle, SUP_NONE);
      }
    }
  }
  sup_arena_free(&arena);
}

/* Triangles alone, each in a tree of its own, give the same bits as the whole tree. */
static void ties_go_to_the_lowest_triangle(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupMesh meshes[MESHES];
  make_meshes(&arena, meshes);
  SupRng rng = sup_rng(3, 3);
  for (unsigned m = 0; m < MESHES; m++) {
    SupMesh mesh = meshes[m];
    SupBvh bvh = bvh_of(&arena, mesh);
    SupArena singles_arena = new_arena();
    SupBvh *singles = SUP_ALLOC(&singles_arena, SupBvh, mesh.triangle_count);
    for (uint32_t f = 0; f < mesh.triangle_count; f++) {
      SupMesh one = {mesh.vertex_count, 1, mesh.positions, mesh.triangles + 3 * (size_t)f};
      singles[f] = bvh_of(&singles_arena, one);
    }
    for (unsigned round = 0; round < 100; round++) {
      /* Vertices and symmetric places: many triangles at the same distance. */
      SupVec3 q = round % 2 ? mesh.positions[sup_rng_below(&rng, mesh.vertex_count)]
                            : (SupVec3){0, 0, (float)round / 50 - 1};
      SupNearest nearest = sup_bvh_nearest(&bvh, q, INFINITY), best = {.triangle = SUP_NONE};
      for (uint32_t f = 0; f < mesh.triangle_count; f++) {
        SupNearest found = sup_bvh_nearest(&singles[f], q, INFINITY);
        found.triangle = f;
        if (best.triangle == SUP_NONE || found.distance < best.distance) best = found;
      }
      assert_true(best.distance == nearest.distance);
      if (best.distance == 0) assert_int_equal(best.triangle, nearest.triangle);
    }
    sup_arena_free(&singles_arena);
  }
  sup_arena_free(&arena);
}

/* Moeller and Trumbore's way, not the one of the library. */
static bool ray_triangle(SupMesh mesh, uint32_t f, SupVec3 origin, SupVec3 direction, double *t) {
  double p[3][3], o[3] = {(double)origin.x, (double)origin.y, (double)origin.z},
                  d[3] = {(double)direction.x, (double)direction.y, (double)direction.z};
  corners_of(mesh, f, p);
  double a[3], b[3], s[3];
  for (int i = 0; i < 3; i++) {
    a[i] = p[1][i] - p[0][i];
    b[i] = p[2][i] - p[0][i];
    s[i] = o[i] - p[0][i];
  }
  double h[3] = {d[1] * b[2] - d[2] * b[1], d[2] * b[0] - d[0] * b[2], d[0] * b[1] - d[1] * b[0]};
  double k[3] = {s[1] * a[2] - s[2] * a[1], s[2] * a[0] - s[0] * a[2], s[0] * a[1] - s[1] * a[0]};
  double det = dot(a, h), u = dot(s, h) / det, v = dot(d, k) / det;
  *t = dot(b, k) / det;
  return u >= 0 && v >= 0 && u + v <= 1 && *t >= 0;
}

static void rays_equal_brute_force(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupMesh meshes[MESHES];
  make_meshes(&arena, meshes);
  SupRng rng = sup_rng(4, 3);
  uint32_t hits = 0, misses = 0;
  for (unsigned m = 0; m < MESHES; m++) {
    SupBvh bvh = bvh_of(&arena, meshes[m]);
    for (unsigned round = 0; round < 2000; round++) {
      SupVec3 o = random_point(&rng, 2), d = random_point(&rng, 1);
      double best = INFINITY, t;
      for (uint32_t f = 0; f < meshes[m].triangle_count; f++) {
        if (ray_triangle(meshes[m], f, o, d, &t)) best = fmin(best, t);
      }
      SupRayHit hit = sup_bvh_ray(&bvh, o, d, INFINITY);
      assert_int_equal(hit.triangle == SUP_NONE, best == INFINITY);
      if (hit.triangle == SUP_NONE) {
        misses++;
        continue;
      }
      hits++;
      assert_true(fabs((double)hit.t - best) < 1e-6 * (best + 1));
      assert_int_equal(sup_bvh_ray(&bvh, o, d, hit.t * 1.001f).triangle, hit.triangle);
      if (best > 1e-4) assert_int_equal(sup_bvh_ray(&bvh, o, d, hit.t * 0.99f).triangle, SUP_NONE);
      double p[3][3], n[3], dd[3] = {(double)d.x, (double)d.y, (double)d.z};
      corners_of(meshes[m], hit.triangle, p);
      for (int i = 0; i < 3; i++) {
        double on = 0;
        for (int k = 0; k < 3; k++) on += (double)hit.barycentric[k] * p[k][i];
        double o_i = i == 0 ? (double)o.x : i == 1 ? (double)o.y : (double)o.z;
        assert_true(fabs(on - (o_i + best * dd[i])) < 1e-5);
        int j = (i + 1) % 3, l = (i + 2) % 3;
        n[i] =
            (p[1][j] - p[0][j]) * (p[2][l] - p[0][l]) - (p[1][l] - p[0][l]) * (p[2][j] - p[0][j]);
      }
      assert_int_equal(hit.front, dot(n, dd) < 0);
    }
  }
  assert_true(hits > 1000 && misses > 1000);
  sup_arena_free(&arena);
}

/* From inside a closed surface every ray must hit, also those aimed at vertices and edges. */
static void closed_surfaces_have_no_cracks(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupMesh sphere = shape_icosphere(&arena, 3);
  SupBvh bvh = bvh_of(&arena, sphere);
  SupRng rng = sup_rng(5, 3);
  for (unsigned round = 0; round < 20000; round++) {
    SupVec3 o = random_point(&rng, 0.5f);
    const uint32_t *c = sphere.triangles + 3 * (size_t)sup_rng_below(&rng, sphere.triangle_count);
    SupVec3 a = sphere.positions[c[0]], b = sphere.positions[c[1]];
    float s = round % 3 ? sup_rng_float(&rng) : 0;
    SupVec3 d = {a.x + s * (b.x - a.x) - o.x, a.y + s * (b.y - a.y) - o.y,
                 a.z + s * (b.z - a.z) - o.z};
    SupRayHit hit = sup_bvh_ray(&bvh, o, d, INFINITY);
    assert_int_not_equal(hit.triangle, SUP_NONE);
    assert_false(hit.front);
    assert_true(fabs((double)hit.t - 1) < 1e-4);
  }
  sup_arena_free(&arena);
}

/* Coincident and exponentially spaced triangles must not make the tree too deep. */
static void hard_distributions(void **state) {
  (void)state;
  SupArena arena = new_arena();
  enum { COUNT = 3000 };
  SupVec3 *positions = SUP_ALLOC(&arena, SupVec3, 3 * COUNT);
  uint32_t *triangles = SUP_ALLOC(&arena, uint32_t, 3 * COUNT);
  for (uint32_t k = 0; k < 3 * COUNT; k++) triangles[k] = k;
  SupMesh mesh = {3 * COUNT, COUNT, positions, triangles};
  for (int kind = 0; kind < 3; kind++) {
    for (uint32_t f = 0; f < COUNT; f++) {
      double x = kind == 0 ? 0 : kind == 1 ? pow(1.02, f) : pow(10, 76 * (double)f / COUNT - 38);
      for (uint32_t k = 0; k < 3; k++) {
        double size = kind == 0 ? 1 : 0.01 * x;
        positions[3 * f + k] =
            (SupVec3){(float)(x + (k == 1 ? size : 0)), (float)(k == 2 ? size : 0), 0};
      }
    }
    SupBvh bvh = bvh_of(&arena, mesh);
    check_tree(&bvh);
    for (uint32_t f = 0; f < COUNT; f += 7) {
      SupNearest nearest = sup_bvh_nearest(&bvh, positions[3 * f], INFINITY);
      assert_true(nearest.distance == 0);
    }
  }
  sup_arena_free(&arena);
}

static void batches_are_the_same_on_any_threads(void **state) {
  (void)state;
  SupArena arena = new_arena();
  enum { COUNT = 5000 };
  SupMesh meshes[MESHES];
  make_meshes(&arena, meshes);
  SupBvh bvh = bvh_of(&arena, meshes[2]);
  SupRng rng = sup_rng(6, 3);
  SupVec3 *points = SUP_ALLOC(&arena, SupVec3, COUNT);
  for (unsigned k = 0; k < COUNT; k++) points[k] = random_point(&rng, 2);
  SupNearest *expected = SUP_ALLOC(&arena, SupNearest, COUNT);
  for (unsigned k = 0; k < COUNT; k++) expected[k] = sup_bvh_nearest(&bvh, points[k], INFINITY);
  for (uint32_t threads = 0; threads <= 4; threads++) {
    SupNearest *nearest = SUP_ALLOC(&arena, SupNearest, COUNT);
    SupPool *pool = threads ? sup_pool_create(sup_heap_allocator(), threads) : NULL;
    SupJobs jobs = {0};
    if (pool) jobs = sup_pool_jobs(pool);
    sup_bvh_nearest_all(&bvh, points, COUNT, pool ? &jobs : NULL, nearest);
    assert_memory_equal(nearest, expected, COUNT * sizeof *nearest);
    sup_pool_destroy(pool);
  }
  sup_arena_free(&arena);
}

static void odd_input(void **state) {
  (void)state;
  SupArena arena = new_arena();
  SupVec3 positions[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  uint32_t triangles[3] = {0, 1, 2};
  SupMesh mesh = {3, 0, positions, triangles};
  SupBvh bvh = bvh_of(&arena, mesh);
  assert_int_equal(sup_bvh_nearest(&bvh, positions[0], INFINITY).triangle, SUP_NONE);
  assert_int_equal(sup_bvh_ray(&bvh, positions[0], positions[1], 1).triangle, SUP_NONE);
  mesh.triangle_count = 1;
  bvh = bvh_of(&arena, mesh);
  SupVec3 bad = {NAN, 0, 0}, zero = {0, 0, 0}, above = {0.2f, 0.2f, 1}, down = {0, 0, -2};
  assert_int_equal(sup_bvh_nearest(&bvh, bad, INFINITY).triangle, SUP_NONE);
  assert_int_equal(sup_bvh_ray(&bvh, above, zero, INFINITY).triangle, SUP_NONE);
  assert_int_equal(sup_bvh_ray(&bvh, above, bad, INFINITY).triangle, SUP_NONE);
  SupRayHit hit = sup_bvh_ray(&bvh, above, down, INFINITY);
  assert_int_equal(hit.triangle, 0);
  assert_true(hit.t == 0.5f && hit.front);
  assert_int_equal(sup_bvh_nearest(&bvh, above, 1).triangle, 0); /* the limit is inclusive */
  SupBvh untouched = {.node_count = 77};
  SupError error;
  triangles[2] = 3;
  assert_int_equal(sup_bvh_build(&arena, &mesh, &untouched, &error), SUP_ERROR_FORMAT);
  triangles[2] = 2;
  positions[1].y = INFINITY;
  assert_int_equal(sup_bvh_build(&arena, &mesh, &untouched, &error), SUP_ERROR_FORMAT);
  assert_non_null(strstr(error.text, "vertex 1"));
  assert_int_equal(untouched.node_count, 77);
  sup_arena_free(&arena);
}

static void failing_memory_is_told(void **state) {
  (void)state;
  SupArena shapes = new_arena();
  SupMesh mesh = shape_torus(&shapes, 80, 80, 2, 0.5);
  size_t k = 1;
  for (SupResult result = SUP_ERROR_MEMORY; result != SUP_OK; k++) {
    CountingHeap heap = {.fail_at = k};
    SupArena arena;
    sup_arena_init(&arena, counting_allocator(&heap), 0);
    SupBvh bvh = {.node_count = 77};
    result = sup_bvh_build(&arena, &mesh, &bvh, NULL);
    if (result != SUP_OK) {
      assert_int_equal(result, SUP_ERROR_MEMORY);
      assert_int_equal(bvh.node_count, 77);
    }
    sup_arena_free(&arena);
    assert_int_equal(heap.live_blocks, 0);
  }
  assert_true(k > 3);
  sup_arena_free(&shapes);
}

int run_bvh_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nearest_equals_brute_force),
      cmocka_unit_test(ties_go_to_the_lowest_triangle),
      cmocka_unit_test(rays_equal_brute_force),
      cmocka_unit_test(closed_surfaces_have_no_cracks),
      cmocka_unit_test(hard_distributions),
      cmocka_unit_test(batches_are_the_same_on_any_threads),
      cmocka_unit_test(odd_input),
      cmocka_unit_test(failing_memory_is_told),
  };
  return cmocka_run_group_tests_name("bvh", tests, NULL, NULL);
}
