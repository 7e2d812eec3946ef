/* SPDX-License-Identifier: MIT */
#include "breath.h"

#include "supple/author/skin_pack.h"
#include "supple/stack.h"

#define NUMBERS SUP_FOURCC('B', 'R', 'N', 'M') /* frequency, amplitude */

/* ---- Breath: the model ------------------------------------------------------------------------
 */

typedef struct BreathView {
  SupSkinView skin; /* its last morph target is the breath */
  float frequency, amplitude;
} BreathView;

static SupResult check(const SupModel *model, SupError *error) {
  uint64_t count = 0;
  SupResult result = sup_skin_check(model, error);
  if (result) return result;
  const float *numbers = (const float *)sup_model_section(model, NUMBERS, sizeof(float), &count);
  if (!numbers || count != 2 || sup_skin_view(model).morph_count == 0 ||
      !(numbers[0] > 0 && numbers[0] < 100 && numbers[1] >= -10 && numbers[1] <= 10)) {
    return sup_fail(error, SUP_ERROR_FORMAT, "the breath model's numbers are damaged");
  }
  return SUP_OK;
}

static void open_breath(const SupModel *model, void *out_view) {
  const float *numbers = (const float *)sup_model_section(model, NUMBERS, sizeof(float), NULL);
  *(BreathView *)out_view = (BreathView){sup_skin_view(model), numbers[0], numbers[1]};
}

static const SupSkinView *breath_skin(const void *view) {
  return &((const BreathView *)view)->skin;
}

static void offer(const void *view, SupLayerOffer *out) {
  (void)view;
  out->target_count = 1;
}

static void describe(const SupModel *model, const SupFacts *facts) {
  BreathView view;
  open_breath(model, &view);
  facts->line(facts->user, "breath", "in and out");
  facts->number(facts->user, "frequency", (double)view.frequency);
}

/* ---- Breath: a frame --------------------------------------------------------------------------
 */

typedef struct Breath {
  double time; /* seconds since the start */
} Breath;

static const BreathView *view_of(const SupLayer *layer) {
  return (const BreathView *)sup_layer_view(layer);
}

/* The time, then weights for where another layer's skin is the stack's. */
static size_t bytes(const SupStack *stack, const SupLayer *layer) {
  (void)stack;
  return sizeof(Breath) + view_of(layer)->skin.morph_count * sizeof(float);
}

static bool reset(SupStackContext *c, const SupLayer *layer, void *state, bool cut) {
  (void)c, (void)layer, (void)cut;
  ((Breath *)state)->time = 0;
  return true;
}

static void advance(SupStackContext *c, const SupLayer *layer, void *state, double ago) {
  ((Breath *)state)->time += c->stands[layer->index] - ago;
}

static uint32_t morph(SupStackContext *c, const SupLayer *layer, void *state, float *base_weights,
                      SupSkinLayer *out_layers) {
  const BreathView *view = view_of(layer);
  float *own = (float *)(void *)((Breath *)state + 1);
  float *driven = base_weights ? base_weights : own + view->skin.morph_count - 1;
  const double turn = 2 * SUP_PI * (double)view->frequency * ((const Breath *)state)->time;
  *driven = c->fade * view->amplitude * (float)sup_sin(turn);
  if (base_weights) return 0;
  *out_layers = (SupSkinLayer){.skin = &view->skin, .weights = own};
  return 1;
}

const SupTechnique breath_technique = {
    .kind = BREATH_KIND,
    .name = "breath",
    .version = 1,
    .stage = SUP_STAGE_OFFSET,
    .check = check,
    .describe = describe,
    .view_bytes = sizeof(BreathView),
    .open = open_breath,
    .skin = breath_skin,
    .skin_rank = 4,
    .offer = offer,
    .bytes = bytes,
    .reset = reset,
    .advance = advance,
    .morph = morph,
};

/* ---- Twice ------------------------------------------------------------------------------------
 */

static void open_twice(const SupModel *model, void *out_view) {
  *(SupSkinView *)out_view = sup_skin_view(model);
}

static const SupSkinView *twice_skin(const void *view) { return (const SupSkinView *)view; }

static void goal(SupStackContext *c, const SupLayer *layer, void *state, double ago,
                 const SupGoal *out) {
  const SupSkinView *skin = twice_skin(sup_layer_view(layer));
  const float *m = c->palette[0].m;
  (void)state, (void)ago;
  for (uint32_t lane = 0; lane < SUP_SKIN_BLOCK * skin->block_count; lane++) {
    const uint32_t block = lane / SUP_SKIN_BLOCK, i = lane % SUP_SKIN_BLOCK;
    const uint32_t rows = sup_skin_record_rows(skin->flags);
    const float *rest =
        skin->records + SUP_SKIN_BLOCK * (rows * block + skin->bone_first[block]) + i;
    const SupVec3 x = {2 * rest[0], 2 * rest[SUP_SKIN_BLOCK], 2 * rest[2 * SUP_SKIN_BLOCK]};
    const SupVec3 p = sup_affine_point(c->palette[0], x);
    float *to = out->positions + 3 * SUP_SKIN_BLOCK * block + i;
    to[0] = p.x, to[SUP_SKIN_BLOCK] = p.y, to[2 * SUP_SKIN_BLOCK] = p.z;
    for (uint32_t k = 0; out->frames && k < 9; k++) {
      out->frames[SUP_SKIN_BLOCK * (9 * block + k) + i] = 2 * m[k];
    }
    for (uint32_t k = 0; out->normals && k < 3; k++) { /* outwards is good enough */
      out->normals[SUP_SKIN_BLOCK * (3 * block + k) + i] = k == 1 ? 0 : rest[SUP_SKIN_BLOCK * k];
    }
  }
}

const SupTechnique twice_technique = {
    .kind = TWICE_KIND,
    .name = "twice",
    .version = 1,
    .stage = SUP_STAGE_SHAPE,
    .check = sup_skin_check,
    .view_bytes = sizeof(SupSkinView),
    .open = open_twice,
    .skin = twice_skin,
    .skin_rank = 1,
    .goal = goal,
};

/* ---- Lists and models -------------------------------------------------------------------------
 */

const SupTechnique *const *breath_techniques(void) {
  static const SupTechnique *list[32];
  uint32_t count = 0;
  for (const SupTechnique *const *t = sup_techniques(); *t; t++) list[count++] = *t;
  list[count++] = &twice_technique;
  list[count++] = &breath_technique;
  list[count] = NULL;
  return list;
}

SupModel *breath_pack(SupArena *arena, const SupCharacter *character, float frequency,
                      float amplitude, SupVec3 way, SupError *error) {
  const uint32_t n = character->body.vertex_count;
  SupVec3 *offsets = SUP_ALLOC(arena, SupVec3, n);
  if (!offsets) return NULL;
  for (uint32_t v = 0; v < n; v++) offsets[v] = way;
  const SupMorph morphs[1] = {{.name = "breath", .offsets = offsets}};
  SupCharacter breathing = *character;
  breathing.morph_count = 1;
  breathing.morphs = morphs;
  SupSkinView skin;
  if (sup_skin_pack_character(arena, &breathing, SUP_ORDER_BODY, &skin, error)) return NULL;
  const float numbers[2] = {frequency, amplitude};
  const SupModelPart part = {NUMBERS, sizeof(float), 2, numbers};
  const SupModelDef def = {.kind = BREATH_KIND,
                           .version = 1,
                           .h = 1.0f / 60,
                           .part_count = 1,
                           .parts = &part,
                           .techniques = breath_techniques()};
  SupModel *model;
  return sup_skin_pack_model(arena, character, &skin, &def, &model, error) ? NULL : model;
}

SupModel *twice_pack(SupArena *arena, const SupCharacter *character, SupError *error) {
  SupSkinView skin;
  if (sup_skin_pack_character(arena, character, SUP_ORDER_BODY, &skin, error)) return NULL;
  const SupModelDef def = {
      .kind = TWICE_KIND, .version = 1, .h = 1.0f / 60, .techniques = breath_techniques()};
  SupModel *model;
  return sup_skin_pack_model(arena, character, &skin, &def, &model, error) ? NULL : model;
}
