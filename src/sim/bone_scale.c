/* SPDX-License-Identifier: MIT */
/*
 * With the palette's linear part L = U diag(s) V^T and s' what is felt of s, flesh is
 * simulated with U diag(s') V^T about the joint, and shown by U diag(s / s') U^T about it. What all
 * bones scale by alike is taken out first, about the root: joints then keep their distances.
 */
#include "sim/bone_scale.h"

#include <math.h>

/* Flesh feels a bone that scales a little, as a heart that beats; the more it scales beyond, the
 * less is left of that: logarithms of the stretch. */
#define FELT 0.12
#define SHOWN 0.4
/* Below this nothing is seen. */
#define HIDDEN 0.02
#define ALIKE 1.1 /* bones whose scales are within this scale together */

SupResult sup_bone_scale_create(SupArena *arena, const SupCharacter *character, double scale,
                                SupBoneScale *out_scales, SupError *error) {
  const uint32_t bones = character->skeleton.bone_count;
  SupBoneScale scales = {.character = character, .scale = scale, .common = 1};
  scales.shown = SUP_ALLOC(arena, SupAffined, bones);
  scales.limits = SUP_ALLOC(arena, SupAffined, bones);
  scales.state = SUP_ALLOC(arena, uint8_t, bones);
  if (!scales.shown || !scales.limits || !scales.state) {
    return sup_fail_memory(error, "simulating");
  }
  *out_scales = scales;
  return SUP_OK;
}

/* How much of a stretch flesh feels. */
static double within(double stretch, double scale) {
  if (!(fabs(stretch) > 1e-6 * scale)) return copysign(scale, stretch);
  const double size = sup_log(fabs(stretch) / scale);
  const double t = fmin(fmax((fabs(size) - FELT) / (SHOWN - FELT), 0), 1);
  return copysign(scale * sup_exp(size * (1 - t * t * (3 - 2 * t))), stretch);
}

/* U diag(s) V^T. */
static SupMat3d recompose(SupMat3d u, SupVec3d s, SupMat3d v) {
  const SupMat3d scaled = sup_mat3d_from_columns(sup_vec3d_scale(sup_mat3d_column(u, 0), s.x),
                                                 sup_vec3d_scale(sup_mat3d_column(u, 1), s.y),
                                                 sup_vec3d_scale(sup_mat3d_column(u, 2), s.z));
  return sup_mat3d_mul(scaled, sup_mat3d_transpose(v));
}

/* The map with this linear part that takes `from` to `to`. */
static SupAffined about(SupMat3d linear, SupVec3d from, SupVec3d to) {
  const SupVec3d moved = sup_mat3d_mul_vec3(linear, from);
  return sup_affined_from_parts(linear, sup_vec3d_sub(to, moved));
}

/* Where the bone's joint is in bind space; a bind that cannot be inverted has its origin there. */
static SupVec3d bind_origin(const SupSkeleton *skeleton, uint32_t bone) {
  const SupAffined inverse = sup_affine_to_double(skeleton->inverse_bind[bone]);
  const SupMat3d linear = sup_affined_linear(inverse);
  if (!(fabs(sup_mat3d_determinant(linear)) > 1e-30)) return (SupVec3d){0, 0, 0};
  const SupVec3d zero = {0, 0, 0};
  return sup_mat3d_mul_vec3(sup_mat3d_inverse(linear),
                            sup_vec3d_negate(sup_affined_point(inverse, zero)));
}

/* A bone that scales too much. */
static void limit_bone(SupBoneScale *scales, uint32_t b, SupAffined bone, const SupSvdd *svd,
                       double size, SupAffined *out) {
  const SupVec3d joint = bind_origin(&scales->character->skeleton, b);
  const SupVec3d there = sup_affined_point(bone, joint);
  const SupVec3d s = sup_vec3d_scale(svd->s, size);
  const SupVec3d limited = {within(s.x, scales->scale), within(s.y, scales->scale),
                            within(s.z, scales->scale)};
  const SupVec3d ratio = {s.x / limited.x, s.y / limited.y, s.z / limited.z};
  *out = about(recompose(svd->u, limited, svd->v), joint, there);
  scales->limits[b] = about(recompose(svd->u, ratio, svd->u), there, there);
  scales->state[b] = s.x < HIDDEN * scales->scale ? SUP_BONE_HIDDEN : SUP_BONE_LIMITED;
  scales->any = true;
  scales->any_hidden |= scales->state[b] == SUP_BONE_HIDDEN;
}

/* Finds what all bones scale by beyond what flesh feels, and about which point. */
static void find_common(SupBoneScale *scales) {
  const SupSkeleton *skeleton = &scales->character->skeleton;
  double least = INFINITY, most = 0;
  scales->common = 1;
  for (uint32_t b = 0; b < skeleton->bone_count; b++) {
    const double volume = fabs(sup_mat3d_determinant(sup_affined_linear(scales->shown[b])));
    const double size = volume > 0 ? sup_exp(sup_log(volume) / 3) : 0;
    least = fmin(least, size);
    most = fmax(most, size);
  }
  if (!(least > 1e-6 * scales->scale) || !(most <= ALIKE * least)) return;
  const double size = sqrt(least * most);
  scales->common = size / within(size, scales->scale);
  uint32_t root = 0; /* parents come before children */
  for (uint32_t b = 1; b < skeleton->bone_count; b++) {
    if (skeleton->bone_joints[b] < skeleton->bone_joints[root]) root = b;
  }
  scales->root = sup_affined_point(scales->shown[root], bind_origin(skeleton, root));
}

/* The palette without what all bones scale by. */
static SupAffined without_common(const SupBoneScale *scales, SupAffined bone) {
  const double by = 1 / scales->common;
  SupMat3d linear = sup_affined_linear(bone);
  const SupVec3d zero = {0, 0, 0}, at = sup_affined_point(bone, zero);
  for (int k = 0; k < 9; k++) linear.m[k] *= by;
  const SupVec3d away = sup_vec3d_scale(sup_vec3d_sub(at, scales->root), by);
  return sup_affined_from_parts(linear, sup_vec3d_add(scales->root, away));
}

void sup_bone_scale_limit(SupBoneScale *scales, SupAffined *out_palette) {
  find_common(scales);
  scales->any = scales->common != 1;
  scales->any_hidden = false;
  for (uint32_t b = 0; b < scales->character->skeleton.bone_count; b++) {
    const bool common = scales->common != 1;
    const SupAffined bone = common ? without_common(scales, scales->shown[b]) : scales->shown[b];
    SupMat3d linear = sup_affined_linear(bone);
    double size = 0;
    for (int k = 0; k < 9; k++) size = fmax(size, fabs(linear.m[k]));
    for (int k = 0; k < 9; k++) linear.m[k] /= size > 0 ? size : 1;
    const SupSvdd svd = sup_mat3d_svd(size > 0 ? linear : sup_mat3d_identity());
    scales->state[b] = SUP_BONE_USUAL;
    out_palette[b] = bone;
    const double least = fabs(svd.s.z) * size / scales->scale;
    const double most = svd.s.x * size / scales->scale;
    const bool usual = least > 0 && sup_log(least) >= -FELT && sup_log(most) <= FELT;
    if (!usual) limit_bone(scales, b, bone, &svd, size, &out_palette[b]);
  }
}

SupVec3d sup_bone_scale_show(const SupBoneScale *scales, uint32_t v, SupVec3d place) {
  const SupSkin *skin = &scales->character->skin;
  SupVec3d sum = {0, 0, 0};
  for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
    const uint32_t b = skin->bones[k];
    const SupVec3d at = scales->state[b] ? sup_affined_point(scales->limits[b], place) : place;
    sum = sup_vec3d_add_scaled(sum, at, (double)skin->weights[k]);
  }
  if (scales->common == 1) return sum;
  const SupVec3d away = sup_vec3d_sub(sum, scales->root);
  return sup_vec3d_add_scaled(scales->root, away, scales->common);
}
