/* SPDX-License-Identifier: MIT */
/* Poses and clips between skeletons of different conventions. */
#include "check.h"

#include <math.h>

#include "mannequin.h"
#include "supple/author/joint_map.h"
#include "supple/clip.h"
#include "supple/io/file.h"

static const float degree = (float)(SUP_PI / 180);

static SupArena arena;

static int set_up(void **state) {
  (void)state;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sup_arena_free(&arena);
  return 0;
}

/* ---- Poses to play -------------------------------------------------------------------------- */

static SupQuat random_turn(SupRng *rng, float most) {
  const SupVec3 v = {sup_rng_float(rng) - 0.5f, sup_rng_float(rng) - 0.5f,
                     sup_rng_float(rng) - 0.5f};
  return sup_quat_exp(sup_vec3_scale(v, 2 * most));
}

static bool is_limb(SupHumanoidPart part) {
  return part == SUP_HUMANOID_UPPER_ARM || part == SUP_HUMANOID_LOWER_ARM ||
         part == SUP_HUMANOID_UPPER_LEG || part == SUP_HUMANOID_LOWER_LEG;
}

/* All joints of the body turn; joints in the middle of a limb twist about it. */
static void pose_randomly(const Mannequin *m, SupRng *rng, SupPose *out) {
  sup_pose_rest(&m->skeleton, out);
  for (uint32_t j = 0; j < m->skeleton.joint_count; j++) {
    SupQuat *local = &out->joints[j].rotation;
    if (m->parts[j] == SUP_HUMANOID_PARTS) continue;
    if (m->shares[j] > 0 && is_limb(m->parts[j])) { /* along the way from its parent */
      const SupVec3 axis = sup_vec3_normalise(m->rest[j].translation);
      const SupQuat twist = sup_quat_from_axis_angle(axis, sup_rng_float(rng) - 0.5f);
      *local = sup_quat_mul(twist, *local);
    } else {
      *local = sup_quat_mul(*local, random_turn(rng, m->shares[j] > 0 ? 0.2f : 0.9f));
    }
  }
}

static SupPose make_pose(const Mannequin *m) {
  SupPose pose = {.joint_count = m->skeleton.joint_count};
  pose.joints = SUP_ALLOC(&arena, SupTransform, pose.joint_count);
  assert_non_null(pose.joints);
  sup_pose_rest(&m->skeleton, &pose);
  return pose;
}

static SupVec3 direction(const Mannequin *m, const SupAffine *globals, SupHumanoidPart from,
                         SupHumanoidPart to, uint32_t side) {
  const uint32_t a = mannequin_joint(m, from, side), b = mannequin_joint(m, to, side);
  return sup_vec3_normalise(
      sup_vec3_sub(sup_affine_translation(globals[b]), sup_affine_translation(globals[a])));
}

/* Radians from a's turned direction to b's. */
static float apart(SupQuat facing, SupVec3 a, SupVec3 b) {
  return sup_acosf(sup_vec3_dot(sup_quat_rotate(facing, a), b));
}

/* Bones that both have and that must point the same way in any pose. */
static const SupHumanoidPart bones[][2] = {
    {SUP_HUMANOID_UPPER_ARM, SUP_HUMANOID_LOWER_ARM},
    {SUP_HUMANOID_LOWER_ARM, SUP_HUMANOID_HAND},
    {SUP_HUMANOID_HAND, SUP_HUMANOID_MIDDLE},
    {SUP_HUMANOID_UPPER_LEG, SUP_HUMANOID_LOWER_LEG},
    {SUP_HUMANOID_LOWER_LEG, SUP_HUMANOID_FOOT},
    {SUP_HUMANOID_FOOT, SUP_HUMANOID_TOES},
};

/* The largest angle between bones of both; out_count of them were compared. */
static float bones_apart(const Mannequin *a, const SupAffine *source, const Mannequin *b,
                         const SupAffine *target, SupQuat facing, uint32_t *out_count) {
  float most = 0;
  *out_count = 0;
  for (size_t k = 0; k < 2 * sizeof bones / sizeof *bones; k++) {
    const SupHumanoidPart *bone = bones[k / 2];
    const uint32_t side = k % 2;
    if (mannequin_joint(a, bone[0], side) == SUP_NONE) continue;
    if (mannequin_joint(a, bone[1], side) == SUP_NONE) continue;
    if (mannequin_joint(b, bone[0], side) == SUP_NONE) continue;
    if (mannequin_joint(b, bone[1], side) == SUP_NONE) continue;
    const SupVec3 from = direction(a, source, bone[0], bone[1], side);
    const float angle = apart(facing, from, direction(b, target, bone[0], bone[1], side));
    most = angle > most ? angle : most;
    ++*out_count;
  }
  return most;
}

/* How far the first joint of a part has turned from rest, scene space. */
static SupQuat turn_of(const Mannequin *m, const SupAffine *globals, SupHumanoidPart part) {
  const uint32_t j = mannequin_joint(m, part, 0);
  const SupMat3 now = sup_affine_linear(globals[j]);
  const SupMat3 bind = sup_affine_linear(m->inverse_bind[j]);
  return sup_quat_from_mat3(sup_mat3_mul(now, bind));
}

static float turn_apart(SupQuat a, SupQuat b) {
  return sup_vec3_length(sup_quat_log(sup_quat_mul(a, sup_quat_conjugate(b))));
}

/* ---- Between all conventions ------------------------------------------------------------------
 */

static void compare(uint32_t from, uint32_t to, float slope, uint32_t facing) {
  Mannequin *a = SUP_ALLOC(&arena, Mannequin, 1), *b = SUP_ALLOC(&arena, Mannequin, 1);
  SupJointMap map;
  SupJointMapWork work;
  SupError error;
  SupAffine globals[2][MANNEQUIN_JOINTS];
  mannequin_make(a, from, 1, 0, 0);
  mannequin_make(b, to, 0.6f, slope, facing);
  assert_int_equal(sup_joint_map_make(&arena, &a->skeleton, &b->skeleton, &map, &error), SUP_OK);
  assert_int_equal(sup_joint_map_check(&map, "a.glb", "b.glb", &error), SUP_OK);
  assert_int_equal(sup_joint_map_work(&arena, &map, &work, &error), SUP_OK);
  assert_true(fabsf(map.scale - 0.6f) < 1e-3f);
  SupPose source = make_pose(a), target = make_pose(b);
  SupRng rng = sup_rng(from, to);
  const SupQuat facings = sup_quat_exp(sup_vec3_make(0, (float)(SUP_PI / 2) * (float)facing, 0));
  for (uint32_t k = 0; k < 4; k++) {
    uint32_t count;
    if (k) pose_randomly(a, &rng, &source); /* the first pose is rest */
    source.joints[0].translation.y += 0.1f * (float)k;
    sup_joint_map_pose(&map, &work, &source, &target);
    sup_pose_globals(&a->skeleton, &source, globals[0]);
    sup_pose_globals(&b->skeleton, &target, globals[1]);
    const float bones_off = bones_apart(a, globals[0], b, globals[1], facings, &count);
    if (count < 8 || bones_off > 0.05f * degree) {
      fail_msg("%s to %s: of %u bones one is %.3f degrees off", convention_names[from],
               convention_names[to], count, (double)(bones_off / degree));
    }
    for (uint32_t p = SUP_HUMANOID_HIPS; p <= SUP_HUMANOID_HEAD; p += SUP_HUMANOID_HEAD) {
      const SupQuat turn = turn_of(a, globals[0], (SupHumanoidPart)p);
      const SupQuat wanted = sup_quat_mul(sup_quat_mul(facings, turn), sup_quat_conjugate(facings));
      const float off = turn_apart(turn_of(b, globals[1], (SupHumanoidPart)p), wanted);
      if (off > 0.1f * degree) {
        fail_msg("%s to %s: the %s turns %.3f degrees otherwise", convention_names[from],
                 convention_names[to], sup_humanoid_part_name((SupHumanoidPart)p),
                 (double)(off / degree));
      }
    }
    const uint32_t hips[2] = {mannequin_joint(a, SUP_HUMANOID_HIPS, 0),
                              mannequin_joint(b, SUP_HUMANOID_HIPS, 0)};
    const SupVec3 moved =
        sup_vec3_sub(sup_affine_translation(globals[0][hips[0]]), a->places[hips[0]]);
    const SupVec3 shown =
        sup_vec3_sub(sup_affine_translation(globals[1][hips[1]]), b->places[hips[1]]);
    const SupVec3 wanted = sup_vec3_scale(sup_quat_rotate(facings, moved), map.scale);
    assert_true(sup_vec3_distance(shown, wanted) < 1e-4f);
  }
}

static void poses_point_the_same_way(void **state) {
  (void)state;
  for (uint32_t from = 0; from < CONVENTIONS; from++) {
    for (uint32_t to = 0; to < CONVENTIONS; to++) {
      compare(from, to, 0, 0);
      compare(from, to, 50 * degree, 0); /* T-pose to A-pose */
    }
  }
}

static void characters_may_face_another_way(void **state) {
  (void)state;
  for (uint32_t facing = 1; facing < 4; facing++) {
    compare(1, 0, 50 * degree, facing);
    compare(0, 2, 0, facing);
  }
}

/* The twist of an arm without joints for it is spread over those that the other one has, and the
 * arm bends at its first joint alone. */
static void twists_are_shared(void **state) {
  (void)state;
  Mannequin a, b;
  SupJointMap map;
  SupJointMapWork work;
  mannequin_make(&a, 0, 1, 0, 0);
  mannequin_make(&b, 5, 1, 0, 0);
  assert_int_equal(sup_joint_map_make(&arena, &a.skeleton, &b.skeleton, &map, NULL), SUP_OK);
  assert_int_equal(sup_joint_map_work(&arena, &map, &work, NULL), SUP_OK);
  SupPose source = make_pose(&a), target = make_pose(&b);
  const uint32_t arm = mannequin_joint(&a, SUP_HUMANOID_UPPER_ARM, 0);
  const uint32_t elbow = mannequin_joint(&a, SUP_HUMANOID_LOWER_ARM, 0);
  const SupVec3 along = sup_vec3_normalise(a.rest[elbow].translation);
  const SupVec3 bend = sup_vec3_normalise(sup_vec3_cross(along, sup_vec3_make(1, 2, 3)));
  const SupQuat twist = sup_quat_from_axis_angle(along, 1);
  const SupQuat swing = sup_quat_from_axis_angle(bend, 0.8f);
  source.joints[arm].rotation =
      sup_quat_mul(source.joints[arm].rotation, sup_quat_mul(swing, twist));
  sup_joint_map_pose(&map, &work, &source, &target);
  const uint32_t first = mannequin_joint(&b, SUP_HUMANOID_UPPER_ARM, 0);
  uint32_t second = first + 1;
  while (b.parts[second] != SUP_HUMANOID_UPPER_ARM || b.sides[second] != 0) second++;
  const SupQuat before = sup_quat_conjugate(b.rest[second].rotation);
  const SupVec3 turned = sup_quat_log(sup_quat_mul(before, target.joints[second].rotation));
  assert_true(fabsf(sup_vec3_length(turned) - 0.5f) < 1e-3f); /* half way: half of the radian */
  const SupVec3 axis = sup_vec3_normalise(b.rest[second].translation);
  const SupVec3 about = sup_quat_rotate(b.rest[second].rotation, sup_vec3_normalise(turned));
  assert_true(fabsf(sup_vec3_dot(axis, about)) > 0.999f);
}

/* Five joints of a spine that bends evenly, on three: the same share everywhere. */
static void spines_are_shared_by_length(void **state) {
  (void)state;
  Mannequin a, b;
  SupJointMap map;
  SupJointMapWork work;
  SupAffine globals[MANNEQUIN_JOINTS];
  mannequin_make(&a, 1, 1, 0, 0); /* spine 0, .2, .4, .6, .8 */
  mannequin_make(&b, 0, 1, 0, 0); /* spine 0, .3, .6 */
  assert_int_equal(sup_joint_map_make(&arena, &a.skeleton, &b.skeleton, &map, NULL), SUP_OK);
  assert_int_equal(sup_joint_map_work(&arena, &map, &work, NULL), SUP_OK);
  SupPose source = make_pose(&a), target = make_pose(&b);
  for (uint32_t j = 0; j < a.skeleton.joint_count; j++) { /* 0.1 radians each about scene x */
    if (a.parts[j] != SUP_HUMANOID_SPINE) continue;
    const SupQuat rest = map.source_rest[a.parents[j]];
    const SupVec3 axis = sup_quat_rotate(sup_quat_conjugate(rest), sup_vec3_make(1, 0, 0));
    source.joints[j].rotation =
        sup_quat_mul(sup_quat_from_axis_angle(axis, 0.1f), source.joints[j].rotation);
  }
  sup_joint_map_pose(&map, &work, &source, &target);
  sup_pose_globals(&b.skeleton, &target, globals);
  static const float wanted[3] = {0.15f, 0.3f, 0.5f}; /* at .3, .6 and 1 of the length */
  uint32_t k = 0;
  for (uint32_t j = 0; j < b.skeleton.joint_count; j++) {
    if (b.parts[j] != SUP_HUMANOID_SPINE) continue;
    const SupMat3 now = sup_affine_linear(globals[j]);
    const SupQuat turn =
        sup_quat_from_mat3(sup_mat3_mul(now, sup_affine_linear(b.inverse_bind[j])));
    assert_true(fabsf(sup_quat_log(turn).x - wanted[k++]) < 2e-3f);
  }
  assert_int_equal(k, 3);
}

/* ---- Rules ---------------------------------------------------------------------------------- */

static void rules_are_counted(void **state) {
  (void)state;
  Mannequin a, b;
  SupJointMap map;
  mannequin_make(&a, 1, 1, 0, 0);
  mannequin_make(&b, 1, 1, 0, 0);
  assert_int_equal(sup_joint_map_make(&arena, &a.skeleton, &b.skeleton, &map, NULL), SUP_OK);
  assert_int_equal(map.counts[SUP_JOINT_EQUAL_NAME], b.skeleton.joint_count);
  snprintf(b.text[mannequin_joint(&b, SUP_HUMANOID_HAND, 0)], 48, "L.Hand");
  assert_int_equal(sup_joint_map_make(&arena, &a.skeleton, &b.skeleton, &map, NULL), SUP_OK);
  assert_int_equal(map.counts[SUP_JOINT_EQUAL_NAME], b.skeleton.joint_count - 1);
  assert_int_equal(map.counts[SUP_JOINT_LIKE_NAME], 1);
  snprintf(b.text[mannequin_joint(&b, SUP_HUMANOID_HAND, 0)], 48, "L.Wrist");
  assert_int_equal(sup_joint_map_make(&arena, &a.skeleton, &b.skeleton, &map, NULL), SUP_OK);
  assert_int_equal(map.counts[SUP_JOINT_PART], 1);
  mannequin_make(&b, 0, 1, 0, 0);
  assert_int_equal(sup_joint_map_make(&arena, &a.skeleton, &b.skeleton, &map, NULL), SUP_OK);
  assert_int_equal(map.counts[SUP_JOINT_SHARE], 4); /* three of the spine, one neck */
  assert_int_equal(map.counts[SUP_JOINT_FREE], 7);  /* ends, eyes, joint 4 of fingers */
}

/* MakeHuman counts its spine from above: equal numbers are not equal joints. */
static void order_is_that_of_the_tree(void **state) {
  (void)state;
  Mannequin a, b;
  SupJointMap map;
  uint32_t partners[MANNEQUIN_JOINTS];
  mannequin_make(&a, 1, 1, 0, 0);
  mannequin_make(&b, 5, 1, 0, 0);
  assert_int_equal(sup_joint_map_make(&arena, &a.skeleton, &b.skeleton, &map, NULL), SUP_OK);
  sup_joint_map_partners(&map, partners);
  for (uint32_t j = 0; j < a.skeleton.joint_count; j++) {
    if (strcmp(a.names[j], "spine_05") == 0) assert_string_equal(b.names[partners[j]], "spine01");
    if (strcmp(a.names[j], "spine_01") == 0) assert_string_equal(b.names[partners[j]], "spine05");
    if (strcmp(a.names[j], "ik_foot_l") == 0) assert_true(partners[j] == SUP_NONE);
    if (strcmp(a.names[j], "neck_01") == 0) assert_true(partners[j] != SUP_NONE);
  }
}

/* The map of a body to itself, but with another source: at rest, nothing moves. */
static void check_rest(const SupSkeleton *source, const Mannequin *target) {
  SupJointMap map;
  SupJointMapWork work;
  assert_int_equal(sup_joint_map_make(&arena, source, &target->skeleton, &map, NULL), SUP_OK);
  assert_int_equal(sup_joint_map_work(&arena, &map, &work, NULL), SUP_OK);
  SupPose rest = {.joint_count = source->joint_count}, shown = make_pose(target);
  rest.joints = SUP_ALLOC(&arena, SupTransform, rest.joint_count);
  sup_pose_rest(source, &rest);
  sup_joint_map_pose(&map, &work, &rest, &shown);
  for (uint32_t j = 0; j < shown.joint_count; j++) {
    const float off = turn_apart(shown.joints[j].rotation, target->rest[j].rotation);
    if (!(off < 1e-3f)) fail_msg("%s turns %g at rest", target->names[j], (double)off);
  }
}

/* A target's part follows by names what lies on no part of the source: its bones point nowhere. */
static void sources_may_lack_parts(void **state) {
  (void)state;
  Mannequin a, b;
  mannequin_make(&a, 1, 1, 0, 0);
  mannequin_make(&b, 1, 1, 0, 0);
  const uint32_t last = a.skeleton.joint_count++; /* a second hand */
  const uint32_t hand = mannequin_joint(&a, SUP_HUMANOID_HAND, 0);
  snprintf(a.text[last], 48, "wrist_l");
  a.names[last] = a.text[last];
  a.parents[last] = a.parents[hand];
  a.rest[last] = a.rest[hand];
  check_rest(&a.skeleton, &b);
  a.skeleton.joint_count--;
  SupAffine globals[MANNEQUIN_JOINTS];
  SupPose pose = make_pose(&b);
  sup_pose_globals(&b.skeleton, &pose, globals);
  for (uint32_t j = 1; j < a.skeleton.joint_count; j++) { /* all joints are the root's children */
    const SupAffine local = sup_affine_mul(sup_affine_inverse(globals[0]), globals[j]);
    a.parents[j] = 0;
    a.rest[j].translation = sup_affine_translation(local);
    a.rest[j].rotation = sup_quat_from_mat3(sup_affine_linear(local));
  }
  check_rest(&a.skeleton, &b);
}

/* ---- Clips ---------------------------------------------------------------------------------- */

enum { KEYS = 5 };

/* All joints of the body, in KEYS random poses 0.2 s apart. */
static SupClip random_clip(const Mannequin *m, SupPose *poses) {
  SupRng rng = sup_rng(3, 4);
  const uint32_t count = m->skeleton.joint_count;
  float *times = SUP_ALLOC(&arena, float, KEYS);
  SupTrack *tracks = SUP_ALLOC(&arena, SupTrack, (size_t)count + 1);
  float *path = SUP_ALLOC(&arena, float, 3 * KEYS);
  for (uint32_t k = 0; k < KEYS; k++) {
    times[k] = 0.2f * (float)k;
    pose_randomly(m, &rng, &poses[k]);
    poses[k].joints[0].translation.z += 0.3f * (float)k;
    memcpy(path + 3 * k, &poses[k].joints[0].translation, 3 * sizeof *path);
  }
  for (uint32_t j = 0; j < count; j++) {
    float *values = SUP_ALLOC(&arena, float, 4 * KEYS);
    for (uint32_t k = 0; k < KEYS; k++) {
      memcpy(values + 4 * k, &poses[k].joints[j].rotation, 4 * sizeof *values);
    }
    tracks[j] = (SupTrack){.target = j,
                           .channel = SUP_CHANNEL_ROTATION,
                           .width = 4,
                           .key_count = KEYS,
                           .times = times,
                           .values = values};
  }
  tracks[count] = (SupTrack){.target = 0,
                             .channel = SUP_CHANNEL_TRANSLATION,
                             .width = 3,
                             .key_count = KEYS,
                             .times = times,
                             .values = path};
  return (SupClip){"dance", 0.2f * (KEYS - 1), count + 1, tracks};
}

static void clips_play_as_poses(void **state) {
  (void)state;
  Mannequin a, b;
  SupJointMap map;
  SupJointMapWork work;
  SupPose poses[KEYS];
  SupClip clip;
  mannequin_make(&a, 2, 1, 0, 0);
  mannequin_make(&b, 0, 1.3f, 0.6f, 0);
  for (uint32_t k = 0; k < KEYS; k++) poses[k] = make_pose(&a);
  const SupClip source = random_clip(&a, poses);
  assert_int_equal(sup_joint_map_make(&arena, &a.skeleton, &b.skeleton, &map, NULL), SUP_OK);
  assert_int_equal(sup_joint_map_work(&arena, &map, &work, NULL), SUP_OK);
  assert_int_equal(sup_joint_map_clip(&arena, &map, &source, &clip, NULL), SUP_OK);
  assert_string_equal(clip.name, "dance");
  assert_true(clip.duration == source.duration);
  assert_true(clip.tracks[0].key_count >= 24 && clip.tracks[0].key_count < 40);
  SupPose now = make_pose(&a), wanted = make_pose(&b), shown = make_pose(&b);
  float worst = 0;
  for (uint32_t k = 0; k <= 64; k++) {
    const float time = source.duration * (float)k / 64;
    sup_pose_rest(&a.skeleton, &now);
    sup_clip_sample(&source, time, false, NULL, &now, NULL);
    sup_joint_map_pose(&map, &work, &now, &wanted);
    sup_pose_rest(&b.skeleton, &shown);
    sup_clip_sample(&clip, time, false, NULL, &shown, NULL);
    for (uint32_t j = 0; j < b.skeleton.joint_count; j++) {
      const float off = turn_apart(shown.joints[j].rotation, wanted.joints[j].rotation);
      worst = off > worst ? off : worst;
      const SupVec3 at = shown.joints[j].translation;
      assert_true(sup_vec3_distance(at, wanted.joints[j].translation) < 2e-3f);
    }
    if (k % 16) continue;
    assert_true(worst < 2e-3f); /* at the keys themselves, as exact as floats are */
  }
  assert_true(worst < 1 * degree);
}

/* Keys of one joint, a minute apart; turns or holds still. */
static SupResult long_clip(bool turns, uint32_t *out_keys, SupError *error) {
  enum { MINUTES = 600 };
  Mannequin a, b;
  SupJointMap map;
  SupClip clip;
  float times[MINUTES], values[4 * MINUTES];
  mannequin_make(&a, 2, 1, 0, 0);
  mannequin_make(&b, 0, 1, 0, 0);
  for (uint32_t k = 0; k < MINUTES; k++) {
    const float angle = turns && k % 2 ? 1 : 0.5f;
    const SupQuat q = sup_quat_from_axis_angle(sup_vec3_make(1, 0, 0), angle);
    times[k] = 60 * (float)k;
    memcpy(values + 4 * k, &q, sizeof q);
  }
  const SupTrack track = {.target = mannequin_joint(&a, SUP_HUMANOID_HEAD, 0),
                          .channel = SUP_CHANNEL_ROTATION,
                          .width = 4,
                          .key_count = MINUTES,
                          .times = times,
                          .values = values};
  const SupClip source = {"watch", times[MINUTES - 1], 1, &track};
  assert_int_equal(sup_joint_map_make(&arena, &a.skeleton, &b.skeleton, &map, NULL), SUP_OK);
  const SupResult result = sup_joint_map_clip(&arena, &map, &source, &clip, error);
  if (result == SUP_OK) *out_keys = clip.tracks[0].key_count;
  return result;
}

static void still_clips_stay_small(void **state) {
  (void)state;
  uint32_t keys;
  SupError error;
  assert_int_equal(long_clip(false, &keys, &error), SUP_OK);
  assert_int_equal(keys, 600);
  assert_int_equal(long_clip(true, &keys, &error), SUP_ERROR_UNSUPPORTED);
  assert_string_equal(error.text,
                      "clip 'watch' would have more than 1000000 keys on the other skeleton");
}

static void memory_may_be_short(void **state) {
  (void)state;
  Mannequin a, b;
  SupPose poses[KEYS];
  mannequin_make(&a, 3, 1, 0, 0);
  mannequin_make(&b, 7, 1, 0, 0);
  for (uint32_t k = 0; k < KEYS; k++) poses[k] = make_pose(&a);
  const SupClip source = random_clip(&a, poses);
  for (size_t k = 1;; k++) {
    CountingHeap heap = {.fail_at = k};
    SupArena mine;
    SupJointMap map;
    SupClip clip;
    SupError error = {""};
    sup_arena_init(&mine, counting_allocator(&heap), 0);
    SupResult result = sup_joint_map_make(&mine, &a.skeleton, &b.skeleton, &map, &error);
    if (result == SUP_OK) result = sup_joint_map_clip(&mine, &map, &source, &clip, &error);
    sup_arena_free(&mine);
    assert_true(heap.live_blocks == 0);
    if (result == SUP_OK) {
      assert_true(k > 5);
      return;
    }
    assert_int_equal(result, SUP_ERROR_MEMORY);
    assert_non_null(strstr(error.text, "memory"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(poses_point_the_same_way, set_up, tear_down),
      cmocka_unit_test_setup_teardown(characters_may_face_another_way, set_up, tear_down),
      cmocka_unit_test_setup_teardown(twists_are_shared, set_up, tear_down),
      cmocka_unit_test_setup_teardown(spines_are_shared_by_length, set_up, tear_down),
      cmocka_unit_test_setup_teardown(rules_are_counted, set_up, tear_down),
      cmocka_unit_test_setup_teardown(order_is_that_of_the_tree, set_up, tear_down),
      cmocka_unit_test_setup_teardown(sources_may_lack_parts, set_up, tear_down),
      cmocka_unit_test_setup_teardown(clips_play_as_poses, set_up, tear_down),
      cmocka_unit_test_setup_teardown(still_clips_stay_small, set_up, tear_down),
      cmocka_unit_test_setup_teardown(memory_may_be_short, set_up, tear_down),
  };
  return cmocka_run_group_tests_name("joint map", tests, NULL, NULL);
}
