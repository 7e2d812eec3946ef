/* SPDX-License-Identifier: MIT */
/*
 * Rotation vectors for kernels, one per lane: from a rotation and back, without small or large
 * cases in between.
 *
 *   log   r = 1 / (|q| + w), t^2 = |v|^2 r^2 = tan^2(angle / 4) <= 1;   4 r v atan(t) / t
 *   exp   polynomials in the squared angle up to half a turn; beyond it sin and cos
 *
 * Within 3 units in the last place. Polynomials come from scripts/minimax.py; the number behind
 * each is the relative error of the approximation before rounding.
 */
#ifndef SUP_SRC_MATH_ROTATION_VECTOR_H
#define SUP_SRC_MATH_ROTATION_VECTOR_H

#include "math/elementary.h"
#include "math/rotation_fit.h"

/* The shortest rotation vector of a quaternion of any length but zero. */
SUP_INLINE sup_vvec3 sup_vquat_log(sup_vquat q) {
  const sup_vi sign = sup_bits(q.w) & SUP_SIGN_BIT;
  const sup_vf w = sup_abs(q.w);
  const sup_vf square = q.x * q.x + q.y * q.y + q.z * q.z;
  const sup_vf r = SUP_C(1) / (sup_vf_sqrt(square + w * w) + w);
  const sup_vf z = square * (r * r), z2 = z * z;
  const sup_vf p01 = SUP_C(-0x1.5554dcp-2f) + SUP_C(0x1.9978ecp-3f) * z; /* 2^-25.8 */
  const sup_vf p23 = SUP_C(-0x1.230a94p-3f) + SUP_C(0x1.b4deb2p-4f) * z;
  const sup_vf p45 = SUP_C(-0x1.3550e6p-4f) + SUP_C(0x1.61eee4p-5f) * z;
  const sup_vf p67 = SUP_C(-0x1.0c1834p-6f) + SUP_C(0x1.7ea792p-9f) * z;
  const sup_vf p = (p01 + p23 * z2) + (p45 + p67 * z2) * (z2 * z2);
  const sup_vf factor = sup_from_bits(sup_bits((SUP_C(4) * r) * (SUP_C(1) + z * p)) ^ sign);
  return (sup_vvec3){q.x * factor, q.y * factor, q.z * factor};
}

/* The same beyond half a turn. */
SUP_SELDOM sup_vquat sup_vvec3_exp_far(sup_vvec3 v, sup_vf square) {
  const sup_vf angle = sup_vf_sqrt(square);
  sup_vf s, c;
  sup_vf_sincos(SUP_C(0.5) * angle, &s, &c);
  const sup_vf factor = s / angle;
  return (sup_vquat){v.x * factor, v.y * factor, v.z * factor, c};
}

/* The rotation of a rotation vector. */
SUP_INLINE sup_vquat sup_vvec3_exp(sup_vvec3 v) {
  const sup_vf square = v.x * v.x + v.y * v.y + v.z * v.z;
  const sup_vf z = SUP_C(0.25) * square, z2 = z * z;
  const sup_vf s01 = SUP_C(-0x1.55554cp-3f) + SUP_C(0x1.110edap-7f) * z; /* 2^-27.3 */
  const sup_vf s23 = SUP_C(-0x1.9f70eep-13f) + SUP_C(0x1.5dc8c4p-19f) * z;
  const sup_vf c01 = SUP_C(0x1.55554ep-5f) + SUP_C(-0x1.6c144p-10f) * z; /* 2^-31.5 */
  const sup_vf c23 = SUP_C(0x1.9f8176p-16f) + SUP_C(-0x1.18974ap-22f) * z;
  const sup_vf factor = SUP_C(0.5) * (SUP_C(1) + z * (s01 + s23 * z2));
  const sup_vf cosine = (SUP_C(1) - SUP_C(0.5) * z) + z2 * (c01 + c23 * z2);
  const sup_vquat near = {v.x * factor, v.y * factor, v.z * factor, cosine};
  const sup_vi far = sup_lt(SUP_C(9.8), square);
  if (!sup_any(far)) return near;
  return sup_vquat_select(far, sup_vvec3_exp_far(v, sup_select(far, square, SUP_C(1))), near);
}

#endif
