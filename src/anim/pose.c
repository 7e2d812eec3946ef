/* SPDX-License-Identifier: MIT */
/* Rest pose, blending, and the chain from local transforms to the palette. */
#include "anim/real.h"

void REAL_NAME(sup_pose_rest)(const SupSkeleton *skeleton, RealPose *io_pose) {
  io_pose->root = REAL(transform, identity)();
  for (uint32_t j = 0; j < io_pose->joint_count; j++) {
    io_pose->joints[j] = real_transform(skeleton->rest[j]);
  }
}

static RealTransform blend(const RealTransform *a, const RealTransform *b, sup_real t) {
  return (RealTransform){REAL(vec3, lerp)(a->translation, b->translation, t),
                         real_slerp(a->rotation, b->rotation, t),
                         REAL(vec3, lerp)(a->scale, b->scale, t)};
}

void REAL_NAME(sup_pose_blend)(const RealPose *a, const RealPose *b, sup_real weight,
                               const sup_real *mask, RealPose *out_pose) {
  out_pose->root = blend(&a->root, &b->root, weight);
  for (uint32_t j = 0; j < out_pose->joint_count; j++) {
    sup_real t = mask ? weight * mask[j] : weight;
    out_pose->joints[j] = blend(&a->joints[j], &b->joints[j], t);
  }
}

/* x + (b - a) t */
static RealVec3 add_difference(RealVec3 x, RealVec3 a, RealVec3 b, sup_real t) {
  return REAL(vec3, add_scaled)(x, REAL(vec3, sub)(b, a), t);
}

void REAL_NAME(sup_pose_add)(const RealPose *a, const RealPose *b, sup_real weight,
                             const sup_real *mask, RealPose *io_pose) {
  const RealQuat identity = REAL(quat, identity)();
  for (uint32_t j = 0; j < io_pose->joint_count; j++) {
    const RealTransform *from = &a->joints[j], *to = &b->joints[j];
    RealTransform *x = &io_pose->joints[j];
    sup_real t = mask ? weight * mask[j] : weight;
    RealQuat turn = REAL(quat, mul)(REAL(quat, conjugate)(from->rotation), to->rotation);
    turn = real_slerp(identity, turn, t);
    x->rotation = REAL(quat, normalise)(REAL(quat, mul)(x->rotation, turn));
    x->translation = add_difference(x->translation, from->translation, to->translation, t);
    x->scale = add_difference(x->scale, from->scale, to->scale, t);
  }
}

void REAL_NAME(sup_pose_globals)(const SupSkeleton *skeleton, const RealPose *pose,
                                 RealAffine *out_globals) {
  const RealAffine root = REAL(affine, compose)(pose->root);
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    int32_t parent = skeleton->parents[j];
    RealAffine local = REAL(affine, compose)(pose->joints[j]);
    out_globals[j] = REAL(affine, mul)(parent < 0 ? root : out_globals[parent], local);
  }
}

void REAL_NAME(sup_pose_palette)(const SupSkeleton *skeleton, const RealAffine *globals,
                                 RealAffine *out_palette) {
  for (uint32_t k = 0; k < skeleton->bone_count; k++) {
    out_palette[k] = REAL(affine, mul)(globals[skeleton->bone_joints[k]],
                                       real_affine(skeleton->inverse_bind[k]));
  }
}

void REAL_NAME(sup_pose_evaluate)(const SupSkeleton *skeleton, const RealPose *pose,
                                  RealAffine *out_globals, RealAffine *out_palette) {
  REAL_NAME(sup_pose_globals)(skeleton, pose, out_globals);
  REAL_NAME(sup_pose_palette)(skeleton, out_globals, out_palette);
}
