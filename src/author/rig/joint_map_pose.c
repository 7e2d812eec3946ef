/* SPDX-License-Identifier: MIT */
/*
 * Poses of one skeleton on another.
 *
 * With G the global rotations, 0 for rest and ' for now: the source's joint s has turned by
 * D_s = G_s' G_s0^-1. The target's joint shows G_t' = (F D F^-1) C G_t0, where F is the turn
 * between the directions that the characters face, C its repose, and D the turn D_s or one between
 * two of them. Local rotations follow from those of the parents, mapped or not.
 */
#include "supple/author/joint_map.h"

SupResult sup_joint_map_work(SupArena *arena, const SupJointMap *map, SupJointMapWork *out_work,
                             SupError *error) {
  const size_t source = map->source->joint_count, target = map->target->joint_count;
  SupJointMapWork work = {.turns = SUP_ALLOC(arena, SupQuat, source),
                          .globals = SUP_ALLOC(arena, SupAffine, source + target),
                          .rotations = SUP_ALLOC(arena, SupQuat, target)};
  if (!work.turns || !work.globals || !work.rotations) return sup_fail_memory(error, NULL);
  *out_work = work;
  return SUP_OK;
}

/* Turns from rest and places of the source's joints, without the root's placement. */
static void read_source(const SupJointMap *map, const SupJointMapWork *work, const SupPose *pose) {
  for (uint32_t j = 0; j < map->source->joint_count; j++) {
    const int32_t parent = map->source->parents[j];
    const SupAffine local = sup_affine_compose(pose->joints[j]);
    SupQuat now = pose->joints[j].rotation;
    work->globals[j] = parent < 0 ? local : sup_affine_mul(work->globals[parent], local);
    if (parent >= 0) { /* the parent's turn on its rest is where it is now */
      now = sup_quat_mul(sup_quat_mul(work->turns[parent], map->source_rest[parent]), now);
    }
    work->turns[j] = sup_quat_normalise(sup_quat_mul(now, sup_quat_conjugate(map->source_rest[j])));
  }
}

/* `turn` without what it turns about the unit `axis`, which comes first. */
static SupQuat swing_of(SupQuat turn, SupVec3 axis) {
  const float along = turn.x * axis.x + turn.y * axis.y + turn.z * axis.z;
  const SupQuat twist =
      sup_quat_normalise(sup_quat_make(axis.x * along, axis.y * along, axis.z * along, turn.w));
  return sup_quat_mul(turn, sup_quat_conjugate(twist));
}

static SupQuat turn_of(const SupJointFollow *follow, const SupQuat *turns) {
  const SupQuat last = turns[follow->source];
  if (follow->share >= 1) return last;
  SupQuat first = follow->before == SUP_NONE ? sup_quat_identity() : turns[follow->before];
  if (follow->twists) {
    const SupQuat own = sup_quat_mul(sup_quat_conjugate(first), last);
    first = sup_quat_mul(first, swing_of(own, follow->axis));
  }
  return sup_quat_slerp(first, last, follow->share);
}

static float relative_scale(float s, float rest) { return rest != 0 ? s / rest : s; }

/* Where the joint is to be, in its parent's space. */
static SupVec3 place(const SupJointMap *map, const SupJointMapWork *work, uint32_t j,
                     SupVec3 source_local) {
  const SupJointFollow *follow = &map->joints[j];
  const uint32_t s = follow->source;
  const int32_t up = map->source->parents[s], parent = map->target->parents[j];
  SupVec3 move;
  if (follow->rule == SUP_JOINT_FREE || !follow->moves) return map->target->rest[j].translation;
  const bool hips = map->target_parts.chains[SUP_HUMANOID_HIPS][0].count &&
                    map->target_parts.chains[SUP_HUMANOID_HIPS][0].joints[0] == j;
  if (!hips) { /* as far from rest as in the source's parent */
    move = sup_vec3_sub(source_local, map->source->rest[s].translation);
    if (up >= 0) move = sup_quat_rotate(map->source_rest[up], move);
    move = sup_quat_rotate(map->facing, move);
    if (parent >= 0) move = sup_quat_rotate(sup_quat_conjugate(map->target_rest[parent]), move);
    return sup_vec3_add_scaled(map->target->rest[j].translation, move, map->scale);
  }
  move = sup_vec3_sub(sup_affine_translation(work->globals[s]), map->source_places[s]);
  move = sup_quat_rotate(map->facing, move);
  const SupVec3 wanted = sup_vec3_add_scaled(map->target_places[j], move, map->scale);
  if (parent < 0) return wanted;
  const SupAffine *above = &work->globals[map->source->joint_count + (uint32_t)parent];
  return sup_affine_point(sup_affine_inverse(*above), wanted);
}

static SupTransform local_of(const SupJointMap *map, const SupJointMapWork *work, uint32_t j,
                             const SupPose *source) {
  const SupJointFollow *follow = &map->joints[j];
  const int32_t parent = map->target->parents[j];
  const SupQuat above = parent < 0 ? sup_quat_identity() : work->rotations[parent];
  SupTransform local = map->target->rest[j];
  if (follow->rule == SUP_JOINT_FREE) {
    work->rotations[j] = sup_quat_normalise(sup_quat_mul(above, local.rotation));
    return local;
  }
  const SupTransform *from = &source->joints[follow->source];
  const SupTransform *rest = &map->source->rest[follow->source];
  const SupQuat turn = sup_quat_mul(sup_quat_mul(map->facing, turn_of(follow, work->turns)),
                                    sup_quat_conjugate(map->facing));
  work->rotations[j] =
      sup_quat_normalise(sup_quat_mul(turn, sup_quat_mul(follow->repose, map->target_rest[j])));
  local.rotation = sup_quat_normalise(sup_quat_mul(sup_quat_conjugate(above), work->rotations[j]));
  local.translation = place(map, work, j, from->translation);
  if (follow->rule == SUP_JOINT_SHARE) return local;
  local.scale.x *= relative_scale(from->scale.x, rest->scale.x);
  local.scale.y *= relative_scale(from->scale.y, rest->scale.y);
  local.scale.z *= relative_scale(from->scale.z, rest->scale.z);
  return local;
}

void sup_joint_map_pose(const SupJointMap *map, const SupJointMapWork *work, const SupPose *source,
                        SupPose *out_pose) {
  SupAffine *globals = work->globals + map->source->joint_count;
  read_source(map, work, source);
  out_pose->root = source->root;
  for (uint32_t j = 0; j < map->target->joint_count; j++) {
    const int32_t parent = map->target->parents[j];
    out_pose->joints[j] = local_of(map, work, j, source);
    const SupAffine local = sup_affine_compose(out_pose->joints[j]);
    globals[j] = parent < 0 ? local : sup_affine_mul(globals[parent], local);
  }
}
