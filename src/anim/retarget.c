/* SPDX-License-Identifier: MIT */
/*
 * Retargeting by joint name.
 *
 * With G the global rest rotations, s and t for source and target, p for a joint's parent and L for
 * local rotations: the turn of a joint in character space is D = G_s,now G_s^-1, and the target is
 * to show the same, G_t,now = D G_t. For the local rotation that gives
 *
 *   L_t = (G_t,p^-1 G_s,p) L_s (G_s^-1 G_t) = before L_s after
 *
 * with two constants per joint, so keys (and the tangents of cubic keys, which it maps linearly)
 * can be carried over one by one.
 */
#include "supple/retarget.h"

static const char *bare_name(const char *name) {
  const char *bare = name;
  for (const char *c = name; *c; c++) {
    if (*c == ':') bare = c + 1;
  }
  return bare;
}

static uint32_t find_joint(const SupSkeleton *skeleton, const char *name) {
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    if (sup_string_equal(bare_name(skeleton->names[j]), name)) return j;
  }
  return UINT32_MAX;
}

/* Rest rotation in character space; the identity above the roots (joint -1). */
static SupQuat rest_rotation(const SupSkeleton *skeleton, int32_t joint) {
  SupQuat q = sup_quat_identity();
  for (; joint >= 0; joint = skeleton->parents[joint]) {
    q = sup_quat_mul(skeleton->rest[joint].rotation, q);
  }
  return sup_quat_normalise(q);
}

static SupVec3 rest_position(const SupSkeleton *skeleton, int32_t joint) {
  SupVec3 p = {0, 0, 0};
  for (; joint >= 0; joint = skeleton->parents[joint]) {
    p = sup_affine_point(sup_affine_compose(skeleton->rest[joint]), p);
  }
  return p;
}

/* Grows the box low..high by p. */
static void grow(SupVec3 p, bool first, SupVec3 *low, SupVec3 *high) {
  low->x = first || p.x < low->x ? p.x : low->x, high->x = first || p.x > high->x ? p.x : high->x;
  low->y = first || p.y < low->y ? p.y : low->y, high->y = first || p.y > high->y ? p.y : high->y;
  low->z = first || p.z < low->z ? p.z : low->z, high->z = first || p.z > high->z ? p.z : high->z;
}

/* Ratio of the diagonals around the matched joints; 1 where one of them has no extent. */
static float size_ratio(const SupSkeleton *source, const SupSkeleton *target,
                        const SupRetargetJoint *joints) {
  SupVec3 low[2] = {{0, 0, 0}, {0, 0, 0}}, high[2] = {{0, 0, 0}, {0, 0, 0}};
  bool first = true;
  for (uint32_t j = 0; j < target->joint_count; j++) {
    if (joints[j].source == UINT32_MAX) continue;
    grow(rest_position(source, (int32_t)joints[j].source), first, &low[0], &high[0]);
    grow(rest_position(target, (int32_t)j), first, &low[1], &high[1]);
    first = false;
  }
  float from = sup_vec3_distance(low[0], high[0]), to = sup_vec3_distance(low[1], high[1]);
  return from > 0.0f && to > 0.0f ? to / from : 1.0f;
}

static bool near_identity(SupQuat q) {
  const float small = 1e-6f;
  return q.x < small && q.x > -small && q.y < small && q.y > -small && q.z < small && q.z > -small;
}

static bool same_numbers(const SupTransform *a, const SupTransform *b) {
  SupVec3 t = sup_vec3_sub(a->translation, b->translation), s = sup_vec3_sub(a->scale, b->scale);
  SupQuat p = a->rotation, q = b->rotation;
  return sup_vec3_dot(t, t) == 0.0f && sup_vec3_dot(s, s) == 0.0f && p.x == q.x && p.y == q.y &&
         p.z == q.z && p.w == q.w;
}

static SupRetargetJoint match_joint(const SupSkeleton *source, const SupSkeleton *target,
                                    uint32_t j, bool by_index) {
  SupRetargetJoint joint = {.before = sup_quat_identity(), .after = sup_quat_identity()};
  joint.source = by_index ? j : find_joint(source, bare_name(target->names[j]));
  joint.target_rest = joint.source_rest = target->rest[j];
  if (joint.source == UINT32_MAX) return joint;
  int32_t s = (int32_t)joint.source, t = (int32_t)j;
  joint.source_rest = source->rest[s];
  joint.before = sup_quat_mul(sup_quat_conjugate(rest_rotation(target, target->parents[t])),
                              rest_rotation(source, source->parents[s]));
  joint.after =
      sup_quat_mul(sup_quat_conjugate(rest_rotation(source, s)), rest_rotation(target, t));
  joint.same = near_identity(joint.before) && near_identity(joint.after) &&
               same_numbers(&joint.source_rest, &joint.target_rest);
  return joint;
}

/* The same names in the same tree: then joints of one name, or of none, need no guess. */
static bool equal_joints(const SupSkeleton *a, const SupSkeleton *b) {
  if (a->joint_count != b->joint_count) return false;
  for (uint32_t j = 0; j < a->joint_count; j++) {
    if (a->parents[j] != b->parents[j] || !sup_string_equal(a->names[j], b->names[j])) return false;
  }
  return true;
}

SupRetarget sup_retarget_make(const SupSkeleton *source, const SupSkeleton *target,
                              SupRetargetJoint *out_joints) {
  SupRetarget retarget = {.joint_count = target->joint_count,
                          .equal_joints = equal_joints(source, target),
                          .joints = out_joints};
  for (uint32_t j = 0; j < target->joint_count; j++) {
    out_joints[j] = match_joint(source, target, j, retarget.equal_joints);
    if (out_joints[j].source != UINT32_MAX) retarget.matched_count++;
  }
  retarget.scale = size_ratio(source, target, out_joints);
  for (uint32_t j = 0; j < target->joint_count; j++) {
    out_joints[j].same = out_joints[j].same && retarget.scale == 1.0f;
  }
  return retarget;
}

/* s / rest, where rest is not zero. */
static float relative_scale(float s, float rest) { return rest != 0.0f ? s / rest : s; }

SupTransform sup_retarget_joint(const SupRetarget *retarget, uint32_t joint,
                                SupTransform source_local) {
  const SupRetargetJoint *r = &retarget->joints[joint];
  if (r->source == UINT32_MAX) return r->target_rest;
  if (r->same) return source_local;
  SupTransform local = r->target_rest;
  SupVec3 move = sup_vec3_sub(source_local.translation, r->source_rest.translation);
  move = sup_quat_rotate(r->before, move);
  local.translation = sup_vec3_add_scaled(local.translation, move, retarget->scale);
  local.rotation = sup_quat_mul(sup_quat_mul(r->before, source_local.rotation), r->after);
  local.rotation = sup_quat_normalise(local.rotation);
  local.scale.x *= relative_scale(source_local.scale.x, r->source_rest.scale.x);
  local.scale.y *= relative_scale(source_local.scale.y, r->source_rest.scale.y);
  local.scale.z *= relative_scale(source_local.scale.z, r->source_rest.scale.z);
  return local;
}

void sup_retarget_pose(const SupRetarget *retarget, const SupPose *source, SupPose *out_pose) {
  out_pose->root = source->root;
  for (uint32_t j = 0; j < retarget->joint_count; j++) {
    uint32_t from = retarget->joints[j].source;
    SupTransform local =
        from == UINT32_MAX ? retarget->joints[j].target_rest : source->joints[from];
    out_pose->joints[j] = sup_retarget_joint(retarget, j, local);
  }
}
