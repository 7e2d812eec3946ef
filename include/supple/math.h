/* SPDX-License-Identifier: MIT */
/*
 * Supple: vectors, quaternions, affine maps, rotations; our own elementary functions.
 *
 * Right-handed, +Y up, +Z forward; quaternions are x y z w; matrices are column-major (as in
 * glTF). Angles in radians. Every function is pure and gives the same bits on every target, as
 * long as the code that includes this header is compiled without fast-math and with
 * -ffp-contract=off (the small functions are inline).
 *
 * Everything exists for float and for double. Double types and their functions carry a `d`
 * (SupVec3d, sup_vec3d_add); the elementary functions are named as in C (sup_sinf, sup_sin).
 * The functions over the types are written once, in math_types.inl (inline, and the contracts of
 * the others).
 */
#ifndef SUPPLE_MATH_H
#define SUPPLE_MATH_H

#include "supple/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types ---------------------------------------------------------------------------------- */

typedef struct SupVec3 {
  float x, y, z;
} SupVec3;

typedef struct SupVec4 {
  float x, y, z, w;
} SupVec4;

typedef struct SupQuat {
  float x, y, z, w;
} SupQuat;

/* A 3x3 matrix, column-major: element (row r, column c) is m[3 * c + r]. */
typedef struct SupMat3 {
  float m[9];
} SupMat3;

/* An affine map of space, column-major 3x4: columns 0..2 are the linear part, column 3 the
 * translation; element (r, c) is m[3 * c + r]. */
typedef struct SupAffine {
  float m[12];
} SupAffine;

/* Translation, rotation, scale; applied to a point in the order scale, rotation, translation. */
typedef struct SupTransform {
  SupVec3 translation;
  SupQuat rotation;
  SupVec3 scale;
} SupTransform;

/* A = u diag(s) v^T with rotations u and v; s.x >= s.y >= |s.z|, and s.z < 0 when A reflects. */
typedef struct SupSvd {
  SupMat3 u, v;
  SupVec3 s;
} SupSvd;

typedef struct SupVec3d {
  double x, y, z;
} SupVec3d;

typedef struct SupQuatd {
  double x, y, z, w;
} SupQuatd;

typedef struct SupMat3d {
  double m[9];
} SupMat3d;

typedef struct SupAffined {
  double m[12];
} SupAffined;

typedef struct SupTransformd {
  SupVec3d translation;
  SupQuatd rotation;
  SupVec3d scale;
} SupTransformd;

typedef struct SupSvdd {
  SupMat3d u, v;
  SupVec3d s;
} SupSvdd;

/* ---- Elementary functions ------------------------------------------------------------------- */

#define SUP_PI 3.14159265358979323846

/* Correct within 2 units in the last place wherever the true value exists; docs/math.md has the
 * measured figures. A finite argument always gives a finite result:
 *
 *   sin, cos   every finite x
 *   exp        above the largest result: the largest finite number
 *   log        x <= 0: minus the largest finite number, whose exp is 0
 *   atan2      (-pi, pi], signed zeros as in C; of (0, 0): 0 or pi by the sign of x
 *   acos       arguments outside [-1, 1] count as -1 or 1
 *
 * Infinite arguments: sin and cos give NaN; exp 0 or infinity; log infinity (of -infinity as of
 * other negative numbers); atan2 and acos their limits. NaN gives NaN, always the same one. */
float sup_sinf(float x);
float sup_cosf(float x);
void sup_sincosf(float x, float *out_sin, float *out_cos);
float sup_expf(float x);
float sup_logf(float x);
float sup_atan2f(float y, float x);
float sup_acosf(float x);

double sup_sin(double x);
double sup_cos(double x);
void sup_sincos(double x, double *out_sin, double *out_cos);
double sup_exp(double x);
double sup_log(double x);
double sup_atan2(double y, double x);
double sup_acos(double x);

/* Correctly rounded: one instruction. */
static inline float sup_sqrtf(float x) { return __builtin_sqrtf(x); }
static inline double sup_sqrt(double x) { return __builtin_sqrt(x); }

/* ---- Functions over the types, for both precisions ------------------------------------------ */

#define SUP_REAL float
#define SUP_EPSILON 0x1p-23f
#define SUP_TYPE(name) Sup##name
#define SUP_FN(noun, verb) sup_##noun##_##verb
#define SUP_SCALAR_FN(name) sup_##name##f
#include "supple/math_types.inl"

#define SUP_REAL double
#define SUP_EPSILON 0x1p-52
#define SUP_TYPE(name) Sup##name##d
#define SUP_FN(noun, verb) sup_##noun##d_##verb
#define SUP_SCALAR_FN(name) sup_##name
#include "supple/math_types.inl"

/* ---- Between the precisions ----------------------------------------------------------------- */

static inline SupVec3d sup_vec3_to_double(SupVec3 a) {
  SupVec3d r = {a.x, a.y, a.z};
  return r;
}

static inline SupVec3 sup_vec3d_to_float(SupVec3d a) {
  SupVec3 r = {(float)a.x, (float)a.y, (float)a.z};
  return r;
}

static inline SupQuatd sup_quat_to_double(SupQuat a) {
  SupQuatd r = {a.x, a.y, a.z, a.w};
  return r;
}

static inline SupQuat sup_quatd_to_float(SupQuatd a) {
  SupQuat r = {(float)a.x, (float)a.y, (float)a.z, (float)a.w};
  return r;
}

static inline SupMat3d sup_mat3_to_double(SupMat3 a) {
  SupMat3d r;
  for (int k = 0; k < 9; k++) r.m[k] = a.m[k];
  return r;
}

static inline SupMat3 sup_mat3d_to_float(SupMat3d a) {
  SupMat3 r;
  for (int k = 0; k < 9; k++) r.m[k] = (float)a.m[k];
  return r;
}

static inline SupAffined sup_affine_to_double(SupAffine a) {
  SupAffined r;
  for (int k = 0; k < 12; k++) r.m[k] = a.m[k];
  return r;
}

static inline SupAffine sup_affined_to_float(SupAffined a) {
  SupAffine r;
  for (int k = 0; k < 12; k++) r.m[k] = (float)a.m[k];
  return r;
}

#ifdef __cplusplus
}
#endif
#endif
