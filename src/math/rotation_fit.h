/* SPDX-License-Identifier: MIT */
/*
 * The best rotation for a matrix, warm-started: what the run time uses, one matrix per lane.
 *
 * Maximises f(R) = trace(R^T A) by Newton steps on SO(3). With S = R^T A and R exp([w]),
 *
 *   f = tr S + g.w - 1/2 w^T H w + O(|w|^3),   g = axial(S - S^T),   H = tr(S) I - sym(S),
 *
 * so w = H^-1 g, applied as the Cayley map: q <- normalise(q (w/2, 1)). H is positive definite at
 * the maximum and at no other stationary point, so Newton steps can only converge to the answer.
 *
 * Where H is not safely positive definite, or the Newton step is over a quarter turn (a few in ten
 * thousand in motion, more from a cold start), one of two other steps is taken:
 *  - on ridges and saddles, where f curves upwards about some axis more than it slopes: to the best
 *    angle about that axis n, which is known exactly, since f = const + n^T H n cos t + n.g sin t
 *    for turns by t about n. Steps along the gradient (M. Mueller et al., "A robust method to
 *    extract the rotational part of deformations", 2016) creep there;
 *  - elsewhere a Newton step with H made definite by a multiple of I, large enough that rounding in
 *    g moves directions in which f is flat by no more than rounding. Without the condition on the
 *    slope, rank one would be answered by half a turn about the bisector: right, but not near.
 *
 * The rule for degenerate input follows: where the best rotation is not unique (s2 + s3 below
 * 2^-12 s1, the least with the sign of the determinant), the rotation moves to the best ones and
 * does not turn in the directions that A leaves open. A = 0 keeps it.
 */
#ifndef SUP_SRC_MATH_ROTATION_FIT_H
#define SUP_SRC_MATH_ROTATION_FIT_H

#include "base/simd.h"

typedef struct sup_vquat {
  sup_vf x, y, z, w;
} sup_vquat;

typedef struct sup_vvec3 {
  sup_vf x, y, z;
} sup_vvec3;

SUP_INLINE sup_vquat sup_vquat_select(sup_vi mask, sup_vquat yes, sup_vquat no) {
  sup_vquat q;
  q.x = sup_select(mask, yes.x, no.x);
  q.y = sup_select(mask, yes.y, no.y);
  q.z = sup_select(mask, yes.z, no.z);
  q.w = sup_select(mask, yes.w, no.w);
  return q;
}

/* A symmetric 3x3 matrix. */
typedef struct sup_vsym3 {
  sup_vf m00, m11, m22, m01, m02, m12;
} sup_vsym3;

/* f near the present rotation: curvature -H and gradient; and the size of A. */
typedef struct sup_fit_model {
  sup_vsym3 h;
  sup_vvec3 g;
  sup_vf size;
} sup_fit_model;

SUP_INLINE sup_vsym3 sup_vsym3_adjugate(sup_vsym3 a) {
  sup_vsym3 c;
  c.m00 = a.m11 * a.m22 - a.m12 * a.m12;
  c.m01 = a.m02 * a.m12 - a.m01 * a.m22;
  c.m02 = a.m01 * a.m12 - a.m02 * a.m11;
  c.m11 = a.m00 * a.m22 - a.m02 * a.m02;
  c.m12 = a.m01 * a.m02 - a.m00 * a.m12;
  c.m22 = a.m00 * a.m11 - a.m01 * a.m01;
  return c;
}

/* The determinant, given the adjugate c. */
SUP_INLINE sup_vf sup_vsym3_determinant(sup_vsym3 a, sup_vsym3 c) {
  return a.m00 * c.m00 + a.m01 * c.m01 + a.m02 * c.m02;
}

SUP_INLINE sup_vvec3 sup_vsym3_mul(sup_vsym3 a, sup_vvec3 v) {
  sup_vvec3 r;
  r.x = a.m00 * v.x + a.m01 * v.y + a.m02 * v.z;
  r.y = a.m01 * v.x + a.m11 * v.y + a.m12 * v.z;
  r.z = a.m02 * v.x + a.m12 * v.y + a.m22 * v.z;
  return r;
}

SUP_INLINE sup_vsym3 sup_vsym3_shift(sup_vsym3 a, sup_vf s) {
  a.m00 = a.m00 + s;
  a.m11 = a.m11 + s;
  a.m22 = a.m22 + s;
  return a;
}

SUP_INLINE sup_vf sup_vvec3_dot(sup_vvec3 a, sup_vvec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* Lanes of A brought to greatest element in [1, 4) by a power of two, subnormal ones as near as
 * they get; returns the greatest element then. The rotation does not depend on the scale. */
SUP_INLINE sup_vf sup_fit_scale(const sup_vf *a, sup_vf *out_b) {
  sup_vf most = sup_abs(a[0]);
  for (int k = 1; k < 9; k++) most = sup_max(most, sup_abs(a[k]));
  const sup_vi exponent = sup_shr(sup_bits(most), SUP_FRACTION_BITS);
  const sup_vi opposite = SUP_I(2 * SUP_EXPONENT_BIAS) - exponent;
  sup_vf factor = sup_from_bits(sup_shl(opposite, SUP_FRACTION_BITS));
  factor = sup_max(factor, sup_exp2_int(SUP_I(1 - SUP_EXPONENT_BIAS)));
  for (int k = 0; k < 9; k++) out_b[k] = a[k] * factor;
  return most * factor;
}

SUP_INLINE sup_vf sup_dot3(const sup_vf *a, const sup_vf *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* g and H at the rotation q; b column-major. */
SUP_INLINE sup_fit_model sup_fit_expand(const sup_vf *b, sup_vf size, sup_vquat q) {
  const sup_vf x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
  const sup_vf xx = q.x * x2, yy = q.y * y2, zz = q.z * z2;
  const sup_vf xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
  const sup_vf wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
  const sup_vf one = SUP_C(1);
  const sup_vf r0[3] = {one - (yy + zz), xy + wz, xz - wy};
  const sup_vf r1[3] = {xy - wz, one - (xx + zz), yz + wx};
  const sup_vf r2[3] = {xz + wy, yz - wx, one - (xx + yy)};

  const sup_vf s00 = sup_dot3(r0, b), s01 = sup_dot3(r0, b + 3), s02 = sup_dot3(r0, b + 6);
  const sup_vf s10 = sup_dot3(r1, b), s11 = sup_dot3(r1, b + 3), s12 = sup_dot3(r1, b + 6);
  const sup_vf s20 = sup_dot3(r2, b), s21 = sup_dot3(r2, b + 3), s22 = sup_dot3(r2, b + 6);
  const sup_vf minus_half = SUP_C(-0.5);
  sup_fit_model m;
  m.h.m00 = s11 + s22;
  m.h.m11 = s00 + s22;
  m.h.m22 = s00 + s11;
  m.h.m01 = minus_half * (s01 + s10);
  m.h.m02 = minus_half * (s02 + s20);
  m.h.m12 = minus_half * (s12 + s21);
  m.g.x = s21 - s12;
  m.g.y = s02 - s20;
  m.g.z = s10 - s01;
  m.size = size;
  return m;
}

/* The Newton step, and a mask of the lanes where it may be taken. */
SUP_INLINE sup_vquat sup_fit_newton(const sup_fit_model *m, sup_vi *out_good) {
  const sup_vsym3 c = sup_vsym3_adjugate(m->h);
  const sup_vf det = sup_vsym3_determinant(m->h, c);
  /* Half the trace of H. At the maximum det / trace^3 is about (s2 + s3) / s1 where s1 dominates;
   * below 2^-12 the angle would be mostly rounding. */
  const sup_vf trace = SUP_C(0.5) * (m->h.m00 + m->h.m11 + m->h.m22);
  const sup_vi good = sup_lt(SUP_C(0x1p-6) * m->size, trace) & sup_lt(SUP_C(0), m->h.m00) &
                      sup_lt(SUP_C(0), c.m22) & sup_lt(SUP_C(0x1p-12) * trace * trace * trace, det);
  const sup_vf scale = SUP_C(0.5) / sup_select(good, det, SUP_C(1));
  const sup_vvec3 d = sup_vsym3_mul(c, m->g);
  const sup_vquat step = {d.x * scale, d.y * scale, d.z * scale, SUP_C(1)};
  const sup_vf square = step.x * step.x + step.y * step.y + step.z * step.z;
  *out_good = good & sup_le(square, SUP_C(1));
  return step;
}

/* A lower bound of the least eigenvalue of h, close unless the least two nearly coincide. Left of
 * the least root of the characteristic polynomial, Newton's iteration rises towards it; with mean
 * m and spread p = |h - m I| / sqrt(6), all roots lie above m - 2 p. */
SUP_INLINE sup_vf sup_fit_least_eigenvalue(sup_vsym3 h) {
  const sup_vf mean = (h.m00 + h.m11 + h.m22) * SUP_C(1.0 / 3.0);
  const sup_vsym3 k = sup_vsym3_shift(h, -mean); /* trace 0: x^3 + b x - det */
  const sup_vf squares = SUP_C(0.5) * (k.m00 * k.m00 + k.m11 * k.m11 + k.m22 * k.m22) +
                         (k.m01 * k.m01 + k.m02 * k.m02 + k.m12 * k.m12);
  const sup_vf det = sup_vsym3_determinant(k, sup_vsym3_adjugate(k));
  sup_vf x = SUP_C(-2) * sup_vf_sqrt(squares * SUP_C(1.0 / 3.0));
  for (int step = 0; step < 6; step++) {
    const sup_vf value = (x * x - squares) * x - det;
    const sup_vf slope = sup_max(SUP_C(3) * x * x - squares, SUP_C(0x1p-100));
    x = x - sup_min(value, SUP_C(0)) / slope;
  }
  return mean + x;
}

/* The step where Newton's is of no use, as a quaternion of any length. */
SUP_INLINE sup_vquat sup_fit_climb(const sup_fit_model *m) {
  const sup_vf least = sup_fit_least_eigenvalue(m->h);
  /* The eigenvector: the longest column of the adjugate of h - least I. */
  const sup_vsym3 c = sup_vsym3_adjugate(sup_vsym3_shift(m->h, -least));
  const sup_vi first = sup_le(c.m11, c.m00) & sup_le(c.m22, c.m00);
  const sup_vi second = ~first & sup_le(c.m22, c.m11);
  sup_vvec3 n;
  n.x = sup_select(first, c.m00, sup_select(second, c.m01, c.m02));
  n.y = sup_select(first, c.m01, sup_select(second, c.m11, c.m12));
  n.z = sup_select(first, c.m02, sup_select(second, c.m12, c.m22));
  const sup_vf length = sup_vf_sqrt(sup_vvec3_dot(n, n));
  const sup_vi found = sup_lt(SUP_C(0), length);
  const sup_vf unit = SUP_C(1) / sup_select(found, length, SUP_C(1));
  n.x = sup_select(found, n.x * unit, SUP_C(1)); /* all directions are alike */
  n.y = sup_select(found, n.y * unit, SUP_C(0));
  n.z = sup_select(found, n.z * unit, SUP_C(0));

  /* The best angle about n has cos : sin = curvature : along, curvature < 0. */
  const sup_vf curvature = sup_vvec3_dot(n, sup_vsym3_mul(m->h, n));
  const sup_vf along = sup_vvec3_dot(n, m->g);
  const sup_vi upwards = sup_lt(curvature, SUP_C(-0x1p-11) * m->size) &
                         sup_lt(sup_vvec3_dot(m->g, m->g), curvature * curvature);
  const sup_vf sine = sup_vf_sqrt(curvature * curvature + along * along) - curvature;

  /* Otherwise Newton with h + shift I, whose eigenvalues are at least 2^-6 of the size of A. */
  const sup_vf shift = sup_max(-least, SUP_C(0)) + SUP_C(0x1p-6) * m->size;
  const sup_vsym3 h = sup_vsym3_shift(m->h, shift);
  const sup_vsym3 adjugate = sup_vsym3_adjugate(h);
  const sup_vf det = sup_max(sup_vsym3_determinant(h, adjugate), SUP_C(0x1p-120));
  const sup_vvec3 d = sup_vsym3_mul(adjugate, m->g);
  const sup_vf scale = SUP_C(0.5) / det;

  sup_vquat step;
  step.x = sup_select(upwards, n.x * sine, d.x * scale);
  step.y = sup_select(upwards, n.y * sine, d.y * scale);
  step.z = sup_select(upwards, n.z * sine, d.z * scale);
  step.w = sup_select(upwards, along, SUP_C(1));
  return step;
}

/* q (step), normalised; q where that is no rotation, so a bad number never enters the state. */
SUP_INLINE sup_vquat sup_fit_turn(sup_vquat q, sup_vquat step) {
  sup_vquat r;
  r.x = q.w * step.x + q.x * step.w + q.y * step.z - q.z * step.y;
  r.y = q.w * step.y - q.x * step.z + q.y * step.w + q.z * step.x;
  r.z = q.w * step.z + q.x * step.y - q.y * step.x + q.z * step.w;
  r.w = q.w * step.w - q.x * step.x - q.y * step.y - q.z * step.z;
  const sup_vf square = r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w;
  const sup_vi good = sup_lt(SUP_C(0x1p-100), square) & sup_lt(square, SUP_C(0x1p+100));
  const sup_vf scale = SUP_C(1) / sup_vf_sqrt(sup_select(good, square, SUP_C(1)));
  const sup_vquat unit = {r.x * scale, r.y * scale, r.z * scale, r.w * scale};
  return sup_vquat_select(good, unit, q);
}

/* `iterations` steps from the unit quaternion `start`; one that is not nearly of unit length counts
 * as the identity. a[9] column-major. Whatever comes in, a unit quaternion comes out. */
SUP_SELDOM sup_vquat sup_vf_rotation_fit(const sup_vf *a, uint32_t iterations, sup_vquat start) {
  const sup_vf square =
      start.x * start.x + start.y * start.y + start.z * start.z + start.w * start.w;
  const sup_vi unit = sup_lt(SUP_C(0.5), square) & sup_lt(square, SUP_C(2));
  const sup_vquat identity = {SUP_C(0), SUP_C(0), SUP_C(0), SUP_C(1)};
  start = sup_vquat_select(unit, start, identity);
  sup_vquat q = start;
  sup_vf b[9];
  const sup_vf size = sup_fit_scale(a, b);
  for (uint32_t k = 0; k < iterations; k++) {
    const sup_fit_model m = sup_fit_expand(b, size, q);
    sup_vi good;
    sup_vquat step = sup_fit_newton(&m, &good);
    if (!sup_all(good)) step = sup_vquat_select(good, step, sup_fit_climb(&m));
    q = sup_fit_turn(q, step);
  }
  return sup_vquat_select(sup_eq(size, SUP_C(0)), start, q);
}

/* One step from a unit quaternion, the same bits as sup_vf_rotation_fit(a, 1, q). Nearly always the
 * Newton step is good; then neither the scale nor the size of A is needed, since scaling by powers
 * of two rounds nothing, and a good step that is short means that the trace of S is not small
 * beside A. What is too small or too large for that takes the long way. */
SUP_INLINE sup_vquat sup_vf_rotation_step(const sup_vf *a, sup_vquat q) {
  const sup_fit_model m = sup_fit_expand(a, SUP_C(0), q);
  const sup_vf trace = SUP_C(0.5) * (m.h.m00 + m.h.m11 + m.h.m22);
  const sup_vi ordinary = sup_lt(SUP_C(0x1p-36), trace) & sup_lt(trace, SUP_C(0x1p+36));
  sup_vi good;
  const sup_vquat step = sup_fit_newton(&m, &good);
  const sup_vquat near = sup_fit_turn(q, step);
  good = good & ordinary;
  if (sup_all(good)) return near;
  return sup_vquat_select(good, near, sup_vf_rotation_fit(a, 1, q));
}

#endif
