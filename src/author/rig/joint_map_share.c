/* SPDX-License-Identifier: MIT */
/*
 * Parts of two humanoids along each other.
 *
 * With equal numbers of joints the k-th follows the k-th. Else, a turn along the source's part is a
 * function of place: joint k's turn is that of the bone up to the next joint, so it belongs to the
 * end of that bone, at a share x_k of the part's length, and at x = 0 stands the turn of what
 * carries the part. The target's joint shows the function at the end of its own bone. The last one
 * thus shows the last one's turn, and what hangs on a part is carried as it is in the source. A
 * limb bends at its first joint: there the function starts with the whole swing, without the twist.
 */
#include "author/rig/joint_map_parts.h"

typedef enum Kind {
  ALONG, /* turns are shared along the part */
  LIMB,  /* the twist is */
  ENDS,  /* k-th to k-th; one joint follows the last */
  COUNT  /* k-th to k-th; others are free */
} Kind;

static const Kind kinds[SUP_HUMANOID_PARTS] = {
    [SUP_HUMANOID_HIPS] = ENDS,      [SUP_HUMANOID_SPINE] = ALONG,
    [SUP_HUMANOID_NECK] = ALONG,     [SUP_HUMANOID_HEAD] = ENDS,
    [SUP_HUMANOID_SHOULDER] = ALONG, [SUP_HUMANOID_UPPER_ARM] = LIMB,
    [SUP_HUMANOID_LOWER_ARM] = LIMB, [SUP_HUMANOID_HAND] = ENDS,
    [SUP_HUMANOID_THUMB] = COUNT,    [SUP_HUMANOID_INDEX] = COUNT,
    [SUP_HUMANOID_MIDDLE] = COUNT,   [SUP_HUMANOID_RING] = COUNT,
    [SUP_HUMANOID_LITTLE] = COUNT,   [SUP_HUMANOID_UPPER_LEG] = LIMB,
    [SUP_HUMANOID_LOWER_LEG] = LIMB, [SUP_HUMANOID_FOOT] = COUNT,
    [SUP_HUMANOID_TOES] = COUNT,
};

/* The place where the part goes on behind its last joint: the next part's first joint, else a bone
 * as long as the one before. */
static SupVec3 end_of(const SupHumanoid *humanoid, const SupVec3 *places, uint32_t part,
                      uint32_t side) {
  const SupJointChain *chain = &humanoid->chains[part][side];
  const uint32_t last = chain->joints[chain->count - 1];
  uint32_t next = part + 1;
  if (part == SUP_HUMANOID_SPINE && humanoid->chains[next][0].count == 0) next++;
  const bool ends = part == SUP_HUMANOID_HEAD || part >= SUP_HUMANOID_TOES;
  if (!ends && humanoid->chains[next][side].count) {
    return places[humanoid->chains[next][side].joints[0]];
  }
  if (chain->count < 2) return places[last];
  const SupVec3 before = places[chain->joints[chain->count - 2]];
  return sup_vec3_add(places[last], sup_vec3_sub(places[last], before));
}

/* The share of the part's length up to the end of the bone of its joint k. */
static float share_at(const SupHumanoid *humanoid, const SupVec3 *places, uint32_t part,
                      uint32_t side, uint32_t k) {
  const SupJointChain *chain = &humanoid->chains[part][side];
  const SupVec3 end = end_of(humanoid, places, part, side);
  float all = 0, here = 0;
  for (uint32_t i = 0; i < chain->count; i++) {
    const bool last = i + 1 == chain->count;
    const SupVec3 to = last ? end : places[chain->joints[i + 1]];
    all += sup_vec3_distance(places[chain->joints[i]], to);
    if (i == k) here = all;
  }
  return all > 0 ? here / all : (float)(k + 1) / (float)chain->count;
}

/* Joint k of the target's part, where the parts have unequal numbers. */
static void follow_share(const SupJointMap *map, uint32_t part, uint32_t side, uint32_t k,
                         SupJointFollow *out) {
  const SupJointChain *from = &map->source_parts.chains[part][side];
  const uint32_t count = map->target_parts.chains[part][side].count;
  out->rule = SUP_JOINT_SHARE;
  out->source = from->joints[from->count - 1];
  out->share = 1;
  if (k + 1 == count) return;
  const float x = share_at(&map->target_parts, map->target_places, part, side, k);
  float low = 0;
  for (uint32_t i = 0; i < from->count; i++) {
    const float high = share_at(&map->source_parts, map->source_places, part, side, i);
    if (x > high && i + 1 < from->count) {
      low = high;
      continue;
    }
    const int32_t parent = map->source->parents[from->joints[0]];
    const uint32_t carrier = parent < 0 ? SUP_NONE : (uint32_t)parent;
    out->source = from->joints[i];
    out->before = i ? from->joints[i - 1] : carrier;
    out->share = high > low ? (x - low) / (high - low) : 1;
    out->share = out->share < 1 ? out->share : 1;
    out->twists = i == 0 && kinds[part] == LIMB;
    return;
  }
}

static void follow_part(const SupJointMap *map, uint32_t part, uint32_t side,
                        SupJointFollow *io_joints) {
  const SupJointChain *from = &map->source_parts.chains[part][side];
  const SupJointChain *to = &map->target_parts.chains[part][side];
  if (from->count == 0 || to->count == 0) return;
  const SupVec3 first = map->source_places[from->joints[0]];
  const SupVec3 end = end_of(&map->source_parts, map->source_places, part, side);
  for (uint32_t k = 0; k < to->count; k++) {
    SupJointFollow *follow = &io_joints[to->joints[k]];
    const bool counted = from->count == to->count || kinds[part] == COUNT;
    if (counted && k >= from->count) continue;
    follow->axis = sup_vec3_normalise(sup_vec3_sub(end, first));
    follow->moves = part == SUP_HUMANOID_HIPS && k == 0;
    if (!counted && (kinds[part] == ALONG || kinds[part] == LIMB)) {
      follow_share(map, part, side, k, follow);
      continue;
    }
    const uint32_t last = from->count - 1;
    follow->rule = counted ? SUP_JOINT_PART : SUP_JOINT_SHARE;
    follow->source = from->joints[!counted && (k > last || to->count == 1) ? last : k];
    follow->share = 1;
  }
}

void sup_joint_map_follow_parts(const SupJointMap *map, SupJointFollow *io_joints) {
  for (uint32_t part = 0; part < SUP_HUMANOID_PARTS; part++) {
    follow_part(map, part, 0, io_joints);
    follow_part(map, part, 1, io_joints);
  }
}
