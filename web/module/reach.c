/* SPDX-License-Identifier: MIT */
/*
 * Somebody takes a joint and pulls: cyclic coordinate descent (Wang and Chen 1991). The joints
 * above it are turned one after the other, from its parent upwards, so that it points at the
 * target; some rounds of that. Each turn is kept small, so that a chain bends all along instead of
 * at one place.
 */
#include "module.h"

#define ROUNDS 12
#define MOST_TURN 0.25f /* radians in one step of a round */
#define MOST_LOOK 1.2f  /* radians that a head turns in all */

static SupVec3 place_of(const WebStage *stage, uint32_t joint) {
  return sup_affine_translation(stage->globals[joint]);
}

static void refresh_globals(WebStage *stage) {
  SupPose *pose = &stage->player.pose;
  sup_player_pose(&stage->player, 0, pose, NULL);
  sup_pose_globals(&stage->cast->character.skeleton, pose, stage->globals);
}

/* The rotation of least angle from one direction to another, of at most `most` radians. */
static SupQuat turn_between(SupVec3 from, SupVec3 to, float most) {
  const float a = sup_vec3_length(from), b = sup_vec3_length(to);
  if (!(a > 1e-9f && b > 1e-9f)) return sup_quat_identity();
  const SupVec3 axis = sup_vec3_cross(from, to);
  const float sine = sup_vec3_length(axis) / (a * b), cosine = sup_vec3_dot(from, to) / (a * b);
  if (!(sine > 1e-6f)) return sup_quat_identity();
  const float angle = sup_atan2f(sine, cosine);
  return sup_quat_from_axis_angle(sup_vec3_scale(axis, 1 / (sine * a * b)),
                                  angle < most ? angle : most);
}

/* Adds a turn, given in the scene, to a joint's own, which lives in its parent's space. */
static void add_turn(WebStage *stage, uint32_t joint, SupQuat turn) {
  const int32_t parent = stage->cast->character.skeleton.parents[joint];
  SupQuat frame = sup_quat_identity();
  if (parent >= 0) frame = sup_affine_decompose(stage->globals[parent]).rotation;
  const SupQuat local = sup_quat_mul(sup_quat_conjugate(frame), sup_quat_mul(turn, frame));
  stage->turns[joint] = sup_quat_normalise(sup_quat_mul(local, stage->turns[joint]));
}

void web_stage_reach(WebStage *stage, uint32_t joint, uint32_t chain, float x, float y, float z) {
  const SupSkeleton *skeleton = &stage->cast->character.skeleton;
  const SupVec3 target = {x, y, z};
  if (joint >= skeleton->joint_count) return;
  refresh_globals(stage);
  for (int round = 0; round < ROUNDS; round++) {
    int32_t above = skeleton->parents[joint];
    for (uint32_t k = 0; k < chain && above >= 0; k++, above = skeleton->parents[above]) {
      const SupVec3 pivot = place_of(stage, (uint32_t)above);
      const SupVec3 from = sup_vec3_sub(place_of(stage, joint), pivot);
      const SupVec3 to = sup_vec3_sub(target, pivot);
      add_turn(stage, (uint32_t)above, turn_between(from, to, MOST_TURN));
      refresh_globals(stage);
    }
    if (sup_vec3_distance(place_of(stage, joint), target) < 1e-4f * stage->player.stack.size)
      return;
  }
}

void web_stage_look(WebStage *stage, uint32_t joint, float fraction, float x, float y, float z) {
  const SupSkeleton *skeleton = &stage->cast->character.skeleton;
  if (joint >= skeleton->joint_count) return;
  refresh_globals(stage);
  /* Where the rest pose looked along +Z, carried along by the joint. */
  sup_pose_rest(skeleton, &stage->player.pose);
  SupArena scratch;
  sup_arena_init(&scratch, web_allocator(), 0);
  SupAffine *rest = SUP_ALLOC(&scratch, SupAffine, skeleton->joint_count);
  if (!rest) return;
  sup_pose_globals(skeleton, &stage->player.pose, rest);
  const SupQuat then = sup_affine_decompose(rest[joint]).rotation;
  sup_arena_free(&scratch);
  const SupQuat now = sup_affine_decompose(stage->globals[joint]).rotation;
  const SupVec3 forward =
      sup_quat_rotate(sup_quat_mul(now, sup_quat_conjugate(then)), (SupVec3){0, 0, 1});
  const SupVec3 to = sup_vec3_sub((SupVec3){x, y, z}, place_of(stage, joint));
  const SupQuat turn = turn_between(forward, to, 3.2f);
  add_turn(stage, joint, sup_quat_slerp(sup_quat_identity(), turn, fraction));
  SupQuat *all = &stage->turns[joint];
  if (all->w < 0) *all = sup_quat_negate(*all);
  const float angle = 2 * sup_acosf(all->w < 1 ? all->w : 1);
  if (angle > MOST_LOOK) *all = sup_quat_slerp(sup_quat_identity(), *all, MOST_LOOK / angle);
  refresh_globals(stage);
}

void web_stage_relax(WebStage *stage, float fraction) {
  for (uint32_t j = 0; j < stage->player.pose.joint_count; j++) {
    if (stage->turns[j].w == 1) continue;
    const SupQuat turn = sup_quat_slerp(stage->turns[j], sup_quat_identity(), fraction);
    const SupVec3 axis = {turn.x, turn.y, turn.z};
    stage->turns[j] = sup_vec3_length(axis) < 1e-5f ? sup_quat_identity() : turn;
  }
  stage->move = sup_vec3_scale(stage->move, 1 - fraction);
}

void web_stage_follow(WebStage *stage, const WebStage *leader) {
  if (stage->player.pose.joint_count != leader->player.pose.joint_count) return;
  sup_copy(stage->turns, leader->turns, stage->player.pose.joint_count * sizeof *stage->turns);
  stage->move = leader->move;
}
