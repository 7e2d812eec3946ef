/* SPDX-License-Identifier: MIT */
/*
 * Helpers in a stack: joints that the pose does not know. They step at their model's own h, on
 * poses between the caller's; what the frame shows is a part of a step on.
 */
#include "runtime/techniques.h"
#include "supple/helpers.h"
#include "supple/stack.h"

_Static_assert(sizeof(SupHelpersView) <= SUP_LAYER_VIEW, "view");

static const SupHelpersView *view_of(const SupLayer *layer) {
  return (const SupHelpersView *)sup_layer_view(layer);
}

/* Behind the technique's own state: seconds since the last step. */
static double *ahead_of(const SupLayer *layer, void *state) {
  return (double *)(void *)((char *)state + sup_helpers_bytes(view_of(layer)));
}

static void open_helpers(const SupModel *model, void *out_view) {
  *(SupHelpersView *)out_view = sup_helpers_view(model);
}

static const SupSkinView *skin_of(const void *view) {
  return &((const SupHelpersView *)view)->skin;
}

static void offer(const void *view, SupLayerOffer *out) {
  const SupHelpersView *model = (const SupHelpersView *)view;
  out->traits = model->state_count ? SUP_TRAIT_INERTIA : 0u;
  out->joint_count = model->joint_count;
}

static size_t bytes(const SupStack *stack, const SupLayer *layer) {
  (void)stack;
  return sup_helpers_bytes(view_of(layer)) + sizeof(double);
}

static void init(const SupStack *stack, const SupLayer *layer, void *state) {
  (void)stack;
  sup_helpers_init(view_of(layer), state);
}

/* The materials that the helpers know. */
static void describe(const SupModel *model, const SupFacts *facts) {
  const SupHelpersView view = sup_helpers_view(model);
  const uint32_t count = view.material_count;
  facts->number(facts->user, "helpers", view.helper_count);
  facts->open(facts->user, "materials", true);
  for (uint32_t k = 0; k < count; k++) {
    const double fraction = (double)view.fractions[k],
                 frequency = (double)view.fractions[count + k];
    const double ratio = frequency / (double)view.fractions[count];
    char text[128];
    sup_format(text, sizeof text, "%s, fraction %.3g", sup_helpers_material(&view, k), fraction);
    facts->line(facts->user, k ? "" : "made of", text);
    sup_format(text, sizeof text, "  frequency ratio %.3g to the first", ratio);
    if (ratio != 1) facts->line(facts->user, "", text);
    facts->open(facts->user, NULL, false);
    facts->text(facts->user, "name", sup_helpers_material(&view, k));
    facts->number(facts->user, "fraction", fraction);
    facts->number(facts->user, "frequency", frequency);
    facts->close(facts->user);
  }
  facts->close(facts->user);
}

/* ---- A frame ----------------------------------------------------------------------------------
 */

/* One look at a pose: joints in the space in which inertia is felt. */
static void place(SupStackContext *c, const SupPose *pose) {
  const SupStackDef *def = &c->stack->def;
  sup_pose_globals(def->skeleton, pose, c->globals);
  if (def->space == SUP_SPACE_WORLD) return;
  const SupAffine space =
      def->space == SUP_SPACE_MODEL ? sup_affine_compose(pose->root) : c->globals[def->space_joint];
  c->inverse = sup_affine_inverse(space);
  for (uint32_t j = 0; j < def->skeleton->joint_count; j++) {
    c->globals[j] = sup_affine_mul(c->inverse, c->globals[j]);
  }
}

static SupHelpersControls controls_of(const SupStackContext *c) {
  const SupHelpersControls *given =
      (const SupHelpersControls *)sup_frame_controls(c->frame, SUP_HELPERS_KIND);
  SupHelpersControls controls = given ? *given : sup_helpers_controls();
  if (c->frame->off && controls.lod > SUP_HELPERS_STATIC) controls.lod = SUP_HELPERS_STATIC;
  controls.gravity = sup_context_gravity(c);
  return controls;
}

static void move_joints(SupStackContext *c, const SupLayer *layer, void *state, double dt,
                        bool afresh, SupTransform *io_joints) {
  const SupHelpersView *model = view_of(layer);
  SupHelpersState *helpers = (SupHelpersState *)state;
  double *ahead = ahead_of(layer, state);
  const double h = (double)model->h;
  if (afresh) {
    sup_helpers_reset(helpers);
    *ahead = h; /* a step is due now */
  } else {
    *ahead += dt;
  }
  bool now = false;
  while (*ahead >= h * (1 - SUP_TIME_SLACK)) {
    *ahead -= h;
    now = *ahead <= h * SUP_TIME_SLACK;
    const SupPose *pose = sup_context_pose(c, now ? 0 : *ahead);
    place(c, pose);
    const SupHelpersControls controls = controls_of(c);
    sup_helpers_step(model, helpers, c->backend, &controls, pose, c->globals, io_joints);
  }
  if (now) return;
  place(c, c->frame->pose);
  const SupHelpersControls controls = controls_of(c);
  sup_helpers_peek(model, helpers, c->backend, &controls, c->frame->pose, c->globals,
                   (float)(*ahead / h), io_joints);
}

/* Between the last frame's joints and this one's. */
static void fill_joints(const SupStackContext *c, const SupLayer *layer, double ago,
                        SupPose *io_pose) {
  const SupHelpersView *model = view_of(layer);
  const double fraction = 1 - ago / (double)c->frame->dt;
  const float weight = (float)(fraction > 0 ? fraction : 0);
  for (uint32_t h = 0; h < model->helper_count; h++) {
    const uint32_t j = model->bones[h].joint;
    const SupTransform *last = &c->last[j], *next = &c->frame->pose->joints[j];
    SupTransform *out = &io_pose->joints[j];
    const SupVec3 way = sup_vec3_sub(next->translation, last->translation);
    out->translation = sup_vec3_add_scaled(last->translation, way, weight);
    out->rotation = sup_quat_slerp(last->rotation, next->rotation, weight);
    out->scale = next->scale;
  }
}

const SupTechnique sup_helpers_technique = {
    .kind = SUP_HELPERS_KIND,
    .name = "helpers",
    .version = SUP_HELPERS_VERSION,
    .stage = SUP_STAGE_BONES,
    .check = sup_helpers_check,
    .describe = describe,
    .view_bytes = sizeof(SupHelpersView),
    .open = open_helpers,
    .skin = skin_of,
    .skin_rank = 2,
    .offer = offer,
    .bytes = bytes,
    .init = init,
    .move_joints = move_joints,
    .fill_joints = fill_joints,
};
