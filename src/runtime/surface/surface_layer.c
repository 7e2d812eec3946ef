/* SPDX-License-Identifier: MIT */
/*
 * The surface in a stack: vertices that follow the goal. Where a layer below answers for inertia,
 * the goal's acceleration is handed on whole, unless the model asks for inertia of its own; where
 * one shows the body in balance with gravity, gravity is not felt again.
 */
#include "runtime/surface/surface_describe.h"
#include "runtime/techniques.h"
#include "supple/stack.h"

_Static_assert(sizeof(SupSurfaceView) <= SUP_LAYER_VIEW, "view");

static const SupSurfaceView *view_of(const SupLayer *layer) {
  return (const SupSurfaceView *)sup_layer_view(layer);
}

static void open_surface(const SupModel *model, void *out_view) {
  *(SupSurfaceView *)out_view = sup_surface_view(model);
}

static const SupSkinView *skin_of(const void *view) {
  return &((const SupSurfaceView *)view)->skin;
}

static void offer(const void *view, SupLayerOffer *out) {
  const SupSurfaceView *model = (const SupSurfaceView *)view;
  out->traits = SUP_TRAIT_GRAVITY;
  out->lanes = model->lanes;
  out->rings = (SupLaneRings){model->one_ring_first, model->one_rings};
}

/* Does it hand the goal's acceleration on whole? */
static bool hands_on(const SupStack *stack, const SupLayer *layer) {
  return !(view_of(layer)->flags & SUP_SURFACE_OWN_INERTIA) &&
         sup_stack_has_trait(stack, SUP_TRAIT_INERTIA, NULL);
}

/* ---- State: the surface; scales of the bones; how the goal's step changed last, where a layer
 * below answers for inertia. */

static size_t scale_bytes(const SupLayer *layer) {
  const size_t bytes = view_of(layer)->skin.bone_count * sizeof(float);
  return (bytes + SUP_ALIGNMENT - 1) / SUP_ALIGNMENT * SUP_ALIGNMENT;
}

static float *scales_of(const SupLayer *layer, void *state) {
  return (float *)(void *)((char *)state + sup_surface_bytes(view_of(layer)));
}

static float *bends_of(const SupLayer *layer, void *state) {
  return (float *)(void *)((char *)scales_of(layer, state) + scale_bytes(layer));
}

static size_t bytes(const SupStack *stack, const SupLayer *layer) {
  const SupSurfaceView *model = view_of(layer);
  const bool handed = hands_on(stack, layer);
  const size_t lanes = (size_t)SUP_SKIN_BLOCK * model->skin.block_count;
  return sup_surface_bytes(model) + scale_bytes(layer) + (handed ? 3 * lanes * sizeof(float) : 0);
}

static void init(const SupStack *stack, const SupLayer *layer, void *state) {
  (void)stack;
  sup_surface_init(view_of(layer), state);
}

static bool reset(SupStackContext *c, const SupLayer *layer, void *state, bool cut) {
  (void)c, (void)layer, (void)cut;
  sup_surface_reset((SupSurfaceState *)state);
  return true;
}

/* ---- A frame ----------------------------------------------------------------------------------
 */

static SupGoal target(const SupLayer *layer, void *state) {
  SupSurfaceState *surface = (SupSurfaceState *)state;
  SupGoal goal = {.positions = sup_surface_next_goal(surface)};
  if (sup_surface_wants_normals(view_of(layer)->flags)) {
    goal.normals = sup_surface_next_normals(surface);
  }
  return goal;
}

static void follow(SupStackContext *c, const SupLayer *layer, void *state) {
  SupExternalForces forces = {0};
  if (c->frame->forces) forces = *c->frame->forces;
  forces.space = sup_context_to_space(c);
  if (sup_stack_has_trait(c->stack, SUP_TRAIT_STATIC_GRAVITY, NULL)) {
    forces.acceleration = (SupVec3){0, 0, 0};
  }
  if (hands_on(c->stack, layer)) {
    sup_surface_hand_on((SupSurfaceState *)state, bends_of(layer, state));
    forces.feed_forward = 1;
  }
  sup_surface_step(view_of(layer), (SupSurfaceState *)state, c->backend, c->jobs, c->palette,
                   &forces);
}

static void strike(SupStackContext *c, const SupLayer *layer, void *state) {
  sup_surface_strike(view_of(layer), (SupSurfaceState *)state, c->frame->impulses,
                     c->frame->impulse_count, sup_context_to_space(c));
}

static void show(SupStackContext *c, const SupLayer *layer, void *state, SupShowTime when,
                 float *out_pairs) {
  const SupExternalForces *forces = c->frame->forces;
  SupSurfaceShow what = {.between = when.between,
                         .part = when.part,
                         .fade = c->fade,
                         .pull_count = forces ? forces->pull_count : 0,
                         .pulls = forces ? forces->pulls : NULL,
                         .space = sup_context_to_space(c)};
  float *scales = scales_of(layer, state);
  if (sup_surface_scales(view_of(layer)->skin.bone_count, c->palette, scales)) what.scales = scales;
  sup_surface_show(view_of(layer), (SupSurfaceState *)state, c->backend, c->jobs, &what, out_pairs);
}

static SupDeviation deviation(const SupLayer *layer, const void *state) {
  const SupSurfaceState *surface = (const SupSurfaceState *)state;
  (void)layer;
  return (SupDeviation){(const float *)(const void *)((const char *)surface + surface->records),
                        (const float *)(const void *)((const char *)surface + surface->goal)};
}

const SupTechnique sup_surface_technique = {
    .kind = SUP_SURFACE_KIND,
    .name = "surface",
    .version = SUP_SURFACE_VERSION,
    .stage = SUP_STAGE_DYNAMICS,
    .check = sup_surface_check,
    .describe = sup_surface_describe,
    .view_bytes = sizeof(SupSurfaceView),
    .open = open_surface,
    .skin = skin_of,
    .skin_rank = 3,
    .offer = offer,
    .bytes = bytes,
    .init = init,
    .reset = reset,
    .target = target,
    .follow = follow,
    .strike = strike,
    .show = show,
    .deviation = deviation,
};
