/* SPDX-License-Identifier: MIT */
/* Random vectors, rotations and matrices for the tests of math. */
#ifndef SUP_TESTS_MATH_RANDOM_H
#define SUP_TESTS_MATH_RANDOM_H

#include <math.h>

#include "supple/math.h"

static inline double random_between(SupRng *rng, double low, double high) {
  return low + (high - low) * sup_rng_double(rng);
}

/* Marsaglia's polar method, with the C library's functions. */
static inline double random_normal(SupRng *rng) {
  for (;;) {
    double x = random_between(rng, -1, 1), y = random_between(rng, -1, 1);
    double s = x * x + y * y;
    if (s > 0 && s < 1) return x * sqrt(-2 * log(s) / s);
  }
}

static inline SupVec3d random_vec3d(SupRng *rng) {
  double x = random_normal(rng), y = random_normal(rng), z = random_normal(rng);
  return sup_vec3d_make(x, y, z);
}

/* Uniform over all rotations. */
static inline SupQuatd random_quatd(SupRng *rng) {
  double q[4], square = 0;
  for (int k = 0; k < 4; k++) {
    q[k] = random_normal(rng);
    square += q[k] * q[k];
  }
  double s = 1 / sqrt(square);
  return sup_quatd_make(q[0] * s, q[1] * s, q[2] * s, q[3] * s);
}

/* U diag(s) V^T with random rotations. */
static inline SupMat3d random_with_singular(SupRng *rng, double s0, double s1, double s2) {
  SupMat3d u = sup_mat3d_from_quat(random_quatd(rng));
  SupMat3d v = sup_mat3d_from_quat(random_quatd(rng));
  const double s[3] = {s0, s1, s2};
  for (int c = 0; c < 3; c++) {
    for (int r = 0; r < 3; r++) u.m[3 * c + r] *= s[c];
  }
  return sup_mat3d_mul(u, sup_mat3d_transpose(v));
}

/* The angle between two rotations, in test code's own arithmetic. */
static inline double angle_between(SupQuatd a, SupQuatd b) {
  double sign = sup_quatd_dot(a, b) < 0 ? -1 : 1;
  double x = a.x - sign * b.x, y = a.y - sign * b.y, z = a.z - sign * b.z, w = a.w - sign * b.w;
  return 4 * asin(fmin(1, 0.5 * sqrt(x * x + y * y + z * z + w * w)));
}

#endif
