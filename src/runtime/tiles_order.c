/* SPDX-License-Identifier: MIT */
/*
 * Which lanes make a tile: patches that grow on the mesh, so that few neighbours lie outside.
 *
 * A patch starts beside the oldest finished ones and takes, until it is full, the lane at its edge
 * with most neighbours inside; among equals the one that waited longest, so that it stays round.
 */
#include "runtime/tiles_order.h"

#define NONE UINT32_MAX

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

static uint32_t slot_of(const SupSurfaceView *model, uint32_t lane, uint32_t row) {
  return model->slots[(size_t)SUP_SKIN_BLOCK * row + lane % SUP_SKIN_BLOCK];
}

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
  return true;
}
