/* SPDX-License-Identifier: MIT */
#include "supple/author/body_scale.h"

float sup_body_scale(const SupCharacter *character) {
  const SupSkeleton *skeleton = &character->skeleton;
  if (skeleton->bone_count == 0) return 1;
  SupMat3d linear = sup_affined_linear(sup_affine_to_double(skeleton->inverse_bind[0]));
  for (int32_t j = (int32_t)skeleton->bone_joints[0]; j >= 0; j = skeleton->parents[j]) {
    const SupAffine local = sup_affine_compose(skeleton->rest[j]);
    linear = sup_mat3d_mul(sup_affined_linear(sup_affine_to_double(local)), linear);
  }
  const double det = sup_mat3d_determinant(linear), size = det < 0 ? -det : det;
  if (!(size > 1e-27 && size < 1e27) || (size > 0.999 && size < 1.001)) return 1;
  return (float)sup_exp(sup_log(size) / 3);
}
