/* SPDX-License-Identifier: MIT */
/*
 * The envelope in a stack: it gives the goal in place of skinning.
 *
 * Its frames are skinning's own, the linear part of the blended bones. So what morph targets and
 * modes add in them, F u, is skin(X + u) - skin(X) exactly, and a follower keeps its offsets in the
 * frames that it would have over skinning.
 */
#include "runtime/techniques.h"
#include "supple/envelope.h"
#include "supple/stack.h"

_Static_assert(sizeof(SupEnvelopeView) <= SUP_LAYER_VIEW, "view");

static const SupEnvelopeView *view_of(const SupLayer *layer) {
  return (const SupEnvelopeView *)sup_layer_view(layer);
}

static void open_envelope(const SupModel *model, void *out_view) {
  *(SupEnvelopeView *)out_view = sup_envelope_view(model);
}

static const SupSkinView *skin_of(const void *view) {
  return &((const SupEnvelopeView *)view)->skin;
}

static void offer(const void *view, SupLayerOffer *out) {
  const SupEnvelopeView *model = (const SupEnvelopeView *)view;
  out->traits = SUP_TRAIT_STATIC_SHAPE;
  out->joint_count = model->joint_count;
  out->lanes = model->lanes;
  out->rings = (SupLaneRings){model->ring_first, model->rings};
}

/* ---- What a model holds -----------------------------------------------------------------------
 */

static uint32_t residual_count(const SupEnvelopeView *view) {
  uint32_t count = 0;
  for (uint32_t p = 0; p < view->patch_count; p++) count += view->faces[p].field_count > 0;
  return count;
}

static uint32_t covered_count(const SupEnvelopeView *view) {
  uint32_t count = 0;
  for (uint32_t v = 0; v < view->skin.vertex_count; v++) {
    count += view->sources[view->lanes[v]] != SUP_ENVELOPE_NONE;
  }
  return count;
}

static void describe_patches(const SupEnvelopeView *view, const SupFacts *facts) {
  facts->open(facts->user, "patch_names", true);
  for (uint32_t p = 0; p < view->patch_count; p++) {
    facts->text(facts->user, NULL, view->names + (size_t)SUP_ENVELOPE_NAME * p);
  }
  facts->close(facts->user);
}

static void describe(const SupModel *model, const SupFacts *facts) {
  const SupEnvelopeView view = sup_envelope_view(model);
  const uint32_t covered = covered_count(&view), residuals = residual_count(&view);
  char text[160];
  sup_format(text, sizeof text, "%u example%s on %u patches, %u control vertices",
             view.shape_count - 1, view.shape_count == 2 ? "" : "s", view.patch_count,
             view.control_count);
  facts->line(facts->user, "shape", text);
  sup_format(text, sizeof text, "%u fields on %u patches, driven by %u angles", view.value_count,
             residuals, view.angle_count);
  facts->line(facts->user, "", text);
  if (covered < view.skin.vertex_count) {
    sup_format(text, sizeof text, "%u vertices are in no patch and plainly skinned",
               view.skin.vertex_count - covered);
    facts->line(facts->user, "", text);
  }
  facts->number(facts->user, "patches", view.patch_count);
  facts->number(facts->user, "control_vertices", view.control_count);
  facts->number(facts->user, "shapes", view.shape_count);
  facts->number(facts->user, "angles", view.angle_count);
  facts->number(facts->user, "fields", view.value_count);
  facts->number(facts->user, "residual_patches", residuals);
  facts->number(facts->user, "covered_vertices", covered);
  facts->number(facts->user, "bytes", (double)model->bytes);
  facts->number(facts->user, "state_bytes", (double)sup_envelope_bytes(&view));
  describe_patches(&view, facts);
}

/* ---- A frame ----------------------------------------------------------------------------------
 */

static size_t bytes(const SupStack *stack, const SupLayer *layer) {
  (void)stack;
  return sup_envelope_bytes(view_of(layer));
}

static void init(const SupStack *stack, const SupLayer *layer, void *state) {
  (void)stack;
  sup_envelope_init(view_of(layer), state);
}

/* The model with another control mesh. */
static SupEnvelopeView tried_out(const SupEnvelopeView *model, const SupEnvelopeControls *c) {
  SupEnvelopeView view = *model;
  if (c->points) view.points = c->points;
  if (c->revision_points) view.revision_points = c->revision_points;
  if (c->control_blends) view.control_blends = c->control_blends;
  return view;
}

static void goal(SupStackContext *c, const SupLayer *layer, void *state, double ago,
                 const SupGoal *goal) {
  const SupEnvelopeControls *controls =
      (const SupEnvelopeControls *)sup_frame_controls(c->frame, SUP_ENVELOPE_KIND);
  const SupEnvelopeView *model = view_of(layer);
  SupEnvelopeView tried;
  if (controls && (controls->points || controls->revision_points || controls->control_blends)) {
    tried = tried_out(model, controls);
    model = &tried;
  }
  const SupEnvelopeCall call = {.pose = c->pose,
                                .palette = c->palette,
                                .strengths = controls ? controls->strengths : NULL,
                                .positions = goal->positions,
                                .normals = goal->normals,
                                .frames = goal->frames};
  (void)ago;
  sup_envelope_shape(model, (SupEnvelopeState *)state, c->backend, c->jobs, &call);
}

const SupTechnique sup_envelope_technique = {
    .kind = SUP_ENVELOPE_KIND,
    .name = "envelope",
    .version = SUP_ENVELOPE_VERSION,
    .stage = SUP_STAGE_SHAPE,
    .check = sup_envelope_check,
    .describe = describe,
    .view_bytes = sizeof(SupEnvelopeView),
    .open = open_envelope,
    .skin = skin_of,
    .skin_rank = 2,
    .offer = offer,
    .bytes = bytes,
    .init = init,
    .goal = goal,
};
