/* SPDX-License-Identifier: MIT */
/* GUO-T3: patches laid flat. */
#include <math.h>

#include "patch_bodies.h"
#include "supple/polygon.h"
#include "supple/train/patch_map.h"

static SupPatchCharts lay_flat(PatchBody *body, SupChartWeights weights, SupPatchPolygon polygon) {
  const SupPatchMapDef def = {
      .def = &body->def, .patches = &body->patches, .weights = weights, .polygon = polygon};
  SupPatchCharts charts;
  SupError error = {0};
  SupResult result = sup_patch_charts(&body->arena, &def, &charts, &error);
  if (result != SUP_OK) print_error("%s\n", error.text);
  assert_int_equal(result, SUP_OK);
  return charts;
}

/* Into the polygon of a single patch. */
static SupPatchCharts lay_into(PatchBody *body, SupChartWeights weights, uint32_t count,
                               const double (*corners)[2]) {
  const SupPatchChart chart = {.corner_count = count, .corners = corners};
  const SupPatchCharts like = {.patch_count = 1, .charts = &chart};
  const uint32_t first = 0;
  const SupPatchMapDef def = {.def = &body->def,
                              .patches = &body->patches,
                              .weights = weights,
                              .like = &like,
                              .like_charts = &first};
  SupPatchCharts charts;
  assert_int_equal(sup_patch_charts(&body->arena, &def, &charts, NULL), SUP_OK);
  return charts;
}

static double area(const double *a, const double *b, const double *c) {
  return ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2;
}

/* No triangle flipped, all of them the polygon, every place in it, the border by length. */
static void check_chart(const PatchBody *body, const SupPatch *patch, const SupPatchChart *c) {
  double sum = 0, whole = 0;
  assert_true(sup_polygon_is_convex(c->corner_count, c->corners));
  for (uint32_t f = 0; f < c->triangle_count; f++) {
    const uint32_t *v = c->triangles + 3 * f;
    const double one = area(c->uv[v[0]], c->uv[v[1]], c->uv[v[2]]);
    assert_true(one > 0);
    sum += one;
  }
  for (uint32_t k = 2; k < c->corner_count; k++) {
    whole += area(c->corners[0], c->corners[k - 1], c->corners[k]);
  }
  assert_true(fabs(sum - whole) < 1e-12);
  for (uint32_t v = 0; v < c->vertex_count; v++) {
    for (uint32_t k = 0; k < c->corner_count; k++) {
      const double *a = c->corners[k], *b = c->corners[(k + 1) % c->corner_count];
      assert_true(2 * area(a, b, c->uv[v]) > -1e-12 * hypot(b[0] - a[0], b[1] - a[1]));
    }
  }
  for (uint32_t s = 0; s < patch->side_count; s++) {
    const double *a = c->corners[s], *b = c->corners[(s + 1) % patch->side_count];
    double length = 0, at = 0;
    for (int pass = 0; pass < 2; pass++) {
      for (uint32_t k = patch->corners[s]; k < patch->corners[s + 1]; k++) {
        const uint32_t next = (k + 1) % patch->loop_count;
        const SupVec3d p = sup_skin_point_place(&body->mesh, body->patches.points[patch->loop[k]]);
        const SupVec3d q =
            sup_skin_point_place(&body->mesh, body->patches.points[patch->loop[next]]);
        if (pass) {
          assert_true(fabs(c->uv[k][0] - a[0] - at / length * (b[0] - a[0])) < 1e-12);
          assert_true(fabs(c->uv[k][1] - a[1] - at / length * (b[1] - a[1])) < 1e-12);
          at += sup_vec3d_distance(p, q);
        } else {
          length += sup_vec3d_distance(p, q);
        }
      }
    }
  }
}

static void check_charts(const PatchBody *body, const SupPatchCharts *charts) {
  assert_int_equal(charts->patch_count, body->patches.patch_count);
  for (uint32_t p = 0; p < charts->patch_count; p++) {
    check_chart(body, &body->patches.patches[p], &charts->charts[p]);
  }
}

/* Smooth and bumpy, by every kind of weights, into both polygons, with boundaries along edges
 * (whose triangles may have all corners on one side) and across triangles. */
static void test_balls(void **state) {
  (void)state;
  static const SupVec3 scales[3] = {{1, 1, 1}, {0.3f, 1, 2}, {1e-3f, 1e-3f, 1e-3f}};
  uint32_t used[SUP_CHART_WEIGHTS_COUNT] = {0}, flips = 0;
  for (int round = 0; round < 24; round++) {
    PatchBody *body = patch_ball(round < 20 ? 2 + (unsigned)round % 2 : 4, 0.05 * (round % 8),
                                 scales[round % 3], (uint32_t)(round % 5), (uint64_t)round);
    for (int weights = 0; weights < SUP_CHART_WEIGHTS_COUNT; weights++) {
      for (int polygon = 0; polygon < 2; polygon++) {
        const SupPatchCharts charts =
            lay_flat(body, (SupChartWeights)weights, (SupPatchPolygon)polygon);
        check_charts(body, &charts);
        for (uint32_t p = 0; p < charts.patch_count; p++) {
          const SupPatchChart *c = &charts.charts[p];
          assert_true((int)c->weights == weights ? c->flipped_count == 0 : c->flipped_count > 0);
          assert_true(c->distortion.angles >= 1 && c->distortion.areas >= 1);
          assert_true(c->distortion.angles_worst >= c->distortion.angles);
          if (weights != SUP_CHART_HARMONIC) assert_int_equal(c->weights, weights);
          used[c->weights]++;
          flips += c->flipped_count;
        }
      }
    }
    patch_body_free(body);
  }
  /* Some patches have needed the other weights: else this would show nothing. */
  assert_true(used[SUP_CHART_HARMONIC] > 0 && flips > 0);
  assert_true(used[SUP_CHART_MEAN_VALUE] > used[SUP_CHART_UNIFORM]);
}

/* A flat convex patch whose border is the polygon already maps to itself. */
static void test_flat(void **state) {
  (void)state;
  const uint32_t n = 12, corners[4] = {0, 12, 168, 156};
  const double square[4][2] = {{0, 0}, {12, 0}, {12, 12}, {0, 12}};
  PatchBody *body = patch_sheet(n, 0.3, 4, corners);
  /* The loop begins with the feature whose name comes first. */
  double turned[4][2];
  const SupPatch *patch = &body->patches.patches[0];
  for (uint32_t s = 0; s < 4; s++) {
    const uint32_t v = patch->loop[patch->corners[s]];
    for (uint32_t k = 0; k < 4; k++) {
      if (corners[k] == v) memcpy(turned[s], square[k], sizeof turned[s]);
    }
  }
  for (int weights = 0; weights < 3; weights++) {
    const SupPatchCharts charts =
        lay_into(body, (SupChartWeights)weights, 4, (const double(*)[2])turned);
    const SupPatchChart *c = &charts.charts[0];
    assert_int_equal(c->weights, weights);
    check_chart(body, patch, c);
    for (uint32_t v = 0; v < c->vertex_count; v++) {
      const SupVec3 p = body->mesh.positions[c->vertices[v].a];
      if (c->vertices[v].a != c->vertices[v].b) continue;
      const double miss = hypot(c->uv[v][0] - (double)p.x, c->uv[v][1] - (double)p.y);
      /* The flattened ring is one of float places. */
      assert_true(miss < (weights == SUP_CHART_SHAPE_PRESERVING ? 1e-5 : 1e-10));
    }
    assert_true(c->distortion.angles < 1 + 1e-4 && c->distortion.areas_worst < 1 + 1e-4);
    /* Another polygon that is an affine image of it takes all places along. */
    double image[4][2];
    for (uint32_t k = 0; k < 4; k++) {
      image[k][0] = 0.02 * turned[k][0] - 0.05 * turned[k][1] + 3;
      image[k][1] = 0.07 * turned[k][0] + 0.01 * turned[k][1] - 1;
    }
    const SupPatchCharts others =
        lay_into(body, (SupChartWeights)weights, 4, (const double(*)[2])image);
    for (uint32_t v = 0; v < c->vertex_count; v++) {
      const double *p = c->uv[v], *q = others.charts[0].uv[v];
      assert_true(fabs(q[0] - (0.02 * p[0] - 0.05 * p[1] + 3)) < 1e-12);
      assert_true(fabs(q[1] - (0.07 * p[0] + 0.01 * p[1] - 1)) < 1e-12);
    }
  }
  patch_body_free(body);
}

/* Triangles with all corners on one side: at the corner of the sheet that is no feature. */
static void test_ears(void **state) {
  (void)state;
  for (uint32_t n = 2; n < 9; n++) {
    const uint32_t across = n + 1, corners[3] = {0, n, n * across + n / 2};
    PatchBody *body = patch_sheet(n, 0.2, 3, corners);
    for (int weights = 0; weights < SUP_CHART_WEIGHTS_COUNT; weights++) {
      const SupPatchCharts charts =
          lay_flat(body, (SupChartWeights)weights, SUP_PATCH_POLYGON_REGULAR);
      check_charts(body, &charts);
      /* An edge has been divided: there are more vertices than those of the sheet. */
      assert_true(charts.charts[0].vertex_count > across * across);
    }
    patch_body_free(body);
  }
}

/* Moved, turned and scaled, a patch has the same places. */
static void test_moved(void **state) {
  (void)state;
  PatchBody *body = patch_ball(3, 0.1, (SupVec3){1, 0.7f, 0.5f}, 3, 3);
  const SupMesh mesh = body->mesh;
  SupVec3 *places = SUP_ALLOC(&body->arena, SupVec3, mesh.vertex_count);
  const SupQuatd turn = sup_quatd_from_axis_angle(sup_vec3d_normalise((SupVec3d){1, 2, 3}), 2);
  assert_non_null(places);
  for (int weights = 0; weights < SUP_CHART_WEIGHTS_COUNT; weights++) {
    const SupPatchCharts a = lay_flat(body, (SupChartWeights)weights, SUP_PATCH_POLYGON_LENGTHS);
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
      const SupVec3d p = sup_quatd_rotate(turn, sup_vec3_to_double(mesh.positions[v]));
      places[v] = sup_vec3d_to_float(sup_vec3d_add_scaled((SupVec3d){50, -20, 10}, p, 100));
    }
    body->def.mesh.positions = places;
    const SupPatchCharts b = lay_flat(body, (SupChartWeights)weights, SUP_PATCH_POLYGON_LENGTHS);
    body->def.mesh.positions = mesh.positions;
    for (uint32_t p = 0; p < a.patch_count; p++) {
      for (uint32_t v = 0; v < a.charts[p].vertex_count; v++) {
        const double *x = a.charts[p].uv[v], *y = b.charts[p].uv[v];
        assert_true(hypot(x[0] - y[0], x[1] - y[1]) < 1e-4);
      }
    }
  }
  patch_body_free(body);
}

/* What is long for its border shrinks by two thirds from row to row: the tip of a finger is 1e-8
 * of it, and one that is much longer has no place in double precision and is refused by name. */
static void test_fingers(void **state) {
  (void)state;
  PatchBody *body = patch_finger(48);
  for (int weights = 0; weights < SUP_CHART_WEIGHTS_COUNT; weights++) {
    const SupPatchCharts charts =
        lay_flat(body, (SupChartWeights)weights, SUP_PATCH_POLYGON_LENGTHS);
    check_charts(body, &charts);
    assert_int_equal(charts.charts[0].weights, weights);
  }
  patch_body_free(body);
  body = patch_finger(300);
  const SupPatchMapDef def = {.def = &body->def, .patches = &body->patches};
  SupPatchCharts charts = {0};
  SupError error = {0};
  assert_int_equal(sup_patch_charts(&body->arena, &def, &charts, &error), SUP_ERROR_NUMERIC);
  assert_int_equal(charts.patch_count, 0);
  assert_non_null(strstr(error.text, "patch 'patch-1' cannot be laid flat"));
  patch_body_free(body);
}

/* Whose memory runs out gives it all back, and says so. */
static void test_memory(void **state) {
  (void)state;
  PatchBody *body = patch_ball(2, 0.3, (SupVec3){1, 1, 1}, 2, 2);
  const SupPatchMapDef def = {.def = &body->def, .patches = &body->patches};
  bool done = false;
  for (size_t limit = 1000; !done; limit += limit / 3) {
    SupArena arena;
    SupPatchCharts charts = {0};
    sup_arena_init(&arena, sup_heap_allocator(), limit);
    SupResult result = sup_patch_charts(&arena, &def, &charts, NULL);
    assert_true(result == SUP_OK || result == SUP_ERROR_MEMORY);
    assert_int_equal(charts.patch_count, result == SUP_OK ? 8 : 0);
    done = result == SUP_OK;
    sup_arena_free(&arena);
  }
  patch_body_free(body);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_balls), cmocka_unit_test(test_flat),    cmocka_unit_test(test_ears),
      cmocka_unit_test(test_moved), cmocka_unit_test(test_fingers), cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
