/* SPDX-License-Identifier: MIT */
/*
 * Which lanes make a tile: patches that grow on the mesh, so that few neighbours lie outside.
 *
 * A patch starts beside the oldest finished ones and takes, until it is full, the lane at its edge
 * with most neighbours inside; among equals the one that waited longest, so that it stays round.
 */
#include "runtime/tiles/tiles_order.h"

#include "runtime/tiles/tiling.h"

#define NONE UINT32_MAX
#define USUAL_ROWS 3 /* of slots: six neighbours or fewer */

typedef struct Growth {
  const SupSurfaceView *model;
  uint32_t count;           /* lanes */
  uint32_t *score;          /* of a lane: neighbours in this patch count 4, in others 1 */
  uint8_t *taken, *waiting; /* by lane */
  uint32_t *queue;          /* lanes beside patches, oldest first */
  uint32_t queue_from, queue_end, next_lane;
  uint32_t *edge; /* of this patch, oldest first */
  uint32_t edge_count;
} Growth;

static void take(Growth *g, uint32_t lane, uint32_t *out_order, uint32_t at) {
  const uint32_t *first = g->model->slot_first + lane / SUP_SKIN_BLOCK;
  g->taken[lane] = 1;
  out_order[at] = lane;
  for (uint32_t row = first[0]; row < first[1]; row++) {
    const uint32_t other = slot_of(g->model, lane, row);
    if (g->taken[other]) continue;
    if (!(g->waiting[other] & 1)) {
      g->waiting[other] |= 1;
      g->queue[g->queue_end++] = other;
    }
    if (!(g->waiting[other] & 2)) {
      g->waiting[other] |= 2;
      g->edge[g->edge_count++] = other;
    }
    g->score[other] += 4;
  }
}

/* The best lane at the patch's edge, or one beside older patches, or any. */
static uint32_t choose(Growth *g) {
  uint32_t best = NONE, most = 0;
  for (uint32_t k = 0; k < g->edge_count; k++) {
    if (g->score[g->edge[k]] > most) most = g->score[g->edge[best = k]];
  }
  if (best != NONE) {
    const uint32_t lane = g->edge[best];
    for (uint32_t k = best + 1; k < g->edge_count; k++) g->edge[k - 1] = g->edge[k];
    g->edge_count--;
    return lane;
  }
  while (g->queue_from < g->queue_end) {
    const uint32_t lane = g->queue[g->queue_from++];
    if (!g->taken[lane]) return lane;
  }
  while (g->taken[g->next_lane]) g->next_lane++;
  return g->next_lane;
}

static void end_patch(Growth *g) {
  for (uint32_t k = 0; k < g->edge_count; k++) {
    g->waiting[g->edge[k]] &= 1;
    g->score[g->edge[k]] /= 4;
  }
  g->edge_count = 0;
}

/* ---- Within a patch -----------------------------------------------------------------------------
 */

/* Lanes that share rows of slots should need as many, and those with the same bones read the same
 * shared memory at once, which is one access. */
static uint64_t key_of(const SupSurfaceView *model, uint32_t lane) {
  Influence list[TILING_INFLUENCES];
  const uint32_t count = influences_of(&model->skin, lane, list);
  const uint32_t rows = (neighbour_count(model, lane) + 1) / 2;
  uint64_t key = rows > USUAL_ROWS ? rows < 255 ? rows : 255 : USUAL_ROWS;
  for (uint32_t k = 0; k < 4; k++) {
    const uint32_t bone = k < count && count <= TILING_INFLUENCES ? list[k].bone : 16383;
    key = key << 14 | (bone < 16383 ? bone : 16383);
  }
  return key;
}

static void sort_patch(const SupSurfaceView *model, uint32_t *io_lanes, uint32_t count) {
  uint64_t keys[TILES_MOST];
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t lane = io_lanes[i];
    const uint64_t key = key_of(model, lane);
    uint32_t at = i;
    for (; at > 0 && keys[at - 1] > key; at--) {
      keys[at] = keys[at - 1];
      io_lanes[at] = io_lanes[at - 1];
    }
    keys[at] = key;
    io_lanes[at] = lane;
  }
}

bool sup_tiles_order(SupArena *scratch, const SupSurfaceView *model, uint32_t lanes,
                     uint32_t *out_order) {
  const uint32_t count = SUP_SKIN_BLOCK * model->skin.block_count;
  Growth g = {.model = model, .count = count};
  g.score = SUP_ALLOC(scratch, uint32_t, count);
  g.taken = SUP_ALLOC(scratch, uint8_t, count);
  g.waiting = SUP_ALLOC(scratch, uint8_t, count);
  g.queue = SUP_ALLOC(scratch, uint32_t, count);
  g.edge = SUP_ALLOC(scratch, uint32_t, count);
  if (!g.score || !g.taken || !g.waiting || !g.queue || !g.edge) return false;
  for (uint32_t at = 0; at < count; at++) {
    take(&g, choose(&g), out_order, at);
    if (at % lanes == lanes - 1) end_patch(&g);
  }
  for (uint32_t at = 0; at < count; at += lanes) {
    sort_patch(model, out_order + at, count - at < lanes ? count - at : lanes);
  }
  return true;
}
