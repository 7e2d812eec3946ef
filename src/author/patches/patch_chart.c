/* SPDX-License-Identifier: MIT */
/* Places in charts and on skins, and what charts do to triangles (docs/patches.md). */
#include "supple/author/patch_chart.h"

#include "patch_chart_work.h"

#define MOST_STEPS 64 /* of a walk in a chart, from what is nearest by float places */
#define ON_EDGE 1e-14
#define OUTSIDE (-1e-9) /* a barycentric coordinate in a part of a triangle that it is not in */

static const uint32_t nexts[3] = {1, 2, 0};

const char *sup_chart_weights_name(SupChartWeights weights) {
  static const char *const names[SUP_CHART_WEIGHTS_COUNT] = {"harmonic", "mean-value",
                                                             "shape-preserving", "uniform"};
  return names[weights];
}

SupVec3d sup_chart_vertex_position(const SupMesh *skin, const SupPatches *patches,
                                   SupChartVertex vertex) {
  const SupVec3d a = sup_skin_point_place(skin, patches->points[vertex.a]);
  if (vertex.a == vertex.b) return a;
  return sup_vec3d_lerp(a, sup_skin_point_place(skin, patches->points[vertex.b]), 0.5);
}

SupResult sup_chart_finish(SupArena *arena, const SupPatchesDef *def, uint32_t patch_count,
                           SupPatchChart *charts, SupPatchCharts *out_charts, SupError *error) {
  const uint32_t triangles = def->mesh.triangle_count;
  uint32_t *offsets = SUP_ALLOC(arena, uint32_t, (size_t)triangles + 1);
  if (!offsets) return sup_fail_memory(error, NULL);
  for (uint32_t p = 0; p < patch_count; p++) {
    SupPatchChart *chart = &charts[p];
    SupVec3 *flat = SUP_ALLOC(arena, SupVec3, chart->vertex_count);
    if (!flat) return sup_fail_memory(error, NULL);
    for (uint32_t v = 0; v < chart->vertex_count; v++) {
      flat[v] = (SupVec3){(float)chart->uv[v][0], (float)chart->uv[v][1], 0};
    }
    const SupMesh mesh = {chart->vertex_count, chart->triangle_count, flat, chart->triangles};
    SupResult result = sup_bvh_build(arena, &mesh, &chart->tree, error);
    if (result != SUP_OK) return result;
    for (uint32_t f = 0; f < chart->triangle_count; f++) offsets[chart->owners[f] + 1]++;
  }
  for (uint32_t f = 0; f < triangles; f++) offsets[f + 1] += offsets[f];
  SupChartPiece *pieces = SUP_ALLOC(arena, SupChartPiece, offsets[triangles]);
  uint32_t *ends = SUP_COPY(arena, uint32_t, offsets, triangles);
  if (!pieces || !ends) return sup_fail_memory(error, NULL);
  for (uint32_t p = 0; p < patch_count; p++) {
    for (uint32_t f = 0; f < charts[p].triangle_count; f++) {
      pieces[ends[charts[p].owners[f]]++] = (SupChartPiece){p, f};
    }
  }
  *out_charts = (SupPatchCharts){.patch_count = patch_count,
                                 .charts = charts,
                                 .triangle_count = triangles,
                                 .offsets = offsets,
                                 .pieces = pieces,
                                 .vertex_count = def->mesh.vertex_count};
  return SUP_OK;
}

/* ---- Places --------------------------------------------------------------------------------- */

static double cross(const double a[2], const double b[2], const double c[2]) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Barycentric coordinates in a triangle of the plane, and the least of them. */
static double barycentric(const double *const p[3], const double at[2], double out[3]) {
  const double whole = cross(p[0], p[1], p[2]);
  double least = __builtin_inf();
  for (uint32_t k = 0; k < 3; k++) {
    out[k] = cross(p[nexts[k]], p[nexts[nexts[k]]], at) / whole;
    if (!(out[k] >= least)) least = out[k];
  }
  return least;
}

/* None below 0, with sum 1. */
static void clean(double weights[3]) {
  double sum = 0;
  for (uint32_t k = 0; k < 3; k++) {
    if (!(weights[k] > 0)) weights[k] = 0;
    sum += weights[k];
  }
  for (uint32_t k = 0; k < 3; k++) weights[k] /= sum;
}

static double in_flat_triangle(const SupPatchChart *chart, uint32_t f, const double uv[2],
                               double out[3]) {
  const uint32_t *c = chart->triangles + 3 * (size_t)f;
  const double *const p[3] = {chart->uv[c[0]], chart->uv[c[1]], chart->uv[c[2]]};
  return barycentric(p, uv, out);
}

/* The place of a flat triangle's border nearest to one outside of the polygon. */
static void clamp_to_edge(const SupPatchChart *chart, uint32_t h, const double uv[2],
                          double out[3]) {
  const uint32_t k = h % 3, next = nexts[k];
  const double *a = chart->uv[chart->triangles[h]];
  const double *b = chart->uv[chart->triangles[h - k + next]];
  const double u[2] = {b[0] - a[0], b[1] - a[1]};
  const double square = u[0] * u[0] + u[1] * u[1];
  double t = square > 0 ? ((uv[0] - a[0]) * u[0] + (uv[1] - a[1]) * u[1]) / square : 0;
  t = t > 0 ? t < 1 ? t : 1 : 0;
  out[0] = out[1] = out[2] = 0;
  out[k] = 1 - t;
  out[next] = t;
}

/* The triangle of a chart at uv. The tree finds what is nearest by float places; from there a walk
 * over the edges that uv lies beyond. */
static uint32_t find_flat(const SupPatchChart *chart, const double uv[2], double out[3]) {
  const SupVec3 at = {(float)uv[0], (float)uv[1], 0};
  const SupNearest nearest = sup_bvh_nearest(&chart->tree, at, __builtin_inff());
  uint32_t f = nearest.triangle, best = f;
  double most = -__builtin_inf();
  if (f == SUP_NONE) return SUP_NONE;
  for (uint32_t step = 0; step < MOST_STEPS; step++) {
    double weights[3];
    const double least = in_flat_triangle(chart, f, uv, weights);
    if (least > most) {
      most = least;
      best = f;
      sup_copy(out, weights, 3 * sizeof *out);
    }
    if (least >= -ON_EDGE) break;
    /* The edge opposite to the lowest coordinate. */
    const uint32_t low = weights[0] <= weights[1] ? weights[0] <= weights[2] ? 0 : 2
                                                  : (weights[1] <= weights[2] ? 1u : 2u);
    const uint32_t h = 3 * f + nexts[low], twin = chart->twins[h];
    if (twin == SUP_NONE) {
      clamp_to_edge(chart, h, uv, out);
      return f;
    }
    f = twin / 3;
  }
  clean(out);
  return best;
}

SupSkinPlace sup_chart_to_skin(const SupPatchCharts *charts, SupChartPlace place) {
  SupSkinPlace out = {.triangle = SUP_NONE};
  double weights[3];
  if (place.patch >= charts->patch_count) return out;
  const SupPatchChart *chart = &charts->charts[place.patch];
  const uint32_t f = find_flat(chart, place.uv, weights);
  if (f == SUP_NONE) return out;
  out.triangle = chart->owners[f];
  for (uint32_t k = 0; k < 3; k++) {
    for (uint32_t i = 0; i < 3; i++) {
      out.weights[i] += weights[k] * chart->corner_weights[3 * (size_t)f + k][i];
    }
  }
  return out;
}

SupChartPlace sup_skin_to_chart(const SupPatchCharts *charts, SupSkinPlace place) {
  SupChartPlace out = {.patch = SUP_NONE};
  const SupPatchChart *chart = NULL;
  double most = OUTSIDE, best[3] = {0};
  uint32_t triangle = 0;
  if (place.triangle >= charts->triangle_count) return out;
  for (uint32_t i = charts->offsets[place.triangle]; i < charts->offsets[place.triangle + 1]; i++) {
    const SupChartPiece piece = charts->pieces[i];
    const double(*c)[3] = charts->charts[piece.patch].corner_weights + 3 * (size_t)piece.triangle;
    double weights[3];
    const double *const p[3] = {c[0], c[1], c[2]};
    const double least = barycentric(p, place.weights, weights);
    if (!(least > most)) continue;
    most = least;
    chart = &charts->charts[piece.patch];
    out.patch = piece.patch;
    triangle = piece.triangle;
    sup_copy(best, weights, sizeof best);
  }
  if (!chart) return out;
  clean(best);
  for (uint32_t k = 0; k < 3; k++) {
    const double *uv = chart->uv[chart->triangles[3 * (size_t)triangle + k]];
    out.uv[0] += best[k] * uv[0];
    out.uv[1] += best[k] * uv[1];
  }
  return out;
}

SupVec3d sup_skin_place_position(const SupMesh *skin, SupSkinPlace place) {
  SupVec3d sum = {0, 0, 0};
  for (uint32_t k = 0; k < 3; k++) {
    const uint32_t v = skin->triangles[3 * (size_t)place.triangle + k];
    sum = sup_vec3d_add_scaled(sum, sup_vec3_to_double(skin->positions[v]), place.weights[k]);
  }
  return sum;
}

/* ---- From one character to another ---------------------------------------------------------- */

uint32_t sup_charts_correspond(const SupPatchCharts *to, const SupPatchCharts *from,
                               const uint32_t *patches, SupSkinPlace *out_places) {
  uint32_t found = 0;
  for (uint32_t v = 0; v < to->vertex_count; v++) {
    out_places[v] = (SupSkinPlace){.triangle = SUP_NONE};
  }
  for (uint32_t p = 0; p < to->patch_count; p++) {
    const SupPatchChart *chart = &to->charts[p];
    for (uint32_t k = 0; k < chart->vertex_count && patches[p] != SUP_NONE; k++) {
      const SupChartVertex v = chart->vertices[k];
      if (v.a != v.b || v.a >= to->vertex_count || out_places[v.a].triangle != SUP_NONE) continue;
      const SupChartPlace place = {patches[p], {chart->uv[k][0], chart->uv[k][1]}};
      out_places[v.a] = sup_chart_to_skin(from, place);
      found += out_places[v.a].triangle != SUP_NONE;
    }
  }
  return found;
}

void sup_map_carry(const SupMesh *from, const float *values, uint32_t count,
                   const SupSkinPlace *places, bool nearest, float *io_values) {
  for (uint32_t v = 0; v < count; v++) {
    if (places[v].triangle == SUP_NONE) continue;
    const uint32_t *c = from->triangles + 3 * (size_t)places[v].triangle;
    const double *w = places[v].weights;
    const uint32_t k = w[0] >= w[1] ? w[0] >= w[2] ? 0 : 2 : (w[1] >= w[2] ? 1u : 2u);
    double sum = 0;
    for (uint32_t i = 0; i < 3; i++) sum += w[i] * (double)values[c[i]];
    io_values[v] = nearest ? values[c[k]] : (float)sum;
  }
}

/* ---- Distortion ----------------------------------------------------------------------------- */

/* The singular values of the map from a triangle in space to one in the plane, the larger first. */
static bool stretch(const SupVec3d p[3], const double *const uv[3], double out[2]) {
  const SupVec3d e = sup_vec3d_sub(p[1], p[0]), f = sup_vec3d_sub(p[2], p[0]);
  const double x = sup_vec3d_length(e);
  if (!(x > 0)) return false;
  const double along = sup_vec3d_dot(e, f) / x, up = sup_vec3d_length(sup_vec3d_cross(e, f)) / x;
  if (!(up > 0)) return false;
  /* Derivatives along e and across it. */
  double a[2], b[2];
  for (uint32_t k = 0; k < 2; k++) {
    a[k] = (uv[1][k] - uv[0][k]) / x;
    b[k] = (uv[2][k] - uv[0][k] - along * a[k]) / up;
  }
  const double aa = a[0] * a[0] + a[1] * a[1], bb = b[0] * b[0] + b[1] * b[1];
  const double determinant = a[0] * b[1] - a[1] * b[0];
  const double size = determinant < 0 ? -determinant : determinant;
  const double plus = sup_sqrt(aa + bb + 2 * size);
  const double minus = aa + bb - 2 * size;
  out[0] = (plus + sup_sqrt(minus > 0 ? minus : 0)) / 2;
  out[1] = size / out[0];
  return out[1] > 0;
}

SupChartDistortion sup_chart_distortion(const SupMesh *skin, const SupPatches *patches,
                                        const SupPatchChart *chart) {
  SupChartDistortion d = {.worst_owner = SUP_NONE};
  double flat = 0, whole = 0;
  /* Once for the areas, once for the rest. */
  for (uint32_t pass = 0; pass < 2; pass++) {
    for (uint32_t f = 0; f < chart->triangle_count; f++) {
      const uint32_t *c = chart->triangles + 3 * (size_t)f;
      const double *const uv[3] = {chart->uv[c[0]], chart->uv[c[1]], chart->uv[c[2]]};
      SupVec3d p[3];
      double s[2];
      for (uint32_t k = 0; k < 3; k++) {
        p[k] = sup_chart_vertex_position(skin, patches, chart->vertices[c[k]]);
      }
      const double area =
          sup_vec3d_length(sup_vec3d_cross(sup_vec3d_sub(p[1], p[0]), sup_vec3d_sub(p[2], p[0])));
      if (!stretch(p, uv, s)) continue;
      if (pass == 0) {
        whole += area;
        flat += cross(uv[0], uv[1], uv[2]);
        continue;
      }
      const double angles = s[0] / s[1], size = s[0] * s[1] * whole / flat;
      const double areas = size > 1 ? size : 1 / size;
      d.angles += area / whole * sup_log(angles);
      d.areas += area / whole * sup_log(areas);
      if (areas > d.areas_worst) d.areas_worst = areas;
      if (angles <= d.angles_worst) continue;
      d.angles_worst = angles;
      d.worst_owner = chart->owners[f];
    }
  }
  d.angles = sup_exp(d.angles);
  d.areas = sup_exp(d.areas);
  return d;
}
