/* SPDX-License-Identifier: MIT */
/* Places in charts and back, and from one character to another. */
#include <math.h>

#include "patch_bodies.h"
#include "supple/polygon.h"
#include "supple/train/patch_map.h"

/* Into the polygons of `like`, the chart of patch k into that of likes[k], or into its own. */
static SupPatchCharts lay_like(PatchBody *body, const SupPatchCharts *like, const uint32_t *likes) {
  const SupPatchMapDef def = {
      .def = &body->def, .patches = &body->patches, .like = like, .like_charts = likes};
  SupPatchCharts charts;
  assert_int_equal(sup_patch_charts(&body->arena, &def, &charts, NULL), SUP_OK);
  return charts;
}

static SupPatchCharts lay_flat(PatchBody *body) { return lay_like(body, NULL, NULL); }

static void random_weights(SupRng *rng, uint32_t count, double *out) {
  double sum = 0;
  for (uint32_t k = 0; k < count; k++) sum += out[k] = -log(1 - sup_rng_double(rng));
  for (uint32_t k = 0; k < count; k++) out[k] /= sum;
}

/* A place of the skin and its place in the chart, there and back, inside and on edges and corners;
 * every triangle of the chart by trying them all. */
static void test_there_and_back(void **state) {
  (void)state;
  SupRng rng = sup_rng(6, 1);
  double worst = 0, worst_flat = 0;
  for (unsigned round = 0; round < 6; round++) {
    PatchBody *body =
        patch_ball(2 + round % 3, 0.06 * round, (SupVec3){1, 0.8f, 0.6f}, round % 4, round);
    const SupPatchCharts charts = lay_flat(body);
    for (uint32_t k = 0; k < 4000; k++) {
      SupSkinPlace place = {.triangle = sup_rng_below(&rng, body->mesh.triangle_count)};
      random_weights(&rng, 3, place.weights);
      if (k % 4 == 1) place.weights[k % 3] = 0;
      if (k % 4 == 2) place.weights[k % 3] = place.weights[(k + 1) % 3] = 0;
      const double sum = place.weights[0] + place.weights[1] + place.weights[2];
      for (int i = 0; i < 3; i++) place.weights[i] /= sum;
      const SupVec3d at = sup_skin_place_position(&body->mesh, place);
      const SupChartPlace flat = sup_skin_to_chart(&charts, place);
      assert_true(flat.patch < charts.patch_count);
      const SupSkinPlace back = sup_chart_to_skin(&charts, flat);
      assert_true(back.triangle != SUP_NONE);
      double total = 0;
      for (int i = 0; i < 3; i++) {
        assert_true(back.weights[i] >= 0);
        total += back.weights[i];
      }
      assert_true(fabs(total - 1) < 1e-14);
      worst = fmax(worst, sup_vec3d_distance(at, sup_skin_place_position(&body->mesh, back)));
      /* The other way round, from anywhere in the polygon. */
      const uint32_t p = sup_rng_below(&rng, charts.patch_count);
      const SupPatchChart *chart = &charts.charts[p];
      double blend[3];
      SupChartPlace start = {.patch = p};
      random_weights(&rng, 3, blend);
      sup_polygon_place(3, chart->corners, blend, start.uv);
      const SupSkinPlace there = sup_chart_to_skin(&charts, start);
      const SupChartPlace again = sup_skin_to_chart(&charts, there);
      bool found = false;
      for (uint32_t f = 0; f < chart->triangle_count && !found; f++) {
        const uint32_t *c = chart->triangles + 3 * f;
        found = chart->owners[f] == there.triangle;
        for (uint32_t i = 0; i < 3; i++) {
          const double *a = chart->uv[c[i]], *b = chart->uv[c[(i + 1) % 3]];
          found &=
              (b[0] - a[0]) * (start.uv[1] - a[1]) - (b[1] - a[1]) * (start.uv[0] - a[0]) >= -1e-12;
        }
      }
      assert_true(found);
      assert_int_equal(again.patch, p);
      worst_flat = fmax(worst_flat, hypot(again.uv[0] - start.uv[0], again.uv[1] - start.uv[1]));
    }
    patch_body_free(body);
  }
  print_message("round trips: %.2g of the skin, %.2g in the polygon\n", worst, worst_flat);
  assert_true(worst < 1e-11 && worst_flat < 1e-11);
}

/* Outside the polygon the nearest place counts; outside all patches there is none. */
static void test_outside(void **state) {
  (void)state;
  PatchBody *body = patch_ball(3, 0.1, (SupVec3){1, 1, 1}, 3, 9);
  const SupPatchCharts charts = lay_flat(body);
  for (uint32_t p = 0; p < charts.patch_count; p++) {
    const SupPatchChart *c = &charts.charts[p];
    for (uint32_t k = 0; k < 3; k++) {
      const SupChartPlace corner = {p, {c->corners[k][0], c->corners[k][1]}};
      const SupChartPlace beyond = {p, {3 * c->corners[k][0], 3 * c->corners[k][1]}};
      const double *next = c->corners[(k + 1) % 3];
      const double middle[2] = {0.5 * (c->corners[k][0] + next[0]),
                                0.5 * (c->corners[k][1] + next[1])};
      const SupChartPlace side = {p, {middle[0], middle[1]}};
      const SupChartPlace off = {p, {2 * middle[0], 2 * middle[1]}};
      const SupSkinPlace places[4] = {
          sup_chart_to_skin(&charts, corner), sup_chart_to_skin(&charts, beyond),
          sup_chart_to_skin(&charts, side), sup_chart_to_skin(&charts, off)};
      SupVec3d at[4];
      for (int i = 0; i < 4; i++) at[i] = sup_skin_place_position(&body->mesh, places[i]);
      const SupVec3d feature = sup_skin_point_place(
          &body->mesh, body->patches.points[c->vertices[body->patches.patches[p].corners[k]].a]);
      assert_true(sup_vec3d_distance(at[0], feature) < 1e-12);
      assert_true(sup_vec3d_distance(at[1], feature) < 1e-12);
      assert_true(sup_vec3d_distance(at[2], at[3]) < 1e-12);
    }
  }
  assert_int_equal(sup_chart_to_skin(&charts, (SupChartPlace){8, {0, 0}}).triangle, SUP_NONE);
  assert_int_equal(sup_skin_to_chart(&charts, (SupSkinPlace){.triangle = SUP_NONE}).patch,
                   SUP_NONE);
  patch_body_free(body);
  /* Charts of half the patches: the other half of the skin has none. */
  body = patch_ball(3, 0, (SupVec3){1, 1, 1}, 3, 0);
  body->patches.patch_count = 4;
  const SupPatchCharts half = lay_flat(body);
  uint32_t without = 0;
  for (uint32_t f = 0; f < body->mesh.triangle_count; f++) {
    const SupSkinPlace place = {f, {0.5, 0.3, 0.2}};
    without += sup_skin_to_chart(&half, place).patch == SUP_NONE;
  }
  assert_true(without > body->mesh.triangle_count * 4 / 10);
  assert_true(without < body->mesh.triangle_count * 6 / 10);
  patch_body_free(body);
}

/* A number at every feature, blended through each patch by its places: one function on all of a
 * body that the charts alone define. */
static double function_at(const PatchBody *body, const SupPatchCharts *charts,
                          SupChartPlace place) {
  const SupPatchChart *chart = &charts->charts[place.patch];
  const SupPatch *patch = &body->patches.patches[place.patch];
  double weights[8], sum = 0;
  sup_polygon_smooth_weights(chart->corner_count, chart->corners, place.uv, weights);
  for (uint32_t k = 0; k < chart->corner_count; k++) {
    const SupPatchSide *side = &patch->sides[k];
    const SupPatchBoundary *b = &body->boundaries[side->boundary];
    const uint32_t feature = side->backwards ? b->to : b->from;
    sum += weights[k] * (1 + sin(3.0 * feature));
  }
  return sum;
}

static float *make_map(PatchBody *body, const SupPatchCharts *charts) {
  float *values = SUP_ALLOC(&body->arena, float, body->mesh.vertex_count);
  assert_non_null(values);
  for (uint32_t v = 0; v < body->mesh.vertex_count; v++) {
    const uint32_t h = body->topology.corners[body->topology.corner_offsets[v]];
    SupSkinPlace place = {.triangle = h / 3};
    place.weights[h % 3] = 1;
    values[v] = (float)function_at(body, charts, sup_skin_to_chart(charts, place));
  }
  return values;
}

/* Carries the function from one ball to another of other shape, mesh and order. Returns the largest
 * miss as a fraction of what there is of the function. */
static double carry(PatchBody *from, PatchBody *to) {
  uint32_t patches[8];
  assert_int_equal(sup_patches_match(&to->def, &to->patches, &from->def, &from->patches, patches),
                   8);
  const SupPatchCharts a = lay_flat(from), b = lay_like(to, &a, patches);
  SupSkinPlace *places = SUP_ALLOC(&to->arena, SupSkinPlace, to->mesh.vertex_count);
  const float *source = make_map(from, &a), *want = make_map(to, &b);
  float *got = SUP_ALLOC(&to->arena, float, to->mesh.vertex_count);
  double worst = 0, low = 1e9, high = -1e9;
  assert_true(places && got);
  assert_int_equal(sup_charts_correspond(&b, &a, patches, places), to->mesh.vertex_count);
  sup_map_carry(&from->mesh, source, to->mesh.vertex_count, places, false, got);
  for (uint32_t v = 0; v < to->mesh.vertex_count; v++) {
    worst = fmax(worst, fabs((double)got[v] - (double)want[v]));
    low = fmin(low, (double)want[v]);
    high = fmax(high, (double)want[v]);
  }
  return worst / (high - low);
}

static void test_carried(void **state) {
  (void)state;
  double misses[3];
  for (unsigned level = 0; level < 3; level++) {
    PatchBody *from = patch_ball(2 + level, 0.05, (SupVec3){1, 0.7f, 0.5f}, 3, 11);
    PatchBody *to = patch_ball(3, 0.1, (SupVec3){0.5f, 1, 1}, 2, 12);
    misses[level] = carry(from, to);
    patch_body_free(from);
    patch_body_free(to);
  }
  print_message("carried from 162, 642, 2562 vertices: %.3g %.3g %.3g of the range\n", misses[0],
                misses[1], misses[2]);
  /* What is left is interpolation on the source's triangles. */
  assert_true(misses[0] < 0.1 && misses[1] < 0.04 && misses[2] < 0.02);
  /* To itself: what was there. */
  PatchBody *body = patch_ball(3, 0.1, (SupVec3){1, 0.7f, 0.5f}, 3, 13);
  PatchBody *twin = patch_ball(3, 0.1, (SupVec3){1, 0.7f, 0.5f}, 3, 13);
  assert_true(carry(body, twin) < 1e-6);
  patch_body_free(body);
  patch_body_free(twin);
}

/* The nearest corner's for numbers that name something; what has no place keeps its own. */
static void test_nearest(void **state) {
  (void)state;
  const SupVec3 positions[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const uint32_t corners[3] = {0, 1, 2};
  const SupMesh mesh = {3, 1, positions, corners};
  const float values[3] = {3, 7, 11};
  const SupSkinPlace places[4] = {
      {0, {0.2, 0.5, 0.3}}, {0, {0.25, 0.25, 0.5}}, {.triangle = SUP_NONE}, {0, {1, 0, 0}}};
  float got[4] = {1, 1, 1, 1}, blended[4] = {1, 1, 1, 1};
  sup_map_carry(&mesh, values, 4, places, true, got);
  sup_map_carry(&mesh, values, 4, places, false, blended);
  const float want[4] = {7, 11, 1, 3}, want_blended[4] = {7.4f, 8, 1, 3};
  for (int k = 0; k < 4; k++) {
    assert_true(got[k] == want[k]);
    assert_true(fabsf(blended[k] - want_blended[k]) < 1e-5f);
  }
}

/* Names and zones go where boundaries of the same names are, in whatever order. */
static void test_names(void **state) {
  (void)state;
  const uint32_t ends[3] = {0, 1, 2}, swapped[3] = {2, 0, 1};
  const SupPatchPlanBoundary ours[3] = {{.name = "x"}, {.name = "y"}, {.name = "z"}};
  const SupPatchPlanBoundary theirs[3] = {{.name = "y"}, {.name = "z"}, {.name = "x"}};
  const SupPatchName name = {"belly", "torso", 3, ends, 7};
  const SupPatchShellPoint point = {.feature = "navel", .depth = 0.1};
  const SupPatchFlesh flesh = {.depth = 0.2, .levels = SUP_NONE, .shell_count = 1, .shell = &point};
  const SupPatchZone zone = {"torso", SUP_PATCH_ZONE_STRATUM, 3, &flesh};
  const SupPatchPlan from = {.source = "from.json",
                             .boundary_count = 3,
                             .boundaries = ours,
                             .name_count = 1,
                             .names = &name,
                             .zone_count = 1,
                             .zones = &zone};
  SupPatchPlan to = {.source = "to.json", .boundary_count = 3, .boundaries = theirs}, out;
  SupArena arena;
  SupError error;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  assert_int_equal(sup_patch_plan_carry_names(&arena, &to, &from, &out, &error), SUP_OK);
  assert_int_equal(out.name_count, 1);
  assert_string_equal(out.names[0].name, "belly");
  assert_string_equal(out.names[0].zone, "torso");
  assert_string_equal(out.zones[0].name, "torso");
  /* Depths of a zone go along, places in another body do not. */
  assert_true(out.zones[0].flesh->depth == 0.2 && out.zones[0].flesh->shell_count == 0);
  assert_ptr_equal(out.boundaries, theirs);
  assert_memory_equal(out.names[0].boundaries, swapped, sizeof swapped);
  to.boundary_count = 2;
  assert_int_equal(sup_patch_plan_carry_names(&arena, &to, &from, &out, &error), SUP_ERROR_FORMAT);
  assert_string_equal(error.text,
                      "from.json, line 7: patch 'belly' has a boundary 'x' that is not in to.json");
  sup_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_outside),
      cmocka_unit_test(test_carried),        cmocka_unit_test(test_nearest),
      cmocka_unit_test(test_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
