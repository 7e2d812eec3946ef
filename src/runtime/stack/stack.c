/* SPDX-License-Identifier: MIT */
/*
 * One frame of a character: which steps are due, and what is shown between them.
 *
 * Time. `ahead` is the time since the last step of the follower, in [0, h). A frame adds dt to it
 * and makes the steps that are due, each with the goal of its own time; what is shown is the state
 * at the frame's time. Times are compared with a slack of 1e-4 h, so that a caller who steps by h
 * hits every step exactly, whatever the rounding of dt.
 *
 * Space. The simulation runs in world space, or in the moving frame of the root or of a joint: all
 * bones are taken into that frame, and the result back out of it.
 *
 * No technique is named here: layers do what their entries say (supple/technique.h).
 */
#include "runtime/stack/stack_context.h"

/* ---- Layers -----------------------------------------------------------------------------------
 */

bool sup_stack_has_trait(const SupStack *stack, SupTrait trait, const SupLayer *above) {
  for (const SupLayer *l = stack->layers; l < sup_stack_end(stack); l++) {
    if (above && l->technique->stage <= above->technique->stage) continue;
    if (l->offer.traits & trait) return true;
  }
  return false;
}

bool sup_layer_pushed(const SupStack *stack, const SupLayer *layer) {
  return layer->technique->push_back && stack->follower != SUP_NO_LAYER &&
         stack->def.back_coupling > 0;
}

const void *sup_frame_controls(const SupStackFrame *frame, uint32_t kind) {
  for (uint32_t k = 0; k < frame->control_count; k++) {
    if (frame->controls[k].kind == kind) return frame->controls[k].data;
  }
  return NULL;
}

/* Does anything move by itself, so that it can be switched off? */
static bool moves(const SupStack *stack) {
  for (const SupLayer *l = stack->layers; l < sup_stack_end(stack); l++) {
    if (l->technique->advance || l->technique->follow) return true;
  }
  return false;
}

/* ---- Time -------------------------------------------------------------------------------------
 */

/* A step of the follower, `ago` seconds before the frame. */
static void follow(SupStackContext *c, double ago) {
  const SupLayer *follower = sup_stack_follower(c->stack);
  void *state = sup_layer_state(c, follower);
  sup_context_follower_goal(c, ago);
  follower->technique->follow(c, follower, state);
  for (const SupLayer *l = c->stack->layers; l < sup_stack_end(c->stack); l++) {
    if (!sup_layer_pushed(c->stack, l)) continue;
    l->technique->push_back(c, l, sup_layer_state(c, l),
                            follower->technique->deviation(follower, state),
                            c->stack->def.back_coupling);
  }
}

/* Has the root jumped since the last frame? */
static bool teleported(const SupStackContext *c) {
  const SupStackDef *def = &c->stack->def;
  const SupTransform *now = &c->frame->pose->root, *last = &c->state->root;
  if (!(sup_vec3_distance(now->translation, last->translation) <= def->teleport_distance)) {
    return true;
  }
  if (def->teleport_angle == 0) return false;
  float dot = sup_quat_dot(now->rotation, last->rotation);
  return 2 * sup_acosf(dot < 0 ? -dot : dot) > def->teleport_angle;
}

/* How much of the motion shows; false when none does and none need be computed. */
static bool update_fade(SupStackContext *c, double dt) {
  SupStackState *state = c->state;
  const double seconds = (double)c->stack->def.fade_seconds;
  const double change = seconds > 0 ? dt / seconds : 1;
  if (!state->running) {
    state->fade = c->frame->off ? 0 : state->fade;
  } else {
    double fade = (double)state->fade + (c->frame->off ? -change : change);
    state->fade = (float)(fade < 0 ? 0 : fade > 1 ? 1 : fade);
  }
  c->fade = state->fade;
  return !(c->frame->off && state->fade == 0);
}

/* Is this the first frame, or too far from the last? Then everything begins here. */
static bool restart(SupStackContext *c, double dt) {
  const bool cut = !c->state->running || !(dt <= (double)c->stack->def.longest);
  if (!cut && !teleported(c)) return false;
  c->state->running = 1;
  sup_context_bones(c, 0);
  for (const SupLayer *l = c->stack->layers; l < sup_stack_end(c->stack); l++) {
    const SupTechnique *t = l->technique;
    const bool begun = t->reset ? t->reset(c, l, sup_layer_state(c, l), cut) : cut;
    if (begun) c->stands[l->index] = 0;
  }
  return true;
}

/* Makes the steps that are due. Returns where between two steps the frame is; a frame that needed
 * no step has its goal made too, even if no time has passed: its pose may be another one. */
static SupShowTime advance(SupStackContext *c, double dt) {
  SupStackState *state = c->state;
  const double h = (double)c->stack->h;
  if (restart(c, dt)) {
    state->ahead = 0;
    follow(c, 0);
    return (SupShowTime){0};
  }
  if (c->frame->impulse_count) {
    const SupLayer *follower = sup_stack_follower(c->stack);
    sup_context_bones(c, 0); /* blows are felt where the character is now */
    follower->technique->strike(c, follower, sup_layer_state(c, follower));
  }
  bool now = false; /* the last goal is that of the frame */
  state->ahead += dt;
  while (state->ahead >= h * (1 - SUP_TIME_SLACK)) {
    state->ahead -= h;
    now = state->ahead <= h * SUP_TIME_SLACK;
    follow(c, now ? 0 : state->ahead);
  }
  if (now) return (SupShowTime){0};
  sup_context_follower_goal(c, 0);
  const double part = state->ahead > h * SUP_TIME_SLACK ? state->ahead / h : 0;
  return (SupShowTime){.between = true, .part = (float)part};
}

/* The goal with what layers add to it, and nothing that follows it; far away (not `moving`) without
 * what moves by itself, and the next motion starts afresh. */
static void goal_only(SupStackContext *c, bool moving, double dt) {
  c->skinning = true;
  if (moving) {
    restart(c, dt);
    sup_context_advance(c, 0);
  } else {
    c->state->running = 0;
    sup_context_bones(c, 0);
  }
  sup_context_show_goal(c, moving);
}

static void remember(SupStackContext *c) {
  c->state->root = c->frame->pose->root;
  if (c->frame->pose->joints != c->last) {
    sup_copy(c->last, c->frame->pose->joints,
             c->stack->def.skeleton->joint_count * sizeof(SupTransform));
  }
  const size_t morphs = sup_stack_own_morphs(c->stack) * sizeof(float);
  if (c->frame->morph_weights == c->last_morphs) return;
  if (c->frame->morph_weights) {
    sup_copy(c->last_morphs, c->frame->morph_weights, morphs);
  } else {
    sup_zero(c->last_morphs, morphs);
  }
}

/* ---- Frames -----------------------------------------------------------------------------------
 */

static SupStackContext context_of(const SupStack *stack, SupStackState *state,
                                  const SupBackend *backend, const SupJobs *jobs,
                                  const SupStackFrame *frame) {
  float *morphs = (float *)sup_stack_at(stack, state, AT_MORPHS);
  const uint32_t *lanes = NULL;
  for (const SupLayer *l = stack->layers; !lanes && l < sup_stack_end(stack); l++) {
    lanes = l->offer.lanes;
  }
  return (SupStackContext){
      .stack = stack,
      .state = state,
      .backend = backend,
      .jobs = jobs,
      .frame = frame,
      .fade = state->fade,
      .globals = (SupAffine *)sup_stack_at(stack, state, AT_GLOBALS),
      .palette = (SupAffine *)sup_stack_at(stack, state, AT_PALETTE),
      .space = sup_affine_identity(),
      .inverse = sup_affine_identity(),
      .posed_ago = -1,
      .last = (SupTransform *)sup_stack_at(stack, state, AT_LAST),
      .between = {stack->def.skeleton->joint_count, sup_transform_identity(),
                  (SupTransform *)sup_stack_at(stack, state, AT_BETWEEN)},
      .last_morphs = morphs,
      .morphs = morphs + sup_stack_own_morphs(stack),
      .own = frame->morph_weights,
      .duals = (SupDualBone *)sup_stack_at(stack, state, AT_DUALS),
      .weights = (float *)sup_stack_at(stack, state, AT_WEIGHTS),
      .lanes = lanes ? lanes : (const uint32_t *)sup_stack_at(stack, state, AT_LANES),
      .pairs = (float *)sup_stack_at(stack, state, AT_PAIRS),
      .frames = (float *)sup_stack_at(stack, state, AT_FRAMES),
      .goal_frames = (float *)sup_stack_at(stack, state, AT_GOAL_FRAMES)};
}

/* Layers that move joints: everything after them takes these for joints of the pose. */
static void move_joints(SupStackContext *c, double dt, SupPose *out_pose) {
  const bool afresh =
      !c->state->joints_running || dt > (double)c->stack->def.longest || teleported(c);
  *out_pose = *c->frame->pose;
  out_pose->joints = (SupTransform *)sup_stack_at(c->stack, c->state, AT_MOVED);
  sup_context_begin_joints(c, dt, afresh, out_pose->joints);
  c->state->joints_running = 1;
  c->filled = true;
}

void sup_stack_step(const SupStack *stack, SupStackState *state, const SupBackend *backend,
                    const SupJobs *jobs, const SupStackFrame *frame) {
  SupStackContext c = context_of(stack, state, backend, jobs, frame);
  SupFrameRepair sound;
  sup_context_repair(&c, &sound);
  const double dt = sound.frame.dt > 0 ? (double)sound.frame.dt : 0;
  SupPose pose;
  if (stack->moves_joints) {
    move_joints(&c, dt, &pose);
    sound.frame.pose = &pose;
  }
  const bool moving = moves(stack) && update_fade(&c, dt);
  for (uint32_t k = 0; k < stack->layer_count; k++) c.stands[k] = dt; /* at the last frame */
  if (moving && stack->follower != SUP_NO_LAYER) {
    sup_context_show(&c, advance(&c, dt));
  } else {
    goal_only(&c, moving, dt);
  }
  remember(&c);
  if (sound.afresh) sup_context_forget(&c);
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
