/* SPDX-License-Identifier: MIT */
/* Tubes whose skin has patches of four sides, in rows. */
#include <math.h>
#include <string.h>

#include "app/paper_guo_swdc_parts.h"
#include "supple/train/patch_map.h"

enum { STEPS = 8, ALONG = 36 }; /* vertices around a patch; rings along the tube */

static uint32_t around(const SupSwdcTube *tube) { return tube->sides * STEPS; }

/* Rings are shared evenly among the rows. */
static uint32_t ring_of(const SupSwdcTube *tube, uint32_t row) { return row * ALONG / tube->rows; }

static SupVec3 place(const SupSwdcTube *tube, uint32_t v) {
  const uint32_t ring = v / around(tube), k = v % around(tube);
  const double u = (double)ring / ALONG, angle = 2 * SUP_PI * k / around(tube);
  const double r = 1 - (1 - tube->waist) * sup_sin(SUP_PI * u);
  double s, c;
  sup_sincos(angle, &s, &c);
  return (SupVec3){(float)(r * c), (float)(r * s), (float)(u * tube->length)};
}

static SupResult make_mesh(SupArena *arena, const SupSwdcTube *tube, SupSwdcBody *body,
                           SupError *error) {
  const uint32_t n = around(tube), count = n * (ALONG + 1);
  SupVec3 *places = SUP_ALLOC(arena, SupVec3, count);
  uint32_t *corners = SUP_ALLOC(arena, uint32_t, 6 * (size_t)n * ALONG);
  if (!places || !corners) return sup_fail_memory(error, NULL);
  for (uint32_t v = 0; v < count; v++) {
    places[v] = place(tube, v);
    if (v / n == ALONG) continue;
    const uint32_t next = v % n == n - 1 ? v + 1 - n : v + 1;
    const uint32_t quad[6] = {v, next, next + n, v, next + n, v + n};
    memcpy(corners + 6 * (size_t)v, quad, sizeof quad);
  }
  body->mesh = (SupMesh){count, 2 * n * ALONG, places, corners};
  return sup_topology(arena, &body->mesh, &body->topology, error);
}

static const char *name_of(SupArena *arena, const char *kind, uint32_t k) {
  char text[24];
  const size_t length = sup_format(text, sizeof text, "%s%u", kind, k);
  return sup_arena_string(arena, text, length);
}

/* Along `count` edges from vertex `first`, around the tube or along it. */
static bool add_boundary(SupArena *arena, const SupSwdcTube *tube, const SupSwdcBody *body,
                         uint32_t first, bool along, uint32_t count, SupPatchBoundary *out) {
  const uint32_t n = around(tube), ring = first / n * n;
  SupSkinPoint *points = SUP_ALLOC(arena, SupSkinPoint, count + 1);
  if (!points) return false;
  for (uint32_t k = 0; k <= count; k++) {
    points[k] = sup_skin_vertex(along ? first + k * n : ring + (first - ring + k) % n);
  }
  out->path =
      (SupSkinPath){count + 1, points, sup_skin_points_length(&body->mesh, count + 1, points)};
  return true;
}

static SupResult make_patches(SupArena *arena, const SupSwdcTube *tube, SupSwdcBody *body,
                              SupError *error) {
  const uint32_t s = tube->sides, count = s * (tube->rows + 1);
  SupPatchFeature *features = SUP_ALLOC(arena, SupPatchFeature, count);
  SupPatchBoundary *boundaries = SUP_ALLOC(arena, SupPatchBoundary, 2 * (size_t)count);
  uint32_t b = 0;
  if (!features || !boundaries) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < count; k++) {
    const uint32_t row = k / s, v = ring_of(tube, row) * around(tube) + k % s * STEPS;
    features[k] = (SupPatchFeature){name_of(arena, "f", k), sup_skin_vertex(v), 0};
    boundaries[b] =
        (SupPatchBoundary){.name = name_of(arena, "b", b), .from = k, .to = row * s + (k + 1) % s};
    if (!add_boundary(arena, tube, body, v, false, STEPS, &boundaries[b++])) {
      return sup_fail_memory(error, NULL);
    }
    if (row == tube->rows) continue;
    const uint32_t rings = ring_of(tube, row + 1) - ring_of(tube, row);
    boundaries[b] = (SupPatchBoundary){.name = name_of(arena, "b", b), .from = k, .to = k + s};
    if (!add_boundary(arena, tube, body, v, true, rings, &boundaries[b++])) {
      return sup_fail_memory(error, NULL);
    }
  }
  body->def = (SupPatchesDef){.mesh = body->mesh,
                              .topology = &body->topology,
                              .source = "a tube",
                              .feature_count = count,
                              .boundary_count = b,
                              .features = features,
                              .boundaries = boundaries};
  return sup_patches_create(arena, &body->def, &body->patches, error);
}

SupResult sup_swdc_tube(SupArena *arena, const SupSwdcTube *tube, SupSwdcBody *out_body,
                        SupError *error) {
  SupResult result = make_mesh(arena, tube, out_body, error);
  if (result == SUP_OK) result = make_patches(arena, tube, out_body, error);
  const SupPatchMapDef map = {.def = &out_body->def, .patches = &out_body->patches};
  if (result == SUP_OK) result = sup_patch_charts(arena, &map, &out_body->charts, error);
  return result;
}

uint32_t sup_swdc_row_of(const SupSwdcTube *tube, const SupPatches *patches, uint32_t patch) {
  const SupPatch *p = &patches->patches[patch];
  double z = 0;
  for (uint32_t k = 0; k < p->side_count; k++) {
    z += (double)patches->mesh.positions[p->loop[p->corners[k]]].z / p->side_count;
  }
  return (uint32_t)(z / tube->length * tube->rows);
}
