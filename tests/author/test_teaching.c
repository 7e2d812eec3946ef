/* SPDX-License-Identifier: MIT */
/* Motion to teach with: where joints are at home, and that calibration and poses stay there. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "supple/author/builtin.h"
#include "supple/author/teaching.h"
#include "supple/clip.h"
#include "supple/io/file.h"

enum { KEYS = 13, POSES = 40 };
#define SPREAD 0.3 /* radians to both sides of the mean */

/* The tube, whose only clip swings its last joint about a rotation `far` away from the rest pose.
 */
typedef struct Bent {
  SupArena arena;
  SupCharacter character;
  uint32_t joint;
  SupQuat mean;
  float times[KEYS], turns[KEYS][4];
  SupTrack track;
  SupClip clip;
} Bent;

static Bent *bend(float far) {
  Bent *b = calloc(1, sizeof *b);
  assert_non_null(b);
  const SupBuiltinDef def = {.name = "tube", .vertices = 500};
  SupError error;
  sup_arena_init(&b->arena, sup_heap_allocator(), 0);
  if (sup_builtin_character(&b->arena, &def, &b->character, &error)) fail_msg("%s", error.text);
  const SupSkeleton *skeleton = &b->character.skeleton;
  b->joint = skeleton->joint_count - 1;
  const SupQuat rest = sup_quat_normalise(skeleton->rest[b->joint].rotation);
  b->mean = sup_quat_mul(rest, sup_quat_exp((SupVec3){0.6f * far, 0, 0.8f * far}));
  for (int k = 0; k < KEYS; k++) {
    const double angle = SPREAD * sin(2 * SUP_PI * k / (KEYS - 1));
    const SupQuat q = sup_quat_mul(b->mean, sup_quat_exp((SupVec3){0, (float)angle, 0}));
    /* q and -q are the same rotation: neither mean nor range may care. */
    const float side = k % 3 ? 1 : -1;
    b->times[k] = (float)k / (KEYS - 1);
    b->turns[k][0] = side * q.x, b->turns[k][1] = side * q.y;
    b->turns[k][2] = side * q.z, b->turns[k][3] = side * q.w;
  }
  b->track = (SupTrack){b->joint, SUP_CHANNEL_ROTATION, SUP_INTERPOLATE_LINEAR, 4, KEYS,
                        b->times, b->turns[0]};
  b->clip = (SupClip){"bent", 1, 1, &b->track};
  b->character.clip_count = 1;
  b->character.clips = &b->clip;
  return b;
}

static void let_go(Bent *b) {
  sup_arena_free(&b->arena);
  free(b);
}

static double angle_between(SupQuat a, SupQuat b) {
  return (double)sup_vec3_length(sup_quat_log(sup_quat_mul(sup_quat_conjugate(a), b)));
}

static SupJointRange *ranges_of(Bent *b) {
  SupError error;
  SupJointRange *ranges = SUP_ALLOC(&b->arena, SupJointRange, b->character.skeleton.joint_count);
  assert_non_null(ranges);
  assert_int_equal(sup_teaching_ranges(&b->arena, &b->character, ranges, &error), SUP_OK);
  return ranges;
}

static void home_is_where_clips_are(void **state) {
  (void)state;
  Bent *b = bend(2);
  const SupJointRange *range = &ranges_of(b)[b->joint];
  assert_true(angle_between(range->home, b->mean) < 0.02);
  assert_true(fabs((double)range->high.y - SPREAD) < 0.02);
  assert_true(fabs((double)range->low.y + SPREAD) < 0.02);
  assert_true(fabs((double)range->high.x) < 0.02 && fabs((double)range->low.z) < 0.02);
  let_go(b);
}

/* A rest pose that the clips come as near to as to their own extremes stays home, exactly. */
static void rest_stays_home(void **state) {
  (void)state;
  Bent *b = bend(0.2f);
  const SupJointRange *ranges = ranges_of(b);
  for (uint32_t j = 0; j < b->character.skeleton.joint_count; j++) {
    const SupQuat rest = sup_quat_normalise(b->character.skeleton.rest[j].rotation);
    assert_memory_equal(&ranges[j].home, &rest, sizeof rest);
  }
  assert_true((double)ranges[b->joint].high.y > SPREAD - 0.05);
  let_go(b);
}

static void calibration_starts_at_home(void **state) {
  (void)state;
  Bent *b = bend(2);
  const SupSkeleton *skeleton = &b->character.skeleton;
  const SupCalibrationDef def = {.fps = 60};
  SupPose pose = {.joint_count = skeleton->joint_count,
                  .joints = SUP_ALLOC(&b->arena, SupTransform, skeleton->joint_count)};
  SupCalibrationReport report;
  SupClip clip;
  SupError error;
  assert_int_equal(sup_calibration_clip(&b->arena, &b->character, &def, &clip, &report, &error),
                   SUP_OK);
  double farthest = 0;
  for (float time = 0; time <= clip.duration; time += 1.0f / 60) {
    sup_pose_rest(skeleton, &pose);
    sup_clip_sample(&clip, time, false, NULL, &pose, NULL);
    const double away = angle_between(pose.joints[b->joint].rotation, b->mean);
    if (time == 0) assert_true(away < 0.02);
    farthest = fmax(farthest, away);
  }
  assert_true(farthest > 0.15 && farthest < 0.35);
  let_go(b);
}

static void poses_stay_in_range(void **state) {
  (void)state;
  Bent *b = bend(2);
  const SupSkeleton *skeleton = &b->character.skeleton;
  SupTransform *joints = SUP_ALLOC(&b->arena, SupTransform, (size_t)POSES * skeleton->joint_count);
  SupError error;
  assert_int_equal(sup_teaching_poses(&b->arena, &b->character, POSES, 1, joints, &error), SUP_OK);
  for (uint32_t i = 1; i < POSES; i++) {
    const SupQuat q = joints[(size_t)i * skeleton->joint_count + b->joint].rotation;
    assert_true(angle_between(sup_quat_normalise(q), b->mean) < SPREAD + 0.05);
  }
  let_go(b);
}

/* A helper below the last joint, in the middle of the list, takes half of its skin: the same seed
 * gives the character's own joints the same poses, with clips and without. */
static void helpers_change_no_pose(void **state) {
  (void)state;
  for (int clips = 0; clips < 2; clips++) {
    Bent *b = bend(2);
    b->character.clip_count = (uint32_t)clips;
    const SupSkeleton *own = &b->character.skeleton;
    const uint32_t n = own->joint_count, at = b->joint;
    SupTransform *before = SUP_ALLOC(&b->arena, SupTransform, (size_t)POSES * n);
    SupTransform *after = SUP_ALLOC(&b->arena, SupTransform, (size_t)POSES * (n + 1));
    SupTransform *rest = SUP_ALLOC(&b->arena, SupTransform, n + 1);
    int32_t *parents = SUP_ALLOC(&b->arena, int32_t, n + 1);
    uint8_t *marks = SUP_ALLOC(&b->arena, uint8_t, n + 1);
    uint32_t *bones = SUP_COPY(&b->arena, uint32_t, own->bone_joints, own->bone_count);
    assert_true(before && after && rest && parents && marks && bones);
    SupError error;
    SupCharacter with = b->character;
    for (uint32_t j = 0; j <= n; j++) { /* the helper stands where the last joint was */
      const uint32_t from = j < at ? j : j - 1;
      rest[j] = j == at ? sup_transform_identity() : own->rest[from];
      parents[j] = j == at ? (int32_t)at - 1 : own->parents[from];
    }
    marks[at] = 1;
    for (uint32_t k = 0; k < own->bone_count; k++) bones[k] += bones[k] == at;
    bones[0] = at; /* some skin hangs on it */
    with.skeleton.joint_count = n + 1;
    with.skeleton.rest = rest;
    with.skeleton.parents = parents;
    with.skeleton.bone_joints = bones;
    with.helper_joints = marks;
    b->track.target = at;
    assert_int_equal(sup_teaching_poses(&b->arena, &b->character, POSES, 1, before, &error), 0);
    b->track.target = at + 1;
    assert_int_equal(sup_teaching_poses(&b->arena, &with, POSES, 1, after, &error), 0);
    for (size_t i = 0; i < POSES; i++) {
      for (uint32_t j = 0; j < n; j++) {
        const SupTransform *now = &after[i * (n + 1) + j + (j >= at)];
        assert_memory_equal(now, &before[i * n + j], sizeof *now);
      }
      assert_memory_equal(&after[i * (n + 1) + at], &rest[at], sizeof *rest);
    }
    let_go(b);
  }
}

/* 1.2 to 1.8 times as far from the clip's mean, some of them beyond every clip; the same again for
 * the same seed. */
static void far_poses_go_beyond(void **state) {
  (void)state;
  Bent *b = bend(2);
  const size_t count = b->character.skeleton.joint_count;
  SupTransform *joints = SUP_ALLOC(&b->arena, SupTransform, POSES * count);
  SupTransform *again = SUP_ALLOC(&b->arena, SupTransform, POSES * count);
  SupError error;
  assert_int_equal(sup_teaching_far(&b->arena, &b->character, POSES, 1, joints, &error), SUP_OK);
  assert_int_equal(sup_teaching_far(&b->arena, &b->character, POSES, 1, again, &error), SUP_OK);
  assert_memory_equal(joints, again, POSES * count * sizeof *joints);
  double farthest = 0;
  for (uint32_t i = 0; i < POSES; i++) {
    const SupQuat q = joints[i * count + b->joint].rotation;
    farthest = fmax(farthest, angle_between(sup_quat_normalise(q), b->mean));
  }
  assert_true(farthest > 1.2 * SPREAD && farthest < 1.8 * SPREAD + 0.1);
  /* Without clips: the ranges that are guessed, wider. */
  b->character.clip_count = 0;
  assert_int_equal(sup_teaching_far(&b->arena, &b->character, POSES, 1, joints, &error), SUP_OK);
  const SupQuat rest = sup_quat_normalise(b->character.skeleton.rest[b->joint].rotation);
  farthest = 0;
  for (uint32_t i = 0; i < POSES; i++) {
    farthest = fmax(farthest, angle_between(joints[i * count + b->joint].rotation, rest));
  }
  assert_true(farthest > 0.5 && farthest < 1.8 * 0.77);
  let_go(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(home_is_where_clips_are),    cmocka_unit_test(rest_stays_home),
      cmocka_unit_test(calibration_starts_at_home), cmocka_unit_test(poses_stay_in_range),
      cmocka_unit_test(helpers_change_no_pose),     cmocka_unit_test(far_poses_go_beyond),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
