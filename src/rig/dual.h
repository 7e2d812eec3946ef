/* SPDX-License-Identifier: MIT */
/*
 * Numbers with a derivative: v + d e with e e = 0. A formula written in them gives its value and
 * its exact derivative along one direction; there is no second formula that could be wrong.
 */
#ifndef SUP_SRC_RIG_DUAL_H
#define SUP_SRC_RIG_DUAL_H

#include "supple/math.h"

typedef struct SupDual {
  double v, d;
} SupDual;

typedef struct SupDual3 {
  SupVec3d v, d;
} SupDual3;

typedef struct SupDualQuat {
  SupQuatd v, d;
} SupDualQuat;

/* An affine map and its derivative, whose last row (0 0 0 1) becomes 0. */
typedef struct SupDualAffine {
  SupAffined v, d;
} SupDualAffine;

/* ---- Numbers -------------------------------------------------------------------------------- */

static inline SupDual sup_dual_add(SupDual a, SupDual b) { return (SupDual){a.v + b.v, a.d + b.d}; }

static inline SupDual sup_dual_mul(SupDual a, SupDual b) {
  return (SupDual){a.v * b.v, a.d * b.v + a.v * b.d};
}

/* a / b; b is not 0. */
static inline SupDual sup_dual_div(SupDual a, SupDual b) {
  const double q = a.v / b.v;
  return (SupDual){q, (a.d - q * b.d) / b.v};
}

/* a > 0. */
static inline SupDual sup_dual_sqrt(SupDual a) {
  const double root = sup_sqrt(a.v);
  return (SupDual){root, 0.5 * a.d / root};
}

static inline void sup_dual_sincos(SupDual a, SupDual *out_sin, SupDual *out_cos) {
  double s, c;
  sup_sincos(a.v, &s, &c);
  *out_sin = (SupDual){s, c * a.d};
  *out_cos = (SupDual){c, -s * a.d};
}

/* ---- Vectors -------------------------------------------------------------------------------- */

static inline SupDual3 sup_dual3_add(SupDual3 a, SupDual3 b) {
  return (SupDual3){sup_vec3d_add(a.v, b.v), sup_vec3d_add(a.d, b.d)};
}

static inline SupDual3 sup_dual3_sub(SupDual3 a, SupDual3 b) {
  return (SupDual3){sup_vec3d_sub(a.v, b.v), sup_vec3d_sub(a.d, b.d)};
}

/* a + b w, w a constant. */
static inline SupDual3 sup_dual3_add_scaled(SupDual3 a, SupDual3 b, double w) {
  return (SupDual3){sup_vec3d_add_scaled(a.v, b.v, w), sup_vec3d_add_scaled(a.d, b.d, w)};
}

static inline SupDual3 sup_dual3_scale(SupDual3 a, SupDual s) {
  return (SupDual3){sup_vec3d_scale(a.v, s.v),
                    sup_vec3d_add_scaled(sup_vec3d_scale(a.d, s.v), a.v, s.d)};
}

static inline SupDual sup_dual3_dot(SupDual3 a, SupDual3 b) {
  return (SupDual){sup_vec3d_dot(a.v, b.v), sup_vec3d_dot(a.d, b.v) + sup_vec3d_dot(a.v, b.d)};
}

static inline SupDual3 sup_dual3_cross(SupDual3 a, SupDual3 b) {
  return (SupDual3){sup_vec3d_cross(a.v, b.v),
                    sup_vec3d_add(sup_vec3d_cross(a.d, b.v), sup_vec3d_cross(a.v, b.d))};
}

/* Unit length; a is not 0. */
static inline SupDual3 sup_dual3_normalise(SupDual3 a) {
  return sup_dual3_scale(a, sup_dual_div((SupDual){1, 0}, sup_dual_sqrt(sup_dual3_dot(a, a))));
}

/* ---- Rotations ------------------------------------------------------------------------------ */

/* The rotation by |v| about v: w = cos(|v|/2), vector part k v with k = sin(|v|/2) / |v|. With
 * z = |v|^2: dw = -k/4 dz and dk = (w/2 - k) / (2 z) dz; near 0 by their series. */
static inline SupDualQuat sup_dual_quat_exp(SupDual3 v) {
  const SupDual z = sup_dual3_dot(v, v);
  double w, k, slope;
  if (z.v < 1e-3) { /* the next terms are below 1e-16 */
    w = 1 - z.v / 8 * (1 - z.v / 48 * (1 - z.v / 120 * (1 - z.v / 224)));
    k = 0.5 * (1 - z.v / 24 * (1 - z.v / 80 * (1 - z.v / 168)));
    slope = -1.0 / 48 * (1 - z.v / 40 * (1 - z.v / 112 * (1 - z.v / 216)));
  } else {
    const double angle = sup_sqrt(z.v);
    double s;
    sup_sincos(0.5 * angle, &s, &w);
    k = s / angle;
    slope = (0.5 * w - k) / (2 * z.v);
  }
  const double dk = slope * z.d;
  return (SupDualQuat){
      {k * v.v.x, k * v.v.y, k * v.v.z, w},
      {k * v.d.x + dk * v.v.x, k * v.d.y + dk * v.v.y, k * v.d.z + dk * v.v.z, -0.25 * k * z.d}};
}

static inline SupDualQuat sup_dual_quat_mul(SupDualQuat a, SupDualQuat b) {
  const SupQuatd l = sup_quatd_mul(a.d, b.v), r = sup_quatd_mul(a.v, b.d);
  return (SupDualQuat){sup_quatd_mul(a.v, b.v), {l.x + r.x, l.y + r.y, l.z + r.z, l.w + r.w}};
}

/* ---- Affine maps ---------------------------------------------------------------------------- */

/* Translation, rotation and scale as a map. With q* dq = (omega / 2, 0) the rotation matrix
 * changes by R [omega]x. */
static inline SupDualAffine sup_dual_affine_compose(SupDual3 t, SupDualQuat q, SupDual3 s) {
  SupDualAffine out;
  const SupQuatd half = sup_quatd_mul(sup_quatd_conjugate(q.v), q.d);
  const SupVec3d omega = {2 * half.x, 2 * half.y, 2 * half.z};
  const SupMat3d r = sup_mat3d_from_quat(q.v);
  const double scale[3] = {s.v.x, s.v.y, s.v.z}, grow[3] = {s.d.x, s.d.y, s.d.z};
  for (int c = 0; c < 3; c++) {
    const SupVec3d axis = {c == 0, c == 1, c == 2};
    const SupVec3d column = sup_mat3d_column(r, c);
    const SupVec3d turn = sup_mat3d_mul_vec3(r, sup_vec3d_cross(omega, axis));
    const SupVec3d value = sup_vec3d_scale(column, scale[c]);
    const SupVec3d rate = sup_vec3d_add_scaled(sup_vec3d_scale(turn, scale[c]), column, grow[c]);
    out.v.m[3 * c] = value.x, out.v.m[3 * c + 1] = value.y, out.v.m[3 * c + 2] = value.z;
    out.d.m[3 * c] = rate.x, out.d.m[3 * c + 1] = rate.y, out.d.m[3 * c + 2] = rate.z;
  }
  out.v.m[9] = t.v.x, out.v.m[10] = t.v.y, out.v.m[11] = t.v.z;
  out.d.m[9] = t.d.x, out.d.m[10] = t.d.y, out.d.m[11] = t.d.z;
  return out;
}

/* a b where the last rows are (0 0 0 e), e 0 or 1 for b: 1 where b is a map, 0 a derivative. */
static inline SupAffined sup_affined_product(const SupAffined *a, const SupAffined *b, double e) {
  SupAffined out;
  for (int c = 0; c < 4; c++) {
    const double *column = &b->m[3 * c];
    for (int r = 0; r < 3; r++) {
      out.m[3 * c + r] = a->m[r] * column[0] + a->m[3 + r] * column[1] + a->m[6 + r] * column[2] +
                         (c == 3 ? e * a->m[9 + r] : 0);
    }
  }
  return out;
}

static inline SupDualAffine sup_dual_affine_mul(const SupDualAffine *a, const SupDualAffine *b) {
  SupDualAffine out = {.v = sup_affined_product(&a->v, &b->v, 1),
                       .d = sup_affined_product(&a->d, &b->v, 1)};
  const SupAffined right = sup_affined_product(&a->v, &b->d, 0);
  for (int k = 0; k < 12; k++) out.d.m[k] += right.m[k];
  return out;
}

/* The image of a point. */
static inline SupDual3 sup_dual_affine_point(const SupDualAffine *a, SupDual3 x) {
  return (SupDual3){sup_affined_point(a->v, x.v),
                    sup_vec3d_add(sup_affined_point(a->d, x.v), sup_affined_direction(a->v, x.d))};
}

/* The image of a direction. */
static inline SupDual3 sup_dual_affine_direction(const SupDualAffine *a, SupDual3 x) {
  return (SupDual3){
      sup_affined_direction(a->v, x.v),
      sup_vec3d_add(sup_affined_direction(a->d, x.v), sup_affined_direction(a->v, x.d))};
}

#endif
