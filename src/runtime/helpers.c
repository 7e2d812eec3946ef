/* SPDX-License-Identifier: MIT */
/* One character's helpers: what the kernels are told, and where their numbers go. */
#include "supple/helpers.h"

#include "runtime/helpers_kernel.h"
#include "runtime/helpers_parts.h"

#define PAD(count) (((count) + SUP_SKIN_BLOCK - 1) / SUP_SKIN_BLOCK * SUP_SKIN_BLOCK)
#define OUTPUTS SUP_HELPERS_OUTPUTS
#define TOO_SHORT 0.02f /* of a step: no velocity can be told from that */

SupHelpersControls sup_helpers_controls(void) {
  return (SupHelpersControls){.level = SUP_HELPERS_FULL, .fade_seconds = 0.2f, .exaggerate = 1};
}

/* ---- State ----------------------------------------------------------------------------------- */

/* Numbers that the columns of a helper may take. */
static size_t work_size(const SupHelpersView *model) {
  size_t most = 1;
  for (uint32_t h = 0; h < model->helper_count; h++) {
    const SupHelpersBone *bone = &model->bones[h];
    const size_t dynamic = (size_t)bone->states + bone->inputs + 1;
    if (dynamic > most) most = dynamic;
    if (bone->features + (size_t)1 > most) most = bone->features + (size_t)1;
  }
  return most;
}

static uint64_t take(uint64_t *io_at, size_t floats) {
  const uint64_t at = *io_at;
  *io_at = (at + floats * sizeof(float) + SUP_ALIGNMENT - 1) / SUP_ALIGNMENT * SUP_ALIGNMENT;
  return at;
}

static SupHelpersState lay_out(const SupHelpersView *model) {
  SupHelpersState s = {.seen = 0, .shown_static = 1, .shown_dynamic = 1};
  const size_t helpers = PAD(model->helper_count);
  uint64_t at = 0;
  take(&at, sizeof s / sizeof(float));
  s.turns = take(&at, 4 * (size_t)model->turn_pad);
  s.frames = take(&at, HELPERS_NOW * (size_t)model->frame_pad);
  s.past = take(&at, HELPERS_PAST * (size_t)model->frame_pad);
  s.u = take(&at, model->input_count);
  s.features = take(&at, model->feature_count);
  s.z = take(&at, model->state_count);
  s.next = take(&at, PAD(SUP_HELPERS_STATES + OUTPUTS) + 4 * helpers);
  s.work = take(&at, work_size(model));
  s.moves = take(&at, 3 * OUTPUTS * helpers); /* what is shown, the swings in it of the last step
                                                 and of a peek */
  s.bytes = at;
  return s;
}

static float *array(SupHelpersState *state, uint64_t offset) {
  return (float *)(void *)((char *)state + offset);
}

size_t sup_helpers_bytes(const SupHelpersView *model) { return (size_t)lay_out(model).bytes; }

SupHelpersState *sup_helpers_init(const SupHelpersView *model, void *block) {
  SupHelpersState *state = (SupHelpersState *)block;
  const SupHelpersState s = lay_out(model);
  sup_zero(block, (size_t)s.bytes);
  *state = s;
  /* Spare lanes hold rotations too. */
  float *turns = array(state, s.turns) + 3 * (size_t)model->turn_pad;
  for (uint32_t t = 0; t < model->turn_pad; t++) turns[t] = 1;
  array(state, s.u)[model->input_count - 1] = 1;
  return state;
}

void sup_helpers_reset(SupHelpersState *state) { state->seen = 0; }

const float *sup_helpers_moves(const SupHelpersState *state) {
  return (const float *)(const void *)((const char *)state + state->moves);
}

/* ---- Reading poses --------------------------------------------------------------------------- */

void sup_helpers_place(const SupHelpersView *model, uint32_t f, const SupAffine *globals,
                       size_t stride, float *out) {
  const SupHelpersFrame *frame = &model->frames[f];
  const SupAffine *global = &globals[frame->joint];
  const SupVec3 at = sup_affine_point(*global, frame->point);
  out[0] = at.x, out[stride] = at.y, out[2 * stride] = at.z;
  for (size_t c = 0; c < 9; c++) out[(HELPERS_NOW_AXES + c) * stride] = global->m[c];
}

static void look(const SupHelpersView *model, SupHelpersState *state, const SupPose *pose,
                 const SupAffine *globals) {
  float *turns = array(state, state->turns), *now = array(state, state->frames);
  const size_t tp = model->turn_pad, fp = model->frame_pad;
  for (uint32_t t = 0; t < model->turn_count; t++) {
    const SupQuat q = pose->joints[model->turns[t]].rotation;
    turns[t] = q.x, turns[tp + t] = q.y, turns[2 * tp + t] = q.z, turns[3 * tp + t] = q.w;
  }
  for (uint32_t f = 0; f < model->frame_count && state->shown_dynamic > 0; f++) {
    sup_helpers_place(model, f, globals, fp, now + f);
  }
}

static void read_inputs(const SupHelpersView *model, SupHelpersState *state,
                        const SupBackend *backend, SupVec3 gravity, float part, bool keep) {
  const float has[2] = {state->seen == 1 || state->seen == 2 ? 1.0f : 0.0f,
                        state->seen == 2 ? 1.0f : 0.0f};
  const uint32_t tp = model->turn_pad, fp = model->frame_pad;
  const SupHelpersReadCall call = {
      .model = model,
      .turn = {.items = 1, .lanes = tp, .now_component = tp, .out_component = tp},
      .frame = {.items = state->shown_dynamic > 0 ? 1 : 0,
                .lanes = fp,
                .now_component = fp,
                .past_component = fp,
                .out_component = fp},
      .turns = array(state, state->turns),
      .now = array(state, state->frames),
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

/* The state in which these inputs leave everything. */
static void settle(const SupHelpersView *model, SupHelpersState *state) {
  const float *u = array(state, state->u);
  for (uint32_t h = 0; h < model->helper_count; h++) {
    const SupHelpersBone *bone = &model->bones[h];
    const uint32_t *list = model->lists + bone->inputs_at;
    const float *row = model->matrices + bone->settle_at;
    float *z = array(state, state->z) + bone->state_first;
    for (uint32_t k = 0; k < bone->states; k++, row += bone->inputs + 1) {
      float sum = row[bone->inputs];
      for (uint32_t i = 0; i < bone->inputs; i++) sum += row[i] * u[list[i]];
      z[k] = sum;
    }
  }
}

float sup_helpers_fade(float shown, float target, float step) {
  if (shown < target) return shown + step < target ? shown + step : target;
  return shown - step > target ? shown - step : target;
}

static void write_joints(const SupHelpersView *model, SupHelpersState *state,
                         SupTransform *io_joints) {
  const size_t pad = PAD(model->helper_count);
  const float *moves = array(state, state->moves);
  const float *q = array(state, state->next) + PAD(SUP_HELPERS_STATES + OUTPUTS);
  for (uint32_t h = 0; h < model->helper_count; h++) {
    const SupTransform *rest = &model->bones[h].rest;
    const float *m = moves + OUTPUTS * h;
    SupTransform *out = &io_joints[model->bones[h].joint];
    const SupQuat turn = {q[h], q[pad + h], q[2 * pad + h], q[3 * pad + h]};
    out->translation = sup_vec3_add(rest->translation, (SupVec3){m[0], m[1], m[2]});
    out->rotation = sup_quat_mul(rest->rotation, turn);
    out->scale = rest->scale;
  }
}

static void move(const SupHelpersView *model, SupHelpersState *state, const SupBackend *backend,
                 const SupHelpersControls *controls, bool advance, float part,
                 SupTransform *io_joints) {
  float *next = array(state, state->next);
  float *swings = array(state, state->moves) + OUTPUTS * PAD((size_t)model->helper_count);
  const SupHelpersMoveCall call = {
      .model = model,
      .u = array(state, state->u),
      .features = array(state, state->features),
      .z = array(state, state->z),
      .next = next,
      .work = array(state, state->work),
      .moves = array(state, state->moves),
      .rotations = next + PAD(SUP_HELPERS_STATES + OUTPUTS),
      .shown_static = &state->shown_static,
      .shown_dynamic = &state->shown_dynamic,
      .exaggerations = controls->exaggerations,
      .swings = advance ? swings : swings + OUTPUTS * PAD((size_t)model->helper_count),
      .last_swings = advance ? NULL : swings,
      .part = part,
      .exaggerate = controls->exaggerate,
      .range = controls->range,
      .dynamic = state->shown_dynamic > 0,
      .advance = advance};
  backend->helpers_move(&call);
  write_joints(model, state, io_joints);
}

/* Shares that are shown; those that were not shown last time start in balance. */
static void fade(const SupHelpersView *model, SupHelpersState *state,
                 const SupHelpersControls *controls) {
  const float step = controls->fade_seconds > 0 ? model->h / controls->fade_seconds : 1;
  const float want_static = controls->level >= SUP_HELPERS_STATIC ? 1.0f : 0.0f;
  const float want_dynamic = controls->level >= SUP_HELPERS_FULL ? 1.0f : 0.0f;
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
  look(model, state, pose, globals);
  read_inputs(model, state, backend, controls->gravity, 1, false);
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
  look(model, state, pose, globals);
  read_inputs(model, state, backend, controls->gravity, shown > TOO_SHORT ? shown : 1, true);
  move(model, state, backend, controls, false, shown > TOO_SHORT ? shown : 0, io_joints);
}
