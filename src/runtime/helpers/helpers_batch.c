/* SPDX-License-Identifier: MIT */
/*
 * A crowd: characters in slots, 16 slots to a block, every block its rows one after the other.
 * Those that swing stand in the first slots, then those that only follow their pose, then those
 * that do nothing, so that whole blocks can be left out; a character that changes its level changes
 * its slot.
 */
#include "base/finite.h"
#include "runtime/helpers/helpers_kernel.h"
#include "runtime/helpers/helpers_materials.h"
#include "runtime/helpers/helpers_parts.h"
#include "supple/helpers.h"

#define LANES SUP_SKIN_BLOCK
#define BLOCKS_PER_TASK 8

/* Rows of a block. */
typedef struct Rows {
  uint32_t poses, record; /* [16 characters][record]: what was read of each pose */
  uint32_t past, z, fractions, has, moves;
  uint32_t all;
} Rows;

static Rows rows_of(const SupHelpersView *model) {
  Rows r = {.record = HELPERS_TURN * model->turn_count + HELPERS_FRAME * model->frame_count};
  uint32_t at = 0;
  r.poses = at, at += r.record;
  r.past = at, at += HELPERS_PAST * model->frame_count;
  r.z = at, at += model->state_count;
  r.moves = at, at += HELPERS_SHOWN * model->helper_count;
  r.fractions = at, at += 2; /* static, dynamic */
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
  b.slots = take(&at, (uint64_t)count * sizeof(uint32_t));
  b.owners = take(&at, (uint64_t)count * sizeof(uint32_t));
  b.lods = take(&at, count);
  b.seen = take(&at, count);
  b.list = take(&at, (uint64_t)count * sizeof(uint32_t));
  b.listed = take(&at, count);
  b.lanes = take(&at, LANES * sizeof(uint32_t));
  b.features = take(&at, (uint64_t)model->feature_count * sizeof(uint32_t));
  if (model->material_count > 0) {
    b.fractions = take(&at, model->material_count * sizeof(float));
    b.matrices = take(&at, sup_helpers_matrix_count(model) * sizeof(float));
  }
  b.data = take(&at, (uint64_t)b.rows * LANES * b.block_count * sizeof(float) +
                         (uint64_t)scratch_rows(model) * LANES * sizeof(float) *
                             sup_range_count(b.block_count, BLOCKS_PER_TASK));
  b.bytes = at;
  return b;
}

size_t sup_helpers_batch_bytes(const SupHelpersView *model, uint32_t count) {
  const uint64_t bytes = lay_out(model, count).bytes;
  return bytes > SIZE_MAX / 2 ? 0 : (size_t)bytes;
}

static float *cell(SupHelpersBatch *b, uint32_t slot, uint32_t row) {
  float *data = (float *)part(b, b->data);
  return data + ((size_t)b->rows * (slot / LANES) + row) * LANES + slot % LANES;
}

/* What was read of the pose of a character. */
static float *record_of(SupHelpersBatch *b, const Rows *r, uint32_t slot) {
  return cell(b, slot / LANES * LANES, r->poses) + (size_t)r->record * (slot % LANES);
}

/* The next steps look after that character. */
static void watch(SupHelpersBatch *b, uint32_t instance) {
  uint8_t *listed = (uint8_t *)part(b, b->listed) + instance;
  if (*listed) return;
  *listed = 1;
  ((uint32_t *)part(b, b->list))[b->changing++] = instance;
}

/* Nothing is shown of a character in that slot. */
static void stand_still(const SupHelpersView *model, SupHelpersBatch *b, uint32_t slot) {
  const Rows r = rows_of(model);
  float *moves = cell(b, slot, r.moves);
  for (uint32_t k = 0; k < HELPERS_SHOWN * model->helper_count; k++) {
    moves[LANES * k] = k % HELPERS_SHOWN == HELPERS_SHOWN - 1 ? 1.0f : 0.0f;
  }
}

/* Where each feature stands among inputs and, behind them, products: x times 1 times 1 is x. */
static void find_features(const SupHelpersView *model, uint32_t *out_at) {
  const uint32_t one = model->input_count - 1, *three = model->features;
  for (uint32_t f = 0; f < model->feature_count; f++, three += 3) {
    uint32_t factors = 0;
    out_at[f] = one;
    for (int k = 0; k < 3; k++) {
      if (three[k] == one) continue;
      out_at[f] = three[k];
      factors++;
    }
    if (factors > 1) out_at[f] = model->input_count + f;
  }
}

SupHelpersBatch *sup_helpers_batch_init(const SupHelpersView *model, uint32_t count, void *block) {
  SupHelpersBatch *b = (SupHelpersBatch *)block;
  const SupHelpersBatch made = lay_out(model, count);
  const Rows r = rows_of(model);
  sup_zero(block, (size_t)made.bytes);
  *b = made;
  b->uses = sup_helpers_uses(model);
  b->full = b->posed = count;
  if (b->fractions) {
    sup_copy(part(b, b->fractions), model->fractions, model->material_count * sizeof(float));
  }
  uint32_t *slots = (uint32_t *)part(b, b->slots), *owners = (uint32_t *)part(b, b->owners);
  uint32_t *lanes = (uint32_t *)part(b, b->lanes);
  uint8_t *lods = (uint8_t *)part(b, b->lods);
  for (uint32_t k = 0; k < LANES; k++) lanes[k] = r.record * k;
  find_features(model, (uint32_t *)part(b, b->features));
  for (uint32_t k = 0; k < count; k++) {
    slots[k] = owners[k] = k;
    lods[k] = SUP_HELPERS_FULL;
    watch(b, k);
  }
  for (uint32_t slot = 0; slot < LANES * b->block_count; slot++) { /* spare ones too */
    float *record = record_of(b, &r, slot);
    for (uint32_t t = 0; t < model->turn_count; t++) record[HELPERS_TURN * t + 3] = 1;
    stand_still(model, b, slot);
  }
  return b;
}

SupResult sup_helpers_batch_blend(SupArena *scratch, const SupHelpersView *model,
                                  SupHelpersBatch *io_batch, const float *fractions,
                                  SupError *error) {
  float *matrices = (float *)part(io_batch, io_batch->matrices);
  const SupResult result = sup_helpers_mix(scratch, model, fractions, matrices, error);
  if (result != SUP_OK) return result;
  sup_copy(part(io_batch, io_batch->fractions), fractions,
           model->material_count * sizeof *fractions);
  io_batch->blended = 1;
  return SUP_OK;
}

void sup_helpers_batch_lod(SupHelpersBatch *batch, uint32_t instance, SupHelpersLod lod) {
  uint8_t *mine = (uint8_t *)part(batch, batch->lods) + instance;
  if (*mine == (uint8_t)lod) return;
  *mine = (uint8_t)lod;
  watch(batch, instance);
}

void sup_helpers_batch_reset(SupHelpersBatch *batch, uint32_t instance) {
  ((uint8_t *)part(batch, batch->seen))[instance] = 0;
  watch(batch, instance);
}

void sup_helpers_batch_pose(const SupHelpersView *model, SupHelpersBatch *batch, uint32_t instance,
                            const SupPose *pose, const SupAffine *globals) {
  const Rows r = rows_of(model);
  const uint32_t slot = ((const uint32_t *)peek(batch, batch->slots))[instance];
  SupQuat *turns = (SupQuat *)(void *)record_of(batch, &r, slot);
  for (uint32_t t = 0; t < model->turn_count; t++) {
    const SupQuat *turn = &pose->joints[model->turns[t]].rotation;
    if (sup_finite_all(turn, 4)) turns[t] = *turn; /* what is not finite stays as it was */
  }
  const uint8_t lod = ((const uint8_t *)peek(batch, batch->lods))[instance];
  if (lod < SUP_HELPERS_FULL && slot >= batch->full) return;
  SupAffine *frames = (SupAffine *)(void *)(turns + model->turn_count);
  for (uint32_t f = 0; f < model->frame_count; f++) {
    const SupAffine *frame = &globals[model->frames[f].joint];
    if (sup_finite_all(frame, 12)) frames[f] = *frame;
  }
}

/* ---- A step ---------------------------------------------------------------------------------- */

static void swap_numbers(float *x, float *y, size_t count, size_t stride) {
  for (size_t k = 0; k < count * stride; k += stride) {
    const float held = x[k];
    x[k] = y[k];
    y[k] = held;
  }
}

static void swap_slots(SupHelpersBatch *b, const Rows *r, uint32_t i, uint32_t k) {
  if (i == k) return;
  uint32_t *slots = (uint32_t *)part(b, b->slots), *owners = (uint32_t *)part(b, b->owners);
  swap_numbers(record_of(b, r, i), record_of(b, r, k), r->record, 1);
  swap_numbers(cell(b, i, r->past), cell(b, k, r->past), r->all - r->past, LANES);
  const uint32_t owner = owners[i];
  owners[i] = owners[k];
  owners[k] = owner;
  slots[owners[i]] = i;
  slots[owners[k]] = k;
}

/* Three heaps of slots: swinging, posed, idle. Brings a character into the one where he belongs. */
static void arrange(const SupHelpersView *model, SupHelpersBatch *b, const Rows *r, uint32_t k,
                    SupHelpersLod where) {
  const uint32_t *slot = (const uint32_t *)peek(b, b->slots) + k;
  const bool was_idle = *slot >= b->posed;
  if (*slot >= b->posed && where > SUP_HELPERS_OFF) swap_slots(b, r, *slot, b->posed++);
  if (*slot >= b->full && where == SUP_HELPERS_FULL) swap_slots(b, r, *slot, b->full++);
  if (*slot < b->full && where < SUP_HELPERS_FULL) swap_slots(b, r, *slot, --b->full);
  if (*slot < b->posed && where == SUP_HELPERS_OFF) swap_slots(b, r, *slot, --b->posed);
  if (where == SUP_HELPERS_OFF && !was_idle) stand_still(model, b, *slot);
}

/* Fractions that are shown of a character, and what his past is good for. True when the next step
 * will find everything as it is. */
static bool fade(const SupHelpersView *model, SupHelpersBatch *b, const Rows *r, uint32_t k,
                 float step) {
  const uint32_t slot = ((const uint32_t *)peek(b, b->slots))[k];
  const uint8_t lod = ((const uint8_t *)peek(b, b->lods))[k];
  uint8_t *seen = (uint8_t *)part(b, b->seen) + k;
  float *fractions = cell(b, slot, r->fractions), *has = cell(b, slot, r->has);
  const float want_static = lod >= SUP_HELPERS_STATIC ? 1.0f : 0.0f;
  const float want_dynamic = lod >= SUP_HELPERS_FULL ? 1.0f : 0.0f;
  if (*seen == 0) {
    fractions[0] = want_static, fractions[LANES] = want_dynamic;
  } else {
    fractions[0] = sup_helpers_fade(fractions[0], want_static, step);
    fractions[LANES] = sup_helpers_fade(fractions[LANES], want_dynamic, step);
  }
  const bool swings = fractions[LANES] > 0,
             done = fractions[0] == want_static && fractions[LANES] == want_dynamic;
  if (!swings) *seen = HELPERS_AGAIN;
  has[0] = *seen == 1 || *seen == 2 ? 1.0f : 0.0f;
  has[LANES] = *seen == 2 ? 1.0f : 0.0f;
  const bool ready = *seen == 2 || !swings;
  arrange(model, b, r, k,
          swings             ? SUP_HELPERS_FULL
          : fractions[0] > 0 ? SUP_HELPERS_STATIC
                             : SUP_HELPERS_OFF);
  return done && ready;
}

/* Those whose fractions or pasts change; all others cost nothing here. */
static void look_after(const SupHelpersView *model, SupHelpersBatch *b, float step) {
  const Rows r = rows_of(model);
  uint32_t *list = (uint32_t *)part(b, b->list), left = 0;
  for (uint32_t i = 0; i < b->changing; i++) {
    const uint32_t k = list[i];
    if (fade(model, b, &r, k, step)) {
      ((uint8_t *)part(b, b->listed))[k] = 0;
    } else {
      list[left++] = k;
    }
  }
  b->changing = left;
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
  const float *poses = data + LANES * (size_t)r.poses;
  const uint32_t *lanes = (const uint32_t *)peek(b, b->lanes);
  const bool dynamic = LANES * block < b->full;
  const SupHelpersReadCall read = {.model = model,
                                   .moving = dynamic,
                                   .uses = b->uses,
                                   .turns = poses,
                                   .frames = poses + HELPERS_TURN * (size_t)model->turn_count,
                                   .turn_at = lanes,
                                   .frame_at = lanes,
                                   .past = data + LANES * (size_t)r.past,
                                   .u = u,
                                   .has = data + LANES * (size_t)r.has,
                                   .rate = 1 / model->h,
                                   .rate_twice = 2 / (2 * model->h),
                                   .gravity = c->controls->gravity};
  float *one = u + LANES * (size_t)(model->input_count - 1);
  for (uint32_t lane = 0; lane < LANES; lane++) one[lane] = 1;
  c->backend->helpers_crowd_read(&read);
  if (dynamic && b->changing) settle(model, b, block, u);
  const float *own = (const float *)peek(b, b->matrices);
  const SupHelpersMoveCall move = {.model = model,
                                   .matrices = b->blended ? own : model->matrices,
                                   .u = u,
                                   .features = scratch + LANES * (size_t)model->input_count,
                                   .feature_at = (const uint32_t *)peek(b, b->features),
                                   .z = data + LANES * (size_t)r.z,
                                   .rotations = data + LANES * (size_t)r.moves,
                                   .shown_static = data + LANES * (size_t)r.fractions,
                                   .shown_dynamic = data + LANES * (size_t)(r.fractions + 1),
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
  look_after(model, batch, controls->fade_seconds > 0 ? model->h / controls->fade_seconds : 1);
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
    const float *m = data + LANES * (size_t)(r.moves + HELPERS_SHOWN * h), *q = m + 3 * LANES;
    SupTransform *out = &io_joints[model->bones[h].joint];
    out->translation = sup_vec3_add(rest->translation, (SupVec3){m[0], m[LANES], m[2 * LANES]});
    out->rotation =
        sup_quat_mul(rest->rotation, (SupQuat){q[0], q[LANES], q[2 * LANES], q[3 * LANES]});
    out->scale = rest->scale;
  }
}
