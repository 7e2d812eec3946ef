/* SPDX-License-Identifier: MIT */
/*
 * The envelope technique: the shape of a pose (Guo 2007, 3.3 to 3.7, with the corrections of
 * docs/techniques/envelope.md).
 *
 *   angles, blends, tables     envelope_read.c
 *   control mesh, frames       envelope_control.c
 *   vertices of the patches    envelope.kernel.c
 *   seams                      meet_at_seams, here
 *
 * Patches have rows of their own: a border vertex is in several of them. The last step takes every
 * lane of the skin from one row, so no two threads write one place and nothing depends on their
 * order. What no patch has keeps skinning's bits.
 */
#include "supple/envelope.h"

#include "runtime/envelope/envelope_kernel.h"
#include "runtime/envelope/envelope_parts.h"

#define BLOCK SUP_SKIN_BLOCK
#define BLOCKS_PER_TASK 64
#define PATCHES_PER_TASK 1

_Static_assert(sizeof(struct SupEnvelopeState) % SUP_ALIGNMENT == 0, "what follows is aligned");

/* ---- State ------------------------------------------------------------------------------------
 */

static uint64_t take(uint64_t *io_end, uint64_t bytes) {
  const uint64_t at = *io_end;
  *io_end += (bytes + SUP_ALIGNMENT - 1) / SUP_ALIGNMENT * SUP_ALIGNMENT;
  return at;
}

static SupEnvelopeState lay_out(const SupEnvelopeView *model) {
  const uint64_t rows = (uint64_t)3 * BLOCK * model->block_count * sizeof(float);
  uint64_t end = sizeof(SupEnvelopeState);
  SupEnvelopeState s = {0};
  s.palette = take(&end, model->skin.bone_count * sizeof(SupAffine));
  s.angles = take(&end, 2 * (uint64_t)model->angle_count * sizeof(float));
  s.omegas = take(&end, model->shape_count * sizeof(double));
  s.mixes = take(&end, (uint64_t)model->blend_count * model->shape_count * sizeof(float));
  s.controls = take(&end, model->control_count * sizeof(SupVec3));
  s.turns = take(&end, model->patch_count * sizeof(SupMat3));
  s.changed = take(&end, model->patch_count * sizeof(uint32_t));
  s.strengths = take(&end, model->patch_count * sizeof(float));
  s.values = take(&end, model->value_count * sizeof(float));
  s.shaped = take(&end, rows);
  s.rows = take(&end, rows);
  s.seams = take(&end, (uint64_t)4 * model->seam_count * sizeof(float));
  s.bytes = end;
  return s;
}

size_t sup_envelope_bytes(const SupEnvelopeView *model) { return (size_t)lay_out(model).bytes; }

SupEnvelopeState *sup_envelope_init(const SupEnvelopeView *model, void *block) {
  SupEnvelopeState *state = (SupEnvelopeState *)block;
  sup_zero(block, sup_envelope_bytes(model));
  *state = lay_out(model);
  return state;
}

/* ---- Tasks ------------------------------------------------------------------------------------
 */

typedef struct Shape {
  const SupEnvelopeView *model;
  SupEnvelopeState *state;
  const SupBackend *backend;
  const SupEnvelopeCall *call;
  SupEnvelopePatchesCall patches;
  SupEnvelopeFramesCall frames;
} Shape;

static void run_hang(void *context, SupRange patches) {
  const Shape *s = (const Shape *)context;
  s->backend->envelope_hang(&s->patches, patches);
}

static void run_spread(void *context, SupRange patches) {
  const Shape *s = (const Shape *)context;
  s->backend->envelope_spread(&s->patches, patches);
}

static void run_frames(void *context, SupRange blocks) {
  const Shape *s = (const Shape *)context;
  s->backend->envelope_frames(&s->frames, blocks);
}

/* ---- Seams ------------------------------------------------------------------------------------
 */

static SupVec3 skinned(const Shape *s, uint32_t vertex) {
  const uint32_t lane = s->model->lanes[vertex];
  const float *at = s->call->positions + (size_t)3 * (lane - lane % BLOCK) + lane % BLOCK;
  return (SupVec3){at[0], at[BLOCK], at[2 * BLOCK]};
}

/* Where plain skinning puts the place; of a vertex its very bits. */
static SupVec3 skinned_seam(const Shape *s, const SupEnvelopeSeam *seam) {
  const SupVec3 a = skinned(s, seam->a);
  if (seam->a == seam->b) return a;
  return sup_vec3_lerp(a, skinned(s, seam->b), seam->ratio);
}

static void add_border(const Shape *s, const SupEnvelopeFace *face, float *io_seams) {
  const uint32_t *borders = s->model->borders + face->first_border;
  const float *rows = s->patches.rows + (size_t)3 * BLOCK * face->first_block;
  for (uint32_t b = 0; b < face->border_count; b++) {
    const float *point = rows + (size_t)3 * (b - b % BLOCK) + b % BLOCK;
    float *sum = io_seams + 4 * (size_t)borders[b];
    for (uint32_t k = 0; k < 3; k++) sum[k] += point[BLOCK * k];
    sum[3] += 1;
  }
}

/* The mean of the patches' own positions, added in their order; skinning's beside bare flesh. */
static void meet_at_seams(const Shape *s) {
  const SupEnvelopeView *model = s->model;
  float *seams = (float *)sup_envelope_at(s->state, s->state->seams);
  sup_zero(seams, (size_t)4 * model->seam_count * sizeof(float));
  for (uint32_t p = 0; p < model->patch_count; p++) add_border(s, &model->faces[p], seams);
  for (uint32_t k = 0; k < model->seam_count; k++) {
    float *place = seams + 4 * (size_t)k;
    SupVec3 mean = {place[0], place[1], place[2]};
    if (model->seams[k].open) {
      mean = skinned_seam(s, &model->seams[k]);
    } else if (place[3] > 1) {
      mean = (SupVec3){mean.x / place[3], mean.y / place[3], mean.z / place[3]};
    }
    place[0] = mean.x, place[1] = mean.y, place[2] = mean.z;
  }
}

/* ---- Lanes ------------------------------------------------------------------------------------
 */

static void fill_lanes(void *context, SupRange blocks) {
  const Shape *s = (const Shape *)context;
  const float *rows = s->patches.rows;
  for (uint32_t i = BLOCK * blocks.first; i < BLOCK * (blocks.first + blocks.count); i++) {
    const uint32_t row = s->model->sources[i];
    if (row == SUP_ENVELOPE_NONE) continue;
    const float *from = rows + (size_t)3 * (row - row % BLOCK) + row % BLOCK;
    float *to = s->call->positions + (size_t)3 * (i - i % BLOCK) + i % BLOCK;
    for (uint32_t k = 0; k < 3; k++) to[BLOCK * k] = from[BLOCK * k];
  }
}

static SupVec3 position(const float *positions, uint32_t lane) {
  const float *at = positions + (size_t)3 * (lane - lane % BLOCK) + lane % BLOCK;
  return (SupVec3){at[0], at[BLOCK], at[2 * BLOCK]};
}

/* The triangles around each vertex, by area; where they have none, skinning's normal stays. */
static void fill_normals(void *context, SupRange blocks) {
  const Shape *s = (const Shape *)context;
  const SupEnvelopeView *model = s->model;
  const float *positions = s->call->positions;
  for (uint32_t i = BLOCK * blocks.first; i < BLOCK * (blocks.first + blocks.count); i++) {
    const uint32_t *first = model->ring_first + i / BLOCK;
    const SupVec3 own = position(positions, i);
    SupVec3 sum = {0, 0, 0};
    for (uint32_t r = first[0]; r < first[1]; r++) {
      const uint32_t *ring = model->rings + (size_t)(2 * BLOCK) * r + i % BLOCK;
      const SupVec3 a = sup_vec3_sub(position(positions, ring[0]), own);
      const SupVec3 b = sup_vec3_sub(position(positions, ring[BLOCK]), own);
      sum = sup_vec3_add(sum, sup_vec3_cross(a, b));
    }
    const float size = sup_vec3_dot(sum, sum);
    if (!(size > 0 && size - size == 0)) continue; /* no area, or beyond what floats hold */
    float *to = s->call->normals + (size_t)3 * (i - i % BLOCK) + i % BLOCK;
    to[0] = sum.x, to[BLOCK] = sum.y, to[2 * BLOCK] = sum.z;
  }
}

/* ---- The shape --------------------------------------------------------------------------------
 */

static void skin_all(const Shape *s, const SupJobs *jobs) {
  const SupSkinCall call = {.skin = &s->model->skin,
                            .palette = s->call->palette,
                            .positions = {s->call->positions, 0},
                            .normals = {s->call->normals, 0}};
  sup_skin_lbs(s->backend, jobs, &call);
}

static void shape_patches(Shape *s, const SupJobs *jobs) {
  const SupEnvelopeView *model = s->model;
  sup_parallel_for(jobs, model->patch_count, PATCHES_PER_TASK, run_hang, s);
  meet_at_seams(s);
  sup_parallel_for(jobs, model->patch_count, PATCHES_PER_TASK, run_spread, s);
  sup_parallel_for(jobs, model->skin.block_count, BLOCKS_PER_TASK, fill_lanes, s);
}

void sup_envelope_shape(const SupEnvelopeView *model, SupEnvelopeState *state,
                        const SupBackend *backend, const SupJobs *jobs,
                        const SupEnvelopeCall *call) {
  Shape s = {.model = model,
             .state = state,
             .backend = backend,
             .call = call,
             .patches = {.model = model,
                         .controls = (const SupVec3 *)sup_envelope_at(state, state->controls),
                         .turns = (const SupMat3 *)sup_envelope_at(state, state->turns),
                         .changed = (const uint32_t *)sup_envelope_at(state, state->changed),
                         .values = (const float *)sup_envelope_at(state, state->values),
                         .seams = (const float *)sup_envelope_at(state, state->seams),
                         .shaped = (float *)sup_envelope_at(state, state->shaped),
                         .rows = (float *)sup_envelope_at(state, state->rows)},
             .frames = {.skin = &model->skin, .palette = call->palette, .frames = call->frames}};
  skin_all(&s, jobs);
  sup_envelope_read(model, state, call->pose, call->strengths);
  if (sup_envelope_control(model, state, call->palette)) {
    shape_patches(&s, jobs);
  } else {
    state->known = 0; /* what has changed was not taken up */
  }
  if (call->frames) {
    sup_parallel_for(jobs, model->skin.block_count, BLOCKS_PER_TASK, run_frames, &s);
  }
  if (call->normals) {
    sup_parallel_for(jobs, model->skin.block_count, BLOCKS_PER_TASK, fill_normals, &s);
  }
}
