/* SPDX-License-Identifier: MIT */
/*
 * The chunks technique: nodes 16 at a time, then the skin that follows them.
 *
 *   D = A D_c                       of free nodes       follow
 *   d = sum w (t + L at)            of held nodes       hold
 *   x = T (X + d)                                       place_node
 *   p = P_root sum_k w_k (x_k + L_k r)                  hang
 *
 * A node has a frame of 16 floats, so that a skin vertex blends four of them as skinning blends
 * bones. Matrices are stored by block of 16 nodes, then column: a pass streams through them once.
 */
#include "runtime/chunks/chunks_kernel.h"

#include "runtime/chunks/chunks_sections.h"
#include "runtime/sewn/sewn_block.h"

#define ROWS (3 * (size_t)SUP_BLOCK)
#define FRAME 16

/* ---- Nodes ------------------------------------------------------------------------------------
 */

/* Displacements of a block of free nodes: rows x y z. */
SUP_INLINE void follow(const float *matrix, const float *numbers, uint32_t column_count,
                       float *out_rows, int lane) {
  SkinVector d = {SUP_C(0), SUP_C(0), SUP_C(0)};
  for (uint32_t c = 0; c < column_count; c++) {
    const float n = numbers[c];
    if (n == 0) continue;
    const SkinVector a = skin_load(matrix + ROWS * c, lane);
    d.x += a.x * n, d.y += a.y * n, d.z += a.z * n;
  }
  skin_store(out_rows, lane, d);
}

/* io_frame += weight * frame, all of it. */
SUP_INLINE void add_frame(const float *frame, float weight, float *io_frame) {
  for (int k = 0; k < FRAME; k += SUP_WIDTH) {
    sup_vf_store(io_frame + k, sup_vf_load(io_frame + k) + sup_vf_load(frame + k) * weight);
  }
}

/* The frame of the node, and its place. */
static void place_node(const SupChunksKernelCall *call, const SupChunksPiece *piece, uint32_t i,
                       SupVec3 displacement) {
  const SupChunksView *model = call->model;
  const uint32_t node = piece->first_node + i;
  const float *frames = call->frames + (size_t)FRAME * piece->first_frame, *own = frames;
  float *out = call->nodes + (size_t)FRAME * node;
  for (int k = 0; k < FRAME; k++) out[k] = 0;
  if (piece->limb == SUP_CHUNKS_NONE) {
    const uint32_t *first = model->face_first + piece->face, count = first[1] - first[0];
    const float *weights = model->node_weights + piece->first_weight + (size_t)count * i;
    for (uint32_t c = 0; c < count; c++) add_frame(frames + FRAME * (1 + c), weights[c], out);
  } else {
    own += (size_t)2 * FRAME * model->node_slices[node];
    add_frame(own + FRAME, 1, out);
  }
  const SupVec3 x = sup_vec3_add(model->nodes[node], displacement);
  for (int k = 0; k < 3; k++) {
    out[9 + k] = own[k] * x.x + own[3 + k] * x.y + own[6 + k] * x.z + own[9 + k];
  }
}

static void place_free(const SupChunksKernelCall *call, const SupChunksPiece *piece) {
  const float *numbers = call->numbers + piece->first_number;
  for (uint32_t first = 0; first < piece->free_count; first += SUP_BLOCK) {
    const float *matrix =
        call->model->matrices + piece->first_matrix + 3 * (size_t)first * piece->column_count;
    float rows[3 * SUP_BLOCK];
    for (int lane = 0; lane < SUP_BLOCK; lane += SUP_WIDTH) {
      follow(matrix, numbers, piece->column_count, rows, lane);
    }
    for (uint32_t k = 0; k < SUP_BLOCK && first + k < piece->free_count; k++) {
      const SupVec3 d = {rows[k], rows[SUP_BLOCK + k], rows[2 * SUP_BLOCK + k]};
      place_node(call, piece, first + k, d);
    }
  }
}

static void add_hold(const SupChunksHold *hold, const double *numbers, double io_sum[3]) {
  const double *n = numbers + hold->column;
  for (uint32_t k = 0; k < 3; k++) {
    double move = n[k];
    if (hold->size > 3) {
      move += n[3 + k] * (double)hold->at.x + n[6 + k] * (double)hold->at.y +
              n[9 + k] * (double)hold->at.z;
    }
    io_sum[k] += (double)hold->weight * move;
  }
}

/* Holds are in the order of their nodes. */
static void place_held(const SupChunksKernelCall *call, const SupChunksPiece *piece) {
  const SupChunksHold *hold = call->model->holds + piece->first_hold;
  const SupChunksHold *end = hold + piece->hold_count;
  const uint32_t count = sup_chunks_node_count(piece);
  for (uint32_t i = piece->free_count; i < count; i++) {
    double d[3] = {0, 0, 0};
    for (; hold < end && hold->node == i; hold++) {
      add_hold(hold, call->wide + piece->first_number, d);
    }
    place_node(call, piece, i, (SupVec3){(float)d[0], (float)d[1], (float)d[2]});
  }
}

void SUP_KERNEL(chunks_nodes)(const SupChunksKernelCall *call, SupRange pieces) {
  for (uint32_t p = pieces.first; p < pieces.first + pieces.count; p++) {
    place_free(call, &call->model->pieces[p]);
    place_held(call, &call->model->pieces[p]);
  }
}

/* ---- Skin -------------------------------------------------------------------------------------
 */

/* The blend of the four nodes of a row: a frame and a place. */
SUP_INLINE void blend_nodes(const float *nodes, const uint32_t *of, const float *weights,
                            float out_frame[FRAME]) {
  const float *a = nodes + (size_t)FRAME * of[0], *b = nodes + (size_t)FRAME * of[1];
  const float *c = nodes + (size_t)FRAME * of[2], *d = nodes + (size_t)FRAME * of[3];
  for (int k = 0; k < 12; k += SUP_WIDTH) {
    sup_vf sum = sup_vf_load(a + k) * weights[0];
    sum += sup_vf_load(b + k) * weights[1];
    sum += sup_vf_load(c + k) * weights[2];
    sum += sup_vf_load(d + k) * weights[3];
    sup_vf_store(out_frame + k, sum);
  }
}

static SupVec3 frame_point(const float m[FRAME], SupVec3 r) {
  return (SupVec3){m[0] * r.x + m[3] * r.y + m[6] * r.z + m[9],
                   m[1] * r.x + m[4] * r.y + m[7] * r.z + m[10],
                   m[2] * r.x + m[5] * r.y + m[8] * r.z + m[11]};
}

SUP_INLINE void move_by_root(const float *m, float *io_rows, int lane) {
  const SkinVector p = skin_load(io_rows, lane);
  skin_store(io_rows, lane,
             (SkinVector){p.x * m[0] + p.y * m[3] + p.z * m[6] + m[9],
                          p.x * m[1] + p.y * m[4] + p.z * m[7] + m[10],
                          p.x * m[2] + p.y * m[5] + p.z * m[8] + m[11]});
}

static void hang_block(const SupChunksKernelCall *call, const float *nodes, size_t block) {
  const SupChunksView *model = call->model;
  const float *residuals = model->residuals + ROWS * block;
  float *rows = call->rows + ROWS * block;
  for (size_t k = 0; k < SUP_BLOCK; k++) {
    const size_t row = SUP_BLOCK * block + k;
    float frame[FRAME];
    blend_nodes(nodes, model->vertex_nodes + 4 * row, model->vertex_weights + 4 * row, frame);
    const SupVec3 r = {residuals[k], residuals[SUP_BLOCK + k], residuals[2 * SUP_BLOCK + k]};
    const SupVec3 p = frame_point(frame, r);
    rows[k] = p.x, rows[SUP_BLOCK + k] = p.y, rows[2 * SUP_BLOCK + k] = p.z;
  }
  for (int lane = 0; lane < SUP_BLOCK; lane += SUP_WIDTH) move_by_root(call->root.m, rows, lane);
}

void SUP_KERNEL(chunks_hang)(const SupChunksKernelCall *call, SupRange patches) {
  for (uint32_t p = patches.first; p < patches.first + patches.count; p++) {
    const SupChunksSkin *patch = &call->model->patches[p];
    const SupChunksPiece *piece = &call->model->pieces[patch->piece];
    const uint32_t blocks =
        sup_sewn_blocks(patch->border_count) + sup_sewn_blocks(patch->interior_count);
    for (uint32_t b = 0; b < blocks; b++) {
      hang_block(call, call->nodes + (size_t)FRAME * piece->first_node, patch->first_block + b);
    }
  }
}

void SUP_KERNEL(chunks_spread)(const SupChunksKernelCall *call, SupRange patches) {
  for (uint32_t p = patches.first; p < patches.first + patches.count; p++) {
    const SupChunksSkin *skin = &call->model->patches[p];
    const SewnPatch patch = {skin->border_count,
                             skin->interior_count,
                             call->model->borders + skin->first_border,
                             call->model->spread + skin->first_spread,
                             call->seams,
                             call->rows + ROWS * skin->first_block};
    sewn_stitch(&patch);
  }
}
