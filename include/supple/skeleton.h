/* SPDX-License-Identifier: MIT */
/*
 * Supple: skeletons, clips and poses, plain data.
 *
 * A *joint* is a node that can move; a *bone* is one entry of the matrix palette that skinning
 * reads: a joint together with an inverse bind matrix. Usually there is one bone per joint, but
 * two skins may bind the same joint differently, and joints that only carry others have no bone.
 */
#ifndef SUPPLE_SKELETON_H
#define SUPPLE_SKELETON_H

#include "supple/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The joints of one character and the bones that skin it. Arrays are owned by whoever made them. */
typedef struct SupSkeleton {
  uint32_t joint_count;
  uint32_t bone_count;
  const int32_t *parents;        /* [joint_count] index below its own, or -1 for a root */
  const SupTransform *rest;      /* [joint_count] local transform of the file's rest pose */
  const char *const *names;      /* [joint_count] never NULL, maybe empty */
  const uint32_t *bone_joints;   /* [bone_count] the joint that moves the bone */
  const SupAffine *inverse_bind; /* [bone_count] body (bind) space -> joint space */
} SupSkeleton;

/* One instant of a skeleton: local transforms, in the order of its joints. */
typedef struct SupPose {
  uint32_t joint_count;
  SupTransform root;    /* world placement of the whole character, applied outermost */
  SupTransform *joints; /* [joint_count] */
} SupPose;

typedef enum SupChannel {
  SUP_CHANNEL_TRANSLATION, /* 3 values per key, metres in the file's units */
  SUP_CHANNEL_ROTATION,    /* 4 values per key, quaternion xyzw */
  SUP_CHANNEL_SCALE,       /* 3 values per key */
  SUP_CHANNEL_WEIGHTS      /* morph_count values per key */
} SupChannel;

typedef enum SupInterpolation {
  SUP_INTERPOLATE_LINEAR, /* rotations: slerp along the shorter arc */
  SUP_INTERPOLATE_STEP,
  SUP_INTERPOLATE_CUBIC /* Hermite; each key stores in-tangent, value, out-tangent */
} SupInterpolation;

/* The keys of one channel of one joint (or of the morph weights). */
typedef struct SupTrack {
  uint32_t target; /* joint index; for weights the first morph target that the track drives */
  SupChannel channel;
  SupInterpolation interpolation;
  uint32_t width;      /* values per key: 3, 4, or the number of morph targets driven */
  uint32_t key_count;  /* at least 1 */
  const float *times;  /* [key_count] seconds, strictly rising, from 0 or later */
  const float *values; /* [key_count * width], for CUBIC [key_count * 3 * width] */
} SupTrack;

/* One animation. Before the first key and after the last a track holds its end value; a joint
 * without a track stays in the rest pose. */
typedef struct SupClip {
  const char *name; /* never NULL */
  float duration;   /* seconds: the last key of any track */
  uint32_t track_count;
  const SupTrack *tracks; /* [track_count] */
} SupClip;

#ifdef __cplusplus
}
#endif
#endif
