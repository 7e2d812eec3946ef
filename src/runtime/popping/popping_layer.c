/* SPDX-License-Identifier: MIT */
/*
 * Popping in a stack: relaxed shapes of the pairs where no other layer knows the shape of a pose,
 * and the bulge of muscles that are activated.
 */
#include "runtime/techniques.h"
#include "supple/popping.h"
#include "supple/stack.h"

#define EVENTS_MOST 64 /* heard in one step */

_Static_assert(sizeof(SupPoppingView) <= SUP_LAYER_VIEW, "view");

static const SupPoppingView *view_of(const SupLayer *layer) {
  return (const SupPoppingView *)sup_layer_view(layer);
}

static void open_popping(const SupModel *model, void *out_view) {
  *(SupPoppingView *)out_view = sup_popping_view(model);
}

static const SupSkinView *skin_of(const void *view) {
  return &((const SupPoppingView *)view)->poses.skin;
}

static void offer(const void *view, SupLayerOffer *out) {
  const SupPoppingView *model = (const SupPoppingView *)view;
  out->joint_count = model->poses.joint_count;
  out->target_count = model->pair_count;
  out->rings = (SupLaneRings){model->one_ring_first, model->one_rings};
}

static void describe(const SupModel *model, const SupFacts *facts) {
  const SupPoppingView view = sup_popping_view(model);
  facts->number(facts->user, "poses", view.pair_count);
  facts->open(facts->user, "muscle_groups", true);
  for (uint32_t g = 0; g < view.group_count; g++) {
    const char *name = view.names + (size_t)SUP_POPPING_NAME * g;
    facts->line(facts->user, g ? "" : "muscles", name);
    facts->text(facts->user, NULL, name);
  }
  facts->close(facts->user);
}

/* ---- State: the muscles; then weights of the pairs, the same fading, those of the relaxed shapes
 * as a layer, and the features of the pose. */

static float *numbers_of(const SupLayer *layer, void *state) {
  return (float *)(void *)((char *)state + sup_popping_bytes(view_of(layer)));
}

static size_t bytes(const SupStack *stack, const SupLayer *layer) {
  const SupPoppingView *model = view_of(layer);
  (void)stack;
  return sup_popping_bytes(model) + (2 * model->pair_count + model->poses.skin.morph_count +
                                     sup_correctives_features(&model->poses)) *
                                        sizeof(float);
}

static void init(const SupStack *stack, const SupLayer *layer, void *state) {
  (void)stack;
  sup_popping_init(view_of(layer), state);
}

static bool reset(SupStackContext *c, const SupLayer *layer, void *state, bool cut) {
  (void)c, (void)layer;
  if (cut) sup_popping_reset((SupPoppingState *)state); /* a jump is nothing to a muscle */
  return cut;
}

/* ---- A frame ----------------------------------------------------------------------------------
 */

/* With what the muscles are told until then. */
static void advance(SupStackContext *c, const SupLayer *layer, void *state, double ago) {
  const SupPoppingControls *controls =
      (const SupPoppingControls *)sup_frame_controls(c->frame, SUP_POPPING_KIND);
  const double from = c->stands[layer->index];
  const bool heard = c->advanced[layer->index]; /* those that are older than that */
  SupPoppingEvent events[EVENTS_MOST];
  uint32_t count = 0;
  for (uint32_t k = 0; controls && k < controls->event_count; k++) {
    const double when = controls->events[k].ago > 0 ? (double)controls->events[k].ago : 0;
    if (when < ago || (heard && when >= from)) continue;
    if (count == EVENTS_MOST) break;
    events[count] = controls->events[k];
    events[count++].ago = (float)(when - ago);
  }
  sup_popping_step(view_of(layer), (SupPoppingState *)state, c->backend, from - ago, count, events);
}

/* How near the pose is to that of every pair. */
static void weigh_pairs(const SupStackContext *c, const SupPoppingView *model, float *numbers) {
  const SupCorrectivesView *poses = &model->poses;
  float *features = numbers + 2 * model->pair_count + poses->skin.morph_count;
  const SupVec3 none = {0, 0, 0};
  sup_correctives_read(poses, c->pose, c->palette, none, features);
  sup_correctives_weights(poses, features, numbers);
}

static uint32_t morph(SupStackContext *c, const SupLayer *layer, void *state, float *base_weights,
                      SupSkinLayer *out_layers) {
  const SupPoppingView *model = view_of(layer);
  float *pairs = numbers_of(layer, state), *faded = pairs + model->pair_count;
  uint32_t count = 0;
  weigh_pairs(c, model, pairs);
  const bool known = sup_stack_has_trait(c->stack, SUP_TRAIT_STATIC_SHAPE, NULL);
  if (base_weights) {
    for (uint32_t k = 0; k < model->pair_count; k++) base_weights[k] = known ? 0 : pairs[k];
  } else if (!known) {
    float *relaxed = faded + model->pair_count;
    const uint32_t own = model->poses.skin.morph_count - model->pair_count;
    for (uint32_t k = 0; k < model->pair_count; k++) relaxed[own + k] = pairs[k];
    out_layers[count++] = (SupSkinLayer){.skin = &model->poses.skin, .weights = relaxed};
  }
  const float *fractions = sup_popping_show(model, (SupPoppingState *)state, c->backend);
  if (fractions && c->fade > 0) {
    for (uint32_t k = 0; k < model->pair_count; k++) faded[k] = c->fade * pairs[k];
    out_layers[count++] =
        (SupSkinLayer){.skin = &model->bulge, .weights = faded, .fractions = fractions};
  }
  return count;
}

const SupTechnique sup_popping_technique = {
    .kind = SUP_POPPING_KIND,
    .name = "popping",
    .version = SUP_POPPING_VERSION,
    .stage = SUP_STAGE_OFFSET,
    .check = sup_popping_check,
    .describe = describe,
    .view_bytes = sizeof(SupPoppingView),
    .open = open_popping,
    .skin = skin_of,
    .skin_rank = 4,
    .offer = offer,
    .bytes = bytes,
    .init = init,
    .reset = reset,
    .advance = advance,
    .morph = morph,
};
