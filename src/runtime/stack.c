/* SPDX-License-Identifier: MIT */
/*
 * One frame of a character: which steps are due, and what is shown between them.
 *
 * Time. `ahead` is the time since the last step of the dynamics, in [0, h). A frame adds dt to it
 * and makes the steps that are due, each with the goal of its own time; what is shown is the state
 * at the frame's time (sup_surface_show). Times are compared with a slack of 1e-4 h, so that a
 * caller who steps by h hits every step exactly, whatever the rounding of dt.
 *
 * Space. The simulation runs in world space, or in the moving frame of the root or of a joint: all
 * bones are taken into that frame, and the result back out of it.
 */
#include "stack_actor.h"

static void simulate(Actor *a, double ago) {
  sup_actor_make_goal(a, ago);
  SupSurfaceForces forces = {0};
  if (a->frame->forces) forces = *a->frame->forces;
  forces.space = sup_actor_scene_to_space(a);
  if (sup_stack_carries_gravity(a->stack)) forces.acceleration = (SupVec3){0, 0, 0};
  if (a->stack->has_modes) {
    sup_surface_hand_on(a->surface, a->bends);
    forces.feed_forward = 1;
  }
  sup_surface_step(&a->stack->surface, a->surface, a->backend, a->jobs, a->palette, &forces);
  if (a->coupling) sup_actor_couple(a);
}

bool sup_actor_teleported(const Actor *a) {
  const SupStackDef *def = &a->stack->def;
  const SupTransform *now = &a->frame->pose->root, *last = &a->state->root;
  if (!(sup_vec3_distance(now->translation, last->translation) <= def->teleport_distance)) {
    return true;
  }
  if (def->teleport_angle == 0) return false;
  float dot = sup_quat_dot(now->rotation, last->rotation);
  return 2 * sup_acosf(dot < 0 ? -dot : dot) > def->teleport_angle;
}

/* How much of the dynamics shows; false when none does and none need be computed. */
static bool update_fade(Actor *a, double dt) {
  SupStackState *state = a->state;
  const double seconds = (double)a->stack->def.fade_seconds;
  const double change = seconds > 0 ? dt / seconds : 1;
  if (!state->running) {
    state->fade = a->frame->off ? 0 : state->fade;
  } else {
    double fade = (double)state->fade + (a->frame->off ? -change : change);
    state->fade = (float)(fade < 0 ? 0 : fade > 1 ? 1 : fade);
  }
  return !(a->frame->off && state->fade == 0);
}

/* Is this the first frame, or too far from the last? Then everything begins here. */
static bool restart(Actor *a, double dt) {
  const bool cut = !a->state->running || !(dt <= (double)a->stack->def.longest);
  if (!cut && !sup_actor_teleported(a)) return false;
  a->state->running = 1;
  a->modes_ago = 0;
  if (a->stack->has_popping && cut) { /* jumping elsewhere is nothing to a muscle */
    sup_popping_reset(a->popping);
    a->popping_ago = 0;
  }
  if (a->stack->has_modes) sup_modes_reset(a->modes);
  for (uint32_t k = 0; a->coupling && k < SUP_SKIN_BLOCK * a->stack->modes.block_count; k++) {
    a->coupling[k] = 0;
  }
  return true;
}

/* Makes the steps that are due. Returns where between two steps the frame is; a frame that needed
 * no step has its goal made too, even if no time has passed: its pose may be another one. */
static SupSurfaceShow advance(Actor *a, double dt) {
  SupStackState *state = a->state;
  const double h = (double)a->stack->h;
  if (restart(a, dt)) {
    sup_surface_reset(a->surface);
    state->ahead = 0;
    simulate(a, 0);
    return (SupSurfaceShow){0};
  }
  if (a->frame->impulse_count) {
    sup_actor_pose_bones(a, a->frame->pose); /* blows are felt where the character is now */
    sup_surface_strike(&a->stack->surface, a->surface, a->frame->impulses, a->frame->impulse_count,
                       sup_actor_scene_to_space(a));
  }
  bool now = false; /* the last goal is that of the frame */
  state->ahead += dt;
  while (state->ahead >= h * (1 - STACK_SLACK)) {
    state->ahead -= h;
    now = state->ahead <= h * STACK_SLACK;
    simulate(a, now ? 0 : state->ahead);
  }
  if (now) return (SupSurfaceShow){0};
  sup_actor_make_goal(a, 0);
  const double part = state->ahead > h * STACK_SLACK ? state->ahead / h : 0;
  return (SupSurfaceShow){.between = true, .part = (float)part};
}

/* Skinning with what correctives, modes and muscles add, and nothing else; far away without the
 * last two, and the next dynamics starts afresh. */
static void skin_only(Actor *a, bool swing, double dt) {
  a->skinning = true;
  if (swing) {
    restart(a, dt);
  } else {
    a->state->running = 0;
  }
  if (swing && a->stack->has_modes) {
    sup_actor_advance_modes(a, 0);
  } else {
    sup_actor_pose_bones(a, a->frame->pose);
  }
  if (swing && a->stack->has_popping) sup_actor_advance_popping(a, 0);
  if (swing && sup_actor_bends(a)) {
    sup_actor_show_bent(a);
    return;
  }
  SupSkinCall call = {.positions = {a->pairs, 8}};
  sup_actor_skin(a, &call);
  sup_actor_show_skin(a);
}

static void remember(Actor *a) {
  a->state->root = a->frame->pose->root;
  sup_copy(a->last, a->frame->pose->joints,
           a->stack->def.skeleton->joint_count * sizeof(SupTransform));
  const size_t morphs = sup_stack_own_morphs(a->stack) * sizeof(float);
  if (a->frame->morph_weights) {
    sup_copy(a->last_morphs, a->frame->morph_weights, morphs);
  } else {
    sup_zero(a->last_morphs, morphs);
  }
}

void sup_stack_step(const SupStack *stack, SupStackState *state, const SupBackend *backend,
                    const SupJobs *jobs, const SupStackFrame *frame) {
  Actor a = {.stack = stack,
             .state = state,
             .backend = backend,
             .jobs = jobs,
             .frame = frame,
             .last = (SupTransform *)sup_stack_at(stack, state, AT_LAST),
             .work = {stack->def.skeleton->joint_count, sup_transform_identity(),
                      (SupTransform *)sup_stack_at(stack, state, AT_WORK)},
             .last_morphs = (float *)sup_stack_at(stack, state, AT_MORPHS),
             .morphs = (float *)sup_stack_at(stack, state, AT_MORPHS) + sup_stack_own_morphs(stack),
             .own = frame->morph_weights,
             .globals = (SupAffine *)sup_stack_at(stack, state, AT_GLOBALS),
             .palette = (SupAffine *)sup_stack_at(stack, state, AT_PALETTE),
             .duals = (SupDualBone *)sup_stack_at(stack, state, AT_DUALS),
             .surface = (SupSurfaceState *)sup_stack_at(stack, state, AT_SURFACE),
             .modes = (SupModesState *)sup_stack_at(stack, state, AT_MODES),
             .popping = (SupPoppingState *)sup_stack_at(stack, state, AT_POPPING),
             .pop_weights = (float *)sup_stack_at(stack, state, AT_POP_WEIGHTS),
             .weights = (float *)sup_stack_at(stack, state, AT_WEIGHTS),
             .features = (float *)sup_stack_at(stack, state, AT_FEATURES),
             .layer_weights = (float *)sup_stack_at(stack, state, AT_LAYER),
             .bends = (float *)sup_stack_at(stack, state, AT_BENDS),
             .coupling =
                 sup_stack_coupled(stack) ? (float *)sup_stack_at(stack, state, AT_COUPLING) : NULL,
             .lanes = stack->has_surface ? stack->surface.lanes
                                         : (const uint32_t *)sup_stack_at(stack, state, AT_LANES),
             .pairs = (float *)sup_stack_at(stack, state, AT_PAIRS),
             .frames = (float *)sup_stack_at(stack, state, AT_FRAMES),
             .space = sup_affine_identity(),
             .inverse = sup_affine_identity()};
  const double dt = frame->dt > 0 ? (double)frame->dt : 0;
  SupStackFrame moved = *frame;
  SupPose posed = *frame->pose;
  if (stack->has_helpers) {
    posed.joints = (SupTransform *)sup_stack_at(stack, state, AT_POSED);
    a.helpers = (SupHelpersState *)sup_stack_at(stack, state, AT_HELPERS);
    sup_actor_move_helpers(&a, dt, posed.joints);
    moved.pose = &posed;
    a.frame = &moved;
    a.filled = true;
  }
  const bool dynamic =
      (stack->has_surface || stack->has_modes || stack->has_popping) && update_fade(&a, dt);
  a.modes_ago = a.popping_ago = dt; /* they stand at the last frame */
  if (dynamic && stack->has_surface) {
    sup_actor_show(&a, advance(&a, dt));
  } else {
    skin_only(&a, dynamic, dt);
  }
  remember(&a);
}

typedef struct Crowd {
  const SupStack *stack;
  SupStackState *const *states;
  const SupBackend *backend;
  const SupStackFrame *frames;
} Crowd;

static void step_one(void *context, SupRange range) {
  const Crowd *crowd = (const Crowd *)context;
  for (uint32_t k = range.first; k < range.first + range.count; k++) {
    sup_stack_step(crowd->stack, crowd->states[k], crowd->backend, NULL, &crowd->frames[k]);
  }
}

void sup_stack_step_all(const SupStack *stack, SupStackState *const *states, uint32_t count,
                        const SupBackend *backend, const SupJobs *jobs,
                        const SupStackFrame *frames) {
  Crowd crowd = {stack, states, backend, frames};
  sup_parallel_for(jobs, count, 1, step_one, &crowd);
}
