/* SPDX-License-Identifier: MIT */
/* Joint ranges, the calibration clip. */
#include "supple/author/teaching.h"

#include "supple/clip.h"

/* Instants per second at which clips are looked at. */
#define LOOKS 30.0f
#define DEGREE 0.017453292519943295f

/* ---- Ranges --------------------------------------------------------------------------------- */

/* Which of the character's own joints carry skin, themselves or below them:
 * out_moves[joint_count]. */
static void find_movers(const SupCharacter *character, uint8_t *out_moves) {
  const SupSkeleton *skeleton = &character->skeleton;
  const SupSkin *skin = &character->skin;
  for (uint32_t k = 0; k < skin->offsets[skin->vertex_count]; k++) {
    out_moves[skeleton->bone_joints[skin->bones[k]]] = 1;
  }
  for (uint32_t j = skeleton->joint_count; j-- > 0;) {
    if (out_moves[j] && skeleton->parents[j] >= 0) out_moves[skeleton->parents[j]] = 1;
    if (!sup_own_joint(character, j)) out_moves[j] = 0;
  }
}

static void widen_axis(float value, float *io_low, float *io_high) {
  if (value < *io_low) *io_low = value;
  if (value > *io_high) *io_high = value;
}

/* What is done with each instant of the clips. */
typedef struct Looking {
  const SupCharacter *character;
  SupPose pose;
  SupVec3 *last; /* [joint_count] */
  double *sums;  /* [4 * joint_count] of quaternions */
  SupJointRange *ranges;
} Looking;

typedef void LookAt(Looking *l, bool first);

/* Shows every instant of every clip. */
static void look(Looking *l, LookAt *at) {
  for (uint32_t k = 0; k < l->character->clip_count; k++) {
    const SupClip *clip = &l->character->clips[k];
    const float wanted = clip->duration * LOOKS; /* a clip of years is not looked through */
    const uint32_t looks = (uint32_t)(wanted < 1e5f ? wanted : 1e5f) + 2;
    for (uint32_t i = 0; i < looks; i++) {
      const float time = clip->duration * (float)i / (float)(looks - 1);
      sup_pose_rest(&l->character->skeleton, &l->pose);
      sup_clip_sample(clip, time, false, NULL, &l->pose, NULL);
      at(l, i == 0);
    }
  }
}

static SupQuat away_from_home(const Looking *l, uint32_t j) {
  return sup_quat_mul(sup_quat_conjugate(l->ranges[j].home), l->pose.joints[j].rotation);
}

/* Rotations are added up on the side of the sum so far: q and -q are the same. */
static void add_rotations(Looking *l, bool first) {
  (void)first;
  for (uint32_t j = 0; j < l->pose.joint_count; j++) {
    const SupQuat q = l->pose.joints[j].rotation;
    double *sum = l->sums + 4 * (size_t)j;
    const double along =
        (double)q.x * sum[0] + (double)q.y * sum[1] + (double)q.z * sum[2] + (double)q.w * sum[3];
    const double side = along < 0 ? -1 : 1;
    sum[0] += side * (double)q.x;
    sum[1] += side * (double)q.y;
    sum[2] += side * (double)q.z;
    sum[3] += side * (double)q.w;
  }
}

static float angle_of(SupQuat q) { return sup_vec3_length(sup_quat_log(q)); }

/* The farthest that an instant is from home. */
static void find_farthest(Looking *l, bool first) {
  (void)first;
  for (uint32_t j = 0; j < l->pose.joint_count; j++) {
    const float angle = angle_of(away_from_home(l, j));
    if (angle > l->last[j].x) l->last[j].x = angle;
  }
}

/* Home is the rest pose, except for joints that the clips never bring near it: those have the mean
 * of the clips. Arms that rest spread out, and hang in every clip, are at home where they hang. */
static void find_homes(Looking *l) {
  const SupSkeleton *skeleton = &l->character->skeleton;
  look(l, add_rotations);
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    const double *sum = l->sums + 4 * (size_t)j;
    const SupQuat mean = {(float)sum[0], (float)sum[1], (float)sum[2], (float)sum[3]};
    l->ranges[j].home = sup_quat_normalise(mean);
  }
  look(l, find_farthest);
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    const SupQuat rest = sup_quat_normalise(skeleton->rest[j].rotation);
    const float way = angle_of(sup_quat_mul(sup_quat_conjugate(l->ranges[j].home), rest));
    if (!(way > l->last[j].x + 3 * DEGREE)) l->ranges[j].home = rest;
  }
}

/* Takes an instant into the ranges. */
static void widen(Looking *l, bool first) {
  for (uint32_t j = 0; j < l->pose.joint_count; j++) {
    SupJointRange *range = &l->ranges[j];
    if (first) l->last[j] = (SupVec3){0, 0, 0};
    l->last[j] = sup_quat_log_near(away_from_home(l, j), l->last[j]);
    widen_axis(l->last[j].x, &range->low.x, &range->high.x);
    widen_axis(l->last[j].y, &range->low.y, &range->high.y);
    widen_axis(l->last[j].z, &range->low.z, &range->high.z);
  }
}

static float widest(const SupJointRange *range) {
  SupVec3 d = sup_vec3_sub(range->high, range->low);
  float xy = d.x > d.y ? d.x : d.y;
  return xy > d.z ? xy : d.z;
}

SupResult sup_teaching_ranges(SupArena *arena, const SupCharacter *character,
                              SupJointRange *out_ranges, SupError *error) {
  const SupSkeleton *skeleton = &character->skeleton;
  const uint32_t joints = skeleton->joint_count;
  Looking l = {.character = character,
               .pose = {.joint_count = joints, .joints = SUP_ALLOC(arena, SupTransform, joints)},
               .last = SUP_ALLOC(arena, SupVec3, joints),
               .sums = SUP_ALLOC(arena, double, 4 * (size_t)joints),
               .ranges = out_ranges};
  uint8_t *moves = SUP_ALLOC(arena, uint8_t, joints);
  if (!l.pose.joints || !l.last || !l.sums || !moves) {
    return sup_fail_memory(error, "the motion to learn from");
  }
  find_movers(character, moves);
  for (uint32_t j = 0; j < joints; j++) {
    out_ranges[j] = (SupJointRange){.home = sup_quat_normalise(skeleton->rest[j].rotation)};
  }
  if (character->clip_count) find_homes(&l);
  look(&l, widen);
  for (uint32_t j = 0; j < joints; j++) {
    if (moves[j] && character->clip_count == 0) {
      const float most = 25 * DEGREE;
      out_ranges[j].low = (SupVec3){-most, -most, -most};
      out_ranges[j].high = (SupVec3){most, most, most};
    } else if (!moves[j] || widest(&out_ranges[j]) < 3 * DEGREE) {
      out_ranges[j].low = out_ranges[j].high = (SupVec3){0, 0, 0};
    }
  }
  return SUP_OK;
}

/* ---- The calibration clip ------------------------------------------------------------------- */

typedef struct Calibration {
  SupArena *arena;
  const SupCharacter *character;
  SupCalibrationDef def;
  SupJointRange *ranges;
  uint32_t *slots; /* [joint_count] group of joints that pulse together, or SUP_NONE */
  uint32_t group_count;
  uint32_t root; /* the joint that carries everything */
  float height;  /* in the units of the root's translation */
} Calibration;

static bool is_below(const SupSkeleton *skeleton, uint32_t joint, uint32_t ancestor) {
  int32_t j = (int32_t)joint;
  while (j > (int32_t)ancestor) j = skeleton->parents[j];
  return j == (int32_t)ancestor;
}

/* Do two joints move a vertex in common? A joint moves what its whole branch holds. One above the
 * other always do; others when a vertex is shared between their branches. */
static bool fractions_flesh(const SupCharacter *character, uint32_t a, uint32_t b) {
  const SupSkeleton *skeleton = &character->skeleton;
  const SupSkin *skin = &character->skin;
  if (is_below(skeleton, a, b) || is_below(skeleton, b, a)) return true;
  for (uint32_t v = 0; v < skin->vertex_count; v++) {
    bool by_a = false, by_b = false;
    for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
      if (skin->weights[k] < 0.02f) continue;
      uint32_t joint = skeleton->bone_joints[skin->bones[k]];
      by_a |= is_below(skeleton, joint, a);
      by_b |= is_below(skeleton, joint, b);
    }
    if (by_a && by_b) return true;
  }
  return false;
}

/* Greedy: every joint goes into the first group where it shares flesh with nobody. */
static void group_joints(Calibration *c) {
  uint32_t joints = c->character->skeleton.joint_count;
  for (uint32_t j = 0; j < joints; j++) {
    c->slots[j] = SUP_NONE;
    if (!(widest(&c->ranges[j]) > 0) || j == c->root) continue;
    for (uint32_t group = 0; c->slots[j] == SUP_NONE; group++) {
      bool free = true;
      for (uint32_t other = 0; other < j && free; other++) {
        free = c->slots[other] != group || !fractions_flesh(c->character, j, other);
      }
      if (free) c->slots[j] = group;
      if (free && group >= c->group_count) c->group_count = group + 1;
    }
  }
}

/* The joint nearest to the top that all skin hangs on. */
static uint32_t find_root(const SupCharacter *character, const uint8_t *moves) {
  const SupSkeleton *skeleton = &character->skeleton;
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    uint32_t children = 0;
    for (uint32_t k = j + 1; k < skeleton->joint_count; k++) {
      children += skeleton->parents[k] == (int32_t)j && moves[k];
    }
    bool holds = false;
    for (uint32_t b = 0; b < skeleton->bone_count; b++) holds |= skeleton->bone_joints[b] == j;
    if (moves[j] && (children != 1 || holds)) return j;
  }
  return 0;
}

/* Height of the rest joints, in the space of the root's parent. */
static float measure_height(const Calibration *c, SupAffine *globals) {
  const SupSkeleton *skeleton = &c->character->skeleton;
  SupPose pose = {.joint_count = skeleton->joint_count};
  pose.root = sup_transform_identity();
  pose.joints = SUP_COPY(c->arena, SupTransform, skeleton->rest, skeleton->joint_count);
  if (!pose.joints) return 0;
  sup_pose_globals(skeleton, &pose, globals);
  SupVec3 low = {0, 0, 0}, high = {0, 0, 0};
  bool first = true;
  for (uint32_t b = 0; b < skeleton->bone_count; b++) {
    if (!sup_own_joint(c->character, skeleton->bone_joints[b])) continue;
    SupVec3 p = sup_affine_translation(globals[skeleton->bone_joints[b]]);
    if (first) low = high = p;
    first = false;
    widen_axis(p.x, &low.x, &high.x);
    widen_axis(p.y, &low.y, &high.y);
    widen_axis(p.z, &low.z, &high.z);
  }
  float size = sup_vec3_length(sup_vec3_sub(high, low));
  int32_t parent = skeleton->parents[c->root];
  if (parent < 0) return size;
  SupMat3 above = sup_affine_linear(globals[parent]);
  float scale = sup_vec3_length(sup_mat3_column(above, 0));
  return scale > 0 ? size / scale : size;
}

/* The fraction of a pulse at a time since its beginning: sin^4 rises and falls with no jump in
 * acceleration. */
static float pulse_at(const Calibration *c, float time) {
  if (!(time > 0) || !(time < c->def.pulse)) return 0;
  float s = sup_sinf((float)SUP_PI * time / c->def.pulse);
  return s * s * s * s;
}

static float component(SupVec3 v, uint32_t axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

static SupVec3 unit_axis(uint32_t axis, float length) {
  return (SupVec3){axis == 0 ? length : 0, axis == 1 ? length : 0, axis == 2 ? length : 0};
}

/* How far joint j turns about an axis in its pulse: towards the side that it can go farther. */
static float amplitude(const Calibration *c, uint32_t j, uint32_t axis) {
  float low = component(c->ranges[j].low, axis), high = component(c->ranges[j].high, axis);
  float side = high >= -low ? high : low;
  float least = 8 * DEGREE, most = 60 * DEGREE;
  float size = c->def.amount * (side < 0 ? -side : side);
  size = size < least ? least : size > most ? most : size;
  return side < 0 ? -size : size;
}

/* The local transform of joint j at a time. Slots: root translations 0..2, root rotations 3..5,
 * then three per group. */
static SupTransform joint_at(const Calibration *c, uint32_t j, float time) {
  SupTransform local = c->character->skeleton.rest[j];
  local.rotation = c->ranges[j].home;
  float slot_length = c->def.pulse + c->def.pause;
  uint32_t slot = (uint32_t)(time / slot_length), axis = slot % 3;
  float fraction = pulse_at(c, time - (float)slot * slot_length);
  if (fraction == 0) return local;
  if (j == c->root && slot < 3) {
    local.translation =
        sup_vec3_add(local.translation, unit_axis(axis, fraction * 0.07f * c->height));
  } else if (j == c->root && slot < 6) {
    SupQuat turn = sup_quat_exp(unit_axis(axis, fraction * 22 * DEGREE));
    local.rotation = sup_quat_mul(local.rotation, turn);
  } else if (slot >= 6 && c->slots[j] == slot / 3 - 2) {
    SupQuat turn = sup_quat_exp(unit_axis(axis, fraction * amplitude(c, j, axis)));
    local.rotation = sup_quat_mul(local.rotation, turn);
  }
  return local;
}

/* Adds the track of one channel of a joint. */
static bool add_track(const Calibration *c, uint32_t joint, SupChannel channel, const float *times,
                      uint32_t keys, SupTrack *out_track) {
  uint32_t width = channel == SUP_CHANNEL_ROTATION ? 4 : 3;
  float *values = SUP_ALLOC(c->arena, float, (size_t)keys *width);
  if (!values) return false;
  for (uint32_t i = 0; i < keys; i++) {
    SupTransform local = joint_at(c, joint, times[i]);
    float *value = values + (size_t)i * width;
    if (channel == SUP_CHANNEL_ROTATION) {
      value[0] = local.rotation.x;
      value[1] = local.rotation.y;
      value[2] = local.rotation.z;
      value[3] = local.rotation.w;
    } else {
      value[0] = local.translation.x;
      value[1] = local.translation.y;
      value[2] = local.translation.z;
    }
  }
  *out_track = (SupTrack){joint, channel, SUP_INTERPOLATE_LINEAR, width, keys, times, values};
  return true;
}

static SupResult write_clip(const Calibration *c, uint32_t slots, SupClip *out_clip,
                            SupError *error) {
  const SupSkeleton *skeleton = &c->character->skeleton;
  const uint32_t joints = skeleton->joint_count;
  uint32_t count = 0;
  float duration = (float)slots * (c->def.pulse + c->def.pause);
  uint32_t keys = (uint32_t)(duration * c->def.fps) + 2;
  float *times = SUP_ALLOC(c->arena, float, keys);
  SupTrack *tracks = SUP_ALLOC(c->arena, SupTrack, (size_t)joints + 1);
  if (!times || !tracks) return sup_fail_memory(error, "the motion to learn from");
  for (uint32_t i = 0; i < keys; i++) times[i] = (float)i / c->def.fps;
  bool done = add_track(c, c->root, SUP_CHANNEL_TRANSLATION, times, keys, &tracks[count++]);
  for (uint32_t j = 0; j < joints && done; j++) {
    const SupQuat rest = sup_quat_normalise(skeleton->rest[j].rotation);
    const bool away = angle_of(sup_quat_mul(sup_quat_conjugate(rest), c->ranges[j].home)) > 1e-3f;
    if (j != c->root && c->slots[j] == SUP_NONE && !away) continue;
    done = add_track(c, j, SUP_CHANNEL_ROTATION, times, keys, &tracks[count++]);
  }
  if (!done) return sup_fail_memory(error, "the motion to learn from");
  *out_clip = (SupClip){"@calibration", times[keys - 1], count, tracks};
  return SUP_OK;
}

static float or_default(float value, float fallback) { return value > 0 ? value : fallback; }

SupResult sup_calibration_clip(SupArena *arena, const SupCharacter *character,
                               const SupCalibrationDef *def, SupClip *out_clip,
                               SupCalibrationReport *out_report, SupError *error) {
  uint32_t joints = character->skeleton.joint_count;
  if (character->skeleton.bone_count == 0) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "the character has no skin; bind it to a skeleton first");
  }
  Calibration c = {.arena = arena, .character = character};
  c.def = (SupCalibrationDef){or_default(def->fps, 60), or_default(def->pulse, 0.35f),
                              or_default(def->pause, 0.35f), or_default(def->amount, 0.7f)};
  c.ranges = SUP_ALLOC(arena, SupJointRange, joints);
  c.slots = SUP_ALLOC(arena, uint32_t, joints);
  uint8_t *moves = SUP_ALLOC(arena, uint8_t, joints);
  SupAffine *globals = SUP_ALLOC(arena, SupAffine, joints);
  if (!c.ranges || !c.slots || !moves || !globals) {
    return sup_fail_memory(error, "the motion to learn from");
  }
  SupResult result = sup_teaching_ranges(arena, character, c.ranges, error);
  if (result != SUP_OK) return result;
  find_movers(character, moves);
  c.root = find_root(character, moves);
  c.height = measure_height(&c, globals);
  group_joints(&c);
  SupCalibrationReport report = {.slot_count = 6 + 3 * c.group_count};
  for (uint32_t j = 0; j < joints; j++) report.joint_count += c.slots[j] != SUP_NONE;
  report.joint_count++; /* the root */
  result = write_clip(&c, report.slot_count, out_clip, error);
  if (result == SUP_OK) *out_report = report;
  return result;
}
