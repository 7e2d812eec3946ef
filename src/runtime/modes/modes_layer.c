/* SPDX-License-Identifier: MIT */
/* Modes in a stack: oscillators that the bones drive, shown as weights of morph targets. */
#include "runtime/modes/modes_couple.h"
#include "runtime/techniques.h"
#include "supple/stack.h"

#define PARTS_MOST 64 /* of one step */
_Static_assert(sizeof(SupModesView) <= SUP_LAYER_VIEW, "view");

static const SupModesView *view_of(const SupLayer *layer) {
  return (const SupModesView *)sup_layer_view(layer);
}

static void open_modes(const SupModel *model, void *out_view) {
  *(SupModesView *)out_view = sup_modes_view(model);
}

static const SupSkinView *skin_of(const void *view) { return &((const SupModesView *)view)->skin; }

static void offer(const void *view, SupLayerOffer *out) {
  const SupModesView *model = (const SupModesView *)view;
  out->traits = SUP_TRAIT_INERTIA;
  out->target_count = model->mode_count;
  out->rings = (SupLaneRings){model->one_ring_first, model->one_rings};
}

static void describe(const SupModel *model, const SupFacts *facts) {
  const SupModesView view = sup_modes_view(model);
  const float *rows = view.oscillators + SUP_SKIN_BLOCK * SUP_MODES_STIFFNESS;
  float low = 1e30f, high = 0;
  for (uint32_t k = 0; k < view.mode_count; k++) {
    const float square =
        rows[(size_t)(SUP_MODES_ROWS * SUP_SKIN_BLOCK) * (k / SUP_SKIN_BLOCK) + k % SUP_SKIN_BLOCK];
    const float frequency = (float)(sup_sqrt((double)square) / (2 * SUP_PI));
    if (frequency < low) low = frequency;
    if (frequency > high) high = frequency;
  }
  char text[96];
  sup_format(text, sizeof text, "%u modes, natural frequencies %.2g to %.2g Hz", view.mode_count,
             (double)low, (double)high);
  facts->line(facts->user, "flesh", text);
  facts->number(facts->user, "modes", view.mode_count);
  facts->number(facts->user, "lowest_frequency", (double)low);
  facts->number(facts->user, "highest_frequency", (double)high);
}

/* ---- State: the oscillators; weights of the own skin where that goes over another layer's; what a
 * follower gives back. */

static size_t weight_bytes(const SupLayer *layer) {
  const size_t bytes = layer->base ? 0 : view_of(layer)->skin.morph_count * sizeof(float);
  return (bytes + SUP_ALIGNMENT - 1) / SUP_ALIGNMENT * SUP_ALIGNMENT;
}

static float *weights_of(const SupLayer *layer, void *state) {
  return (float *)(void *)((char *)state + sup_modes_bytes(view_of(layer)));
}

static float *coupling_of(const SupLayer *layer, void *state) {
  return (float *)(void *)((char *)weights_of(layer, state) + weight_bytes(layer));
}

static size_t bytes(const SupStack *stack, const SupLayer *layer) {
  const SupModesView *model = view_of(layer);
  const size_t rows = sup_layer_pushed(stack, layer) ? 2 : 0;
  return sup_modes_bytes(model) + weight_bytes(layer) +
         rows * SUP_SKIN_BLOCK * model->block_count * sizeof(float);
}

static void init(const SupStack *stack, const SupLayer *layer, void *state) {
  sup_modes_init(view_of(layer), state);
  if (sup_layer_pushed(stack, layer)) {
    sup_modes_couple_init(view_of(layer), coupling_of(layer, state));
  }
}

static bool reset(SupStackContext *c, const SupLayer *layer, void *state, bool cut) {
  (void)cut;
  sup_modes_reset((SupModesState *)state);
  if (sup_layer_pushed(c->stack, layer)) {
    float *forces = coupling_of(layer, state);
    for (uint32_t k = 0; k < SUP_SKIN_BLOCK * view_of(layer)->block_count; k++) forces[k] = 0;
  }
  return true;
}

/* ---- A frame ----------------------------------------------------------------------------------
 */

/* Steps longer than the model's h are divided where the poses in between can be asked for. Forces
 * on a follower are the follower's business. */
static void advance(SupStackContext *c, const SupLayer *layer, void *state, double ago) {
  const SupModesView *model = view_of(layer);
  const double from = c->stands[layer->index], way = from - ago, count = way / (double)model->h;
  const bool balanced = sup_stack_has_trait(c->stack, SUP_TRAIT_STATIC_GRAVITY, NULL);
  uint32_t parts = 1;
  if (c->frame->pose_at && count > 1) {
    parts = count < PARTS_MOST ? (uint32_t)(count + 1 - SUP_TIME_SLACK) : PARTS_MOST;
  }
  for (uint32_t k = 1; k <= parts; k++) {
    sup_context_bones(c, k == parts ? ago : from - way * k / parts);
    SupModesForces forces = {.balanced = balanced};
    if (sup_layer_pushed(c->stack, layer)) forces.modal = coupling_of(layer, state);
    if (balanced || !sup_stack_has_trait(c->stack, SUP_TRAIT_GRAVITY, layer)) {
      forces.gravity = sup_context_gravity(c);
    }
    sup_modes_step(model, (SupModesState *)state, c->backend, (float)(way / parts), c->palette,
                   &forces);
  }
}

static uint32_t morph(SupStackContext *c, const SupLayer *layer, void *state, float *base_weights,
                      SupSkinLayer *out_layers) {
  const SupModesView *model = view_of(layer);
  const SupModesControls *controls =
      (const SupModesControls *)sup_frame_controls(c->frame, SUP_MODES_KIND);
  const float lod = controls ? controls->lod : 0, all = (float)model->mode_count;
  float *weights = weights_of(layer, state);
  float *driven =
      base_weights ? base_weights : weights + model->skin.morph_count - model->mode_count;
  sup_modes_weights(model, (const SupModesState *)state, lod > 0 ? lod : all, c->fade, driven);
  if (base_weights) return 0;
  *out_layers = (SupSkinLayer){.skin = &model->skin, .weights = weights};
  return 1;
}

static void push_back(SupStackContext *c, const SupLayer *layer, void *state,
                      SupDeviation deviation, float fraction) {
  sup_modes_couple(view_of(layer), c->palette, deviation, fraction, coupling_of(layer, state));
}

const SupTechnique sup_modes_technique = {
    .kind = SUP_MODES_KIND,
    .name = "modes",
    .version = SUP_MODES_VERSION,
    .stage = SUP_STAGE_OFFSET,
    .check = sup_modes_check,
    .describe = describe,
    .view_bytes = sizeof(SupModesView),
    .open = open_modes,
    .skin = skin_of,
    .skin_rank = 6,
    .offer = offer,
    .bytes = bytes,
    .init = init,
    .reset = reset,
    .advance = advance,
    .morph = morph,
    .push_back = push_back,
};
