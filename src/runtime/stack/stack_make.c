/* SPDX-License-Identifier: MIT */
/* Making a stack: which models run together, whether they fit, and where a state keeps what. */
#include "runtime/stack/stack_context.h"

#define COOKIE SUP_FOURCC('s', 't', 'd', 'f')

SupStage sup_stack_stage(const SupTechnique *const *techniques, uint32_t kind) {
  const SupTechnique *technique = sup_technique_find(techniques, kind);
  return technique ? technique->stage : SUP_STAGE_COUNT;
}

SupStackDef sup_stack_def(void) {
  return (SupStackDef){.cookie = COOKIE, .longest = 0.25f, .fade_seconds = 0.25f};
}

/* ---- The models ------------------------------------------------------------------------------ */

static SupResult check_pair(const SupLayer *a, const SupLayer *b, SupError *error) {
  const char *first = a->technique->name, *second = b->technique->name;
  if (a->technique == b->technique) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "stack: there are two %s models; keep one, or build with --fresh", first);
  }
  if (a->model->mesh.topology != b->model->mesh.topology ||
      a->model->mesh.vertex_count != b->model->mesh.vertex_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "stack: the %s and the %s model belong to different meshes: build one again",
                    first, second);
  }
  if ((a->technique->follow && b->technique->follow) ||
      (a->technique->goal && b->technique->goal)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "stack: the %s and the %s model %s: keep one of them", first, second,
                    a->technique->goal ? "both provide the goal" : "both follow the goal");
  }
  return SUP_OK;
}

/* Before layers of later stages, and of the same stage that come later in the list. */
static bool runs_before(const SupTechnique *a, const SupTechnique *b,
                        const SupTechnique *const *list) {
  if (a->stage != b->stage) return a->stage < b->stage;
  while (*list != a && *list != b) list++;
  return *list == a;
}

/* What the loops of a stack rely on; entries may come from outside the library. */
static bool is_whole(const SupTechnique *t) {
  const bool follows = t->follow != NULL;
  return t->name && t->check && t->open && t->view_bytes <= SUP_LAYER_VIEW &&
         follows == (t->target != NULL) && follows == (t->strike != NULL) &&
         follows == (t->show != NULL) && follows == (t->deviation != NULL) &&
         (t->move_joints != NULL) == (t->fill_joints != NULL) && (!t->init || t->bytes) &&
         (!t->goal || t->skin);
}

/* Every model becomes a layer, in running order. */
static SupResult make_layers(SupStack *stack, SupError *error) {
  const SupStackDef *def = &stack->def;
  for (uint32_t k = 0; k < def->model_count; k++) {
    const SupModel *model = def->models[k];
    const SupTechnique *technique = sup_technique_find(def->techniques, model->kind);
    if (!technique || technique->stage == SUP_STAGE_COUNT) {
      char letters[5];
      sup_fourcc_text(model->kind, letters);
      return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                      "stack: a model of kind %s cannot run in a stack",
                      technique ? technique->name : letters);
    }
    if (!is_whole(technique)) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "stack: the entry of the technique %s lacks a function that goes with others",
                      technique->name);
    }
    SupLayer layer = {.technique = technique, .model = model};
    for (uint32_t i = 0; i < k; i++) {
      SupResult result = check_pair(&stack->layers[i], &layer, error);
      if (result) return result;
    }
    technique->open(model, layer.view);
    if (technique->offer) technique->offer(layer.view, &layer.offer);
    const SupSkinView *skin = technique->skin ? technique->skin(layer.view) : NULL;
    if (layer.offer.target_count > (skin ? skin->morph_count : 0)) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "stack: the %s model drives %u morph targets, its skin has %u",
                      technique->name, layer.offer.target_count, skin ? skin->morph_count : 0);
    }
    uint32_t at = stack->layer_count++;
    for (; at && runs_before(technique, stack->layers[at - 1].technique, def->techniques); at--) {
      stack->layers[at] = stack->layers[at - 1];
    }
    stack->layers[at] = layer;
  }
  return SUP_OK;
}

/* Which layer's skin is the stack's, which follows, which gives the goal. */
static void choose_roles(SupStack *stack) {
  stack->base = stack->follower = stack->provider = SUP_NO_LAYER;
  for (uint32_t k = 0; k < stack->layer_count; k++) {
    SupLayer *layer = &stack->layers[k];
    const SupTechnique *t = layer->technique;
    layer->index = k;
    if (t->move_joints) stack->moves_joints = true;
    if (t->follow) stack->follower = k;
    if (t->goal) stack->provider = k;
    if (t->skin && (stack->base == SUP_NO_LAYER ||
                    t->skin_rank > stack->layers[stack->base].technique->skin_rank)) {
      stack->base = k;
    }
  }
  if (stack->base != SUP_NO_LAYER) stack->layers[stack->base].base = true;
}

/* ---- Do they fit? ---------------------------------------------------------------------------- */

/* Goals are made by one layer's skin, morphed by others' and followed by another: lane by lane. */
static bool same_lanes(const SupSkinView *a, const SupSkinView *b) {
  bool same = a->block_count == b->block_count;
  for (uint32_t i = 0; same && i < SUP_SKIN_BLOCK * a->block_count; i++) {
    same = a->order[i] == b->order[i];
  }
  return same;
}

/* A layer was made for this skeleton, whose joints and bones it indexes, and for these lanes. */
static SupResult check_layer(const SupStack *stack, const SupLayer *layer, SupError *error) {
  const SupSkeleton *skeleton = stack->def.skeleton;
  const SupTechnique *t = layer->technique;
  const SupSkinView *skin = t->skin ? t->skin(layer->view) : NULL;
  if (skin && skin->bone_count != skeleton->bone_count) {
    return sup_fail(
        error, SUP_ERROR_UNSUPPORTED,
        "stack: the %s model was made for %u bones, but the skeleton has %u: build it again",
        t->name, skin->bone_count, skeleton->bone_count);
  }
  if (layer->offer.joint_count && layer->offer.joint_count != skeleton->joint_count) {
    return sup_fail(
        error, SUP_ERROR_UNSUPPORTED,
        "stack: the %s model was made for %u joints, but the skeleton has %u: build it again",
        t->name, layer->offer.joint_count, skeleton->joint_count);
  }
  if (skin && (t->morph || t->goal || t->follow) && !same_lanes(&stack->skin, skin)) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "stack: the %s and the %s model order the vertices differently: build one "
                    "again",
                    stack->layers[stack->base].technique->name, t->name);
  }
  return SUP_OK;
}

static SupResult check_render(const SupStack *stack, SupError *error) {
  const SupStackRender *render = &stack->def.render;
  for (uint32_t r = 0; r < render->vertex_count; r++) {
    if (render->to_body[r] >= stack->skin.vertex_count) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "stack: render vertex %u refers to body vertex %u, but there are %u", r,
                      render->to_body[r], stack->skin.vertex_count);
    }
  }
  return SUP_OK;
}

static SupResult check_def(const SupStackDef *def, SupError *error) {
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "stack: start from sup_stack_def()");
  }
  if (def->model_count == 0 || def->model_count > SUP_STACK_MODELS) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "stack: %u models; between 1 and %u can run together", def->model_count,
                    SUP_STACK_MODELS);
  }
  if (def->space == SUP_SPACE_JOINT && def->space_joint >= def->skeleton->joint_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "stack: the simulation space is joint %u, but there are only %u joints",
                    def->space_joint, def->skeleton->joint_count);
  }
  if (!(def->longest > 0 && def->fade_seconds >= 0 && def->teleport_distance >= 0 &&
        def->teleport_angle >= 0)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "stack: times and limits must not be negative");
  }
  if (!(def->back_coupling >= 0 && def->back_coupling <= 1)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "stack: back_coupling is a fraction, from 0 to 1");
  }
  return SUP_OK;
}

/* Plain skinning alone may be that of render vertices, where the caller's output says so too;
 * techniques live on the body. */
static bool skins_render_vertices(const SupStack *stack) {
  const SupStackRender *render = &stack->def.render;
  const SupTechnique *t = stack->layers[stack->base].technique;
  bool same = stack->def.model_count == 1 && render->vertex_count == stack->skin.vertex_count &&
              !t->morph && !t->goal && !t->follow && !t->move_joints;
  for (uint32_t r = 0; same && r < render->vertex_count; r++) same = render->to_body[r] == r;
  return same;
}

/* What would have to be worked out together, and is not. */
static SupResult check_together(const SupStack *stack, SupError *error) {
  const SupLayer *provider = sup_stack_provider(stack), *knows = NULL;
  if (provider && stack->def.dual_quaternions) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "stack: the %s model gives the goal in place of skinning, which dual "
                    "quaternions cannot change: use linear blending",
                    provider->technique->name);
  }
  for (const SupLayer *l = stack->layers; l < sup_stack_end(stack); l++) {
    if (!(l->offer.traits & SUP_TRAIT_STATIC_SHAPE)) continue;
    if (knows) {
      return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                      "stack: the %s and the %s model both know the shape of every pose: keep one "
                      "of them",
                      knows->technique->name, l->technique->name);
    }
    knows = l;
  }
  return SUP_OK;
}

static SupResult check_fit(const SupStack *stack, SupError *error) {
  const SupLayer *base = &stack->layers[stack->base];
  if (!skins_render_vertices(stack) && stack->skin.vertex_count != base->model->mesh.vertex_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "stack: the skin model has render vertices; pack the skin of the body");
  }
  for (const SupLayer *l = stack->layers; l < sup_stack_end(stack); l++) {
    SupResult result = check_layer(stack, l, error);
    if (result) return result;
  }
  SupResult result = check_together(stack, error);
  return result ? result : check_render(stack, error);
}

/* ---- Layout ---------------------------------------------------------------------------------- */

static uint64_t aligned(uint64_t bytes) {
  return (bytes + SUP_ALIGNMENT - 1) / SUP_ALIGNMENT * SUP_ALIGNMENT;
}

static void lay_out(SupStack *stack) {
  const SupSkeleton *skeleton = stack->def.skeleton;
  const size_t lanes = (size_t)SUP_SKIN_BLOCK * stack->skin.block_count;
  const bool driven = stack->layers[stack->base].offer.target_count > 0;
  bool known = false;
  for (const SupLayer *l = stack->layers; l < sup_stack_end(stack); l++) {
    known = known || l->offer.lanes;
  }
  const size_t bytes[AT_COUNT] = {
      [AT_LAST] = skeleton->joint_count * sizeof(SupTransform),
      [AT_BETWEEN] = skeleton->joint_count * sizeof(SupTransform),
      [AT_GLOBALS] = skeleton->joint_count * sizeof(SupAffine),
      [AT_PALETTE] = skeleton->bone_count * sizeof(SupAffine),
      [AT_DUALS] = skeleton->bone_count * sizeof(SupDualBone),
      [AT_WEIGHTS] = driven ? stack->skin.morph_count * sizeof(float) : 0,
      [AT_PAIRS] = lanes * 8 * sizeof(float),
      [AT_FRAMES] = lanes * 12 * sizeof(float),
      [AT_LANES] = known ? 0 : lanes * sizeof(uint32_t),
      [AT_MORPHS] = 2 * sup_stack_own_morphs(stack) * sizeof(float),
      [AT_MOVED] = stack->moves_joints ? skeleton->joint_count * sizeof(SupTransform) : 0,
      [AT_GOAL_FRAMES] =
          stack->provider == SUP_NO_LAYER
              ? 0
              : lanes * 15 * sizeof(float) + skeleton->bone_count * sizeof(SupAffine)};
  uint64_t at = sizeof(SupStackState);
  for (int k = 0; k < AT_COUNT; k++) {
    stack->offsets[k] = aligned(at);
    at = stack->offsets[k] + bytes[k];
  }
  for (uint32_t k = 0; k < stack->layer_count; k++) {
    SupLayer *layer = &stack->layers[k];
    layer->state = aligned(at);
    layer->state_bytes = layer->technique->bytes ? layer->technique->bytes(stack, layer) : 0;
    at = layer->state + layer->state_bytes;
  }
  stack->state_bytes = aligned(at);
}

SupResult sup_stack_make(const SupStackDef *def, SupStack *out_stack, SupError *error) {
  SupResult result = check_def(def, error);
  if (result) return result;
  SupStack stack = {.def = *def};
  if (!stack.def.techniques) stack.def.techniques = sup_techniques();
  result = make_layers(&stack, error);
  if (result) return result;
  choose_roles(&stack);
  if (stack.base == SUP_NO_LAYER) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "stack: no model contains the skin of the body");
  }
  const SupLayer *base = &stack.layers[stack.base];
  stack.skin = *base->technique->skin(base->view);
  stack.size = base->model->mesh.diagonal;
  stack.vertex_count =
      def->render.vertex_count ? def->render.vertex_count : stack.skin.vertex_count;
  if (stack.follower != SUP_NO_LAYER) stack.h = stack.layers[stack.follower].model->h;
  result = check_fit(&stack, error);
  if (result) return result;
  if (stack.def.teleport_distance == 0) stack.def.teleport_distance = 10 * stack.size;
  lay_out(&stack);
  *out_stack = stack;
  return SUP_OK;
}

const SupLayer *sup_stack_layer(const SupStack *stack, uint32_t kind) {
  for (const SupLayer *l = stack->layers; l < sup_stack_end(stack); l++) {
    if (l->technique->kind == kind) return l;
  }
  return NULL;
}

const void *sup_stack_view(const SupStack *stack, uint32_t kind) {
  const SupLayer *layer = sup_stack_layer(stack, kind);
  return layer ? layer->view : NULL;
}

/* ---- States ---------------------------------------------------------------------------------- */

size_t sup_stack_bytes(const SupStack *stack) { return (size_t)stack->state_bytes; }

SupStackState *sup_stack_init(const SupStack *stack, void *block) {
  SupStackState *state = (SupStackState *)block;
  sup_zero(block, sup_stack_bytes(stack));
  state->bytes = stack->state_bytes;
  state->fade = 1;
  state->root = sup_transform_identity();
  bool known = false;
  for (const SupLayer *l = stack->layers; l < sup_stack_end(stack); l++) {
    known = known || l->offer.lanes;
    if (l->technique->init) l->technique->init(stack, l, (char *)state + l->state);
  }
  uint32_t *lanes = (uint32_t *)sup_stack_at(stack, state, AT_LANES);
  for (uint32_t i = 0; !known && i < stack->skin.vertex_count; i++) {
    lanes[stack->skin.order[i]] = i;
  }
  return state;
}

void *sup_stack_state_of(const SupStack *stack, SupStackState *state, uint32_t kind) {
  const SupLayer *layer = sup_stack_layer(stack, kind);
  return layer && layer->state_bytes ? (char *)state + layer->state : NULL;
}

const SupTransform *sup_stack_joints(const SupStack *stack, SupStackState *state) {
  return stack->moves_joints ? (const SupTransform *)sup_stack_at(stack, state, AT_MOVED) : NULL;
}

void sup_stack_reset(SupStackState *state) { state->running = state->joints_running = 0; }
