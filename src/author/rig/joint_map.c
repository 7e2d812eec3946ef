/* SPDX-License-Identifier: MIT */
/* Which joint of one skeleton follows which of another. */
#include "supple/author/joint_map.h"

#include "author/rig/joint_map_parts.h"
#include "base/scratch.h"

const char *sup_joint_rule_name(SupJointRule rule) {
  static const char *const names[SUP_JOINT_RULES] = {"no partner", "equal name", "like name",
                                                     "part", "share of a part"};
  return names[rule];
}

/* Rest rotations and places of all joints, scene space. */
static bool read_rest(SupArena *arena, const SupSkeleton *skeleton, const SupQuat **out_rotations,
                      const SupVec3 **out_places) {
  const uint32_t count = skeleton->joint_count;
  SupQuat *rotations = SUP_ALLOC(arena, SupQuat, count);
  SupVec3 *places = SUP_ALLOC(arena, SupVec3, count);
  SupArena scratch = sup_scratch(arena);
  SupAffine *globals = SUP_ALLOC(&scratch, SupAffine, count);
  const bool enough = rotations && places && globals;
  for (uint32_t j = 0; enough && j < count; j++) {
    const int32_t parent = skeleton->parents[j];
    const SupAffine local = sup_affine_compose(skeleton->rest[j]);
    globals[j] = parent < 0 ? local : sup_affine_mul(globals[parent], local);
    places[j] = sup_affine_translation(globals[j]);
    rotations[j] = skeleton->rest[j].rotation;
    if (parent >= 0) rotations[j] = sup_quat_mul(rotations[parent], rotations[j]);
    rotations[j] = sup_quat_normalise(rotations[j]);
  }
  sup_arena_free(&scratch);
  *out_rotations = rotations, *out_places = places;
  return enough;
}

/* From right to left: the sum over the pairs of limbs that both skeletons have. */
static SupVec3 across(const SupJointMap *map, const SupHumanoid *parts, const SupVec3 *places) {
  static const uint32_t limbs[] = {SUP_HUMANOID_UPPER_ARM, SUP_HUMANOID_UPPER_LEG};
  SupVec3 sum = {0, 0, 0};
  for (size_t k = 0; k < sizeof limbs / sizeof *limbs; k++) {
    const uint32_t p = limbs[k];
    bool both = true;
    for (uint32_t side = 0; side < 2; side++) {
      both = both && map->source_parts.chains[p][side].count &&
             map->target_parts.chains[p][side].count;
    }
    if (!both) continue;
    const SupVec3 left = places[parts->chains[p][0].joints[0]];
    sum = sup_vec3_add(sum, sup_vec3_sub(left, places[parts->chains[p][1].joints[0]]));
  }
  return sum;
}

/* The turn about the vertical, by quarters, between the directions that both face. */
static SupQuat facing_of(const SupJointMap *map) {
  const SupVec3 a = across(map, &map->source_parts, map->source_places);
  const SupVec3 b = across(map, &map->target_parts, map->target_places);
  const float dot = a.x * b.x + a.z * b.z, cross = a.z * b.x - a.x * b.z;
  const float h = 0.70710678118654752f;
  if (dot * dot >= cross * cross) {
    return dot >= 0 ? sup_quat_identity() : sup_quat_make(0, 1, 0, 0);
  }
  return sup_quat_make(0, cross > 0 ? h : -h, 0, h);
}

/* How long the left and the right leg are together, thigh and shin. */
static float leg_length(const SupHumanoid *parts, const SupVec3 *places) {
  float sum = 0;
  for (uint32_t side = 0; side < 2; side++) {
    const SupJointChain *chains[3] = {&parts->chains[SUP_HUMANOID_UPPER_LEG][side],
                                      &parts->chains[SUP_HUMANOID_LOWER_LEG][side],
                                      &parts->chains[SUP_HUMANOID_FOOT][side]};
    if (!chains[0]->count || !chains[1]->count || !chains[2]->count) return 0;
    for (uint32_t k = 0; k < 2; k++) {
      sum += sup_vec3_distance(places[chains[k]->joints[0]], places[chains[k + 1]->joints[0]]);
    }
  }
  return sum;
}

/* The diagonal around the joints that follow, or that are followed. */
static float extent(const SupJointMap *map, bool source) {
  SupVec3 low = {0, 0, 0}, high = {0, 0, 0};
  bool first = true;
  for (uint32_t j = 0; j < map->target->joint_count; j++) {
    if (map->joints[j].rule == SUP_JOINT_FREE) continue;
    const SupVec3 p = source ? map->source_places[map->joints[j].source] : map->target_places[j];
    low.x = first || p.x < low.x ? p.x : low.x, high.x = first || p.x > high.x ? p.x : high.x;
    low.y = first || p.y < low.y ? p.y : low.y, high.y = first || p.y > high.y ? p.y : high.y;
    low.z = first || p.z < low.z ? p.z : low.z, high.z = first || p.z > high.z ? p.z : high.z;
    first = false;
  }
  return sup_vec3_distance(low, high);
}

static float scale_of(const SupJointMap *map) {
  float from = leg_length(&map->source_parts, map->source_places);
  float to = leg_length(&map->target_parts, map->target_places);
  if (!(from > 0 && to > 0)) from = extent(map, true), to = extent(map, false);
  return from > 0 && to > 0 ? to / from : 1;
}

static bool in_chain(const SupHumanoid *parts, uint32_t j) {
  for (uint32_t at = 0; at < 2 * SUP_HUMANOID_PARTS; at++) {
    const SupJointChain *chain = &parts->chains[at / 2][at % 2];
    for (uint32_t k = 0; k < chain->count; k++) {
      if (chain->joints[k] == j) return true;
    }
  }
  return false;
}

/* Joints outside the parts that both have follow by name; parts say where names say the same. */
static void follow_names(const SupJointMap *map, const uint32_t *same, const uint32_t *like,
                         SupJointFollow *io_joints) {
  for (uint32_t j = 0; j < map->target->joint_count; j++) {
    SupJointFollow *follow = &io_joints[j];
    const uint32_t named = same[j] != SUP_NONE ? same[j] : like[j];
    const SupJointRule rule = same[j] != SUP_NONE ? SUP_JOINT_EQUAL_NAME : SUP_JOINT_LIKE_NAME;
    if (named == SUP_NONE) continue;
    if (follow->rule == SUP_JOINT_PART && follow->source == named) follow->rule = rule;
    if (follow->rule != SUP_JOINT_FREE) continue;
    if (in_chain(&map->source_parts, named) && in_chain(&map->target_parts, j)) continue;
    follow->rule = rule;
    follow->source = named;
    follow->share = 1;
    follow->moves = true;
  }
}

static SupResult follow_all(SupArena *arena, SupJointMap *io_map, SupJointFollow *joints,
                            SupError *error) {
  const uint32_t count = io_map->target->joint_count;
  SupArena scratch = sup_scratch(arena);
  uint32_t *named = SUP_ALLOC(&scratch, uint32_t, 2 * (size_t)count);
  SupResult result = SUP_ERROR_MEMORY;
  if (named) {
    result = sup_joint_names_match(&scratch, io_map->source, io_map->target, named, named + count,
                                   error);
  } else {
    sup_fail_memory(error, NULL);
  }
  for (uint32_t j = 0; j < count; j++) {
    joints[j].source = joints[j].before = SUP_NONE;
    joints[j].repose = sup_quat_identity();
  }
  if (result == SUP_OK) {
    sup_joint_map_follow_parts(io_map, joints);
    follow_names(io_map, named, named + count, joints);
    for (uint32_t j = 0; j < count; j++) io_map->counts[joints[j].rule]++;
  }
  sup_arena_free(&scratch);
  return result;
}

SupResult sup_joint_map_make(SupArena *arena, const SupSkeleton *source, const SupSkeleton *target,
                             SupJointMap *out_map, SupError *error) {
  SupJointMap map = {.source = source, .target = target};
  SupJointFollow *joints = SUP_ALLOC(arena, SupJointFollow, target->joint_count);
  if (!joints || !read_rest(arena, source, &map.source_rest, &map.source_places) ||
      !read_rest(arena, target, &map.target_rest, &map.target_places)) {
    return sup_fail_memory(error, NULL);
  }
  SupResult result = sup_humanoid_find(arena, source, &map.source_parts, error);
  if (result == SUP_OK) result = sup_humanoid_find(arena, target, &map.target_parts, error);
  if (result == SUP_OK) result = follow_all(arena, &map, joints, error);
  if (result != SUP_OK) return result;
  map.joints = joints;
  map.facing = facing_of(&map);
  map.scale = scale_of(&map);
  sup_joint_map_repose(&map, joints);
  *out_map = map;
  return SUP_OK;
}

void sup_joint_map_partners(const SupJointMap *map, uint32_t *out_partners) {
  for (uint32_t j = 0; j < map->source->joint_count; j++) out_partners[j] = SUP_NONE;
  for (uint32_t j = 0; j < map->target->joint_count; j++) {
    const SupJointFollow *follow = &map->joints[j];
    if (follow->rule == SUP_JOINT_FREE) continue;
    if (follow->rule == SUP_JOINT_SHARE && out_partners[follow->source] != SUP_NONE) continue;
    out_partners[follow->source] = j;
  }
  /* Of a longer part, joints that no target's joint follows: the nearest one behind them. */
  for (uint32_t at = 0; at < 2 * SUP_HUMANOID_PARTS; at++) {
    const SupJointChain *from = &map->source_parts.chains[at / 2][at % 2];
    const SupJointChain *to = &map->target_parts.chains[at / 2][at % 2];
    for (uint32_t k = from->count; to->count && k-- > 0;) {
      uint32_t *partner = &out_partners[from->joints[k]];
      const bool last = k + 1 == from->count;
      if (*partner != SUP_NONE) continue;
      *partner = last ? to->joints[to->count - 1] : out_partners[from->joints[k + 1]];
    }
  }
}

/* ---- Is it enough? -------------------------------------------------------------------------- */

/* Clauses one after the other, as many as there is room for: no half of one. */
typedef struct Sentence {
  char text[400];
  size_t used;
  uint32_t count, shown;
  const char *file; /* that the last clause says has no joint like this */
} Sentence;

enum { LARGE_JOINTS = 9 };

/* Large joints without which a clip is not the same motion. */
static bool is_large(uint32_t part) {
  return part == SUP_HUMANOID_HIPS || part == SUP_HUMANOID_UPPER_ARM ||
         part == SUP_HUMANOID_LOWER_ARM || part == SUP_HUMANOID_UPPER_LEG ||
         part == SUP_HUMANOID_LOWER_LEG;
}

/* The file's name without its folders: a sentence has no room for them. */
static const char *base_name(const char *path) {
  const char *base = path;
  for (const char *c = path; *c; c++) {
    if ((*c == '/' || *c == '\\') && c[1]) base = c + 1;
  }
  return base;
}

/* "hero.glb has no joint like 'upperarm_l' (left upper arm)", or which ones it could be. */
static void add_missing(Sentence *sentence, const char *name, const SupSkeleton *theirs,
                        const SupJointChain *has, const SupSkeleton *mine,
                        const SupJointChain *lacks, const char *what) {
  char *text = sentence->text + sentence->used;
  const size_t left = sizeof sentence->text - sentence->used;
  const char *joint = theirs->names[has->joints[0]], *comma = sentence->shown ? ", " : "";
  const bool rivals = lacks->rivals[0] != SUP_NONE;
  size_t length;
  sentence->count++;
  if (sentence->shown == 3) return;
  if (rivals) {
    length = sup_format(text, left, "%s'%s' (%s) could be '%s' or '%s' of %s", comma, joint, what,
                        mine->names[lacks->rivals[0]], mine->names[lacks->rivals[1]], name);
  } else if (sentence->file == name) {
    length = sup_format(text, left, ", '%s' (%s)", joint, what);
  } else {
    length = sup_format(text, left, "%s%s has no joint like '%s' (%s)", comma, name, joint, what);
  }
  if (length >= left) {
    *text = 0;
    return;
  }
  sentence->used += length;
  sentence->shown++;
  sentence->file = rivals ? NULL : name;
}

static Sentence what_is_missing(const SupJointMap *map, const char *source_name,
                                const char *target_name) {
  Sentence sentence = {.count = 0};
  for (uint32_t at = 0; at < 2 * SUP_HUMANOID_PARTS; at++) {
    const uint32_t part = at / 2;
    const SupJointChain *from = &map->source_parts.chains[part][at % 2];
    const SupJointChain *to = &map->target_parts.chains[part][at % 2];
    char what[40];
    const char *side = part < SUP_HUMANOID_SHOULDER ? "" : at % 2 ? "right " : "left ";
    sup_format(what, sizeof what, "%s%s", side, sup_humanoid_part_name((SupHumanoidPart)part));
    if (!is_large(part) || (from->count > 0) == (to->count > 0)) continue;
    if (to->count) {
      add_missing(&sentence, source_name, map->target, to, map->source, from, what);
    } else {
      add_missing(&sentence, target_name, map->source, from, map->target, to, what);
    }
  }
  return sentence;
}

static bool has_large_joints(const SupJointMap *map) {
  for (uint32_t at = 0; at < 2 * SUP_HUMANOID_PARTS; at++) {
    const uint32_t part = at / 2, side = at % 2;
    if (!is_large(part) || (part < SUP_HUMANOID_SHOULDER && side)) continue;
    if (!map->source_parts.chains[part][side].count) return false;
    if (!map->target_parts.chains[part][side].count) return false;
  }
  return true;
}

SupResult sup_joint_map_check(const SupJointMap *map, const char *source_name,
                              const char *target_name, SupError *error) {
  const uint32_t follow = map->target->joint_count - map->counts[SUP_JOINT_FREE];
  if (has_large_joints(map)) return SUP_OK;
  if (follow > 0 && 2 * (uint64_t)follow >= map->target->bone_count) return SUP_OK;
  source_name = base_name(source_name), target_name = base_name(target_name);
  const Sentence missing = what_is_missing(map, source_name, target_name);
  if (missing.count == 0 || missing.count == LARGE_JOINTS) { /* one is no humanoid at all */
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "the skeletons do not map: %u of the %u joints of %s have a partner in %s, by "
                    "the same name or the same part of a humanoid",
                    follow, map->target->joint_count, target_name, source_name);
  }
  if (missing.shown == 0) { /* names that are too long to be read */
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "the skeletons do not map: only one of them has %u of the large joints",
                    missing.count);
  }
  char more[40] = "";
  const uint32_t hidden = missing.count - missing.shown;
  if (hidden) sup_format(more, sizeof more, ", and %u more", hidden);
  return sup_fail(error, SUP_ERROR_UNSUPPORTED, "the skeletons do not map: %s%s", missing.text,
                  more);
}
