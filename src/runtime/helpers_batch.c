/* SPDX-License-Identifier: MIT */
/*
 * A crowd: characters in slots, 16 slots to a block, every block its rows one after the other.
 * Those that swing stand in the first slots, then those that only follow their posture, then those
 * that do nothing, so that whole blocks can be left out; a character that changes its level changes
 * its slot.
 */
#include "runtime/helpers_kernel.h"
#include "runtime/helpers_parts.h"
#include "supple/helpers.h"

#define LANES SUP_SKIN_BLOCK
#define OUTPUTS SUP_HELPERS_OUTPUTS
#define BLOCKS_PER_TASK 8

/* Rows of a block. */
typedef struct Rows {
  uint32_t turns, frames, past, z, moves, rotations, shown, has;
  uint32_t all;
} Rows;

static Rows rows_of(const SupHelpersView *model) {
  Rows r = {0};
  uint32_t at = 0;
  r.turns = at, at += 4 * model->turn_count;
  r.frames = at, at += HELPERS_NOW * model->frame_count;
  r.past = at, at += HELPERS_PAST * model->frame_count;
  r.z = at, at += model->state_count;
  r.moves = at, at += OUTPUTS * model->helper_count;
  r.rotations = at, at += 4 * model->helper_count;
  r.shown = at, at += 2; /* static, dynamic */
  r.has = at, at += 2;
  r.all = at;
  return r;
}

static void *part(SupHelpersBatch *batch, uint64_t offset) { return (char *)batch + offset; }
static const void *peek(const SupHelpersBatch *batch, uint64_t offset) {
  return (const char *)batch + offset;
}

static uint64_t take(uint64_t *io_at, uint64_t bytes) {
  const uint64_t at = *io_at;
  *io_at = (at + bytes + SUP_ALIGNMENT - 1) / SUP_ALIGNMENT * SUP_ALIGNMENT;
  return at;
}

/* Inputs and features are scratch: room for as many blocks as are worked on in one task. */
static uint32_t scratch_rows(const SupHelpersView *model) {
  return model->input_count + model->feature_count;
}

static SupHelpersBatch lay_out(const SupHelpersView *model, uint32_t count) {
  SupHelpersBatch b = {.count = count, .block_count = sup_range_count(count, LANES)};
  uint64_t at = 0;
  take(&at, sizeof b);
  b.rows = rows_of(model).all;
  b.slots = take(&at, count * sizeof(uint32_t));
  b.owners = take(&at, count * sizeof(uint32_t));
  b.levels = take(&at, count);
  b.seen = take(&at, count);
  b.data = take(&at, (uint64_t)b.rows * LANES * b.block_count * sizeof(float) +
                         (uint64_t)scratch_rows(model) * LANES * sizeof(float) *
                             sup_range_count(b.block_count, BLOCKS_PER_TASK));
  b.bytes = at;
  return b;
}

size_t sup_helpers_batch_bytes(const SupHelpersView *model, uint32_t count) {
  return (size_t)lay_out(model, count).bytes;
}

static float *cell(SupHelpersBatch *b, uint32_t slot, uint32_t row) {
  float *data = (float *)part(b, b->data);
  return data + ((size_t)b->rows * (slot / LANES) + row) * LANES + slot % LANES;
}

SupHelpersBatch *sup_helpers_batch_init(const SupHelpersView *model, uint32_t count, void *block) {
  SupHelpersBatch *b = (SupHelpersBatch *)block;
  const SupHelpersBatch made = lay_out(model, count);
  const Rows r = rows_of(model);
  sup_zero(block, (size_t)made.bytes);
  *b = made;
  uint32_t *slots = (uint32_t *)part(b, b->slots), *owners = (uint32_t *)part(b, b->owners);
  uint8_t *levels = (uint8_t *)part(b, b->levels);
  for (uint32_t k = 0; k < count; k++) {
    slots[k] = owners[k] = k;
    levels[k] = SUP_HELPERS_FULL;
  }
  for (uint32_t slot = 0; slot < LANES * b->block_count; slot++) { /* spare ones too */
    for (uint32_t t = 0; t < model->turn_count; t++) *cell(b, slot, r.turns + 4 * t + 3) = 1;
    for (uint32_t h = 0; h < model->helper_count; h++) {
      *cell(b, slot, r.rotations + 4 * h + 3) = 1;
    }
  }
  b->full = b->posed = count;
  return b;
}

void sup_helpers_batch_pose(const SupHelpersView *model, SupHelpersBatch *batch, uint32_t instance,
                            const SupPose *pose, const SupAffine *globals) {
  const Rows r = rows_of(model);
  const uint32_t slot = ((const uint32_t *)peek(batch, batch->slots))[instance];
  for (uint32_t t = 0; t < model->turn_count; t++) {
    const SupQuat q = pose->joints[model->turns[t]].rotation;
    float *out = cell(batch, slot, r.turns + 4 * t);
    out[0] = q.x, out[LANES] = q.y, out[2 * LANES] = q.z, out[3 * LANES] = q.w;
  }
  const uint8_t level = ((const uint8_t *)peek(batch, batch->levels))[instance];
  if (level < SUP_HELPERS_FULL && !(cell(batch, slot, r.shown)[LANES] > 0)) return;
  for (uint32_t f = 0; f < model->frame_count; f++) {
    sup_helpers_place(model, f, globals, LANES, cell(batch, slot, r.frames + HELPERS_NOW * f));
  }
}

void sup_helpers_batch_level(SupHelpersBatch *batch, uint32_t instance, SupHelpersLevel level) {
  ((uint8_t *)part(batch, batch->levels))[instance] = (uint8_t)level;
}

void sup_helpers_batch_reset(SupHelpersBatch *batch, uint32_t instance) {
  ((uint8_t *)part(batch, batch->seen))[instance] = 0;
}

/* ---- A step ---------------------------------------------------------------------------------- */

static void swap_slots(SupHelpersBatch *b, uint32_t rows, uint32_t i, uint32_t k) {
  uint32_t *slots = (uint32_t *)part(b, b->slots), *owners = (uint32_t *)part(b, b->owners);
  float *x = cell(b, i, 0), *y = cell(b, k, 0);
  for (uint32_t row = 0; row < rows; row++) {
    const float held = x[LANES * row];
    x[LANES * row] = y[LANES * row];
    y[LANES * row] = held;
  }
  const uint32_t owner = owners[i];
  owners[i] = owners[k];
  owners[k] = owner;
  slots[owners[i]] = i;
  slots[owners[k]] = k;
}

/* Nothing is shown of a character in that slot. */
static void stand_still(const SupHelpersView *model, SupHelpersBatch *b, uint32_t slot) {
  const Rows r = rows_of(model);
  float *moves = cell(b, slot, r.moves), *q = cell(b, slot, r.rotations);
  for (uint32_t k = 0; k < OUTPUTS * model->helper_count; k++) moves[LANES * k] = 0;
  for (uint32_t k = 0; k < 4 * model->helper_count; k++) q[LANES * k] = k % 4 == 3 ? 1.0f : 0.0f;
}

/* Shares that are shown of everybody, and what his past is good for. */
static void fade(const SupHelpersView *model, SupHelpersBatch *b, float step) {
  const Rows r = rows_of(model);
  const uint32_t *owners = (const uint32_t *)peek(b, b->owners);
  const uint8_t *levels = (const uint8_t *)peek(b, b->levels);
  uint8_t *seen = (uint8_t *)part(b, b->seen);
  for (uint32_t slot = 0; slot < b->count; slot++) {
    const uint32_t k = owners[slot];
    float *shown = cell(b, slot, r.shown), *has = cell(b, slot, r.has);
    const float want_static = levels[k] >= SUP_HELPERS_STATIC ? 1.0f : 0.0f;
    const float want_dynamic = levels[k] >= SUP_HELPERS_FULL ? 1.0f : 0.0f;
    if (seen[k] == 0) {
      shown[0] = want_static, shown[LANES] = want_dynamic;
    } else {
      shown[0] = sup_helpers_fade(shown[0], want_static, step);
      shown[LANES] = sup_helpers_fade(shown[LANES], want_dynamic, step);
    }
    if (!(shown[LANES] > 0)) seen[k] = HELPERS_AGAIN;
    has[0] = seen[k] == 1 || seen[k] == 2 ? 1.0f : 0.0f;
    has[LANES] = seen[k] == 2 ? 1.0f : 0.0f;
  }
}

/* Three heaps of slots: swinging, posed, idle. */
static void arrange(const SupHelpersView *model, SupHelpersBatch *b) {
  const Rows r = rows_of(model);
  uint32_t swing = 0, posed = 0;
  for (uint32_t slot = 0; slot < b->count; slot++) {
    const float *shown = cell(b, slot, r.shown);
    const bool moves = shown[LANES] > 0;
    if (!moves && !(shown[0] > 0)) {
      stand_still(model, b, slot);
      continue;
    }
    if (slot != posed) swap_slots(b, r.all, slot, posed);
    const uint32_t at = posed++;
    if (!moves) continue;
    if (at != swing) swap_slots(b, r.all, at, swing);
    swing++;
  }
  b->full = swing;
  b->posed = posed;
}

/* The states of those who start afresh. */
static void settle(const SupHelpersView *model, SupHelpersBatch *b, uint32_t block,
                   const float *u) {
  const Rows r = rows_of(model);
  const uint32_t *owners = (const uint32_t *)peek(b, b->owners);
  uint8_t *seen = (uint8_t *)part(b, b->seen);
  for (uint32_t slot = LANES * block; slot < LANES * (block + 1) && slot < b->full; slot++) {
    uint8_t *mine = &seen[owners[slot]];
    if (*mine == 2) continue;
    for (uint32_t h = 0; h < model->helper_count; h++) {
      const SupHelpersBone *bone = &model->bones[h];
      const uint32_t *list = model->lists + bone->inputs_at;
      const float *row = model->matrices + bone->settle_at;
      float *z = cell(b, slot, r.z + bone->state_first);
      for (uint32_t k = 0; k < bone->states; k++, row += bone->inputs + 1) {
        float sum = row[bone->inputs];
        for (uint32_t i = 0; i < bone->inputs; i++) {
          sum += row[i] * u[LANES * list[i] + slot % LANES];
        }
        z[LANES * k] = sum;
      }
    }
    *mine = *mine == 1 ? 2 : 1;
  }
}

typedef struct Crowd {
  const SupHelpersView *model;
  SupHelpersBatch *batch;
  const SupBackend *backend;
  const SupHelpersControls *controls;
} Crowd;

static void step_block(const Crowd *c, uint32_t block, float *scratch) {
  const SupHelpersView *model = c->model;
  SupHelpersBatch *b = c->batch;
  const Rows r = rows_of(model);
  float *data = cell(b, LANES * block, 0), *u = scratch;
  const bool dynamic = LANES * block < b->full;
  const SupHelpersReadCall read = {.model = model,
                                   .crowd = true,
                                   .turn = {.items = model->turn_count,
                                            .lanes = LANES,
                                            .now_component = LANES,
                                            .now_item = 4 * LANES,
                                            .out_component = LANES * model->turn_pad,
                                            .out_item = LANES},
                                   .frame = {.items = dynamic ? model->frame_count : 0,
                                             .lanes = LANES,
                                             .now_component = LANES,
                                             .now_item = HELPERS_NOW * LANES,
                                             .past_component = LANES,
                                             .past_item = HELPERS_PAST * LANES,
                                             .out_component = LANES * model->frame_pad,
                                             .out_item = LANES},
                                   .turns = data + LANES * (size_t)r.turns,
                                   .now = data + LANES * (size_t)r.frames,
                                   .past = data + LANES * (size_t)r.past,
                                   .u = u,
                                   .has = data + LANES * (size_t)r.has,
                                   .rate = 1 / model->h,
                                   .rate_twice = 2 / (2 * model->h),
                                   .gravity = c->controls->gravity};
  float *one = u + LANES * (size_t)(model->input_count - 1);
  for (uint32_t lane = 0; lane < LANES; lane++) one[lane] = 1;
  c->backend->helpers_read(&read);
  if (dynamic) settle(model, b, block, u);
  const SupHelpersMoveCall move = {.model = model,
                                   .u = u,
                                   .features = scratch + LANES * (size_t)model->input_count,
                                   .z = data + LANES * (size_t)r.z,
                                   .moves = data + LANES * (size_t)r.moves,
                                   .rotations = data + LANES * (size_t)r.rotations,
                                   .shown_static = data + LANES * (size_t)r.shown,
                                   .shown_dynamic = data + LANES * (size_t)(r.shown + 1),
                                   .exaggerations = c->controls->exaggerations,
                                   .exaggerate = c->controls->exaggerate,
                                   .range = c->controls->range,
                                   .dynamic = dynamic,
                                   .advance = true};
  c->backend->helpers_crowd(&move);
}

static void step_blocks(void *context, SupRange range) {
  const Crowd *c = (const Crowd *)context;
  SupHelpersBatch *b = c->batch;
  float *scratch = (float *)part(b, b->data) + (size_t)b->rows * LANES * b->block_count +
                   (size_t)scratch_rows(c->model) * LANES * range.chunk;
  for (uint32_t block = range.first; block < range.first + range.count; block++) {
    step_block(c, block, scratch);
  }
}

void sup_helpers_batch_step(const SupHelpersView *model, SupHelpersBatch *batch,
                            const SupBackend *backend, const SupJobs *jobs,
                            const SupHelpersControls *controls) {
  Crowd crowd = {model, batch, backend, controls};
  fade(model, batch, controls->fade_seconds > 0 ? model->h / controls->fade_seconds : 1);
  arrange(model, batch);
  sup_parallel_for(jobs, sup_range_count(batch->posed, LANES), BLOCKS_PER_TASK, step_blocks,
                   &crowd);
}

void sup_helpers_batch_read(const SupHelpersView *model, const SupHelpersBatch *batch,
                            uint32_t instance, SupTransform *io_joints) {
  const Rows r = rows_of(model);
  const uint32_t slot = ((const uint32_t *)peek(batch, batch->slots))[instance];
  const float *data = (const float *)peek(batch, batch->data) +
                      (size_t)batch->rows * LANES * (slot / LANES) + slot % LANES;
  for (uint32_t h = 0; h < model->helper_count; h++) {
    const SupTransform *rest = &model->bones[h].rest;
    const float *m = data + LANES * (size_t)(r.moves + OUTPUTS * h);
    const float *q = data + LANES * (size_t)(r.rotations + 4 * h);
    SupTransform *out = &io_joints[model->bones[h].joint];
    out->translation = sup_vec3_add(rest->translation, (SupVec3){m[0], m[LANES], m[2 * LANES]});
    out->rotation =
        sup_quat_mul(rest->rotation, (SupQuat){q[0], q[LANES], q[2 * LANES], q[3 * LANES]});
    out->scale = rest->scale;
  }
}
