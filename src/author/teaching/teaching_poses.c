/* SPDX-License-Identifier: MIT */
/* Poses to teach with: what the clips show, and what lies beyond it. */
#include "base/scratch.h"
#include "supple/author/clip_amplify.h"
#include "supple/author/teaching.h"
#include "supple/clip.h"

/* Poses beyond the clips go so many times as far, at least and at most. */
#define LEAST_FAR 1.2f
#define MOST_FAR 1.8f

static float between(SupRng *rng, float low, float high) {
  return low + (high - low) * sup_rng_float(rng);
}

/* Every joint of the character's own anywhere in its range, `reach` times as wide. Helpers draw
 * nothing, so that a seed gives the same poses with and without them. */
static void take_any(SupRng *rng, const SupCharacter *character, const SupJointRange *ranges,
                     float reach, SupPose *pose) {
  for (uint32_t j = 0; j < pose->joint_count; j++) {
    if (!sup_own_joint(character, j)) continue;
    const SupJointRange *r = &ranges[j];
    const SupVec3 turn = {between(rng, r->low.x, r->high.x), between(rng, r->low.y, r->high.y),
                          between(rng, r->low.z, r->high.z)};
    pose->joints[j].rotation = sup_quat_mul(r->home, sup_quat_exp(sup_vec3_scale(turn, reach)));
  }
}

static const SupClip *any_clip(SupRng *rng, const SupCharacter *character) {
  return &character->clips[sup_rng_below(rng, character->clip_count)];
}

SupResult sup_teaching_poses(SupArena *arena, const SupCharacter *character, uint32_t count,
                             uint64_t seed, SupTransform *out_joints, SupError *error) {
  const SupSkeleton *skeleton = &character->skeleton;
  SupJointRange *ranges = SUP_ALLOC(arena, SupJointRange, skeleton->joint_count);
  if (!ranges) return sup_fail_memory(error, "the motion to learn from");
  SupResult result = sup_teaching_ranges(arena, character, ranges, error);
  if (result != SUP_OK) return result;
  SupRng rng = sup_rng(seed, 0x7ea0);
  for (uint32_t i = 0; i < count; i++) {
    SupPose pose = {.joint_count = skeleton->joint_count,
                    .joints = out_joints + (size_t)i * skeleton->joint_count};
    sup_pose_rest(skeleton, &pose);
    if (i == 0) continue;
    if (i % 2 && character->clip_count) {
      const SupClip *clip = any_clip(&rng, character);
      sup_clip_sample(clip, clip->duration * sup_rng_float(&rng), false, NULL, &pose, NULL);
    } else {
      take_any(&rng, character, ranges, 1, &pose);
    }
  }
  return SUP_OK;
}

static SupResult take_far_instant(SupArena *parent, SupRng *rng, const SupCharacter *character,
                                  SupPose *pose, SupError *error) {
  const SupClip *clip = any_clip(rng, character);
  const double reach = (double)between(rng, LEAST_FAR, MOST_FAR);
  const float time = clip->duration * sup_rng_float(rng);
  SupArena arena = sup_scratch(parent);
  SupClip far;
  SupResult result = sup_clip_amplify(&arena, clip, reach, &far, error);
  if (result == SUP_OK) sup_clip_sample(&far, time, false, NULL, pose, NULL);
  sup_arena_free(&arena);
  return result;
}

SupResult sup_teaching_far(SupArena *arena, const SupCharacter *character, uint32_t count,
                           uint64_t seed, SupTransform *out_joints, SupError *error) {
  const SupSkeleton *skeleton = &character->skeleton;
  SupJointRange *ranges = SUP_ALLOC(arena, SupJointRange, skeleton->joint_count);
  if (!ranges) return sup_fail_memory(error, "the motion to learn from");
  SupResult result = SUP_OK;
  if (!character->clip_count) result = sup_teaching_ranges(arena, character, ranges, error);
  SupRng rng = sup_rng(seed, 0xfa7);
  for (uint32_t i = 0; i < count && result == SUP_OK; i++) {
    SupPose pose = {.joint_count = skeleton->joint_count,
                    .joints = out_joints + (size_t)i * skeleton->joint_count};
    sup_pose_rest(skeleton, &pose);
    if (character->clip_count) {
      result = take_far_instant(arena, &rng, character, &pose, error);
    } else {
      take_any(&rng, character, ranges, between(&rng, LEAST_FAR, MOST_FAR), &pose);
    }
  }
  return result;
}
