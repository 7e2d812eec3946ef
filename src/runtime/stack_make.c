/* SPDX-License-Identifier: MIT */
/* Making a stack: which models run together, whether they fit, and where a state keeps what. */
#include "stack_actor.h"

#define COOKIE SUP_FOURCC('s', 't', 'd', 'f')

SupStage sup_stack_stage(uint32_t kind) {
  switch (kind) {
    case SUP_HELPERS_KIND: return SUP_STAGE_BONES;
    case SUP_SKIN_KIND:
    case SUP_CORRECTIVES_KIND: return SUP_STAGE_SHAPE;
    case SUP_MODES_KIND:
    case SUP_POPPING_KIND: return SUP_STAGE_OFFSET;
    case SUP_SURFACE_KIND: return SUP_STAGE_DYNAMICS;
    default: return SUP_STAGE_COUNT;
  }
}

SupStackDef sup_stack_def(void) {
  return (SupStackDef){.cookie = COOKIE, .longest = 0.25f, .fade_seconds = 0.25f};
}

static const char *kind_name(uint32_t kind) {
  const SupModelKind *found = sup_model_kind(sup_model_kinds(), kind);
  return found ? found->name : "unknown";
}

static SupResult check_models(const SupStackDef *def, SupError *error) {
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "stack: start from sup_stack_def()");
  }
  if (def->model_count == 0 || def->model_count > SUP_STACK_MODELS) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "stack: %u models; between 1 and %u can run together", def->model_count,
                    SUP_STACK_MODELS);
  }
  for (uint32_t k = 0; k < def->model_count; k++) {
    const uint32_t kind = def->models[k]->kind;
    if (sup_stack_stage(kind) == SUP_STAGE_COUNT) {
      return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                      "stack: a model of kind %s has no place in a frame", kind_name(kind));
    }
    for (uint32_t i = 0; i < k; i++) {
      if (def->models[i]->kind == kind) {
        return sup_fail(error, SUP_ERROR_ARGUMENT,
                        "stack: there are two %s models; keep one, or build with --fresh",
                        kind_name(kind));
      }
      if (def->models[i]->mesh.topology != def->models[k]->mesh.topology ||
          def->models[i]->mesh.vertex_count != def->models[k]->mesh.vertex_count) {
        return sup_fail(
            error, SUP_ERROR_ARGUMENT,
            "stack: the %s and the %s model belong to different meshes: build one again",
            kind_name(def->models[i]->kind), kind_name(kind));
      }
    }
  }
  return SUP_OK;
}

static const SupModel *find_model(const SupStackDef *def, uint32_t kind) {
  for (uint32_t k = 0; k < def->model_count; k++) {
    if (def->models[k]->kind == kind) return def->models[k];
  }
  return NULL;
}

/* Goals are made by one model's skin, morphed by another's and followed by the surface: lane by
 * lane. */
static bool same_lanes(const SupSkinView *a, const SupSkinView *b) {
  bool same = a->block_count == b->block_count;
  for (uint32_t i = 0; same && i < SUP_SKIN_BLOCK * a->block_count; i++) {
    same = a->order[i] == b->order[i];
  }
  return same;
}

static SupResult check_joints(const SupStackDef *def, const char *what, uint32_t joints,
                              SupError *error) {
  if (joints == def->skeleton->joint_count) return SUP_OK;
  return sup_fail(error, SUP_ERROR_ARGUMENT,
                  "stack: the %s were made for %u joints, the skeleton has %u: build them again",
                  what, joints, def->skeleton->joint_count);
}

static SupResult check_bones(const SupStackDef *def, const SupSkinView *skin, SupError *error) {
  if (skin->bone_count == def->skeleton->bone_count) return SUP_OK;
  return sup_fail(error, SUP_ERROR_ARGUMENT,
                  "stack: the model was made for %u bones, the skeleton has %u: build it again",
                  skin->bone_count, def->skeleton->bone_count);
}

/* Every model was made for this skeleton: what they index are its joints and bones. */
static SupResult check_skeleton(const SupStack *stack, SupError *error) {
  const SupStackDef *def = &stack->def;
  SupResult result = check_bones(def, &stack->skin, error);
  if (!result && stack->has_surface) result = check_bones(def, &stack->surface.skin, error);
  if (!result && stack->has_modes) result = check_bones(def, &stack->modes.skin, error);
  if (!result && stack->has_correctives) result = check_bones(def, &stack->correctives.skin, error);
  if (!result && stack->has_popping) result = check_bones(def, &stack->popping.bulge, error);
  if (!result && stack->has_helpers) result = check_bones(def, &stack->helpers.skin, error);
  if (!result && stack->has_correctives) {
    result = check_joints(def, "correctives", stack->correctives.joint_count, error);
  }
  if (!result && stack->has_popping) {
    result = check_joints(def, "muscles", stack->popping.postures.joint_count, error);
  }
  if (!result && stack->has_helpers) {
    result = check_joints(def, "helpers", stack->helpers.joint_count, error);
  }
  return result;
}

static SupResult check_fit(const SupStack *stack, SupError *error) {
  const SupStackDef *def = &stack->def;
  SupResult result = check_skeleton(stack, error);
  if (result) return result;
  if ((stack->has_surface && !same_lanes(&stack->skin, &stack->surface.skin)) ||
      (stack->has_popping && !same_lanes(&stack->skin, &stack->popping.bulge))) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "stack: the models order the vertices differently: build one again");
  }
  if (stack->has_correctives && !same_lanes(&stack->skin, &stack->correctives.skin)) {
    return sup_fail(
        error, SUP_ERROR_ARGUMENT,
        "stack: the correctives and the modes order the vertices differently: build one "
        "again");
  }
  if (def->space == SUP_SPACE_JOINT && def->space_joint >= def->skeleton->joint_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "stack: joint %u as space, but there are only %u",
                    def->space_joint, def->skeleton->joint_count);
  }
  for (uint32_t r = 0; r < def->render.vertex_count; r++) {
    if (def->render.to_body[r] >= stack->skin.vertex_count) {
      return sup_fail(error, SUP_ERROR_ARGUMENT, "stack: vertex %u hangs on body vertex %u of %u",
                      r, def->render.to_body[r], stack->skin.vertex_count);
    }
  }
  if (!(def->longest > 0 && def->fade_seconds >= 0 && def->teleport_distance >= 0 &&
        def->teleport_angle >= 0)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "stack: times and limits must not be negative");
  }
  if (!(def->back_coupling >= 0 && def->back_coupling <= 1)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "stack: back_coupling is a share, from 0 to 1");
  }
  return SUP_OK;
}

static void lay_out(SupStack *stack) {
  const SupSkeleton *skeleton = stack->def.skeleton;
  const size_t lanes = (size_t)SUP_SKIN_BLOCK * stack->skin.block_count;
  const size_t bytes[AT_COUNT] = {
      [AT_LAST] = skeleton->joint_count * sizeof(SupTransform),
      [AT_WORK] = skeleton->joint_count * sizeof(SupTransform),
      [AT_GLOBALS] = skeleton->joint_count * sizeof(SupAffine),
      [AT_PALETTE] = skeleton->bone_count * sizeof(SupAffine),
      [AT_DUALS] = skeleton->bone_count * sizeof(SupDualBone),
      [AT_SURFACE] = stack->has_surface ? sup_surface_bytes(&stack->surface) : 0,
      [AT_MODES] = stack->has_modes ? sup_modes_bytes(&stack->modes) : 0,
      [AT_WEIGHTS] = stack->has_modes || stack->has_correctives || stack->has_popping
                         ? stack->skin.morph_count * sizeof(float)
                         : 0,
      [AT_FEATURES] = stack->has_correctives
                          ? sup_correctives_features(&stack->correctives) * sizeof(float)
                          : 0,
      [AT_LAYER] = stack->has_correctives && stack->has_modes
                       ? stack->correctives.skin.morph_count * sizeof(float)
                       : 0,
      [AT_BENDS] = stack->has_modes && stack->has_surface ? lanes * 3 * sizeof(float) : 0,
      [AT_COUPLING] = sup_stack_coupled(stack)
                          ? 2 * SUP_SKIN_BLOCK * stack->modes.block_count * sizeof(float)
                          : 0,
      [AT_POPPING] = stack->has_popping ? sup_popping_bytes(&stack->popping) : 0,
      [AT_POP_WEIGHTS] = stack->has_popping ? (2 * stack->popping.pair_count +
                                               stack->popping.postures.skin.morph_count +
                                               sup_correctives_features(&stack->popping.postures)) *
                                                  sizeof(float)
                                            : 0,
      [AT_PAIRS] = lanes * 8 * sizeof(float),
      [AT_FRAMES] = lanes * 12 * sizeof(float),
      [AT_LANES] = stack->has_surface ? 0 : lanes * sizeof(uint32_t),
      [AT_SCALES] = skeleton->bone_count * sizeof(float),
      [AT_HELPERS] = stack->has_helpers ? sup_helpers_bytes(&stack->helpers) : 0,
      [AT_POSED] = stack->has_helpers ? skeleton->joint_count * sizeof(SupTransform) : 0,
      [AT_MORPHS] = 2 * sup_stack_own_morphs(stack) * sizeof(float)};
  uint64_t at = sizeof(SupStackState);
  for (int k = 0; k < AT_COUNT; k++) {
    at = (at + SUP_ALIGNMENT - 1) / SUP_ALIGNMENT * SUP_ALIGNMENT;
    stack->offsets[k] = at;
    at += bytes[k];
  }
  stack->state_bytes = (at + SUP_ALIGNMENT - 1) / SUP_ALIGNMENT * SUP_ALIGNMENT;
}

SupResult sup_stack_make(const SupStackDef *def, SupStack *out_stack, SupError *error) {
  SupResult result = check_models(def, error);
  if (result) return result;
  const SupModel *surface = find_model(def, SUP_SURFACE_KIND);
  const SupModel *modes = find_model(def, SUP_MODES_KIND);
  const SupModel *correctives = find_model(def, SUP_CORRECTIVES_KIND);
  const SupModel *popping = find_model(def, SUP_POPPING_KIND);
  const SupModel *helpers = find_model(def, SUP_HELPERS_KIND);
  const SupModel *skin = modes         ? modes
                         : correctives ? correctives
                         : popping     ? popping
                         : surface     ? surface
                         : helpers     ? helpers
                                       : find_model(def, SUP_SKIN_KIND);
  SupStack stack = {.def = *def,
                    .has_surface = surface != NULL,
                    .has_correctives = correctives != NULL,
                    .has_modes = modes != NULL,
                    .has_popping = popping != NULL,
                    .has_helpers = helpers != NULL};
  if (helpers) stack.helpers = sup_helpers_view(helpers);
  if (modes) stack.modes = sup_modes_view(modes);
  if (correctives) stack.correctives = sup_correctives_view(correctives);
  if (popping) stack.popping = sup_popping_view(popping);
  if (surface) {
    stack.surface = sup_surface_view(surface);
    stack.h = surface->h;
  }
  stack.skin = modes ? stack.modes.skin : sup_skin_view(skin);
  stack.size = skin->mesh.diagonal;
  stack.vertex_count =
      def->render.vertex_count ? def->render.vertex_count : stack.skin.vertex_count;
  if (stack.skin.vertex_count != skin->mesh.vertex_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "stack: the skin model is of render vertices; pack the body's");
  }
  result = check_fit(&stack, error);
  if (result) return result;
  if (stack.def.teleport_distance == 0) stack.def.teleport_distance = 10 * stack.size;
  lay_out(&stack);
  *out_stack = stack;
  return SUP_OK;
}

size_t sup_stack_bytes(const SupStack *stack) { return (size_t)stack->state_bytes; }

SupStackState *sup_stack_init(const SupStack *stack, void *block) {
  SupStackState *state = (SupStackState *)block;
  sup_zero(block, sup_stack_bytes(stack));
  state->bytes = stack->state_bytes;
  state->fade = 1;
  state->root = sup_transform_identity();
  if (stack->has_helpers) sup_helpers_init(&stack->helpers, sup_stack_at(stack, state, AT_HELPERS));
  if (stack->has_modes) sup_modes_init(&stack->modes, sup_stack_at(stack, state, AT_MODES));
  if (stack->has_popping) {
    sup_popping_init(&stack->popping, sup_stack_at(stack, state, AT_POPPING));
  }
  if (sup_stack_coupled(stack)) {
    sup_stack_couple_init(stack, (float *)sup_stack_at(stack, state, AT_COUPLING));
  }
  if (stack->has_surface) {
    sup_surface_init(&stack->surface, sup_stack_at(stack, state, AT_SURFACE));
  } else {
    uint32_t *lanes = (uint32_t *)sup_stack_at(stack, state, AT_LANES);
    for (uint32_t i = 0; i < stack->skin.vertex_count; i++) lanes[stack->skin.order[i]] = i;
  }
  return state;
}

void sup_stack_reset(SupStackState *state) { state->running = state->helpers_on = 0; }
