/* SPDX-License-Identifier: MIT */
/*
 * The chunks technique: the shape of a pose (Guo 2007, chapter 4, with the corrections of
 * docs/techniques/chunks.md).
 *
 *   shell, limbs, bulges, numbers   chunks_drive.c
 *   nodes, skin                     chunks.kernel.c
 *   seams, normals                  runtime/sewn
 *   lanes, smooth across seams      chunks_smooth.c
 *
 * Ordinary chunks go before those of limbs, whose rims may follow their nodes.
 */
#include "supple/chunks.h"

#include "runtime/chunks/chunks_kernel.h"
#include "runtime/chunks/chunks_parts.h"
#include "runtime/envelope/envelope_kernel.h"
#include "runtime/sewn/sewn_skin.h"

#define BLOCK SUP_SKIN_BLOCK
#define BLOCKS_PER_TASK 64
#define PATCHES_PER_TASK 1

/* ---- State ------------------------------------------------------------------------------------
 */

static uint64_t take(uint64_t *io_end, uint64_t count, size_t item_bytes) {
  const uint64_t at = *io_end, bytes = count * item_bytes;
  *io_end += (bytes + SUP_ALIGNMENT - 1) / SUP_ALIGNMENT * SUP_ALIGNMENT;
  return at;
}

static SupChunksState lay_out(const SupChunksView *model) {
  uint64_t end = 0;
  SupChunksState s = {0};
  take(&end, 1, sizeof s);
  s.backs = take(&end, model->edge_count, sizeof(SupAffined));
  s.palette = take(&end, model->skin.bone_count, sizeof(SupAffine));
  s.points = take(&end, model->point_count, sizeof(SupVec3d));
  s.edges = take(&end, model->edge_count, sizeof(SupAffined));
  s.vertices = take(&end, model->vertex_count, sizeof(SupAffined));
  s.limbs = take(&end, model->limb_count, sizeof(SupLimbPose));
  s.joints = take(&end, model->limb_joint_count, sizeof(SupAffined));
  s.heights = take(&end, model->bulge_count, sizeof(float));
  s.wide = take(&end, model->number_count, sizeof(double));
  s.numbers = take(&end, model->number_count, sizeof(float));
  s.frames = take(&end, (uint64_t)SUP_CHUNKS_FRAME * model->frame_count, sizeof(float));
  s.nodes = take(&end, (uint64_t)SUP_CHUNKS_FRAME * model->node_count, sizeof(float));
  s.strengths = take(&end, model->piece_count, sizeof(float));
  s.unsound = take(&end, model->piece_count, sizeof(uint32_t));
  s.rows = take(&end, (uint64_t)3 * BLOCK * model->block_count, sizeof(float));
  s.seams = take(&end, (uint64_t)4 * model->seam_count, sizeof(float));
  s.pulls = take(&end, (uint64_t)BLOCK * model->skin.block_count, sizeof(float));
  for (int b = 0; b < 2; b++) {
    s.offsets[b] =
        take(&end, (uint64_t)SUP_CHUNKS_OFFSET * BLOCK * model->skin.block_count, sizeof(float));
  }
  s.bytes = end;
  return s;
}

size_t sup_chunks_bytes(const SupChunksView *model) { return (size_t)lay_out(model).bytes; }

SupChunksState *sup_chunks_init(const SupChunksView *model, void *block) {
  SupChunksState *state = (SupChunksState *)block;
  sup_zero(block, sup_chunks_bytes(model));
  *state = lay_out(model);
  const SupShell shell = sup_chunks_shell(model);
  SupVec3d *points = (SupVec3d *)sup_chunks_at(state, state->points);
  sup_chunks_rest_points(model, points);
  sup_shell_edge_backs(&shell, points, (SupAffined *)sup_chunks_at(state, state->backs));
  sup_chunks_find_band(model, (float *)sup_chunks_at(state, state->pulls));
  return state;
}

const float *sup_chunks_nodes(const SupChunksView *model, const SupChunksState *state,
                              uint32_t piece) {
  return (const float *)sup_chunks_at(state, state->nodes) +
         (size_t)SUP_CHUNKS_FRAME * model->pieces[piece].first_node;
}

const SupVec3d *sup_chunks_shell_vertices(const SupChunksState *state) {
  return (const SupVec3d *)sup_chunks_at(state, state->points);
}

/* ---- Tasks ------------------------------------------------------------------------------------
 */

typedef struct Shape {
  const SupChunksView *model;
  SupChunksState *state;
  const SupBackend *backend;
  const SupChunksCall *call;
  uint32_t first_piece; /* of the tasks over chunks */
  SupChunksKernelCall kernels;
  SupEnvelopeFramesCall frames;
} Shape;

static void run_pieces(void *context, SupRange pieces) {
  const Shape *s = (const Shape *)context;
  const SupRange range = {.first = s->first_piece + pieces.first, .count = pieces.count};
  for (uint32_t p = range.first; p < range.first + range.count; p++) {
    sup_chunks_drive_piece(s->model, s->state, p);
  }
  s->backend->chunks_nodes(&s->kernels, range);
}

static void run_spread(void *context, SupRange patches) {
  const Shape *s = (const Shape *)context;
  s->backend->chunks_spread(&s->kernels, patches);
}

static void run_frames(void *context, SupRange blocks) {
  const Shape *s = (const Shape *)context;
  s->backend->envelope_frames(&s->frames, blocks);
}

/* ---- Strength ---------------------------------------------------------------------------------
 */

static void mix(float *rows, uint32_t row, SupVec3 skinned, float strength) {
  const SupVec3 own = sup_sewn_get(rows, row);
  const SupVec3 moved = sup_vec3_add_scaled(skinned, sup_vec3_sub(own, skinned), strength);
  sup_sewn_put(rows, row, strength > 0 ? moved : skinned);
}

/* Back towards plain skinning. */
static void weaken(const Shape *s, const SupChunksSkin *patch, float strength) {
  const SupChunksView *model = s->model;
  const float *positions = s->call->positions;
  const uint32_t *lanes = model->row_lanes + (size_t)BLOCK * patch->first_block;
  float *rows = s->kernels.rows + (size_t)3 * BLOCK * patch->first_block;
  for (uint32_t b = 0; b < patch->border_count; b++) {
    const SupSeam *seam = &model->seams[model->borders[patch->first_border + b]];
    mix(rows, b, sup_sewn_skinned(seam, model->lanes, positions), strength);
  }
  for (uint32_t i = 0; i < patch->interior_count; i++) {
    const uint32_t row = sup_sewn_row(patch->border_count, patch->border_count + i);
    if (lanes[row] == SUP_CHUNKS_NONE) continue;
    mix(rows, row, sup_sewn_get(positions, lanes[row]), strength);
  }
}

static void run_hang(void *context, SupRange patches) {
  const Shape *s = (const Shape *)context;
  const float *strengths = (const float *)sup_chunks_at(s->state, s->state->strengths);
  s->backend->chunks_hang(&s->kernels, patches);
  for (uint32_t p = patches.first; p < patches.first + patches.count; p++) {
    const SupChunksSkin *patch = &s->model->patches[p];
    if (strengths[patch->piece] < 1) weaken(s, patch, strengths[patch->piece]);
  }
}

/* ---- The shape --------------------------------------------------------------------------------
 */

static void meet_at_seams(const Shape *s) {
  const SupChunksView *model = s->model;
  float *seams = (float *)sup_chunks_at(s->state, s->state->seams);
  sup_zero(seams, (size_t)4 * model->seam_count * sizeof(float));
  for (uint32_t p = 0; p < model->patch_count; p++) {
    const SupChunksSkin *patch = &model->patches[p];
    sup_sewn_add_border(patch->border_count, model->borders + patch->first_border,
                        s->kernels.rows + (size_t)3 * BLOCK * patch->first_block, seams);
  }
  sup_sewn_meet(model->seam_count, model->seams, model->lanes, s->call->positions, seams);
}

static void skin_all(const Shape *s, const SupJobs *jobs) {
  const SupSkinCall call = {.skin = &s->model->skin,
                            .palette = s->call->palette,
                            .positions = {s->call->positions, 0},
                            .normals = {s->call->normals, 0}};
  sup_skin_lbs(s->backend, jobs, &call);
}

static void shape_pieces(Shape *s, const SupJobs *jobs) {
  const SupChunksView *model = s->model;
  uint32_t ordinary = 0;
  while (ordinary < model->piece_count && model->pieces[ordinary].limb == SUP_CHUNKS_NONE) {
    ordinary++;
  }
  sup_chunks_drive(model, s->state, s->call);
  sup_parallel_for(jobs, ordinary, 1, run_pieces, s);
  s->first_piece = ordinary;
  sup_parallel_for(jobs, model->piece_count - ordinary, 1, run_pieces, s);
}

static void shape_patches(Shape *s, const SupJobs *jobs) {
  const SupChunksView *model = s->model;
  sup_parallel_for(jobs, model->patch_count, PATCHES_PER_TASK, run_hang, s);
  meet_at_seams(s);
  sup_parallel_for(jobs, model->patch_count, PATCHES_PER_TASK, run_spread, s);
  sup_chunks_smooth(model, s->state, jobs, s->call->positions);
}

static Shape shape_of(const SupChunksView *model, SupChunksState *state, const SupBackend *backend,
                      const SupChunksCall *call) {
  return (Shape){.model = model,
                 .state = state,
                 .backend = backend,
                 .call = call,
                 .kernels = {.model = model,
                             .wide = (const double *)sup_chunks_at(state, state->wide),
                             .numbers = (const float *)sup_chunks_at(state, state->numbers),
                             .frames = (const float *)sup_chunks_at(state, state->frames),
                             .seams = (const float *)sup_chunks_at(state, state->seams),
                             .nodes = (float *)sup_chunks_at(state, state->nodes),
                             .rows = (float *)sup_chunks_at(state, state->rows),
                             .root = call->palette[model->root]},
                 .frames = {&model->skin, call->palette, call->frames}};
}

void sup_chunks_shape(const SupChunksView *model, SupChunksState *state, const SupBackend *backend,
                      const SupJobs *jobs, const SupChunksCall *call) {
  Shape s = shape_of(model, state, backend, call);
  const uint32_t blocks = model->skin.block_count;
  skin_all(&s, jobs);
  if (sup_sewn_has_inverse(s.kernels.root)) {
    shape_pieces(&s, jobs);
    shape_patches(&s, jobs);
  }
  if (call->frames) sup_parallel_for(jobs, blocks, BLOCKS_PER_TASK, run_frames, &s);
  if (call->normals) {
    SupSewnNormals normals = {model->ring_first, model->rings, call->positions, call->normals};
    sup_parallel_for(jobs, blocks, BLOCKS_PER_TASK, sup_sewn_fill_normals, &normals);
  }
}
