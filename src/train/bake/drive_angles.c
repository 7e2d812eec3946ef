/* SPDX-License-Identifier: MIT */
/*
 * Angles of poses, and poses with given angles.
 *
 *   angle of axis a in the turn (v, w): 2 atan2(a . v, w), so a . t = tan(angle / 2), t = v / w
 *
 * A pose in which only one angle of a joint is not 0 has the shortest t for which that holds: along
 * the part of its axis that is perpendicular to the joint's other axes.
 */
#include "supple/clip.h"
#include "supple/pose.h"
#include "train/bake/drive.h"

#define MOST_TURN 2.8f /* radians: beyond that tan(angle / 2) says little */
#define CLIP_RATE 30
#define AXES 3       /* of a joint */
#define APART 0.3f   /* an axis that has less than this across the others is no new one */
#define BEYOND 0.6f  /* radians: as far as that to both sides, where an angle goes as far to one */
#define NEARLY 1e-6f /* radians that make no step */

static float wrap(float radians) {
  const float pi = (float)SUP_PI;
  if (radians > pi) radians -= 2 * pi;
  if (radians <= -pi) radians += 2 * pi;
  return radians;
}

static float read_angle(const SupEnvelopeAngle *angle, const SupPose *pose) {
  const SupQuat now = sup_quat_normalise(pose->joints[angle->joint].rotation);
  const SupQuat turn = sup_quat_mul(sup_quat_conjugate(angle->rest), now);
  const SupVec3 v = {turn.x, turn.y, turn.z};
  return wrap(2 * sup_atan2f(sup_vec3_dot(angle->axis, v), turn.w));
}

/* ---- Axes -------------------------------------------------------------------------------------
 */

/* What of an axis is perpendicular to own[count], which are orthonormal. */
static SupVec3 across(SupVec3 axis, uint32_t count, const SupVec3 *own) {
  for (uint32_t k = 0; k < 2 * count; k++) { /* again: what the first time rounded */
    axis = sup_vec3_add_scaled(axis, own[k % count], -sup_vec3_dot(axis, own[k % count]));
  }
  return axis;
}

/* Appends angles until the joint has three axes. */
static void complete(const SupSkeleton *skeleton, uint32_t joint, uint32_t *io_count,
                     SupEnvelopeAngle *io_angles) {
  static const SupVec3 more[AXES] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const uint32_t known = *io_count;
  SupQuat rest = sup_quat_normalise(skeleton->rest[joint].rotation);
  SupVec3 own[AXES];
  uint32_t n = 0;
  for (uint32_t a = 0; a < known + AXES && n < AXES; a++) {
    if (a < known && io_angles[a].joint != joint) continue;
    const SupVec3 axis = across(a < known ? io_angles[a].axis : more[a - known], n, own);
    if (a < known) rest = io_angles[a].rest;
    if (sup_vec3_length(axis) < APART) continue;
    own[n++] = sup_vec3_normalise(axis);
    if (a >= known) io_angles[(*io_count)++] = (SupEnvelopeAngle){joint, rest, own[n - 1], 0, 0};
  }
}

static bool is_complete(uint32_t from, uint32_t count, const SupEnvelopeAngle *angles,
                        uint32_t joint) {
  for (uint32_t a = from; a < count; a++) {
    if (angles[a].joint == joint) return true;
  }
  return false;
}

/* ---- Ranges -----------------------------------------------------------------------------------
 */

static void widen(SupEnvelopeAngle *angle, float radians) {
  if (radians < -MOST_TURN) radians = -MOST_TURN;
  if (radians > MOST_TURN) radians = MOST_TURN;
  if (radians < angle->low) angle->low = radians;
  if (radians > angle->high) angle->high = radians;
}

static void widen_by_clip(const SupSkeleton *skeleton, const SupClip *clip, uint32_t count,
                          SupEnvelopeAngle *angles, SupPose *pose) {
  const uint32_t frames = (uint32_t)(clip->duration * CLIP_RATE) + 1;
  for (uint32_t t = 0; t < frames; t++) {
    sup_pose_rest(skeleton, pose);
    sup_clip_sample(clip, (float)t / CLIP_RATE, false, NULL, pose, NULL);
    for (uint32_t a = 0; a < count; a++) widen(&angles[a], read_angle(&angles[a], pose));
  }
}

/* Clips to come may go the other way. */
static void go_both_ways(SupEnvelopeAngle *angle) {
  const float most = angle->high > -angle->low ? angle->high : -angle->low;
  const float beyond = most < BEYOND ? most : BEYOND;
  widen(angle, beyond);
  widen(angle, -beyond);
}

SupResult sup_drive_angles(SupArena *arena, const SupCharacter *character,
                           const SupEnvelopeView *view, uint32_t *out_count,
                           SupEnvelopeAngle **out_angles, SupError *error) {
  const SupSkeleton *skeleton = &character->skeleton;
  const uint32_t joints = skeleton->joint_count, own = view->angle_count;
  uint32_t count = own;
  SupEnvelopeAngle *angles = SUP_ALLOC(arena, SupEnvelopeAngle, own + AXES * (size_t)joints);
  SupPose pose = {joints, sup_transform_identity(), SUP_ALLOC(arena, SupTransform, joints)};
  if (!angles || !pose.joints) return sup_fail_memory(error, "driven morph targets");
  sup_copy(angles, view->angles, own * sizeof *angles);
  for (uint32_t b = 0; b < skeleton->bone_count; b++) {
    const uint32_t joint = skeleton->bone_joints[b];
    if (!is_complete(own, count, angles, joint)) complete(skeleton, joint, &count, angles);
  }
  for (uint32_t k = 0; k < character->clip_count; k++) {
    widen_by_clip(skeleton, &character->clips[k], count, angles, &pose);
  }
  for (uint32_t a = 0; a < count; a++) go_both_ways(&angles[a]);
  *out_count = count;
  *out_angles = angles;
  return SUP_OK;
}

/* ---- Places -----------------------------------------------------------------------------------
 */

/* Appends places up to `to`, no farther apart than `step`; returns how many there are then. */
static uint32_t go_to(float to, float step, uint32_t count, float *at) {
  const float from = at[count - 1], way = to - from;
  if (!(way > NEARLY)) return count;
  const uint32_t parts = (uint32_t)(way / step * 0.999f) + 1;
  for (uint32_t k = 1; k < parts; k++) at[count++] = from + way * (float)k / (float)parts;
  at[count++] = to;
  return count;
}

uint32_t sup_drive_places(const SupEnvelopeAngle *wide, const SupEnvelopeAngle *box, uint32_t parts,
                          float *out_at) {
  const float step = (wide->high - wide->low) / (float)parts;
  uint32_t count = 1;
  out_at[0] = wide->low;
  count = go_to(box->low, step, count, out_at);
  count = go_to(0, step, count, out_at);
  count = go_to(box->high, step, count, out_at);
  return go_to(wide->high, step, count, out_at);
}

/* ---- Poses ------------------------------------------------------------------------------------
 */

void sup_drive_pose(const SupCharacter *character, uint32_t angle_count,
                    const SupEnvelopeAngle *angles, uint32_t angle, float radians,
                    SupPose *io_pose) {
  const SupEnvelopeAngle *driven = &angles[angle];
  SupVec3 own[AXES], t;
  uint32_t n = 0;
  for (uint32_t a = 0; a < angle_count && n < AXES - 1; a++) {
    if (a == angle || angles[a].joint != driven->joint) continue;
    const SupVec3 axis = across(angles[a].axis, n, own);
    if (sup_vec3_length(axis) > 1e-3f) own[n++] = sup_vec3_normalise(axis);
  }
  t = across(driven->axis, n, own);
  if (!(sup_vec3_length(t) > 1e-3f)) t = driven->axis; /* the others span it */
  const float tangent = sup_sinf(0.5f * radians) / sup_cosf(0.5f * radians);
  t = sup_vec3_scale(t, tangent / sup_vec3_dot(t, driven->axis));
  sup_pose_rest(&character->skeleton, io_pose);
  for (uint32_t a = 0; a < angle_count; a++) {
    io_pose->joints[angles[a].joint].rotation = angles[a].rest;
  }
  io_pose->joints[driven->joint].rotation =
      sup_quat_mul(driven->rest, sup_quat_normalise((SupQuat){t.x, t.y, t.z, 1}));
}

/* ---- Weights ----------------------------------------------------------------------------------
 */

static float weight_of(const SupDrivenMorph *m, float radians) {
  uint32_t k = 0;
  while (k + 2 < m->count && radians >= m->at[k + 1]) k++;
  const float u = (radians - m->at[k]) / (m->at[k + 1] - m->at[k]);
  const float inside = u < 0 ? 0 : u > 1 ? 1 : u;
  return m->weights[k] + inside * (m->weights[k + 1] - m->weights[k]);
}

void sup_driven_weights(const SupDrivenMorphs *driven, const SupPose *pose, float *out_weights) {
  for (uint32_t k = 0; k < driven->morph_count; k++) {
    const SupDrivenMorph *m = &driven->morphs[k];
    const bool constant = m->angle == SUP_NONE;
    out_weights[k] = constant ? 1 : weight_of(m, read_angle(&driven->angles[m->angle], pose));
  }
}
