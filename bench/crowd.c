/* SPDX-License-Identifier: MIT */
#include "crowd.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "limbed.h"

static void *heap_allocate(void *user, size_t bytes) {
  (void)user;
  return aligned_alloc(SUP_ALIGNMENT, (bytes + SUP_ALIGNMENT) / SUP_ALIGNMENT * SUP_ALIGNMENT);
}
static void heap_release(void *user, void *block, size_t bytes) {
  (void)user;
  (void)bytes;
  free(block);
}

SupArena crowd_arena(void) {
  SupArena arena;
  sup_arena_init(&arena, (SupAllocator){heap_allocate, heap_release, NULL}, 0);
  return arena;
}

static void stop_on(SupResult result, const SupError *error) {
  if (!result) return;
  fprintf(stderr, "%s\n", error->text);
  exit(1);
}

CrowdModel crowd_model(SupArena *arena, uint32_t vertex_count, uint32_t flags, bool varied) {
  return crowd_model_at(arena, vertex_count, flags, varied, sup_surface_def().h);
}

static void tangle(SupArena *arena, SupMesh *io_mesh) {
  const uint32_t count = 3 * io_mesh->triangle_count;
  uint32_t *triangles = SUP_COPY(arena, uint32_t, io_mesh->triangles, count);
  SupRng rng = sup_rng(3, 1); /* with this one no ring folds, which would enlarge rounding */
  for (uint32_t c = 2; c < count; c += 3) {
    const uint32_t v = sup_rng_u32(&rng) % io_mesh->vertex_count;
    if (v != triangles[c - 1] && v != triangles[c - 2]) triangles[c] = v;
  }
  io_mesh->triangles = triangles;
}

CrowdModel crowd_model_at(SupArena *arena, uint32_t vertex_count, uint32_t flags, bool varied,
                          float h) {
  static const float values[SUP_SURFACE_TERMS] = {0.08f, 0.1f, 0.1f, 0.1f, 0.06f, 0.0f};
  Limbed body;
  SupError error;
  stop_on(limbed_make(arena, vertex_count, false, 1, &body, &error), &error);
  if (flags & CROWD_TANGLED) tangle(arena, &body.mesh);
  if (flags & CROWD_SPREAD) stop_on(limbed_spread(arena, &body, &error), &error);
  SupSurfaceSegment segments[LIMBED_BONES];
  limbed_segments(segments);
  const SupCharacter character = {.name = "limbed",
                                  .skeleton = {.bone_count = LIMBED_BONES},
                                  .body = body.mesh,
                                  .skin = body.skin};
  SupSurfaceDef def = sup_surface_def();
  def.h = h;
  def.flags = flags & (SUP_SURFACE_BONE_ROTATION | SUP_SURFACE_ABSOLUTE | SUP_SURFACE_NORMAL |
                       SUP_SURFACE_UNDELAYED);
  def.segment_count = LIMBED_BONES;
  def.segments = segments;
  const bool undelayed = flags & SUP_SURFACE_UNDELAYED;
  SupRng rng = sup_rng(7, 1);
  for (int k = 0; k < SUP_SURFACE_TERMS; k++) {
    float *map = SUP_ALLOC(arena, float, vertex_count);
    for (uint32_t v = 0; v < vertex_count; v++) {
      map[v] = values[k] * (0.5f + sup_rng_float(&rng));
      if (k == SUP_SURFACE_GAMMA && flags & CROWD_HOLLOW && 2 * v < vertex_count) map[v] = 0;
      if (k == SUP_SURFACE_ETA) map[v] = (undelayed ? 1 : 0.3f) * sup_rng_float(&rng);
    }
    def.values[k] = values[k];
    if (varied) def.maps[k] = map;
  }
  if (undelayed || flags & CROWD_FOLLOWS) def.values[SUP_SURFACE_ETA] = 0.3f;
  float *stiffs = SUP_ALLOC(arena, float, 2 * (size_t)vertex_count);
  for (uint32_t v = 0; v < 2 * vertex_count; v++) stiffs[v] = 0.5f * sup_rng_float(&rng);
  if (varied) {
    def.maps[SUP_SURFACE_MAP_NORMAL_ALPHA] = stiffs;
    def.maps[SUP_SURFACE_MAP_NORMAL_DELTA] = stiffs + vertex_count;
  }
  def.values[SUP_SURFACE_MAX_DISTANCE] = varied ? 0.08f : 1;
  if (flags & SUP_SURFACE_BACKSTOPS) def.values[SUP_SURFACE_STOP] = 0.01f;
  CrowdModel out = {0};
  stop_on(sup_surface_pack(arena, &character, &def, &out.model, &error), &error);
  out.view = sup_surface_view(out.model);
  return out;
}

/* Pairs of bones that share a vertex, in rising order. */
static uint32_t find_pairs(SupArena *arena, const SupSkin *skin, uint32_t **out_pairs) {
  static uint8_t table[LIMBED_BONES][LIMBED_BONES];
  for (uint32_t v = 0; v < skin->vertex_count; v++) {
    for (uint32_t a = skin->offsets[v]; a < skin->offsets[v + 1]; a++) {
      for (uint32_t z = skin->offsets[v]; z < skin->offsets[v + 1]; z++) {
        table[skin->bones[a]][skin->bones[z]] = 1;
      }
    }
  }
  uint32_t *pairs = SUP_ALLOC(arena, uint32_t, 2 * LIMBED_BONES * LIMBED_BONES), count = 0;
  for (uint32_t c = 0; c < LIMBED_BONES; c++) {
    for (uint32_t b = c; b < LIMBED_BONES; b++) {
      if (!table[c][b]) continue;
      pairs[2 * count] = c;
      pairs[2 * count++ + 1] = b;
    }
  }
  *out_pairs = pairs;
  return count;
}

SupModel *crowd_modes(SupArena *arena, uint32_t vertex_count, uint32_t mode_count) {
  Limbed body;
  SupError error;
  stop_on(limbed_make(arena, vertex_count, false, 1, &body, &error), &error);
  SupModesDef def = sup_modes_def();
  uint32_t *pairs;
  def.pair_count = find_pairs(arena, &body.skin, &pairs);
  def.pairs = pairs;
  def.mode_count = mode_count;
  const size_t numbers = 12 * (size_t)def.pair_count * mode_count;
  double *drive = SUP_ALLOC(arena, double, numbers),
         *rates = SUP_ALLOC(arena, double, 2 * (size_t)mode_count);
  SupVec3 *shapes = SUP_ALLOC(arena, SupVec3, (size_t)mode_count * vertex_count);
  SupRng rng = sup_rng(11, 1);
  for (size_t i = 0; i < numbers; i++) drive[i] = 0.02 * (sup_rng_double(&rng) - 0.5);
  for (uint32_t k = 0; k < mode_count; k++) {
    rates[k] = 200 + 30 * k;
    rates[mode_count + k] = 1 + 0.1 * k;
    for (uint32_t v = 0; v < vertex_count; v++) {
      const SupVec3 p = body.mesh.positions[v];
      const float wave = (float)sup_sin((double)p.x * (1 + k) + (double)p.y * (2 + k % 3));
      shapes[(size_t)k * vertex_count + v] = (SupVec3){0.1f * wave, 0.05f * wave, 0.02f * p.z};
    }
  }
  def.drive = drive;
  def.stiffness = rates;
  def.decay = rates + mode_count;
  def.shapes = shapes;
  const SupCharacter character = {
      .name = "limbed",
      .skeleton = {.joint_count = LIMBED_BONES, .bone_count = LIMBED_BONES},
      .body = body.mesh,
      .skin = body.skin};
  SupModel *model = NULL;
  stop_on(sup_modes_pack(arena, &character, &def, &model, &error), &error);
  return model;
}

void crowd_palette(uint32_t character, double seconds, bool scaled, SupAffine *out) {
  for (uint32_t k = 0; k < CROWD_BONES; k++) {
    SupRng rng = sup_rng(character, k);
    const SupVec3 axis = sup_vec3_normalise((SupVec3){
        sup_rng_float(&rng) - 0.5f, sup_rng_float(&rng) - 0.5f, sup_rng_float(&rng) - 0.5f});
    const double swing = 0.15 * sup_rng_double(&rng), phase = 6 * sup_rng_double(&rng);
    const double t = 2 * SUP_PI * seconds * (0.7 + 0.6 * sup_rng_double(&rng));
    const float grown = scaled ? 1 + 0.1f * (float)sup_sin(t) : 1;
    const float side = scaled && k == 3 ? -grown : grown;
    const SupTransform pose = {
        {0.05f * (float)sup_sin(t), 0.1f * (float)sup_sin(2 * SUP_PI * seconds), 0},
        sup_quat_from_axis_angle(axis, (float)(swing * sup_sin(t + phase))),
        {side, grown, grown}};
    out[k] = sup_affine_compose(pose);
  }
}
