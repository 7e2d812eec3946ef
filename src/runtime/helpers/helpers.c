/* SPDX-License-Identifier: MIT */
/* One character's helpers: what the kernels are told, and where their numbers go. */
#include "supple/helpers.h"

#include "base/finite.h"
#include "runtime/helpers/helpers_kernel.h"
#include "runtime/helpers/helpers_materials.h"
#include "runtime/helpers/helpers_parts.h"

#define PAD(count) (((count) + SUP_SKIN_BLOCK - 1) / SUP_SKIN_BLOCK * SUP_SKIN_BLOCK)
#define OUTPUTS SUP_HELPERS_OUTPUTS
#define TOO_SHORT 0.02f /* of a step: no velocity can be told from that */

SupHelpersControls sup_helpers_controls(void) {
  return (SupHelpersControls){.lod = SUP_HELPERS_FULL, .fade_seconds = 0.2f, .exaggerate = 1};
}

/* ---- State ----------------------------------------------------------------------------------- */

static uint64_t take(uint64_t *io_at, size_t floats) {
  const uint64_t at = *io_at;
  *io_at = (at + floats * sizeof(float) + SUP_ALIGNMENT - 1) / SUP_ALIGNMENT * SUP_ALIGNMENT;
  return at;
}

/* Numbers of all helpers, with room behind for a vector that begins at the last one's. */
static size_t numbers(const SupHelpersView *model) {
  return OUTPUTS * PAD((size_t)model->helper_count + 2);
}

static SupHelpersState lay_out(const SupHelpersView *model) {
  SupHelpersState s = {.seen = 0, .shown_static = 1, .shown_dynamic = 1};
  const size_t helpers = HELPERS_PAD((size_t)model->helper_count);
  const size_t turns = HELPERS_PAD((size_t)model->turn_count);
  const size_t frames = HELPERS_PAD((size_t)model->frame_count);
  size_t rows = 0;
  for (uint32_t h = 0; h < model->helper_count; h++) rows += sup_helpers_rows(&model->bones[h]);
  uint64_t at = 0;
  take(&at, sizeof s / sizeof(float));
  s.places = take(&at, turns + 2 * frames + 2 * helpers);
  s.past = take(&at, HELPERS_PAST * frames);
  s.u = take(&at, model->input_count);
  s.z = take(&at, SUP_SKIN_BLOCK * rows);
  s.limits = take(&at, 2 * SUP_SKIN_BLOCK * (size_t)model->helper_count);
  s.rotations = take(&at, 4 * helpers);
  s.moves = take(&at, 3 * numbers(model)); /* what is shown, the swings in it of the last step and
                                              of a peek */
  if (model->material_count > 0) {
    s.fractions = take(&at, model->material_count);
    s.matrices = take(&at, sup_helpers_matrix_count(model));
  }
  s.bytes = at;
  return s;
}

static float *array(SupHelpersState *state, uint64_t offset) {
  return (float *)(void *)((char *)state + offset);
}

/* Where a lane finds its numbers: turns in the pose's joints, frames among joints in the scene and
 * in the model, helpers in the model and among moves. Spare lanes look where the first does. */
typedef struct Places {
  uint32_t *turns, *frames, *points, *bones, *moves;
} Places;

static Places places_of(const SupHelpersView *model, SupHelpersState *state) {
  uint32_t *at = (uint32_t *)(void *)((char *)state + state->places);
  Places p;
  p.turns = at, at += HELPERS_PAD(model->turn_count);
  p.frames = at, at += HELPERS_PAD(model->frame_count);
  p.points = at, at += HELPERS_PAD(model->frame_count);
  p.bones = at, at += HELPERS_PAD(model->helper_count);
  p.moves = at;
  return p;
}

#define FLOATS(type) ((uint32_t)(sizeof(type) / sizeof(float)))
#define FLOATS_BEFORE(type, field) ((uint32_t)(offsetof(type, field) / sizeof(float)))

static void find_places(const SupHelpersView *model, SupHelpersState *state) {
  const Places p = places_of(model, state);
  for (uint32_t k = 0; k < HELPERS_PAD(model->turn_count); k++) {
    const uint32_t t = k < model->turn_count ? k : 0;
    p.turns[k] = FLOATS(SupTransform) * model->turns[t] + FLOATS_BEFORE(SupTransform, rotation);
  }
  for (uint32_t k = 0; k < HELPERS_PAD(model->frame_count); k++) {
    const uint32_t f = k < model->frame_count ? k : 0;
    p.frames[k] = FLOATS(SupAffine) * model->frames[f].joint;
    p.points[k] = FLOATS(SupHelpersFrame) * f;
  }
  for (uint32_t k = 0; k < HELPERS_PAD(model->helper_count); k++) {
    const uint32_t h = k < model->helper_count ? k : 0;
    p.bones[k] = FLOATS(SupHelpersBone) * h + FLOATS_BEFORE(SupHelpersBone, rest.rotation);
    p.moves[k] = OUTPUTS * h + 2; /* the last four of six */
  }
}

void sup_helpers_limit(const SupHelpersView *model, const float *matrices, SupHelpersState *state) {
  float *limits = array(state, state->limits);
  for (uint32_t h = 0; h < model->helper_count; h++, limits += 2 * SUP_SKIN_BLOCK) {
    const float *range = matrices + model->bones[h].range_at;
    for (uint32_t o = 0; o < OUTPUTS; o++) {
      limits[o] = range[2 * o];
      limits[SUP_SKIN_BLOCK + o] = range[2 * o + 1];
    }
  }
}

uint32_t sup_helpers_uses(const SupHelpersView *model) {
  const uint32_t first = 3 * model->turn_pad, all = (1u << (SUP_HELPERS_ROWS / 3)) - 1;
  uint32_t uses = 0;
  for (uint32_t h = 0; h < model->helper_count && uses != all; h++) {
    const uint32_t *list = model->lists + model->bones[h].inputs_at;
    for (uint32_t k = 0; k < model->bones[h].inputs; k++) {
      if (list[k] < first || list[k] + 1 == model->input_count) continue;
      uses |= HELPERS_USES((list[k] - first) / model->frame_pad);
    }
  }
  return model->helper_count > 0 ? uses : all;
}

size_t sup_helpers_bytes(const SupHelpersView *model) { return (size_t)lay_out(model).bytes; }

SupHelpersState *sup_helpers_init(const SupHelpersView *model, void *block) {
  SupHelpersState *state = (SupHelpersState *)block;
  const SupHelpersState s = lay_out(model);
  sup_zero(block, (size_t)s.bytes);
  *state = s;
  state->uses = sup_helpers_uses(model);
  find_places(model, state);
  sup_helpers_limit(model, model->matrices, state);
  if (s.fractions) {
    sup_copy(array(state, s.fractions), model->fractions, model->material_count * sizeof(float));
  }
  array(state, s.u)[model->input_count - 1] = 1;
  return state;
}

void sup_helpers_reset(SupHelpersState *state) { state->seen = 0; }

const float *sup_helpers_moves(const SupHelpersState *state) {
  return (const float *)(const void *)((const char *)state + state->moves);
}

SupResult sup_helpers_blend(SupArena *scratch, const SupHelpersView *model,
                            SupHelpersState *io_state, const float *fractions, SupError *error) {
  float *matrices = array(io_state, io_state->matrices);
  const SupResult result = sup_helpers_mix(scratch, model, fractions, matrices, error);
  if (result != SUP_OK) return result;
  sup_copy(array(io_state, io_state->fractions), fractions,
           model->material_count * sizeof *fractions);
  io_state->blended = 1;
  sup_helpers_limit(model, matrices, io_state);
  return SUP_OK;
}

const float *sup_helpers_fractions(const SupHelpersState *state) {
  if (!state->fractions) return NULL;
  return (const float *)(const void *)((const char *)state + state->fractions);
}

/* ---- Reading poses --------------------------------------------------------------------------- */

static void read_inputs(const SupHelpersView *model, SupHelpersState *state,
                        const SupBackend *backend, SupVec3 gravity, const SupPose *pose,
                        const SupAffine *globals, float part, bool keep) {
  const float has[2] = {state->seen == 1 || state->seen == 2 ? 1.0f : 0.0f,
                        state->seen == 2 ? 1.0f : 0.0f};
  const Places p = places_of(model, state);
  const SupHelpersReadCall call = {.model = model,
                                   .moving = state->shown_dynamic > 0,
                                   .uses = state->uses,
                                   .turns = (const float *)(const void *)pose->joints,
                                   .frames = (const float *)(const void *)globals,
                                   .turn_at = p.turns,
                                   .frame_at = p.frames,
                                   .point_at = p.points,
                                   .past = array(state, state->past),
                                   .u = array(state, state->u),
                                   .has = has,
                                   .rate = 1 / (part * model->h),
                                   .rate_twice = 2 / ((1 + part) * model->h),
                                   .gravity = gravity,
                                   .keep = keep};
  backend->helpers_read(&call);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* The state in which these inputs leave everything, whatever the blend: time that goes at another
 * pace comes to rest in the same place. */
static void settle(const SupHelpersView *model, SupHelpersState *state) {
  const float *u = array(state, state->u);
  float *z = array(state, state->z);
  for (uint32_t h = 0; h < model->helper_count; h++) {
    const SupHelpersBone *bone = &model->bones[h];
    const uint32_t *list = model->lists + bone->inputs_at;
    const float *row = model->matrices + bone->settle_at;
    for (uint32_t k = 0; k < bone->states; k++, row += bone->inputs + 1) {
      float sum = row[bone->inputs];
      for (uint32_t i = 0; i < bone->inputs; i++) sum += row[i] * u[list[i]];
      z[OUTPUTS + k] = sum;
    }
    z += SUP_SKIN_BLOCK * sup_helpers_rows(bone);
  }
}

float sup_helpers_fade(float shown, float target, float step) {
  if (shown < target) return shown + step < target ? shown + step : target;
  return shown - step > target ? shown - step : target;
}

static void write_joints(const SupHelpersView *model, SupHelpersState *state,
                         SupTransform *io_joints) {
  const size_t pad = HELPERS_PAD((size_t)model->helper_count);
  const float *m = array(state, state->moves), *q = array(state, state->rotations);
  for (uint32_t h = 0; h < model->helper_count; h++, m += OUTPUTS) {
    const SupTransform *rest = &model->bones[h].rest;
    SupTransform *out = &io_joints[model->bones[h].joint];
    out->translation = sup_vec3_add(rest->translation, (SupVec3){m[0], m[1], m[2]});
    out->rotation = (SupQuat){q[h], q[pad + h], q[2 * pad + h], q[3 * pad + h]};
    out->scale = rest->scale;
  }
}

bool sup_helpers_reads_finite(const SupHelpersView *model, const SupPose *pose,
                              const SupAffine *globals) {
  SupFourBits found = {0, 0, 0, 0};
  for (uint32_t t = 0; t < model->turn_count; t++) {
    found = sup_infinite_quads(found, &pose->joints[model->turns[t]].rotation, 1);
  }
  for (uint32_t f = 0; f < model->frame_count; f++) {
    found = sup_infinite_quads(found, &globals[model->frames[f].joint], 3);
  }
  return !sup_any_infinite(found);
}

void sup_helpers_hold(const SupHelpersView *model, SupHelpersState *state,
                      SupTransform *io_joints) {
  if (state->seen > 0) {
    write_joints(model, state, io_joints);
    return;
  }
  for (uint32_t h = 0; h < model->helper_count; h++) {
    io_joints[model->bones[h].joint] = model->bones[h].rest;
  }
}

static void move(const SupHelpersView *model, SupHelpersState *state, const SupBackend *backend,
                 const SupHelpersControls *controls, bool advance, float part,
                 SupTransform *io_joints) {
  const Places p = places_of(model, state);
  float *swings = array(state, state->moves) + numbers(model);
  const SupHelpersMoveCall call = {
      .model = model,
      .matrices = state->blended ? array(state, state->matrices) : model->matrices,
      .u = array(state, state->u),
      .z = array(state, state->z),
      .limits = array(state, state->limits),
      .move_at = p.moves,
      .bone_at = p.bones,
      .moves = array(state, state->moves),
      .rotations = array(state, state->rotations),
      .shown_static = &state->shown_static,
      .shown_dynamic = &state->shown_dynamic,
      .exaggerations = controls->exaggerations,
      .swings = advance ? swings : swings + numbers(model),
      .last_swings = advance ? NULL : swings,
      .part = part,
      .exaggerate = controls->exaggerate,
      .range = controls->range,
      .dynamic = state->shown_dynamic > 0,
      .advance = advance};
  backend->helpers_move(&call);
  write_joints(model, state, io_joints);
}

/* Fractions that are shown; those that were not shown last time start in balance. */
static void fade(const SupHelpersView *model, SupHelpersState *state,
                 const SupHelpersControls *controls) {
  const float step = controls->fade_seconds > 0 ? model->h / controls->fade_seconds : 1;
  const float want_static = controls->lod >= SUP_HELPERS_STATIC ? 1.0f : 0.0f;
  const float want_dynamic = controls->lod >= SUP_HELPERS_FULL ? 1.0f : 0.0f;
  if (state->seen == 0) { /* nothing is on the screen yet: nothing to fade from */
    state->shown_static = want_static, state->shown_dynamic = want_dynamic;
  } else {
    state->shown_static = sup_helpers_fade(state->shown_static, want_static, step);
    state->shown_dynamic = sup_helpers_fade(state->shown_dynamic, want_dynamic, step);
  }
  if (!(state->shown_dynamic > 0)) state->seen = HELPERS_AGAIN;
}

void sup_helpers_step(const SupHelpersView *model, SupHelpersState *state,
                      const SupBackend *backend, const SupHelpersControls *controls,
                      const SupPose *pose, const SupAffine *globals, SupTransform *io_joints) {
  fade(model, state, controls);
  read_inputs(model, state, backend, controls->gravity, pose, globals, 1, false);
  if (state->shown_dynamic > 0 && state->seen != 2) {
    settle(model, state);
    state->seen = state->seen == 1 ? 2 : 1;
  }
  move(model, state, backend, controls, true, 1, io_joints);
}

void sup_helpers_peek(const SupHelpersView *model, SupHelpersState *state,
                      const SupBackend *backend, const SupHelpersControls *controls,
                      const SupPose *pose, const SupAffine *globals, float part,
                      SupTransform *io_joints) {
  const float shown = part < 0 ? 0 : part > 1 ? 1 : part;
  read_inputs(model, state, backend, controls->gravity, pose, globals,
              shown > TOO_SHORT ? shown : 1, true);
  move(model, state, backend, controls, false, shown > TOO_SHORT ? shown : 0, io_joints);
}
