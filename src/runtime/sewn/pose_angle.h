/* SPDX-License-Identifier: MIT */
/* Angles that are read off a pose. */
#ifndef SUP_SRC_RUNTIME_POSE_ANGLE_H
#define SUP_SRC_RUNTIME_POSE_ANGLE_H

#include "supple/patch_parts.h"
#include "supple/pose.h"

/* Within [low, high], low where the pose has no number. */
float sup_pose_angle(const SupPoseAngle *angle, const SupPose *pose);

#endif
