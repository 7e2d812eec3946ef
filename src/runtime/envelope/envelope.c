/* SPDX-License-Identifier: MIT */
/*
 * The envelope technique: the shape of a pose (Guo 2007, 3.3 to 3.7, with the corrections of
 * docs/techniques/envelope.md).
 *
 *   angles, blends, tables     envelope_read.c
 *   control mesh, frames       envelope_control.c
 *   vertices of the patches    envelope.kernel.c
 *   seams, lanes, normals      runtime/sewn
 */
#include "supple/envelope.h"

#include "runtime/envelope/envelope_kernel.h"
#include "runtime/envelope/envelope_parts.h"
#include "runtime/sewn/sewn_skin.h"

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

static void meet_at_seams(const Shape *s) {
  const SupEnvelopeView *model = s->model;
  float *seams = (float *)sup_envelope_at(s->state, s->state->seams);
  sup_zero(seams, (size_t)4 * model->seam_count * sizeof(float));
  for (uint32_t p = 0; p < model->patch_count; p++) {
    const SupEnvelopeFace *face = &model->faces[p];
    sup_sewn_add_border(face->border_count, model->borders + face->first_border,
                        s->patches.rows + (size_t)3 * BLOCK * face->first_block, seams);
  }
  sup_sewn_meet(model->seam_count, model->seams, model->lanes, s->call->positions, seams);
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
  SupSewnLanes lanes = {model->sources, s->patches.rows, s->call->positions};
  sup_parallel_for(jobs, model->patch_count, PATCHES_PER_TASK, run_hang, s);
  meet_at_seams(s);
  sup_parallel_for(jobs, model->patch_count, PATCHES_PER_TASK, run_spread, s);
  sup_parallel_for(jobs, model->skin.block_count, BLOCKS_PER_TASK, sup_sewn_fill_lanes, &lanes);
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
    SupSewnNormals normals = {model->ring_first, model->rings, call->positions, call->normals};
    sup_parallel_for(jobs, model->skin.block_count, BLOCKS_PER_TASK, sup_sewn_fill_normals,
                     &normals);
  }
}
