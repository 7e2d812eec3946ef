/* SPDX-License-Identifier: MIT */
/*
 * Supple: playing one skeleton's motion on another one that has joints of the same names.
 *
 * Joints are matched by name (whatever stands before the last ':' is ignored); joints of equal
 * skeletons one by one, also where names are missing or the same. A joint's turn away from its rest
 * pose is carried over in the space of the whole character, so the two skeletons may have different
 * rest poses' bone axes, lengths and extra joints; translations away from rest are scaled by the
 * ratio of the skeletons' sizes. Turns of source joints that the target does not have are lost.
 * Between equal skeletons nothing changes, to the bit.
 */
#ifndef SUPPLE_RETARGET_H
#define SUPPLE_RETARGET_H

#include "supple/skeleton.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How one joint of the target follows the source. */
typedef struct SupRetargetJoint {
  uint32_t source; /* joint of the source, or UINT32_MAX: stays at rest */
  bool same;       /* copied as it is */
  SupQuat before;  /* rotation = before * source rotation * after */
  SupQuat after;
  SupTransform source_rest;
  SupTransform target_rest;
} SupRetargetJoint;

typedef struct SupRetarget {
  uint32_t joint_count; /* of the target */
  uint32_t matched_count;
  bool equal_joints; /* both have the same names in the same tree: each follows its own */
  float scale; /* size of the target over that of the source: rest joints' bounding diagonals */
  const SupRetargetJoint *joints; /* [joint_count] */
} SupRetarget;

/* Matches two skeletons. out_joints[target->joint_count] is the caller's and must live as long as
 * the result. */
SupRetarget sup_retarget_make(const SupSkeleton *source, const SupSkeleton *target,
                              SupRetargetJoint *out_joints);

/* One joint's local transform, carried over. */
SupTransform sup_retarget_joint(const SupRetarget *retarget, uint32_t joint,
                                SupTransform source_local);

/* A whole pose; out_pose has the target's joint_count, the source pose the source's. The root
 * placement is copied. */
void sup_retarget_pose(const SupRetarget *retarget, const SupPose *source, SupPose *out_pose);

#ifdef __cplusplus
}
#endif
#endif
