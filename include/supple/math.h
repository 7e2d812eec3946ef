/* SPDX-License-Identifier: MIT */
/*
 * Supple: vectors, quaternions, affine maps; our own elementary functions.
 *
 * Right-handed, +Y up, +Z forward; quaternions are x y z w; matrices are column-major (as in
 * glTF). Angles in radians. Every function is pure and gives the same bits on every target.
 * Names end in `d` where the type is double.
 */
#ifndef SUPPLE_MATH_H
#define SUPPLE_MATH_H

#include "supple/base.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
#endif
