/* SPDX-License-Identifier: MIT */
/*
 * What becomes of the flesh below automatic patches.
 *
 * The trunk is a layer. Between two rings of a limb the flesh is solid around the bone that leads
 * from the joint of the first ring to that of the next one, however many rings there are in
 * between. Heads, hands, feet and other ends of limbs go with their bones.
 */
#include "auto_work.h"
#include "supple/author/humanoid.h"

static uint32_t loop_count(SupAuto *a, uint32_t region) {
  SupLoop *loops[1];
  bool reversed[1];
  return sup_auto_loops_of(a, region, 0, loops, reversed);
}

/* Is it a part of the trunk: are there three loops around it, or around something below it? */
static bool is_trunk(SupAuto *a, uint32_t region) {
  if (a->regions[region].kind == SUP_RING_PIECE) return true;
  for (uint32_t r = 0; r < a->region_count; r++) {
    if (a->regions[r].dropped || !sup_auto_below(a, r, region)) continue;
    if (loop_count(a, r) > 2) return true;
  }
  return false;
}

/* Heads, hands and feet, with what is below them. */
static bool is_bony(SupAuto *a, uint32_t region) {
  const SupSkeleton *s = &a->def->character->skeleton;
  if (a->regions[region].joint == SUP_NONE) return false;
  for (int32_t j = (int32_t)a->regions[region].joint; j >= 0; j = s->parents[j]) {
    const SupHumanoidPart part = sup_humanoid_name(s->names[j]);
    if (part == SUP_HUMANOID_HEAD || part == SUP_HUMANOID_HAND || part == SUP_HUMANOID_FOOT) {
      return true;
    }
  }
  return false;
}

/* The region that the trunk's zone is called after: its own but for strips and rings between. */
static uint32_t trunk_top(const SupAuto *a, uint32_t region) {
  uint32_t top = region;
  while (a->regions[top].part && a->regions[top].parent != SUP_NONE &&
         a->regions[a->regions[top].parent].kind != SUP_RING_PIECE) {
    top = a->regions[top].parent;
  }
  return top;
}

/* Where there was no room for four boundaries, patches have other sides. */
static bool is_ring_of_four_sided(const SupAuto *a, uint32_t region) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < a->wanted_count; k++) {
    if (a->wanted[k].zone != region) continue;
    if (a->wanted[k].count != 4) return false;
    count++;
  }
  return count >= 3;
}

static bool is_segment(SupAuto *a, uint32_t region) {
  return a->regions[region].joint != SUP_NONE && is_ring_of_four_sided(a, region) &&
         loop_count(a, region) == 2 && !is_trunk(a, region) && !is_bony(a, region);
}

/* The first region of the segment. */
static uint32_t segment_top(SupAuto *a, uint32_t region) {
  uint32_t top = region;
  for (uint32_t up = a->regions[top].parent; up != SUP_NONE; up = a->regions[top].parent) {
    if (a->regions[up].joint != a->regions[top].joint || !is_segment(a, up)) break;
    top = up;
  }
  return top;
}

/* The joint of the nearest ring below that another joint has; else the farthest child. */
static uint32_t segment_end(const SupAuto *a, uint32_t region) {
  const SupSkeleton *s = &a->def->character->skeleton;
  const uint32_t joint = a->regions[region].joint;
  uint32_t best = SUP_NONE;
  for (uint32_t r = 0; r < a->region_count; r++) {
    const SupRegion *below = &a->regions[r];
    if (below->dropped || below->joint == joint || below->joint == SUP_NONE) continue;
    if (!sup_auto_below(a, r, region)) continue;
    if (best == SUP_NONE || below->depth < a->regions[best].depth) best = r;
  }
  if (best != SUP_NONE) return a->regions[best].joint;
  float farthest = 0;
  for (uint32_t j = 0; j < s->joint_count; j++) {
    if (s->parents[j] != (int32_t)joint) continue;
    const float far = sup_vec3_length(s->rest[j].translation);
    if (far > farthest) best = j;
    if (far > farthest) farthest = far;
  }
  return best;
}

static bool say_bone(SupAuto *a, uint32_t region, SupPatchZone *io_zone) {
  const SupSkeleton *s = &a->def->character->skeleton;
  const uint32_t end = segment_end(a, region);
  const char *start_name = s->names[a->regions[region].joint];
  const char *end_name = end == SUP_NONE ? "" : s->names[end];
  if (!*start_name || !*end_name || sup_string_equal(start_name, end_name)) {
    io_zone->kind = SUP_PATCH_ZONE_SKINNED;
    return true;
  }
  SupPatchFlesh *flesh = SUP_ALLOC(a->arena, SupPatchFlesh, 1);
  if (!flesh) return false;
  *flesh = sup_patch_flesh();
  flesh->bone[0] = start_name;
  flesh->bone[1] = end_name;
  io_zone->flesh = flesh;
  return true;
}

bool sup_auto_zone(SupAuto *a, uint32_t region, SupPatchZone *out_zone) {
  const bool segment = is_segment(a, region);
  const bool trunk = !segment && is_trunk(a, region) && !is_bony(a, region);
  const uint32_t top = segment ? segment_top(a, region) : trunk ? trunk_top(a, region) : region;
  *out_zone = (SupPatchZone){.name = a->regions[top].name,
                             .kind = segment ? SUP_PATCH_ZONE_SOLID
                                     : trunk ? SUP_PATCH_ZONE_STRATUM
                                             : SUP_PATCH_ZONE_SKINNED};
  return !segment || say_bone(a, top, out_zone);
}
