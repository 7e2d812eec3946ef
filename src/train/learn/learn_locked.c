/* SPDX-License-Identifier: MIT */
/* Examples without motion of their own where a body is locked: there they are plain skinning. */
#include "supple/pose.h"
#include "train/learn/learn_parts.h"

static SupVec3 plain_place(const SupCharacter *character, const SupAffine *palette, uint32_t v) {
  const SupSkin *skin = &character->skin;
  SupVec3 sum = {0, 0, 0};
  for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
    const SupVec3 moved = sup_affine_point(palette[skin->bones[k]], character->body.positions[v]);
    sum = sup_vec3_add_scaled(sum, moved, skin->weights[k]);
  }
  return sum;
}

SupResult sup_learn_hold_locked(SupArena *arena, const SupLearnDef *def, SupSamples *io_samples,
                                SupError *error) {
  const SupCharacter *character = def->character;
  const SupSkeleton *skeleton = &character->skeleton;
  const uint32_t count = io_samples->vertex_count;
  if (!def->lock || !io_samples->poses) return SUP_OK;
  SupVec3 *positions =
      SUP_COPY(arena, SupVec3, io_samples->positions, (size_t)io_samples->frame_count * count);
  SupAffine *globals = SUP_ALLOC(arena, SupAffine, skeleton->joint_count);
  SupAffine *palette = SUP_ALLOC(arena, SupAffine, skeleton->bone_count);
  SupTransform *joints = SUP_ALLOC(arena, SupTransform, skeleton->joint_count);
  if (!positions || !globals || !palette || !joints) return sup_fail_memory(error, "learning");
  for (uint32_t i = 0; i < io_samples->frame_count; i++) {
    const SupTransform *from = io_samples->poses + (size_t)i * skeleton->joint_count;
    for (uint32_t j = 0; j < skeleton->joint_count; j++) joints[j] = from[j];
    const SupPose pose = {skeleton->joint_count, sup_transform_identity(), joints};
    sup_pose_evaluate(skeleton, &pose, globals, palette);
    for (uint32_t v = 0; v < count; v++) {
      SupVec3 *x = &positions[(size_t)i * count + v];
      const float lock = def->lock[v];
      if (lock > 0) *x = sup_vec3_lerp(*x, plain_place(character, palette, v), lock < 1 ? lock : 1);
    }
  }
  io_samples->positions = positions;
  return SUP_OK;
}
