/* SPDX-License-Identifier: MIT */
/*
 * Correctives in a stack: what the pose adds to the goal, as weights of morph targets. Where the
 * stack's skin is another layer's they go over it; the character's own targets are in both skins
 * and count in the stack's.
 */
#include "runtime/techniques.h"
#include "supple/correctives.h"

_Static_assert(sizeof(SupCorrectivesView) <= SUP_LAYER_VIEW, "view");

static void open_correctives(const SupModel *model, void *out_view) {
  *(SupCorrectivesView *)out_view = sup_correctives_view(model);
}

static const SupSkinView *skin_of(const void *view) {
  return &((const SupCorrectivesView *)view)->skin;
}

static void offer(const void *view, SupLayerOffer *out) {
  const SupCorrectivesView *model = (const SupCorrectivesView *)view;
  out->traits = SUP_TRAIT_STATIC_SHAPE | (model->heavy_count ? SUP_TRAIT_STATIC_GRAVITY : 0u);
  out->joint_count = model->joint_count;
  out->target_count = model->component_count;
}

static void describe(const SupModel *model, const SupFacts *facts) {
  const SupCorrectivesView view = sup_correctives_view(model);
  char text[96];
  sup_format(text, sizeof text, "%u components from %u joints%s", view.component_count,
             view.driver_count, view.heavy_count ? " and gravity" : "");
  facts->line(facts->user, "shape", text);
  facts->number(facts->user, "components", view.component_count);
  facts->number(facts->user, "drivers", view.driver_count);
  facts->flag(facts->user, "gravity", view.heavy_count > 0);
}

/* Features of the pose, then the weights of the layer's own skin where that goes over another. */
static size_t bytes(const struct SupStack *stack, const SupLayer *layer) {
  const SupCorrectivesView *model = (const SupCorrectivesView *)sup_layer_view(layer);
  (void)stack;
  return (sup_correctives_features(model) + (layer->base ? 0 : model->skin.morph_count)) *
         sizeof(float);
}

static uint32_t morph(SupStackContext *c, const SupLayer *layer, void *state, float *base_weights,
                      SupSkinLayer *out_layers) {
  const SupCorrectivesView *model = (const SupCorrectivesView *)sup_layer_view(layer);
  float *features = (float *)state, *weights = features + sup_correctives_features(model);
  float *driven =
      base_weights ? base_weights : weights + model->skin.morph_count - model->component_count;
  sup_correctives_read(model, c->pose, c->palette, sup_context_gravity(c), features);
  sup_correctives_weights(model, features, driven);
  if (base_weights) return 0;
  *out_layers = (SupSkinLayer){.skin = &model->skin, .weights = weights};
  return 1;
}

const SupTechnique sup_correctives_technique = {
    .kind = SUP_CORRECTIVES_KIND,
    .name = "correctives",
    .version = SUP_CORRECTIVES_VERSION,
    .stage = SUP_STAGE_SHAPE,
    .check = sup_correctives_check,
    .describe = describe,
    .view_bytes = sizeof(SupCorrectivesView),
    .open = open_correctives,
    .skin = skin_of,
    .skin_rank = 5,
    .offer = offer,
    .bytes = bytes,
    .morph = morph,
};
