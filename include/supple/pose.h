/* SPDX-License-Identifier: MIT */
/*
 * Supple: poses, from local transforms to the matrices that skinning reads.
 *
 * All functions work in the caller's arrays, allocate nothing and keep nothing. The double
 * versions (`_f64`) are the same source compiled again; they live in libsupple_train.
 */
#ifndef SUPPLE_POSE_H
#define SUPPLE_POSE_H

#include "supple/skeleton.h"

#ifdef __cplusplus
extern "C" {
#endif

/* SupPose in double precision. */
typedef struct SupPosed {
  uint32_t joint_count;
  SupTransformd root;
  SupTransformd *joints; /* [joint_count] */
} SupPosed;

/* Sets every joint to the skeleton's rest transform and the root to the identity. The caller has
 * set joint_count, at most the skeleton's, and joints. */
void sup_pose_rest(const SupSkeleton *skeleton, SupPose *io_pose);
void sup_pose_rest_f64(const SupSkeleton *skeleton, SupPosed *io_pose);

/* The pose between a (weight 0) and b (weight 1): translations and scales linearly, rotations by
 * slerp along the shorter arc, the root like a joint. mask[joint_count] (or NULL) multiplies the
 * weight of each joint; the root has the plain weight. Weights beyond 0..1 extrapolate
 * translations and scales. All three poses have the same joint_count; out_pose's joints may be
 * a's or b's. */
void sup_pose_blend(const SupPose *a, const SupPose *b, float weight, const float *mask,
                    SupPose *out_pose);
void sup_pose_blend_f64(const SupPosed *a, const SupPosed *b, double weight, const double *mask,
                        SupPosed *out_pose);

/* Adds to io_pose what `b` has more than `a` (usually the first frame of an additive clip, or the
 * rest pose): rotations multiply on the right with a^-1 b, scaled by the weight; translations and
 * scales add. Mask as above; the root is left alone. The poses may not share joints. */
void sup_pose_add(const SupPose *a, const SupPose *b, float weight, const float *mask,
                  SupPose *io_pose);
void sup_pose_add_f64(const SupPosed *a, const SupPosed *b, double weight, const double *mask,
                      SupPosed *io_pose);

/* Joint space -> scene space for every joint: root * parent * ... * local, as affine maps, so that
 * scales may be negative or uneven and the shear they cause down the chain is kept.
 * out_globals[joint_count of the skeleton]; the pose has as many joints. */
void sup_pose_globals(const SupSkeleton *skeleton, const SupPose *pose, SupAffine *out_globals);
void sup_pose_globals_f64(const SupSkeleton *skeleton, const SupPosed *pose,
                          SupAffined *out_globals);

/* The matrix palette: globals[joint of the bone] * inverse bind, bind space -> scene space.
 * out_palette[bone_count], not overlapping globals. */
void sup_pose_palette(const SupSkeleton *skeleton, const SupAffine *globals,
                      SupAffine *out_palette);
void sup_pose_palette_f64(const SupSkeleton *skeleton, const SupAffined *globals,
                          SupAffined *out_palette);

/* Both at once, from a pose to what skinning reads: out_globals[joint_count of the skeleton] and
 * out_palette[bone_count] as above, not overlapping. */
void sup_pose_evaluate(const SupSkeleton *skeleton, const SupPose *pose, SupAffine *out_globals,
                       SupAffine *out_palette);
void sup_pose_evaluate_f64(const SupSkeleton *skeleton, const SupPosed *pose,
                           SupAffined *out_globals, SupAffined *out_palette);

#ifdef __cplusplus
}
#endif
#endif
