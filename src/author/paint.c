/* SPDX-License-Identifier: MIT */
/*
 * Painting by rule.
 *
 * Curves are cubic Hermite splines with the slopes of Fritsch and Butland ("A method for
 * constructing local monotone piecewise cubic interpolants", 1984): the harmonic mean of the slopes
 * on both sides, 0 at turning points, so the curve never goes beyond its points.
 */
#include "supple/author/paint.h"

#include "base/scratch.h"
#include "supple/geom/bounds.h"
#include "supple/geom/bvh.h"
#include "supple/geom/geodesic.h"
#include "supple/geom/topology.h"

#define IMAGE_DISTANCE 0.01f /* in diagonals */

static float clamp01(float x) { return x > 0 ? x < 1 ? x : 1 : 0; }

/* ---- Where ------------------------------------------------------------------------------------
 */

void sup_select_all(uint32_t count, float *out_weights) {
  for (uint32_t v = 0; v < count; v++) out_weights[v] = 1;
}

void sup_select_sphere(const SupVec3 *positions, uint32_t count, SupVec3 centre, float radius,
                       float *io_weights) {
  for (uint32_t v = 0; v < count; v++) {
    io_weights[v] *= clamp01(1 - sup_vec3_distance(positions[v], centre) / radius);
  }
}

void sup_select_joints(const SupCharacter *character, const bool *marked, float *io_weights) {
  const SupSkin *skin = &character->skin;
  for (uint32_t v = 0; v < skin->vertex_count; v++) {
    float fraction = 0;
    for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
      if (marked[character->skeleton.bone_joints[skin->bones[k]]]) fraction += skin->weights[k];
    }
    io_weights[v] *= clamp01(fraction);
  }
}

void sup_select_height(const SupVec3 *positions, uint32_t count, float low, float high,
                       float *io_weights) {
  const SupBounds box = sup_bounds(positions, count);
  const float height = box.high.y - box.low.y;
  if (!(height > 0)) return;
  for (uint32_t v = 0; v < count; v++) {
    const float y = (positions[v].y - box.low.y) / height;
    const float step = y >= high ? 1.0f : 0.0f;
    io_weights[v] *= low == high ? step : clamp01((y - low) / (high - low));
  }
}

static uint32_t nearest_vertex(const SupMesh *mesh, SupVec3 point) {
  uint32_t best = 0;
  float distance = sup_vec3_distance(mesh->positions[0], point);
  for (uint32_t v = 1; v < mesh->vertex_count; v++) {
    const float d = sup_vec3_distance(mesh->positions[v], point);
    if (d < distance) best = v, distance = d;
  }
  return best;
}

SupResult sup_select_geodesic(SupArena *arena, const SupMesh *mesh, SupVec3 centre, float radius,
                              float *io_weights, SupError *error) {
  SupArena scratch = sup_scratch(arena);
  SupTopology topology;
  SupGeodesic found;
  const uint32_t source = nearest_vertex(mesh, centre);
  SupResult result = sup_topology(&scratch, mesh, &topology, error);
  if (result == SUP_OK) {
    const SupGeodesicDef def = {.mesh = *mesh,
                                .topology = &topology,
                                .source_count = 1,
                                .sources = &source,
                                .max_distance = (double)radius};
    result = sup_geodesic(&scratch, &def, &found, error);
  }
  for (uint32_t v = 0; v < mesh->vertex_count && result == SUP_OK; v++) {
    const double d = found.distances[v];
    io_weights[v] *= d < (double)radius ? (float)(1 - d / (double)radius) : 0;
  }
  sup_arena_free(&scratch);
  return result;
}

void sup_select_invert(uint32_t count, float *io_weights) {
  for (uint32_t v = 0; v < count; v++) io_weights[v] = 1 - io_weights[v];
}

void sup_select_soften(uint32_t count, float *io_weights) {
  for (uint32_t v = 0; v < count; v++) {
    const float w = io_weights[v];
    io_weights[v] = w * w * (3 - 2 * w);
  }
}

/* ---- What -------------------------------------------------------------------------------------
 */

static float blend(float from, float to, float weight) { return from + weight * (to - from); }

void sup_paint_set(const float *weights, float value, uint32_t count, float *io_values) {
  for (uint32_t v = 0; v < count; v++) io_values[v] = blend(io_values[v], value, weights[v]);
}

void sup_paint_add(const float *weights, float value, uint32_t count, float *io_values) {
  for (uint32_t v = 0; v < count; v++) io_values[v] += weights[v] * value;
}

void sup_paint_scale(const float *weights, float value, uint32_t count, float *io_values) {
  for (uint32_t v = 0; v < count; v++) io_values[v] *= blend(1, value, weights[v]);
}

static float slope(const SupCurve *c, uint32_t k) {
  return (c->y[k + 1] - c->y[k]) / (c->x[k + 1] - c->x[k]);
}

static float slope_at(const SupCurve *c, uint32_t k) {
  if (k == 0 || k + 1 == c->count) return 0; /* flat beyond the ends */
  const float a = slope(c, k - 1), b = slope(c, k);
  return a * b > 0 ? 2 * a * b / (a + b) : 0;
}

float sup_curve_at(const SupCurve *curve, float x) {
  const uint32_t last = curve->count - 1;
  if (!(x > curve->x[0])) return curve->y[0];
  if (x >= curve->x[last]) return curve->y[last];
  uint32_t k = 0;
  while (x >= curve->x[k + 1]) k++;
  const float width = curve->x[k + 1] - curve->x[k], t = (x - curve->x[k]) / width;
  const float a = slope_at(curve, k) * width, b = slope_at(curve, k + 1) * width;
  const float square = t * t, rise = square * (3 - 2 * t);
  return curve->y[k] + rise * (curve->y[k + 1] - curve->y[k]) + t * (1 - t) * (1 - t) * a -
         square * (1 - t) * b;
}

void sup_paint_curve(const float *weights, const SupCurve *curve, bool everywhere, uint32_t count,
                     float *io_values) {
  for (uint32_t v = 0; v < count; v++) {
    if (weights[v] > 0 || everywhere) io_values[v] = sup_curve_at(curve, weights[v]);
  }
}

SupResult sup_paint_smooth(SupArena *arena, const SupMesh *mesh, const float *weights,
                           uint32_t rounds, float *io_values, SupError *error) {
  SupArena scratch = sup_scratch(arena);
  SupRings rings;
  float *other = SUP_ALLOC(&scratch, float, mesh->vertex_count);
  SupResult result =
      other ? sup_rings(&scratch, mesh, &rings, error) : sup_fail_memory(error, "smoothing");
  for (; rounds > 0 && result == SUP_OK; rounds--) {
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
      const uint32_t first = rings.offsets[v], end = rings.offsets[v + 1];
      float sum = io_values[v];
      for (uint32_t k = first; k < end; k++) sum += io_values[rings.neighbours[k]];
      other[v] = blend(io_values[v], sum / (float)(end - first + 1), weights[v]);
    }
    sup_copy(io_values, other, mesh->vertex_count * sizeof *other);
  }
  sup_arena_free(&scratch);
  return result;
}

static SupVec3 mirrored(SupVec3 p, uint32_t axis) {
  return (SupVec3){axis == 0 ? -p.x : p.x, axis == 1 ? -p.y : p.y, axis == 2 ? -p.z : p.z};
}

static float along(SupVec3 p, uint32_t axis) { return axis == 0 ? p.x : axis == 1 ? p.y : p.z; }

SupResult sup_paint_mirror(SupArena *arena, const SupMesh *mesh, uint32_t axis, bool from_negative,
                           const float *weights, float *io_values, uint32_t *out_lost,
                           SupError *error) {
  SupArena scratch = sup_scratch(arena);
  SupBvh bvh;
  const float reach =
      IMAGE_DISTANCE * sup_bounds_diagonal(sup_bounds(mesh->positions, mesh->vertex_count));
  uint32_t lost = 0;
  const float *before = SUP_COPY(&scratch, float, io_values, mesh->vertex_count);
  SupResult result =
      before ? sup_bvh_build(&scratch, mesh, &bvh, error) : sup_fail_memory(error, "mirroring");
  for (uint32_t v = 0; v < mesh->vertex_count && result == SUP_OK; v++) {
    const float side = along(mesh->positions[v], axis);
    if (from_negative ? !(side > 0) : !(side < 0)) continue;
    const SupNearest near = sup_bvh_nearest(&bvh, mirrored(mesh->positions[v], axis), reach);
    if (near.triangle == SUP_NONE) {
      lost++;
      continue;
    }
    const uint32_t *corners = mesh->triangles + 3 * (size_t)near.triangle;
    float value = 0;
    for (int k = 0; k < 3; k++) value += near.barycentric[k] * before[corners[k]];
    io_values[v] = blend(before[v], value, weights[v]);
  }
  sup_arena_free(&scratch);
  if (result == SUP_OK) *out_lost = lost;
  return result;
}
