/* SPDX-License-Identifier: MIT */
/*
 * Patches laid flat: the border onto a polygon, the inside by weights.
 *
 * Guo 2007, 3.2, corrected: docs/patches.md has the equations. The thesis takes cotangents for
 * safe; they are not (errata GUO-E6), so the result is checked and other weights stand by.
 */
#include "supple/train/patch_map.h"

#include "author/patches/patch_chart_work.h"
#include "base/scratch.h"
#include "patch_map.h"
#include "supple/polygon.h"

#define LEAST_ARC 0.1 /* of an even one */

typedef struct Chart {
  const SupPatchMapDef *def;
  const SupPatch *patch;
  SupPatchChart *chart;
  SupArena *arena, *scratch;
  SupError *error;
  SupVec3d *positions; /* [vertex_count] */
  double *lengths;     /* [side_count] */
  double (*corners)[2];
  double (*uv)[2];
} Chart;

/* ---- The border ----------------------------------------------------------------------------- */

static double step_length(const Chart *c, uint32_t k) {
  const uint32_t next = k + 1 < c->patch->loop_count ? k + 1 : 0;
  return sup_vec3d_distance(c->positions[k], c->positions[next]);
}

static void place_corners(Chart *c) {
  const uint32_t n = c->patch->side_count;
  double sum = 0, least, angle = 0;
  for (uint32_t s = 0; s < n; s++) sum += c->lengths[s];
  least = LEAST_ARC * sum / n;
  const bool even = c->def->polygon == SUP_PATCH_POLYGON_REGULAR || !(sum > 0);
  sum = 0;
  for (uint32_t s = 0; s < n; s++) sum += c->lengths[s] > least ? c->lengths[s] : least;
  for (uint32_t s = 0; s < n; s++) {
    const double length = c->lengths[s] > least ? c->lengths[s] : least;
    const double at = even ? 2 * SUP_PI * s / n : angle;
    sup_sincos(at, &c->corners[s][1], &c->corners[s][0]);
    if (!even) angle += 2 * SUP_PI * length / sum;
  }
}

static SupResult take_corners(Chart *c, const SupPatchChart *like) {
  if (like->corner_count != c->patch->side_count ||
      !sup_polygon_is_convex(like->corner_count, like->corners)) {
    return sup_fail(c->error, SUP_ERROR_ARGUMENT,
                    "patch '%s' cannot be laid into the polygon that was given for it",
                    c->patch->name);
  }
  sup_copy(c->corners, like->corners, c->patch->side_count * sizeof *c->corners);
  return SUP_OK;
}

static void place_border(Chart *c) {
  const SupPatch *patch = c->patch;
  for (uint32_t s = 0; s < patch->side_count; s++) {
    const uint32_t first = patch->corners[s], end = patch->corners[s + 1];
    const double *a = c->corners[s], *b = c->corners[(s + 1) % patch->side_count];
    double at = 0;
    for (uint32_t k = first; k < end; k++) {
      /* Without length, by number. */
      const double t = c->lengths[s] > 0 ? at / c->lengths[s] : (double)(k - first) / (end - first);
      c->uv[k][0] = a[0] * (1 - t) + b[0] * t;
      c->uv[k][1] = a[1] * (1 - t) + b[1] * t;
      at += step_length(c, k);
    }
  }
}

/* ---- The inside ----------------------------------------------------------------------------- */

static uint32_t count_flipped(const Chart *c) {
  uint32_t count = 0;
  for (uint32_t f = 0; f < c->chart->triangle_count; f++) {
    const uint32_t *v = c->chart->triangles + 3 * (size_t)f;
    const double *p = c->uv[v[0]], *q = c->uv[v[1]], *r = c->uv[v[2]];
    const double area = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
    count += !(area > 0);
  }
  return count;
}

static SupResult solve(Chart *c, SupChartWeights weights, uint32_t *out_flipped) {
  SupArena scratch = sup_scratch(c->scratch);
  SupChartSystem system;
  SupResult result = sup_chart_system(&scratch, c->chart, c->positions, weights, &system, c->error);
  if (result == SUP_OK) result = sup_chart_solve(&scratch, &system, c->uv, c->error);
  sup_arena_free(&scratch);
  *out_flipped = result == SUP_OK ? count_flipped(c) : c->chart->triangle_count;
  return result == SUP_ERROR_NUMERIC ? SUP_OK : result;
}

static SupResult place_inside(Chart *c) {
  const SupChartWeights orders[3] = {c->def->weights, SUP_CHART_MEAN_VALUE, SUP_CHART_UNIFORM};
  for (uint32_t k = 0; k < 3; k++) {
    uint32_t flipped;
    if (k && (orders[k] == orders[0] || (k < 2 && orders[0] == SUP_CHART_UNIFORM))) continue;
    SupResult result = solve(c, orders[k], &flipped);
    if (result != SUP_OK) return result;
    if (k == 0) c->chart->flipped_count = flipped;
    if (flipped) continue;
    c->chart->weights = orders[k];
    return SUP_OK;
  }
  return sup_fail(c->error, SUP_ERROR_NUMERIC,
                  "patch '%s' cannot be laid flat: it is too long for its border, or has triangles "
                  "in common with itself; divide it by more boundaries",
                  c->patch->name);
}

static SupResult lay_flat(Chart *c) {
  const SupPatchMapDef *def = c->def;
  const uint32_t index = (uint32_t)(c->patch - def->patches->patches);
  SupPatchChart *chart = c->chart;
  SupResult result = sup_chart_lay_out(c->arena, def->def, def->patches, index, chart, c->error);
  if (result != SUP_OK) return result;
  c->positions = SUP_ALLOC(c->scratch, SupVec3d, chart->vertex_count);
  c->lengths = SUP_ALLOC(c->scratch, double, c->patch->side_count);
  c->corners = sup_arena_alloc(c->arena, c->patch->side_count, sizeof *c->corners);
  c->uv = sup_arena_alloc(c->arena, chart->vertex_count, sizeof *c->uv);
  if (!c->positions || !c->lengths || !c->corners || !c->uv) {
    return sup_fail_memory(c->error, NULL);
  }
  for (uint32_t v = 0; v < chart->vertex_count; v++) {
    c->positions[v] = sup_chart_vertex_position(&def->def->mesh, def->patches, chart->vertices[v]);
  }
  for (uint32_t s = 0; s < c->patch->side_count; s++) {
    for (uint32_t k = c->patch->corners[s]; k < c->patch->corners[s + 1]; k++) {
      c->lengths[s] += step_length(c, k);
    }
  }
  if (def->like && def->like_charts[index] != SUP_NONE) {
    result = take_corners(c, &def->like->charts[def->like_charts[index]]);
  } else {
    place_corners(c);
  }
  if (result != SUP_OK) return result;
  place_border(c);
  result = place_inside(c);
  chart->corners = (const double(*)[2])c->corners;
  chart->uv = (const double(*)[2])c->uv;
  if (result == SUP_OK) {
    chart->distortion = sup_chart_distortion(&def->def->mesh, def->patches, chart);
  }
  return result;
}

SupResult sup_patch_charts(SupArena *arena, const SupPatchMapDef *def, SupPatchCharts *out_charts,
                           SupError *error) {
  const uint32_t count = def->patches->patch_count;
  SupPatchChart *charts = SUP_ALLOC(arena, SupPatchChart, count);
  if (!charts) return sup_fail_memory(error, NULL);
  for (uint32_t p = 0; p < count; p++) {
    SupArena scratch = sup_scratch(arena);
    Chart chart = {.def = def,
                   .patch = &def->patches->patches[p],
                   .chart = &charts[p],
                   .arena = arena,
                   .scratch = &scratch,
                   .error = error};
    SupResult result = lay_flat(&chart);
    sup_arena_free(&scratch);
    if (result != SUP_OK) return result;
  }
  return sup_chart_finish(arena, def->def, count, charts, out_charts, error);
}
