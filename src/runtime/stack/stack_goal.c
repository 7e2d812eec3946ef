/* SPDX-License-Identifier: MIT */
/* The goal of a time: pose to bones, the layers up to then, and the shape they make together. */
#include "base/finite.h"
#include "runtime/stack/stack_context.h"

/* ---- Poses ------------------------------------------------------------------------------------
 */

const SupPose *sup_context_pose(SupStackContext *c, double ago) {
  const SupStackFrame *frame = c->frame;
  if (ago <= 0) return frame->pose;
  c->posed_ago = -1; /* bones that stand between frames lose their pose */
  if (frame->pose_at) {
    frame->pose_at(frame->user, (float)ago, &c->between);
    if (!sup_pose_finite(&c->between)) {
      sup_pose_blend(frame->pose, frame->pose, 0, NULL, &c->between);
    }
    for (const SupLayer *l = c->stack->layers; c->filled && l < sup_stack_end(c->stack); l++) {
      if (l->technique->fill_joints) l->technique->fill_joints(c, l, ago, &c->between);
    }
  } else {
    const SupPose last = {frame->pose->joint_count, c->state->root, c->last};
    const double weight = 1 - ago / (double)frame->dt;
    sup_pose_blend(&last, frame->pose, (float)(weight > 0 ? weight : 0), NULL, &c->between);
  }
  return &c->between;
}

void sup_context_bones(SupStackContext *c, double ago) {
  if (c->posed_ago == ago) return;
  const SupStackDef *def = &c->stack->def;
  const SupSkeleton *skeleton = def->skeleton;
  const SupPose *pose = sup_context_pose(c, ago);
  c->pose = pose;
  c->posed_ago = ago;
  sup_pose_evaluate(skeleton, pose, c->globals, c->palette);
  if (def->space == SUP_SPACE_WORLD) return;
  c->space =
      def->space == SUP_SPACE_MODEL ? sup_affine_compose(pose->root) : c->globals[def->space_joint];
  c->inverse = sup_affine_inverse(c->space);
  for (uint32_t k = 0; k < skeleton->bone_count; k++) {
    c->palette[k] = sup_affine_mul(c->inverse, c->palette[k]);
  }
}

SupVec3 sup_context_gravity(const SupStackContext *c) {
  const SupVec3 none = {0, 0, 0};
  if (!c->frame->forces) return none;
  const SupVec3 g = c->frame->forces->acceleration;
  return c->stack->def.space == SUP_SPACE_WORLD ? g : sup_affine_direction(c->inverse, g);
}

const SupAffine *sup_context_to_space(const SupStackContext *c) {
  return c->stack->def.space == SUP_SPACE_WORLD ? NULL : &c->inverse;
}

/* The weights of the character's own morph targets then. */
static const float *morphs_before(SupStackContext *c, double ago) {
  const SupStackFrame *frame = c->frame;
  if (ago <= 0 || !frame->morph_weights) return frame->morph_weights;
  if (frame->morphs_at) {
    frame->morphs_at(frame->user, (float)ago, c->morphs);
    return sup_finite_all(c->morphs, sup_stack_own_morphs(c->stack)) ? c->morphs
                                                                     : frame->morph_weights;
  }
  const double weight = 1 - ago / (double)frame->dt, fraction = weight > 0 ? weight : 0;
  for (uint32_t k = 0; k < sup_stack_own_morphs(c->stack); k++) {
    const double last = (double)c->last_morphs[k];
    c->morphs[k] = (float)(last + fraction * ((double)frame->morph_weights[k] - last));
  }
  return c->morphs;
}

/* ---- Layers -----------------------------------------------------------------------------------
 */

void *sup_layer_state(const SupStackContext *c, const SupLayer *layer) {
  return (char *)c->state + layer->state;
}

void sup_context_begin_joints(SupStackContext *c, double dt, bool afresh,
                              SupTransform *out_joints) {
  sup_copy(out_joints, c->frame->pose->joints,
           c->stack->def.skeleton->joint_count * sizeof(SupTransform));
  for (const SupLayer *l = c->stack->layers; l < sup_stack_end(c->stack); l++) {
    if (!l->technique->move_joints) continue;
    c->posed_ago = -1; /* layers here take the globals for scratch */
    l->technique->move_joints(c, l, sup_layer_state(c, l), dt, afresh, out_joints);
  }
  c->posed_ago = -1;
}

void sup_context_advance(SupStackContext *c, double ago) {
  for (const SupLayer *l = c->stack->layers; l < sup_stack_end(c->stack); l++) {
    if (!l->technique->advance) continue;
    l->technique->advance(c, l, sup_layer_state(c, l), ago);
    c->stands[l->index] = ago;
    c->advanced[l->index] = true;
  }
  sup_context_bones(c, ago);
}

/* The weights of the skin's morph targets (the caller's, then the base layer's) and the layers that
 * go over it. */
static void morph(SupStackContext *c, SupSkinCall *call, SupSkinLayer *out_layers) {
  const SupStack *stack = c->stack;
  const uint32_t own = sup_stack_own_morphs(stack);
  const bool driven = stack->layers[stack->base].offer.target_count > 0;
  call->morph_weights = c->own;
  if (driven) {
    for (uint32_t m = 0; m < own; m++) c->weights[m] = c->own ? c->own[m] : 0;
    call->morph_weights = c->weights;
  }
  call->layers = out_layers;
  for (const SupLayer *l = stack->layers; l < sup_stack_end(stack); l++) {
    if (!l->technique->morph) continue;
    float *base = l->base ? c->weights + own : NULL;
    call->layer_count +=
        l->technique->morph(c, l, sup_layer_state(c, l), base, out_layers + call->layer_count);
  }
}

/* ---- Goals ------------------------------------------------------------------------------------
 */

static void run_skin(SupStackContext *c, SupSkinCall *call) {
  call->skin = &c->stack->skin;
  call->palette = c->palette;
  call->duals = c->duals;
  if (c->stack->def.dual_quaternions) {
    call->stretched = sup_skin_duals(c->stack->skin.bone_count, c->palette, c->duals);
    sup_skin_dqs(c->backend, c->jobs, call);
  } else {
    sup_skin_lbs(c->backend, c->jobs, call);
  }
}

void sup_context_skin(SupStackContext *c, SupSkinCall *call) {
  SupSkinLayer layers[SUP_STACK_MODELS * SUP_LAYER_MORPHS];
  morph(c, call, layers);
  run_skin(c, call);
}

void sup_context_skin_plain(SupStackContext *c, SupSkinCall *call) {
  call->morph_weights = c->own;
  if (c->own && c->stack->layers[c->stack->base].offer.target_count > 0) {
    const uint32_t own = sup_stack_own_morphs(c->stack);
    for (uint32_t m = 0; m < c->stack->skin.morph_count; m++) {
      c->weights[m] = m < own ? c->own[m] : 0;
    }
    call->morph_weights = c->weights;
  }
  run_skin(c, call);
}

/* Adds what the morph targets do in rest space, in the frames of the goal: the difference that they
 * make to a skin whose bones do not move. */
static void add_offsets(SupStackContext *c, SupSkinCall *morphs, const SupGoal *goal) {
  const size_t lanes = (size_t)SUP_SKIN_BLOCK * c->stack->skin.block_count;
  float *moved = c->goal_frames + 9 * lanes, *rest = moved + 3 * lanes;
  SupAffine *still = (SupAffine *)(void *)(rest + 3 * lanes);
  for (uint32_t k = 0; k < c->stack->skin.bone_count; k++) still[k] = sup_affine_identity();
  morphs->palette = still;
  morphs->positions = (SupSkinOutput){moved, 0};
  sup_skin_lbs(c->backend, c->jobs, morphs);
  const SupSkinCall plain = {
      .skin = morphs->skin, .palette = still, .positions = (SupSkinOutput){rest, 0}};
  sup_skin_lbs(c->backend, c->jobs, &plain);
  for (size_t lane = 0; lane < lanes; lane++) {
    const size_t row = 3 * (lane - lane % SUP_SKIN_BLOCK) + lane % SUP_SKIN_BLOCK;
    const float *m = goal->frames + 9 * (lane - lane % SUP_SKIN_BLOCK) + lane % SUP_SKIN_BLOCK;
    float u[3];
    for (uint32_t k = 0; k < 3; k++) {
      u[k] = moved[row + SUP_SKIN_BLOCK * k] - rest[row + SUP_SKIN_BLOCK * k];
    }
    for (uint32_t k = 0; k < 3; k++) {
      goal->positions[row + SUP_SKIN_BLOCK * k] += m[SUP_SKIN_BLOCK * k] * u[0] +
                                                   m[SUP_SKIN_BLOCK * (3 + k)] * u[1] +
                                                   m[SUP_SKIN_BLOCK * (6 + k)] * u[2];
    }
  }
}

/* A provider's goal, and what the layers add to it in the frames that it gives. */
static void provide(SupStackContext *c, const SupLayer *provider, const SupGoal *goal) {
  SupSkinLayer layers[SUP_STACK_MODELS * SUP_LAYER_MORPHS];
  SupSkinCall call = {.skin = &c->stack->skin};
  SupGoal whole = *goal;
  morph(c, &call, layers);
  const bool offset = call.morph_weights || call.layer_count;
  if (!whole.frames) whole.frames = c->goal_frames; /* normals may want them */
  provider->technique->goal(c, provider, sup_layer_state(c, provider), c->posed_ago, &whole);
  if (offset) add_offsets(c, &call, &whole);
}

/* The frames of skinning: the linear part of the blended bones. */
static void blend_frames(const SupStackContext *c, float *out_frames) {
  for (uint32_t lane = 0; lane < SUP_SKIN_BLOCK * c->stack->skin.block_count; lane++) {
    float frame[9];
    float *to = out_frames + 9 * (size_t)(lane - lane % SUP_SKIN_BLOCK) + lane % SUP_SKIN_BLOCK;
    sup_context_blend_lane(c, lane, frame);
    for (uint32_t k = 0; k < 9; k++) to[SUP_SKIN_BLOCK * k] = frame[k];
  }
}

void sup_context_goal(SupStackContext *c, const SupGoal *goal) {
  const SupLayer *provider = sup_stack_provider(c->stack);
  if (provider) {
    provide(c, provider, goal);
    return;
  }
  SupSkinCall call = {.positions = {goal->positions, 0}, .normals = {goal->normals, 0}};
  sup_context_skin(c, &call);
  if (goal->frames) blend_frames(c, goal->frames);
}

void sup_context_follower_goal(SupStackContext *c, double ago) {
  const SupLayer *follower = sup_stack_follower(c->stack);
  const SupGoal goal = follower->technique->target(follower, sup_layer_state(c, follower));
  sup_context_advance(c, ago);
  c->own = morphs_before(c, ago);
  sup_context_goal(c, &goal);
  c->own = c->frame->morph_weights;
}
