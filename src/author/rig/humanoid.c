/* SPDX-License-Identifier: MIT */
/*
 * Parts of a humanoid from the names along paths of its tree.
 *
 * The body, each limb and each finger is one path from a root: that of the joint with the most
 * different meanings of that limb on it. Twist joints beside a limb lie on no such path. Where
 * paths are equally good, none is chosen: the part ends where they divide, and the two joints are
 * kept as rivals for whoever writes the sentence. Words that may mean several parts ("arm", "leg",
 * "shoulder") are decided along the path.
 */
#include "author/rig/humanoid_words.h"
#include "base/scratch.h"

typedef struct Finder {
  const SupSkeleton *skeleton;
  SupHumanoidName *names; /* [joint_count] */
  uint32_t *path;         /* [joint_count] from the root outwards */
  uint32_t *meanings;     /* [joint_count] of the path's joints, as they are decided */
  uint32_t count;
  uint32_t rivals[2];
  SupArena *arena;
  SupHumanoid *humanoid;
  bool short_of_memory;
} Finder;

#define BIT(meaning) (1u << (meaning))

static const uint32_t body_bits = BIT(SUP_HUMANOID_HIPS) | BIT(SUP_HUMANOID_SPINE) |
                                  BIT(SUP_HUMANOID_NECK) | BIT(SUP_HUMANOID_HEAD);
static const uint32_t arm_bits = BIT(SUP_HUMANOID_SHOULDER) | BIT(SUP_HUMANOID_SHOULDER_OR_ARM) |
                                 BIT(SUP_HUMANOID_ARM) | BIT(SUP_HUMANOID_UPPER_ARM) |
                                 BIT(SUP_HUMANOID_LOWER_ARM) | BIT(SUP_HUMANOID_HAND);
static const uint32_t leg_bits = BIT(SUP_HUMANOID_UPPER_LEG) | BIT(SUP_HUMANOID_LEG) |
                                 BIT(SUP_HUMANOID_LOWER_LEG) | BIT(SUP_HUMANOID_FOOT) |
                                 BIT(SUP_HUMANOID_TOES);

/* The meaning of joint j, if it is one of `bits` on that side. */
static uint32_t meaning_of(const Finder *finder, uint32_t j, SupSide side, uint32_t bits) {
  const SupHumanoidName *name = &finder->names[j];
  const bool fits = name->meaning < SUP_HUMANOID_NOTHING && name->side == side;
  return fits && (bits & BIT(name->meaning)) ? name->meaning : SUP_HUMANOID_NOTHING;
}

static uint32_t bit_count(uint32_t bits) {
  uint32_t count = 0;
  for (; bits; bits &= bits - 1) count++;
  return count;
}

/* Is `above` joint j or an ancestor of it? */
static bool is_above(const SupSkeleton *skeleton, uint32_t above, uint32_t j) {
  int32_t at = (int32_t)j;
  while (at > (int32_t)above) at = skeleton->parents[at];
  return at == (int32_t)above;
}

static uint32_t common_ancestor(const SupSkeleton *skeleton, uint32_t a, uint32_t b) {
  int32_t at = (int32_t)a;
  while (at >= 0 && !is_above(skeleton, (uint32_t)at, b)) at = skeleton->parents[at];
  return at < 0 ? SUP_NONE : (uint32_t)at;
}

/* How many different meanings of `bits` lie between the root and joint j. */
static uint32_t path_worth(const Finder *finder, uint32_t j, SupSide side, uint32_t bits) {
  uint32_t found = 0;
  for (int32_t at = (int32_t)j; at >= 0; at = finder->skeleton->parents[at]) {
    const uint32_t meaning = meaning_of(finder, (uint32_t)at, side, bits);
    if (meaning != SUP_HUMANOID_NOTHING) found |= BIT(meaning);
  }
  return bit_count(found);
}

/* The joint at the far end of the best path; of equally good ones where these divide. */
static uint32_t far_end(Finder *finder, SupSide side, uint32_t bits) {
  const SupSkeleton *skeleton = finder->skeleton;
  uint32_t best = SUP_NONE, worth = 0;
  bool divides = false; /* best is where paths divide: no joint behind it is better than another */
  finder->rivals[0] = finder->rivals[1] = SUP_NONE;
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    if (meaning_of(finder, j, side, bits) == SUP_HUMANOID_NOTHING) continue;
    const uint32_t here = path_worth(finder, j, side, bits);
    if (here < worth) continue;
    if (here > worth) {
      best = j, worth = here, divides = false;
      finder->rivals[0] = finder->rivals[1] = SUP_NONE;
    } else if (!divides && is_above(skeleton, best, j)) {
      best = j;
    } else {
      if (!divides) finder->rivals[0] = best, finder->rivals[1] = j;
      if (best != SUP_NONE) best = common_ancestor(skeleton, best, j);
      divides = true;
    }
  }
  return best;
}

/* Fills finder->path with the joints of `bits` on the best path. */
static void find_path(Finder *finder, SupSide side, uint32_t bits) {
  finder->count = 0;
  const uint32_t end = far_end(finder, side, bits);
  if (end == SUP_NONE) return;
  for (int32_t at = (int32_t)end; at >= 0; at = finder->skeleton->parents[at]) {
    const uint32_t meaning = meaning_of(finder, (uint32_t)at, side, bits);
    if (meaning == SUP_HUMANOID_NOTHING) continue;
    finder->path[finder->count++] = (uint32_t)at;
  }
  for (uint32_t k = 0; k < finder->count / 2; k++) {
    const uint32_t other = finder->count - 1 - k, joint = finder->path[k];
    finder->path[k] = finder->path[other];
    finder->path[other] = joint;
  }
  for (uint32_t k = 0; k < finder->count; k++) {
    finder->meanings[k] = meaning_of(finder, finder->path[k], side, bits);
  }
}

static uint32_t count_of(const Finder *finder, uint32_t meaning) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < finder->count; k++) count += finder->meanings[k] == meaning;
  return count;
}

static void rename_all(Finder *finder, uint32_t from, uint32_t to) {
  for (uint32_t k = 0; k < finder->count; k++) {
    if (finder->meanings[k] == from) finder->meanings[k] = to;
  }
}

/* Joints of a limb that has one word for all of it ("arm_joint_L_1 .. 3"): one after the other. */
static void deal_out(Finder *finder, uint32_t from, const uint32_t to[3], bool third) {
  uint32_t done = 0;
  for (uint32_t k = 0; k < finder->count; k++) {
    if (finder->meanings[k] != from) continue;
    finder->meanings[k] = to[done];
    if (done < (third ? 2u : 1u)) done++;
  }
}

static void decide_arm(Finder *finder) {
  static const uint32_t parts[3] = {SUP_HUMANOID_UPPER_ARM, SUP_HUMANOID_LOWER_ARM,
                                    SUP_HUMANOID_HAND};
  const bool upper = count_of(finder, SUP_HUMANOID_UPPER_ARM) > 0;
  const bool lower = count_of(finder, SUP_HUMANOID_LOWER_ARM) > 0;
  if (upper || lower) {
    rename_all(finder, SUP_HUMANOID_ARM, upper ? SUP_HUMANOID_LOWER_ARM : SUP_HUMANOID_UPPER_ARM);
  } else {
    deal_out(finder, SUP_HUMANOID_ARM, parts, count_of(finder, SUP_HUMANOID_HAND) == 0);
  }
  if (count_of(finder, SUP_HUMANOID_UPPER_ARM) == 0) {
    for (uint32_t k = finder->count; k-- > 0;) { /* shoulder, elbow, wrist */
      if (finder->meanings[k] != SUP_HUMANOID_SHOULDER_OR_ARM) continue;
      finder->meanings[k] = SUP_HUMANOID_UPPER_ARM;
      break;
    }
  }
  rename_all(finder, SUP_HUMANOID_SHOULDER_OR_ARM, SUP_HUMANOID_SHOULDER);
}

static void decide_leg(Finder *finder) {
  static const uint32_t parts[3] = {SUP_HUMANOID_UPPER_LEG, SUP_HUMANOID_LOWER_LEG,
                                    SUP_HUMANOID_FOOT};
  const bool upper = count_of(finder, SUP_HUMANOID_UPPER_LEG) > 0;
  const bool lower = count_of(finder, SUP_HUMANOID_LOWER_LEG) > 0;
  if (upper || lower) {
    rename_all(finder, SUP_HUMANOID_LEG, upper ? SUP_HUMANOID_LOWER_LEG : SUP_HUMANOID_UPPER_LEG);
  } else {
    deal_out(finder, SUP_HUMANOID_LEG, parts, count_of(finder, SUP_HUMANOID_FOOT) == 0);
  }
}

/* Keeps the path's joints of one part. Rivals belong to the first part that they mean. */
static void keep(Finder *finder, SupHumanoidPart part, SupSide side, uint32_t meaning) {
  SupJointChain *chain = &finder->humanoid->chains[part][side == SUP_SIDE_RIGHT];
  uint32_t *joints = SUP_ALLOC(finder->arena, uint32_t, count_of(finder, meaning));
  finder->short_of_memory = finder->short_of_memory || !joints;
  if (!joints) return;
  for (uint32_t k = 0; k < finder->count; k++) {
    if (finder->meanings[k] == meaning) joints[chain->count++] = finder->path[k];
  }
  chain->joints = joints;
  const uint32_t rival = finder->rivals[1];
  if (rival == SUP_NONE || chain->count || finder->names[rival].meaning != meaning) return;
  chain->rivals[0] = finder->rivals[0];
  chain->rivals[1] = rival;
}

static void find_limbs(Finder *finder, SupSide side) {
  find_path(finder, side, arm_bits);
  decide_arm(finder);
  for (uint32_t p = SUP_HUMANOID_SHOULDER; p <= SUP_HUMANOID_HAND; p++) {
    keep(finder, (SupHumanoidPart)p, side, p);
  }
  for (uint32_t p = SUP_HUMANOID_THUMB; p <= SUP_HUMANOID_LITTLE; p++) {
    find_path(finder, side, BIT(p));
    keep(finder, (SupHumanoidPart)p, side, p);
  }
  find_path(finder, side, leg_bits);
  decide_leg(finder);
  for (uint32_t p = SUP_HUMANOID_UPPER_LEG; p <= SUP_HUMANOID_TOES; p++) {
    keep(finder, (SupHumanoidPart)p, side, p);
  }
}

/* Where both sides of a limb part from each other; SUP_NONE without one. */
static uint32_t where_limbs_part(const Finder *finder, SupHumanoidPart first,
                                 SupHumanoidPart second) {
  uint32_t ends[2];
  for (uint32_t side = 0; side < 2; side++) {
    const SupJointChain *chain = &finder->humanoid->chains[first][side];
    if (chain->count == 0) chain = &finder->humanoid->chains[second][side];
    if (chain->count == 0) return SUP_NONE;
    ends[side] = chain->joints[0];
  }
  return common_ancestor(finder->skeleton, ends[0], ends[1]);
}

/* A spine whose last joints are neck and head ("DEF-spine.004" to ".006"), by where arms begin. */
static void decide_head(Finder *finder) {
  const uint32_t chest = where_limbs_part(finder, SUP_HUMANOID_SHOULDER, SUP_HUMANOID_UPPER_ARM);
  if (count_of(finder, SUP_HUMANOID_HEAD) > 0 || chest == SUP_NONE) return;
  uint32_t last = SUP_NONE;
  for (uint32_t k = 0; k < finder->count; k++) {
    const bool above =
        finder->path[k] != chest && is_above(finder->skeleton, chest, finder->path[k]);
    if (finder->meanings[k] == SUP_HUMANOID_SPINE && above) {
      finder->meanings[k] = SUP_HUMANOID_NECK;
    }
    if (finder->meanings[k] == SUP_HUMANOID_NECK) last = k;
  }
  if (last != SUP_NONE && count_of(finder, SUP_HUMANOID_NECK) > 1) {
    finder->meanings[last] = SUP_HUMANOID_HEAD;
  }
}

/* Without a name, the hips are where the legs part. */
static void decide_hips(Finder *finder) {
  const uint32_t hips = where_limbs_part(finder, SUP_HUMANOID_UPPER_LEG, SUP_HUMANOID_LOWER_LEG);
  if (count_of(finder, SUP_HUMANOID_HIPS) > 0 || hips == SUP_NONE) return;
  for (uint32_t k = 0; k < finder->count; k++) {
    if (finder->path[k] != hips) continue;
    finder->meanings[k] = SUP_HUMANOID_HIPS;
    return;
  }
  if (finder->count == 0 || !is_above(finder->skeleton, hips, finder->path[0])) return;
  for (uint32_t k = finder->count++; k > 0; k--) {
    finder->path[k] = finder->path[k - 1];
    finder->meanings[k] = finder->meanings[k - 1];
  }
  finder->path[0] = hips;
  finder->meanings[0] = SUP_HUMANOID_HIPS;
}

static void find_body(Finder *finder) {
  find_path(finder, SUP_SIDE_NONE, body_bits);
  decide_head(finder);
  decide_hips(finder);
  for (uint32_t p = SUP_HUMANOID_HIPS; p <= SUP_HUMANOID_HEAD; p++) {
    keep(finder, (SupHumanoidPart)p, SUP_SIDE_NONE, p);
  }
}

/* Numbered fingers get their names: Biped counts from 0, MakeHuman from 1, the thumb first. */
static void name_fingers(Finder *finder) {
  uint32_t first = 1;
  for (uint32_t j = 0; j < finder->skeleton->joint_count; j++) {
    const SupHumanoidName *name = &finder->names[j];
    if (name->meaning == SUP_HUMANOID_FINGER && name->digit == 0) first = 0;
  }
  for (uint32_t j = 0; j < finder->skeleton->joint_count; j++) {
    SupHumanoidName *name = &finder->names[j];
    if (name->meaning != SUP_HUMANOID_FINGER) continue;
    const uint32_t part = SUP_HUMANOID_THUMB + name->digit - first;
    name->meaning = part <= SUP_HUMANOID_LITTLE ? part : SUP_HUMANOID_NOTHING;
  }
}

static void read_names(Finder *finder) {
  const uint32_t count = finder->skeleton->joint_count;
  bool deforms = false;
  for (uint32_t j = 0; j < count; j++) {
    finder->names[j] = sup_humanoid_read(finder->skeleton->names[j]);
    deforms = deforms || finder->names[j].deforms;
  }
  for (uint32_t j = 0; deforms && j < count; j++) { /* the others are Rigify's machinery */
    if (!finder->names[j].deforms) finder->names[j].meaning = SUP_HUMANOID_NOTHING;
  }
  name_fingers(finder);
}

SupResult sup_humanoid_find(SupArena *arena, const SupSkeleton *skeleton, SupHumanoid *out_humanoid,
                            SupError *error) {
  const uint32_t count = skeleton->joint_count;
  SupArena scratch = sup_scratch(arena);
  SupHumanoid humanoid = {0};
  Finder finder = {.skeleton = skeleton,
                   .names = SUP_ALLOC(&scratch, SupHumanoidName, count),
                   .path = SUP_ALLOC(&scratch, uint32_t, (size_t)count + 1),
                   .meanings = SUP_ALLOC(&scratch, uint32_t, (size_t)count + 1),
                   .arena = arena,
                   .humanoid = &humanoid};
  for (uint32_t p = 0; p < SUP_HUMANOID_PARTS; p++) {
    for (uint32_t k = 0; k < 4; k++) humanoid.chains[p][k / 2].rivals[k % 2] = SUP_NONE;
  }
  finder.short_of_memory = !finder.names || !finder.path || !finder.meanings;
  if (!finder.short_of_memory) {
    read_names(&finder);
    find_limbs(&finder, SUP_SIDE_LEFT);
    find_limbs(&finder, SUP_SIDE_RIGHT);
    find_body(&finder);
  }
  sup_arena_free(&scratch);
  if (finder.short_of_memory) return sup_fail_memory(error, NULL);
  *out_humanoid = humanoid;
  return SUP_OK;
}
