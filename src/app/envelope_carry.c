/* SPDX-License-Identifier: MIT */
/* The joints of two characters, and the pose in which they stand alike. */
#include "app/envelope_job.h"

#define REPOSED 0.02   /* radians: limbs that point apart by less stand alike */
#define ELSEWHERE 0.35 /* radians */
#define BOUND 1e-4     /* of the size: the rest pose is the bind pose */

/* Where the joints stand at rest; in the arena. */
static SupAffine *rest_of(const SupAppContext *app, const SupSkeleton *skeleton) {
  SupAffine *globals = SUP_ALLOC(app->arena, SupAffine, skeleton->joint_count);
  const SupPose rest = {skeleton->joint_count, sup_transform_identity(),
                        (SupTransform *)(uintptr_t)skeleton->rest};
  if (globals) sup_pose_globals(skeleton, &rest, globals);
  return globals;
}

/* The angle between the ways from a joint's parent to it on both characters, radians. */
static double apart(const SupSkeleton *from, const SupAffine *const globals[2],
                    const uint32_t *joints, uint32_t joint) {
  const int32_t parent = from->parents[joint];
  if (parent < 0 || joints[joint] == SUP_NONE || joints[parent] == SUP_NONE) return 0;
  const SupVec3 a =
      sup_vec3_normalise(sup_vec3_sub(sup_affine_translation(globals[0][joint]),
                                      sup_affine_translation(globals[0][(uint32_t)parent])));
  const SupVec3 b =
      sup_vec3_normalise(sup_vec3_sub(sup_affine_translation(globals[1][joints[joint]]),
                                      sup_affine_translation(globals[1][joints[parent]])));
  const double sine = (double)sup_vec3_length(sup_vec3_cross(a, b));
  return sup_atan2(sine, (double)sup_vec3_dot(a, b));
}

/* Only what is known of a humanoid's limbs makes two characters stand alike. */
static SupResult tell_apart(const SupAppContext *app, const SupSkeleton *from,
                            const SupSkeleton *to, const EnvelopeCarry *carry, SupError *error) {
  const SupAffine *const globals[2] = {rest_of(app, from), rest_of(app, to)};
  double most = ELSEWHERE;
  uint32_t worst = SUP_NONE;
  if (!globals[0] || !globals[1]) return sup_fail_memory(error, NULL);
  for (uint32_t j = 0; j < from->joint_count && carry->reposed < REPOSED; j++) {
    const double angle = apart(from, globals, carry->joints, j);
    if (angle > most) most = angle, worst = j;
  }
  if (worst == SUP_NONE) return SUP_OK;
  sup_app_note(
      app,
      "note: the way to '%s' points %.0f degrees elsewhere at rest, and only humanoids are "
      "brought to stand alike; shapes are right where both are bound in one pose\n",
      to->names[carry->joints[worst]], most * 180 / SUP_PI);
  return SUP_OK;
}

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
  return tell_apart(app, from, to, &carry, error);
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
