/* SPDX-License-Identifier: MIT */
/* The joints of two characters, and the pose in which they stand alike. */
#include "app/envelope_job.h"

#define REPOSED 0.02 /* radians: limbs that point apart by less stand alike */
#define BOUND 1e-4   /* of the size: the rest pose is the bind pose */

SupResult sup_envelope_map(const SupAppContext *app, const SupCharacterFile *primary,
                           const SupCharacterFile *target, EnvelopeCarry *out_carry,
                           SupError *error) {
  const SupSkeleton *from = &primary->character->skeleton, *to = &target->character->skeleton;
  EnvelopeCarry carry = {.joints = SUP_ALLOC(app->arena, uint32_t, from->joint_count)};
  if (!carry.joints) return sup_fail_memory(error, NULL);
  SupResult result = sup_joint_map_make(app->arena, from, to, &carry.map, error);
  if (result == SUP_OK) {
    result = sup_joint_map_check(&carry.map, primary->path, target->path, error);
  }
  if (result != SUP_OK) return result;
  sup_joint_map_partners(&carry.map, carry.joints);
  carry.mapped = to->joint_count - carry.map.counts[SUP_JOINT_FREE];
  for (uint32_t j = 0; j < to->joint_count; j++) {
    const double turn = (double)sup_vec3_length(sup_quat_log(carry.map.joints[j].repose));
    carry.reposed = turn > carry.reposed ? turn : carry.reposed;
  }
  *out_carry = carry;
  return SUP_OK;
}

bool sup_envelope_rest_is_bind(const SupSkeleton *skeleton, const SupAffine *palette) {
  for (uint32_t b = 1; b < skeleton->bone_count; b++) {
    for (int k = 0; k < 9; k++) {
      const double d = (double)(palette[b].m[k] - palette[0].m[k]);
      if (!(d * d < BOUND * BOUND)) return false;
    }
  }
  return true;
}

SupResult sup_envelope_dress(const SupAppContext *app, const SupTransform *pose,
                             EnvelopeCarry *io_carry, SupError *error) {
  const SupJointMap *map = &io_carry->map;
  SupJointMapWork work;
  SupAffine *globals = SUP_ALLOC(app->arena, SupAffine, map->target->joint_count);
  SupAffine *palette = SUP_ALLOC(app->arena, SupAffine, map->target->bone_count);
  if (!globals || !palette) return sup_fail_memory(error, NULL);
  const SupPose rest = {map->target->joint_count, sup_transform_identity(),
                        (SupTransform *)(uintptr_t)map->target->rest};
  sup_pose_evaluate(map->target, &rest, globals, palette);
  const bool bound = sup_envelope_rest_is_bind(map->target, palette);
  if (bound && io_carry->reposed < REPOSED) return SUP_OK;
  io_carry->dress = SUP_ALLOC(app->arena, SupTransform, map->target->joint_count);
  if (!io_carry->dress) return sup_fail_memory(error, NULL);
  SupResult result = sup_joint_map_work(app->arena, map, &work, error);
  if (result != SUP_OK) return result;
  const SupPose source = {map->source->joint_count, sup_transform_identity(),
                          (SupTransform *)(uintptr_t)pose};
  SupPose target = {map->target->joint_count, sup_transform_identity(), io_carry->dress};
  sup_joint_map_pose(map, &work, &source, &target);
  return SUP_OK;
}
