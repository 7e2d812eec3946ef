/* SPDX-License-Identifier: MIT */
/* Supple: what the techniques on patches share: angles that are read off a pose, and seams. */
#ifndef SUPPLE_PATCH_PARTS_H
#define SUPPLE_PATCH_PARTS_H

#include "supple/math.h"

/* An angle that is read off a pose: 2 atan2(axis . v, w) of the quaternion (v, w) = rest^-1 times
 * the joint's local rotation, wrapped to (-pi, pi], then kept within [low, high]. */
typedef struct SupPoseAngle {
  uint32_t joint;
  SupQuat rest;    /* local rotation in the dress pose; unit length */
  SupVec3 axis;    /* in the joint's own frame; unit length */
  float low, high; /* radians: the examples' box; 0 is between them */
} SupPoseAngle;

/* A point that borders of patches share: it goes to the mean of the patches' own positions. */
typedef struct SupSeam {
  uint32_t a,
      b;       /* body vertices; the place is (1 - ratio) a + ratio b; a == b: the vertex itself */
  float ratio; /* 0 .. 1 */
  uint32_t open; /* 1: beside flesh without a patch; it goes where plain skinning puts the place */
} SupSeam;

#endif
