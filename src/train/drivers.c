/* SPDX-License-Identifier: MIT */
#include "train/drivers.h"

#include <math.h>

#define LEAST_TURN 1e-3 /* in an entry of a rotation: joints that turn less say nothing */

/* The fraction of the skin that joint j carries, itself or below it: out_shares[joint_count]. */
static void carried_fractions(const SupCharacter *character, double *out_fractions) {
  const SupSkeleton *skeleton = &character->skeleton;
  const SupSkin *skin = &character->skin;
  for (uint32_t k = 0; k < skin->offsets[skin->vertex_count]; k++) {
    out_fractions[skeleton->bone_joints[skin->bones[k]]] +=
        (double)skin->weights[k] / skin->vertex_count;
  }
  for (uint32_t j = skeleton->joint_count; j-- > 0;) {
    if (skeleton->parents[j] >= 0) out_fractions[skeleton->parents[j]] += out_fractions[j];
  }
}

static bool turns(uint32_t sample_count, const SupSamples *samples, uint32_t joint) {
  SupQuat first = {0, 0, 0, 1};
  bool begun = false;
  for (uint32_t e = 0; e < sample_count; e++) {
    const SupSamples *s = &samples[e];
    for (uint32_t i = 0; i < s->frame_count; i++) {
      const SupQuat now = sup_quat_normalise(s->poses[(size_t)i * s->joint_count + joint].rotation);
      if (!begun) first = now;
      begun = true;
      if (1 - fabs((double)sup_quat_dot(first, now)) > LEAST_TURN * LEAST_TURN) return true;
    }
  }
  return false;
}

SupResult sup_find_drivers(SupArena *arena, const SupCharacter *character, uint32_t sample_count,
                           const SupSamples *samples, uint32_t **out_drivers, SupQuat **out_rest,
                           uint32_t *out_count, SupError *error) {
  const uint32_t joints = character->skeleton.joint_count;
  double *fractions = SUP_ALLOC(arena, double, joints);
  uint32_t *drivers = SUP_ALLOC(arena, uint32_t, joints);
  SupQuat *rest = SUP_ALLOC(arena, SupQuat, joints);
  if (!fractions || !drivers || !rest) return sup_fail_memory(error, "reading poses");
  carried_fractions(character, fractions);
  uint32_t count = 0;
  for (uint32_t j = 0; j < joints; j++) {
    const bool moves = fractions[j] > 1e-6 && fractions[j] < 1 - 1e-6;
    if (!moves || !sup_own_joint(character, j) || !turns(sample_count, samples, j)) continue;
    drivers[count] = j;
    rest[count++] = sup_quat_normalise(character->skeleton.rest[j].rotation);
  }
  *out_drivers = drivers;
  *out_rest = rest;
  *out_count = count;
  return SUP_OK;
}
