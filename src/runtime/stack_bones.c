/* SPDX-License-Identifier: MIT */
/*
 * Helpers in a frame: joints that the pose does not know. They step at their model's own h, on
 * poses between the caller's; what the frame shows is a part of a step on. Everything after them
 * takes their joints for joints of the pose.
 */
#include "stack_actor.h"

/* One look at a pose: joints in the space in which inertia is felt. */
static void place(Actor *a, const SupPose *pose) {
  const SupStackDef *def = &a->stack->def;
  sup_pose_globals(def->skeleton, pose, a->globals);
  if (def->space == SUP_SPACE_WORLD) return;
  const SupAffine space =
      def->space == SUP_SPACE_MODEL ? sup_affine_compose(pose->root) : a->globals[def->space_joint];
  a->inverse = sup_affine_inverse(space);
  for (uint32_t j = 0; j < def->skeleton->joint_count; j++) {
    a->globals[j] = sup_affine_mul(a->inverse, a->globals[j]);
  }
}

static SupHelpersControls controls_of(const Actor *a) {
  SupHelpersControls c = a->frame->helpers ? *a->frame->helpers : sup_helpers_controls();
  if (a->frame->off && c.level > SUP_HELPERS_STATIC) c.level = SUP_HELPERS_STATIC;
  c.gravity = (SupVec3){0, 0, 0};
  if (a->frame->forces) {
    const SupVec3 g = a->frame->forces->acceleration;
    const bool world = a->stack->def.space == SUP_SPACE_WORLD;
    c.gravity = world ? g : sup_affine_direction(a->inverse, g);
  }
  return c;
}

void sup_actor_move_helpers(Actor *a, double dt, SupTransform *out_joints) {
  const SupHelpersView *model = &a->stack->helpers;
  SupStackState *state = a->state;
  const double h = (double)model->h;
  const bool afresh =
      !state->helpers_on || dt > (double)a->stack->def.longest || sup_actor_teleported(a);
  sup_copy(out_joints, a->frame->pose->joints,
           a->stack->def.skeleton->joint_count * sizeof(SupTransform));
  if (afresh) {
    sup_helpers_reset(a->helpers);
    state->helpers_on = 1;
    state->helpers_ahead = h; /* a step is due now */
  } else {
    state->helpers_ahead += dt;
  }
  bool now = false;
  while (state->helpers_ahead >= h * (1 - STACK_SLACK)) {
    state->helpers_ahead -= h;
    now = state->helpers_ahead <= h * STACK_SLACK;
    const SupPose *pose = sup_actor_pose_before(a, now ? 0 : state->helpers_ahead);
    place(a, pose);
    const SupHelpersControls controls = controls_of(a);
    sup_helpers_step(model, a->helpers, a->backend, &controls, pose, a->globals, out_joints);
  }
  if (now) return;
  place(a, a->frame->pose);
  const SupHelpersControls controls = controls_of(a);
  sup_helpers_peek(model, a->helpers, a->backend, &controls, a->frame->pose, a->globals,
                   (float)(state->helpers_ahead / h), out_joints);
}

void sup_actor_fill_helpers(const Actor *a, double ago, SupPose *io_pose) {
  const SupHelpersView *model = &a->stack->helpers;
  const double share = 1 - ago / (double)a->frame->dt;
  const float weight = (float)(share > 0 ? share : 0);
  for (uint32_t h = 0; h < model->helper_count; h++) {
    const uint32_t j = model->bones[h].joint;
    const SupTransform *last = &a->last[j], *next = &a->frame->pose->joints[j];
    SupTransform *out = &io_pose->joints[j];
    const SupVec3 way = sup_vec3_sub(next->translation, last->translation);
    out->translation = sup_vec3_add_scaled(last->translation, way, weight);
    out->rotation = sup_quat_slerp(last->rotation, next->rotation, weight);
    out->scale = next->scale;
  }
}
