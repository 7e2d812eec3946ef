/* SPDX-License-Identifier: MIT */
/*
 * The target's rest pose as the source stands: A-pose against T-pose.
 *
 * From the upper arm or leg outwards, a joint is turned on top of what carries it until its bone
 * points as the source's does, by the smallest turn; a hand also until its knuckles lie alike.
 * Spines, heads, shoulders and feet keep their own rest directions: those differ by build, not by
 * pose, and soles would leave the ground. Where there is no bone to point with (fingertips, a hand
 * without fingers, what hangs on a limb) a joint goes with what carries it.
 */
#include "author/rig/joint_map_parts.h"

/* The joint that `part` points to; SUP_NONE where it has none. */
static uint32_t next_joint(const SupHumanoid *humanoid, uint32_t part, uint32_t side, uint32_t k) {
  const SupJointChain *chain = &humanoid->chains[part][side];
  const bool finger = part >= SUP_HUMANOID_THUMB && part <= SUP_HUMANOID_LITTLE;
  if (finger) return k + 1 < chain->count ? chain->joints[k + 1] : SUP_NONE;
  const SupJointChain *next = &humanoid->chains[part + 1][side];
  return next->count ? next->joints[0] : SUP_NONE;
}

/* Fingers that both hands have; of the hand: from its joint to their first one, and across them
 * from the first to the last. Zero without. */
static void hand_directions(const SupJointMap *map, uint32_t side, SupVec3 out_along[2],
                            SupVec3 out_across[2]) {
  const SupHumanoid *parts[2] = {&map->source_parts, &map->target_parts};
  const SupVec3 *places[2] = {map->source_places, map->target_places};
  for (uint32_t s = 0; s < 2; s++) {
    const uint32_t hand = parts[s]->chains[SUP_HUMANOID_HAND][side].joints[0];
    SupVec3 first = {0, 0, 0}, last = {0, 0, 0}, sum = {0, 0, 0};
    uint32_t count = 0;
    for (uint32_t p = SUP_HUMANOID_INDEX; p <= SUP_HUMANOID_LITTLE; p++) {
      if (!parts[0]->chains[p][side].count || !parts[1]->chains[p][side].count) continue;
      last = places[s][parts[s]->chains[p][side].joints[0]];
      if (!count++) first = last;
      sum = sup_vec3_add(sum, sup_vec3_sub(last, places[s][hand]));
    }
    out_along[s] = sum;
    out_across[s] = sup_vec3_sub(last, first);
  }
}

/* The smallest turn from direction a to b; none where one is zero. */
static SupQuat turn_between(SupVec3 a, SupVec3 b) {
  a = sup_vec3_normalise(a), b = sup_vec3_normalise(b);
  const float dot = sup_vec3_dot(a, b);
  const SupVec3 cross = sup_vec3_cross(a, b);
  if (sup_vec3_dot(a, a) == 0 || sup_vec3_dot(b, b) == 0) return sup_quat_identity();
  if (dot < -0.99999f) {
    const SupVec3 other = a.x * a.x < 0.5f ? sup_vec3_make(1, 0, 0) : sup_vec3_make(0, 1, 0);
    const SupVec3 axis = sup_vec3_normalise(sup_vec3_cross(a, other));
    return sup_quat_make(axis.x, axis.y, axis.z, 0);
  }
  return sup_quat_normalise(sup_quat_make(cross.x, cross.y, cross.z, 1 + dot));
}

/* `base`, and then the smallest turn that brings the target's direction to the source's. */
static SupQuat point(const SupJointMap *map, SupQuat base, SupVec3 source, SupVec3 target) {
  const SupVec3 wanted = sup_quat_rotate(map->facing, source);
  return sup_quat_normalise(
      sup_quat_mul(turn_between(sup_quat_rotate(base, target), wanted), base));
}

static SupVec3 without(SupVec3 v, SupVec3 unit) {
  return sup_vec3_add_scaled(v, unit, -sup_vec3_dot(v, unit));
}

static SupQuat repose_hand(const SupJointMap *map, SupQuat base, uint32_t side) {
  SupVec3 along[2], across[2];
  hand_directions(map, side, along, across);
  base = point(map, base, along[0], along[1]);
  const SupVec3 axis = sup_vec3_normalise(along[0]);
  const SupVec3 source = without(across[0], axis);
  const SupVec3 target = without(across[1], sup_vec3_normalise(along[1]));
  return point(map, base, source, target);
}

static SupQuat repose_joint(const SupJointMap *map, SupQuat base, uint32_t part, uint32_t side,
                            uint32_t k) {
  /* A joint may follow by its name where the source lacks its part: nothing to point as. */
  if (map->source_parts.chains[part][side].count == 0) return base;
  if (part == SUP_HUMANOID_HAND) return k == 0 ? repose_hand(map, base, side) : base;
  const uint32_t from = next_joint(&map->source_parts, part, side, k);
  const uint32_t to = next_joint(&map->target_parts, part, side, k);
  const bool finger = part >= SUP_HUMANOID_THUMB && part <= SUP_HUMANOID_LITTLE;
  if (from == SUP_NONE || to == SUP_NONE || (!finger && k > 0)) return base;
  const uint32_t a = map->source_parts.chains[part][side].joints[finger ? k : 0];
  const uint32_t b = map->target_parts.chains[part][side].joints[k];
  return point(map, base, sup_vec3_sub(map->source_places[from], map->source_places[a]),
               sup_vec3_sub(map->target_places[to], map->target_places[b]));
}

/* Which joint of which part of the target's humanoid joint j is; false if none. */
static bool place_of(const SupHumanoid *humanoid, uint32_t j, uint32_t *out_part,
                     uint32_t *out_side, uint32_t *out_k) {
  for (uint32_t at = 0; at < 2 * SUP_HUMANOID_PARTS; at++) {
    const SupJointChain *chain = &humanoid->chains[at / 2][at % 2];
    for (uint32_t k = 0; k < chain->count; k++) {
      if (chain->joints[k] != j) continue;
      *out_part = at / 2, *out_side = at % 2, *out_k = k;
      return true;
    }
  }
  return false;
}

void sup_joint_map_repose(const SupJointMap *map, SupJointFollow *io_joints) {
  for (uint32_t j = 0; j < map->target->joint_count; j++) {
    const int32_t parent = map->target->parents[j];
    const SupQuat base = parent < 0 ? sup_quat_identity() : io_joints[parent].repose;
    uint32_t part, side, k;
    io_joints[j].repose = base;
    if (io_joints[j].rule == SUP_JOINT_FREE) continue;
    if (!place_of(&map->target_parts, j, &part, &side, &k)) continue;
    if (part <= SUP_HUMANOID_SHOULDER || part >= SUP_HUMANOID_FOOT) {
      io_joints[j].repose = sup_quat_identity();
    } else {
      io_joints[j].repose = repose_joint(map, base, part, side, k);
    }
  }
}
