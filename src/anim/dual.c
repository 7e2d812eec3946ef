/* SPDX-License-Identifier: MIT */
/*
 * A bone's affine map as a dual quaternion and a stretch: M x = R (S x) + t.
 *
 * R is the rotation of the polar decomposition of the linear part, by Newton's iteration with
 * Frobenius scaling (Higham 1986, "Computing the polar decomposition with applications"). A
 * mirroring map A is treated as -A, and the sign stays in S: then R is unique and continuous for
 * every invertible map, which the nearest rotation to A itself is not.
 */
#include "anim/real.h"

static sup_real square_sum(const RealMat3 *a) {
  sup_real sum = 0;
  for (int i = 0; i < 9; i++) sum += a->m[i] * a->m[i];
  return sum;
}

static sup_real real_sqrt(sup_real x) {
#if SUP_ISA_NUMBER == SUP_ISA_f64
  return sup_sqrt(x);
#else
  return sup_sqrtf(x);
#endif
}

/* Convergence is quadratic and the scaling keeps the start near: 6 steps do for a condition number
 * of 1e4, 10 for the worst that passes the test below. */
#define POLAR_STEPS 10

/* The rotation of `a`; the identity for a map that flattens space, where none is meant. */
static RealMat3 polar_rotation(RealMat3 a) {
  sup_real size = real_sqrt(square_sum(&a)), det = REAL(mat3, determinant)(a);
  sup_real sign = det < 0 ? -1 : 1;
  if (!(det * sign > (sup_real)1e-12 * size * size * size)) return REAL(mat3, identity)();
  for (int i = 0; i < 9; i++) a.m[i] *= sign / size;
  for (int step = 0; step < POLAR_STEPS; step++) {
    RealMat3 inverse = REAL(mat3, transpose)(REAL(mat3, inverse)(a));
    sup_real gamma = real_sqrt(real_sqrt(square_sum(&inverse) / square_sum(&a)));
    sup_real p = gamma / 2, q = 1 / (2 * gamma);
    for (int i = 0; i < 9; i++) a.m[i] = p * a.m[i] + q * inverse.m[i];
  }
  return a;
}

static RealDualBone dual_bone(RealAffine map) {
  RealMat3 linear = REAL(affine, linear)(map);
  RealDualBone bone;
  bone.real = REAL(quat, from_mat3)(polar_rotation(linear));
  RealMat3 back = REAL(mat3, transpose)(REAL(mat3, from_quat)(bone.real));
  bone.stretch = REAL(mat3, mul)(back, linear);
  const RealQuat half = {map.m[9] / 2, map.m[10] / 2, map.m[11] / 2, 0};
  bone.dual = REAL(quat, mul)(half, bone.real);
  return bone;
}

static bool is_stretched(const RealMat3 *s) {
  for (int i = 0; i < 9; i++) {
    sup_real off = s->m[i] - (i % 4 == 0 ? 1 : 0);
    if (!(off > (sup_real)-1e-5 && off < (sup_real)1e-5)) return true;
  }
  return false;
}

bool REAL_NAME(sup_skin_duals)(uint32_t bone_count, const RealAffine *palette,
                               RealDualBone *out_duals) {
  bool stretched = false;
  for (uint32_t k = 0; k < bone_count; k++) {
    out_duals[k] = dual_bone(palette[k]);
    if (is_stretched(&out_duals[k].stretch)) stretched = true;
  }
  return stretched;
}
