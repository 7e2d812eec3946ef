/* SPDX-License-Identifier: MIT */
#include "runtime/sewn/pose_angle.h"

float sup_pose_angle(const SupPoseAngle *angle, const SupPose *pose) {
  const float pi = (float)SUP_PI;
  const SupQuat now = sup_quat_normalise(pose->joints[angle->joint].rotation);
  const SupQuat turn = sup_quat_mul(sup_quat_conjugate(angle->rest), now);
  const SupVec3 v = {turn.x, turn.y, turn.z};
  float radians = 2 * sup_atan2f(sup_vec3_dot(angle->axis, v), turn.w);
  if (radians > pi) radians -= 2 * pi;
  if (radians <= -pi) radians += 2 * pi;
  return radians > angle->high ? angle->high : radians > angle->low ? radians : angle->low;
}
