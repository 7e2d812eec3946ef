/* SPDX-License-Identifier: MIT */
#include "supple/author/clip_gap.h"

#include "supple/clip.h"
#include "supple/math.h"
#include "supple/pose.h"

static void globals_at(const SupSkeleton *skeleton, const SupClip *clip, float time, SupPose *pose,
                       SupAffine *out_globals) {
  sup_pose_rest(skeleton, pose);
  sup_clip_sample(clip, time, false, NULL, pose, NULL);
  sup_pose_globals(skeleton, pose, out_globals);
}

static SupVec3 way_between(const SupAffine *a, const SupAffine *b) {
  return sup_vec3_sub(sup_affine_translation(*b), sup_affine_translation(*a));
}

static float turn_between(const SupAffine *a, const SupAffine *b) {
  float size = 0, most = 0;
  for (int k = 0; k < 9; k++) size += a->m[k] * a->m[k] / 3;
  for (int k = 0; k < 9; k++) {
    const float change = b->m[k] < a->m[k] ? a->m[k] - b->m[k] : b->m[k] - a->m[k];
    most = change > most ? change : most;
  }
  return size > 0 ? most / sup_sqrtf(size) : most;
}

SupResult sup_clip_gap(SupArena *scratch, const SupCharacter *character, const SupClip *clip,
                       float from, float to, SupClipGap *out_gap, SupError *error) {
  const SupSkeleton *skeleton = &character->skeleton;
  const SupSkin *skin = &character->skin;
  const uint32_t count = skeleton->joint_count;
  SupPose pose = {count, sup_transform_identity(), SUP_ALLOC(scratch, SupTransform, count)};
  SupAffine *first = SUP_ALLOC(scratch, SupAffine, count);
  SupAffine *last = SUP_ALLOC(scratch, SupAffine, count);
  float *fractions = SUP_ALLOC(scratch, float, count);
  if (!pose.joints || !first || !last || !fractions) {
    return sup_fail_memory(error, "comparing poses of a clip");
  }
  globals_at(skeleton, clip, from, &pose, first);
  globals_at(skeleton, clip, to, &pose, last);
  for (uint32_t k = 0; k < skin->offsets[skin->vertex_count]; k++) {
    fractions[skeleton->bone_joints[skin->bones[k]]] += skin->weights[k];
  }
  SupVec3d sum = {0, 0, 0};
  double weights = 0;
  for (uint32_t j = 0; j < count; j++) {
    const SupVec3 way = way_between(&first[j], &last[j]);
    sum = sup_vec3d_add_scaled(sum, sup_vec3_to_double(way), (double)fractions[j]);
    weights += (double)fractions[j];
  }
  SupClipGap gap = {{0, 0, 0}, 0, 0};
  if (weights > 0) gap.stride = sup_vec3d_to_float(sup_vec3d_scale(sum, 1 / weights));
  for (uint32_t j = 0; j < count; j++) {
    if (!(fractions[j] > 0)) continue;
    const float apart = sup_vec3_distance(way_between(&first[j], &last[j]), gap.stride);
    const float turned = turn_between(&first[j], &last[j]);
    gap.apart = apart > gap.apart ? apart : gap.apart;
    gap.turned = turned > gap.turned ? turned : gap.turned;
  }
  *out_gap = gap;
  return SUP_OK;
}
