/* SPDX-License-Identifier: MIT */
/* Where a character is soft: a preset on its thickness, then paint, then what is held by name. */
#include "supple/author/soft_parts.h"

#include "supple/author/paint.h"
#include "supple/author/segments.h"
#include "supple/author/thickness.h"
#include "supple/geom/bounds.h"

#define COOKIE 0x536f6674u
#define LEAST_PART 0.02 /* of all softness that a bone is named for */

SupSoftPartsDef sup_soft_parts_def(const SupCharacter *character) {
  return (SupSoftPartsDef){.cookie = COOKIE,
                           .character = character,
                           .preset = *sup_surface_preset_find("soft"),
                           .h = sup_surface_build_def().h};
}

void sup_mark_below(const SupSkeleton *skeleton, bool *io_marked) {
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    /* Parents stand before their children. */
    if (skeleton->parents[j] >= 0 && io_marked[skeleton->parents[j]]) io_marked[j] = true;
  }
}

/* What is locked, and what hangs on other bones than those that are named. */
static SupResult hold(SupArena *arena, const SupSoftPartsDef *def, SupSurfaceMaps *maps,
                      SupError *error) {
  const uint32_t n = maps->vertex_count;
  float *free = SUP_ALLOC(arena, float, n);
  if (!maps->lock) maps->lock = SUP_ALLOC(arena, float, n);
  if (!free || !maps->lock) return sup_fail_memory(error, NULL);
  sup_select_all(n, free);
  if (def->only) sup_select_joints(def->character, def->only, free);
  for (uint32_t v = 0; v < n; v++) {
    const float lock = def->lock ? def->lock[v] : maps->lock[v];
    maps->lock[v] = 1 - free[v] * (1 - lock);
  }
  return SUP_OK;
}

/* How soft everything is, after preset, paint and names. */
static SupResult soften(SupArena *arena, const SupSoftPartsDef *def, SupSoftParts *parts,
                        SupError *error) {
  const SupCharacter *character = def->character;
  const uint32_t n = character->body.vertex_count;
  const float amount = def->preset.amount;
  float *soft = SUP_ALLOC(arena, float, n);
  double all = 0, much = 0;
  if (!soft) return sup_fail_memory(error, NULL);
  for (uint32_t v = 0; v < n; v++) {
    const float felt = 1 - parts->maps.rows[SUP_SURFACE_ETA][v];
    soft[v] = amount > 0 ? felt / amount * (1 - parts->maps.lock[v]) : 0;
    if (soft[v] > 1) soft[v] = 1;
    if (soft[v] > 1e-3f) parts->any = true;
  }
  for (uint32_t t = 0; t < character->body.triangle_count; t++) {
    const uint32_t *corner = character->body.triangles + (size_t)3 * t;
    const SupVec3 *p = character->body.positions;
    const SupVec3 across = sup_vec3_cross(sup_vec3_sub(p[corner[1]], p[corner[0]]),
                                          sup_vec3_sub(p[corner[2]], p[corner[0]]));
    const double area = (double)sup_vec3_length(across);
    for (int k = 0; k < 3; k++) {
      all += area;
      if (soft[corner[k]] > 0.5f) much += area;
    }
  }
  parts->soft = soft;
  parts->soft_area = all > 0 ? much / all : 0;
  return SUP_OK;
}

/* The joints whose flesh moves most. */
static SupResult find_softest(SupArena *arena, const SupCharacter *c, SupSoftParts *parts,
                              SupError *error) {
  const SupSkeleton *skeleton = &c->skeleton;
  double *sums = SUP_ALLOC(arena, double, skeleton->joint_count), all = 0;
  if (!sums) return sup_fail_memory(error, NULL);
  for (uint32_t v = 0; v < c->body.vertex_count; v++) {
    for (uint32_t k = c->skin.offsets[v]; k < c->skin.offsets[v + 1]; k++) {
      const double w = (double)(parts->soft[v] * c->skin.weights[k]);
      sums[skeleton->bone_joints[c->skin.bones[k]]] += w;
      all += w;
    }
  }
  while (parts->softest_count < SUP_SOFTEST && all > 0) {
    uint32_t best = 0;
    for (uint32_t j = 1; j < skeleton->joint_count; j++) {
      if (sums[j] > sums[best]) best = j;
    }
    if (sums[best] < LEAST_PART * all) break;
    parts->softest[parts->softest_count++] = best;
    sums[best] = 0;
  }
  return SUP_OK;
}

static SupResult read_maps(SupArena *arena, const SupSoftPartsDef *def, SupSoftParts *parts,
                           SupError *error) {
  const SupCharacter *character = def->character;
  const SupMesh *body = &character->body;
  SupThicknessDef thick = {.character = character, .jobs = def->jobs};
  float *thickness = SUP_ALLOC(arena, float, body->vertex_count);
  if (!thickness) return sup_fail_memory(error, NULL);
  SupResult result =
      sup_segments_create(arena, character, &thick.segments, &thick.segment_count, error);
  if (result == SUP_OK) result = sup_thickness(arena, &thick, thickness, error);
  if (result == SUP_OK) {
    result = sup_surface_maps_create(arena, body->vertex_count, &parts->maps, error);
  }
  if (result != SUP_OK) return result;
  const double bound = (double)sup_bounds_diagonal(sup_bounds(body->positions, body->vertex_count));
  parts->size = (double)sup_bounds_diagonal(sup_bounds(def->rest, body->vertex_count));
  parts->deep = (double)sup_area_quantile(body, thickness, 0.9f);
  if (bound > 0) parts->deep *= parts->size / bound;
  sup_surface_preset_apply(&def->preset, character, thickness, def->h, &parts->maps);
  return sup_surface_maps_read(arena, character, &parts->maps, &parts->painted_count, error);
}

SupResult sup_soft_parts(SupArena *arena, const SupSoftPartsDef *def, SupSoftParts *out_parts,
                         SupError *error) {
  SupSoftParts parts = {.softest_count = 0};
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "start from sup_soft_parts_def");
  }
  SupResult result = read_maps(arena, def, &parts, error);
  if (result == SUP_OK) result = hold(arena, def, &parts.maps, error);
  if (result == SUP_OK) result = soften(arena, def, &parts, error);
  if (result == SUP_OK) result = find_softest(arena, def->character, &parts, error);
  if (result == SUP_OK) *out_parts = parts;
  return result;
}
