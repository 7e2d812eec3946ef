/* SPDX-License-Identifier: MIT */
/*
 * Modes zone by zone: an eigenproblem of its own for the flesh of some bones, everything else held.
 * The oscillators stay uncoupled and their frequencies are those of that flesh; by inclusion none
 * is below that of the same rank of the whole body. What is lost is the coupling of neighbouring
 * zones across the elements that they share.
 */
#include "supple/modes.h"
#include "train/modes/modes_volume.h"

typedef struct Zones {
  const SupModesTrainDef *def;
  const SupElasticDef *elastic;
  ModesVolume *volume;
  uint32_t zone_count;
  uint8_t *held;        /* [node_count] by the bones, in whatever zone */
  uint32_t *of_node;    /* [node_count] zone, or SUP_NONE: held */
  ModesSolution *parts; /* [zone_count] over the zone's own free nodes */
  SupElastic *bodies;   /* [zone_count] */
} Zones;

/* A node belongs to the zone whose bones have most of its weight. */
static void sort_nodes(Zones *z) {
  const SupAttachment *attachment = &z->volume->attachment;
  for (uint32_t n = 0; n < z->volume->fill.mesh.node_count; n++) {
    const size_t at = SUP_ATTACH_BONES * (size_t)n;
    float most = 0;
    z->of_node[n] = SUP_NONE;
    for (size_t k = at; k < at + SUP_ATTACH_BONES && !z->held[n]; k++) {
      const uint32_t zone = z->def->bone_zones[attachment->bones[k]];
      float sum = 0;
      for (size_t i = at; i < at + SUP_ATTACH_BONES; i++) {
        if (z->def->bone_zones[attachment->bones[i]] == zone) sum += attachment->weights[i];
      }
      if (sum > most) {
        most = sum;
        z->of_node[n] = zone;
      }
    }
  }
}

static SupResult make_body(SupArena *arena, Zones *z, uint32_t zone, SupElastic *out_body,
                           SupError *error) {
  SupElasticDef elastic = *z->elastic;
  uint8_t *held = SUP_ALLOC(arena, uint8_t, elastic.mesh.node_count);
  if (!held) return sup_fail_memory(error, "modes of zones");
  for (uint32_t n = 0; n < elastic.mesh.node_count; n++) {
    held[n] = zone == SUP_NONE ? z->of_node[n] == SUP_NONE : z->of_node[n] != zone;
  }
  elastic.prescribed = held;
  elastic.unseen = z->volume->attachment.unseen;
  SupResult result = SUP_OK;
  if (zone != SUP_NONE)
    result = sup_modes_anchor(arena, &elastic.mesh, &z->volume->attachment, held, error);
  return result ? result : sup_elastic_create(arena, &elastic, out_body, error);
}

static SupResult solve_zone(SupArena *arena, Zones *z, uint32_t zone, SupError *error) {
  SupElastic *body = &z->bodies[zone];
  SupResult result = make_body(arena, z, zone, body, error);
  const uint32_t size = result ? 0 : 3 * body->free_count;
  if (result || size < 2) return result; /* no flesh of its own: no modes */
  const uint32_t count = z->def->mode_count < size ? z->def->mode_count : size - 1;
  return sup_modes_solve(arena, body, &z->volume->attachment, z->volume->scale, count,
                         &z->parts[zone], error);
}

/* Mode k of a zone, as mode `to` of the whole. */
static void place(const Zones *z, uint32_t zone, uint32_t k, uint32_t to, ModesSolution *out) {
  const SupElastic *own = &z->bodies[zone], *all = &z->volume->body;
  const ModesSolution *part = &z->parts[zone];
  out->stiffness[to] = part->stiffness[k];
  out->damping[to] = part->damping[k];
  out->drag[to] = part->drag[k];
  z->volume->zones[to] = zone;
  for (uint32_t i = 0; i < own->free_count; i++) {
    const uint32_t at = (uint32_t)all->free_index[own->free_nodes[i]];
    for (uint32_t e = 0; e < 3; e++) {
      out->shapes[3 * ((size_t)to * all->free_count + at) + e] =
          part->shapes[3 * ((size_t)k * own->free_count + i) + e];
    }
  }
}

/* All modes by rising frequency. */
static void merge(const Zones *z, uint32_t *next, ModesSolution *out) {
  for (uint32_t to = 0; to < out->count; to++) {
    uint32_t best = SUP_NONE;
    for (uint32_t zone = 0; zone < z->zone_count; zone++) {
      if (next[zone] == z->parts[zone].count) continue;
      if (best == SUP_NONE ||
          z->parts[zone].stiffness[next[zone]] < z->parts[best].stiffness[next[best]]) {
        best = zone;
      }
    }
    place(z, best, next[best]++, to, out);
  }
}

SupResult sup_modes_zones(SupArena *arena, const SupModesTrainDef *def,
                          const SupElasticDef *elastic, ModesVolume *volume, ModesSolution *out,
                          SupError *error) {
  Zones z = {.def = def, .elastic = elastic, .volume = volume};
  for (uint32_t b = 0; b < def->character->skeleton.bone_count; b++) {
    const uint32_t zone = def->bone_zones[b];
    if (zone != SUP_NONE && zone >= z.zone_count) z.zone_count = zone + 1;
  }
  z.held = SUP_COPY(arena, uint8_t, volume->attachment.held, volume->fill.mesh.node_count);
  z.of_node = SUP_ALLOC(arena, uint32_t, volume->fill.mesh.node_count);
  z.parts = SUP_ALLOC(arena, ModesSolution, z.zone_count);
  z.bodies = SUP_ALLOC(arena, SupElastic, z.zone_count);
  uint32_t *next = SUP_ALLOC(arena, uint32_t, z.zone_count);
  if (!z.held || !z.of_node || !z.parts || !z.bodies || !next) {
    return sup_fail_memory(error, "modes of zones");
  }
  SupResult result =
      sup_modes_anchor(arena, &volume->fill.mesh, &volume->attachment, z.held, error);
  if (result) return result;
  sort_nodes(&z);
  result = make_body(arena, &z, SUP_NONE, &volume->body, error);
  ModesSolution all = {0};
  for (uint32_t zone = 0; zone < z.zone_count && !result; zone++) {
    result = solve_zone(arena, &z, zone, error);
    all.count += z.parts[zone].count;
  }
  if (result) return result;
  if (all.count == 0 || all.count > SUP_MODES_MOST) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%u modes of %u zones: a model has 1 to %u; change the zones or the number",
                    all.count, z.zone_count, SUP_MODES_MOST);
  }
  all.stiffness = SUP_ALLOC(arena, double, all.count);
  all.damping = SUP_ALLOC(arena, double, all.count);
  all.drag = SUP_ALLOC(arena, double, all.count);
  all.shapes = SUP_ALLOC(arena, double, (size_t)3 * all.count * volume->body.free_count);
  volume->zones = SUP_ALLOC(arena, uint32_t, all.count);
  if (!all.stiffness || !all.damping || !all.drag || !all.shapes || !volume->zones) {
    return sup_fail_memory(error, "modes of zones");
  }
  volume->zone_count = z.zone_count;
  merge(&z, next, &all);
  *out = all;
  return SUP_OK;
}

/* ---- Limbs ------------------------------------------------------------------------------------
 */

/* Vertices that a bone moves more than any other: out_counts[bone_count]. */
static void count_own(const SupCharacter *character, uint32_t *out_counts) {
  const SupSkin *skin = &character->skin;
  for (uint32_t v = 0; v < skin->vertex_count; v++) {
    uint32_t best = skin->offsets[v];
    for (uint32_t k = best; k < skin->offsets[v + 1]; k++) {
      if (skin->weights[k] > skin->weights[best]) best = k;
    }
    if (best < skin->offsets[v + 1]) out_counts[skin->bones[best]]++;
  }
}

/* The zone that a joint's flesh belongs to; joints come after their parents. A limb begins where
 * its parent has several children with flesh below them. */
static void grow_limbs(const SupSkeleton *skeleton, const uint32_t *below, uint32_t least,
                       uint32_t *zones, uint32_t *io_count) {
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    const int32_t parent = skeleton->parents[j];
    uint32_t limbs = 0;
    for (uint32_t i = 0; i < skeleton->joint_count && parent >= 0; i++) {
      limbs += skeleton->parents[i] == parent && below[i] >= least;
    }
    const bool own = parent < 0 || (limbs > 1 && below[j] >= least);
    zones[j] = own ? (*io_count)++ : zones[parent];
  }
}

SupResult sup_modes_limbs(SupArena *arena, const SupCharacter *character, uint32_t *out_zones,
                          uint32_t *out_count, SupError *error) {
  const SupSkeleton *skeleton = &character->skeleton;
  uint32_t *own = SUP_ALLOC(arena, uint32_t, skeleton->bone_count), count = 0;
  uint32_t *below = SUP_ALLOC(arena, uint32_t, skeleton->joint_count);
  uint32_t *zones = SUP_ALLOC(arena, uint32_t, skeleton->joint_count);
  if (!own || !below || !zones) return sup_fail_memory(error, "modes of zones");
  count_own(character, own);
  for (uint32_t b = 0; b < skeleton->bone_count; b++) below[skeleton->bone_joints[b]] += own[b];
  for (uint32_t j = skeleton->joint_count; j-- > 0;) {
    if (skeleton->parents[j] >= 0) below[skeleton->parents[j]] += below[j];
  }
  const uint32_t least = character->skin.vertex_count / 50 + 1; /* fingers are no limbs */
  grow_limbs(skeleton, below, least, zones, &count);
  for (uint32_t b = 0; b < skeleton->bone_count; b++) {
    out_zones[b] = zones[skeleton->bone_joints[b]];
  }
  *out_count = count;
  return SUP_OK;
}
