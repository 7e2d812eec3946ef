/* SPDX-License-Identifier: MIT */
/*
 * Smoothing across seams: chunks meet at the mean of their own positions, which leaves no gap but a
 * crease. What is smoothed is the displacement from plain skinning, so that rest stays rest, rigid
 * motion stays rigid, and folds that skinning itself has stay where they are.
 *
 * The band is the rings of vertices around the seams, on both sides: beside flesh without a patch
 * the chunk runs out into skinning. A vertex goes share(ring) of the way to the mean of its
 * neighbours in each round. All go at once, from one buffer to the other, so nothing depends on an
 * order.
 */
#include "runtime/chunks/chunks_parts.h"
#include "runtime/sewn/sewn_skin.h"

#define BLOCK SUP_SKIN_BLOCK
#define BLOCKS_PER_TASK 64
#define RINGS 3         /* of the band; a vertex of a seam is in ring 0 */
#define ROUNDS 4        /* even: the last one ends in the first buffer */
#define MOST_SHARE 0.5f /* at most 1/2, or a zigzag is turned over instead of damped */
#define ITEM SUP_CHUNKS_OFFSET

_Static_assert(ROUNDS % 2 == 0, "rounds");

/* ---- The band ---------------------------------------------------------------------------------
 */

/* The next corner of the r-th triangle around a lane: around a closed fan every neighbour once.
 * NULL where the lane has no more triangles. */
static const uint32_t *neighbour(const SupChunksView *model, uint32_t lane, uint32_t r) {
  const uint32_t *first = model->ring_first + lane / BLOCK;
  if (r >= first[1] - first[0]) return NULL;
  const uint32_t *ring = model->rings + (size_t)(2 * BLOCK) * (first[0] + r) + lane % BLOCK;
  return ring[0] == ring[BLOCK] ? NULL : ring;
}

static bool is_beside(const SupChunksView *model, const float *rings, uint32_t lane, float ring) {
  const uint32_t *next;
  for (uint32_t r = 0; (next = neighbour(model, lane, r)) != NULL; r++) {
    if (rings[next[0]] == ring || rings[next[BLOCK]] == ring) return true;
  }
  return false;
}

/* out_rings[16 * blocks]: the ring of each lane, RINGS beyond the band. */
static void find_rings(const SupChunksView *model, float *out_rings) {
  const uint32_t lanes = BLOCK * model->skin.block_count;
  for (uint32_t i = 0; i < lanes; i++) out_rings[i] = RINGS;
  for (uint32_t s = 0; s < model->seam_count; s++) {
    out_rings[model->lanes[model->seams[s].a]] = 0;
    out_rings[model->lanes[model->seams[s].b]] = 0;
  }
  for (uint32_t k = 1; k < RINGS; k++) {
    for (uint32_t i = 0; i < lanes; i++) {
      if (out_rings[i] == RINGS && is_beside(model, out_rings, i, (float)(k - 1))) {
        out_rings[i] = (float)k;
      }
    }
  }
  for (uint32_t i = 0; i < lanes; i++) out_rings[i] = out_rings[model->lanes[model->skin.order[i]]];
}

/* The share falls smoothly to 0 at the end of the band. */
static float pull_of(const SupChunksView *model, uint32_t lane, float ring) {
  const float x = ring / RINGS, left = 1 - x * x;
  uint32_t count = 0;
  while (neighbour(model, lane, count)) count++;
  return count ? MOST_SHARE * left * left / (float)count : 0;
}

void sup_chunks_find_band(const SupChunksView *model, float *out_pulls) {
  find_rings(model, out_pulls);
  for (uint32_t i = 0; i < BLOCK * model->skin.block_count; i++) {
    out_pulls[i] = pull_of(model, i, out_pulls[i]);
  }
}

/* ---- Playing ----------------------------------------------------------------------------------
 */

typedef struct Smoothing {
  const SupChunksView *model;
  const float *rows, *pulls;
  float *positions;
  float *buffers[2];
  uint32_t round;
} Smoothing;

static void fill_offsets(void *context, SupRange blocks) {
  const Smoothing *s = (const Smoothing *)context;
  for (uint32_t i = BLOCK * blocks.first; i < BLOCK * (blocks.first + blocks.count); i++) {
    const uint32_t row = s->model->sources[i];
    SupVec3 offset = {0, 0, 0};
    if (row != SUP_SEWN_NONE) {
      offset = sup_vec3_sub(sup_sewn_get(s->rows, row), sup_sewn_get(s->positions, i));
    }
    for (uint32_t b = 0; b < 2; b++) {
      float *to = s->buffers[b] + (size_t)ITEM * i;
      to[0] = offset.x, to[1] = offset.y, to[2] = offset.z;
    }
  }
}

static void smooth_lane(const Smoothing *s, uint32_t lane) {
  const float *from = s->buffers[s->round % 2], *own = from + (size_t)ITEM * lane;
  float *to = s->buffers[1 - s->round % 2] + (size_t)ITEM * lane;
  const uint32_t *next;
  float sum[3] = {0, 0, 0};
  for (uint32_t r = 0; (next = neighbour(s->model, lane, r)) != NULL; r++) {
    const float *other = from + (size_t)ITEM * next[0];
    for (int k = 0; k < 3; k++) sum[k] += other[k] - own[k];
  }
  for (int k = 0; k < 3; k++) to[k] = own[k] + s->pulls[lane] * sum[k];
}

static void smooth_blocks(void *context, SupRange blocks) {
  const Smoothing *s = (const Smoothing *)context;
  for (uint32_t i = BLOCK * blocks.first; i < BLOCK * (blocks.first + blocks.count); i++) {
    if (s->pulls[i] > 0) smooth_lane(s, i);
  }
}

/* Lanes of the band are skinned and displaced; the others take their row's bits. */
static void fill_band(void *context, SupRange blocks) {
  const Smoothing *s = (const Smoothing *)context;
  for (uint32_t i = BLOCK * blocks.first; i < BLOCK * (blocks.first + blocks.count); i++) {
    const uint32_t row = s->model->sources[i];
    const float *o = s->buffers[0] + (size_t)ITEM * i;
    if (s->pulls[i] > 0) {
      const SupVec3 offset = {o[0], o[1], o[2]};
      sup_sewn_put(s->positions, i, sup_vec3_add(sup_sewn_get(s->positions, i), offset));
    } else if (row != SUP_SEWN_NONE) {
      sup_sewn_put(s->positions, i, sup_sewn_get(s->rows, row));
    }
  }
}

void sup_chunks_smooth(const SupChunksView *model, const SupChunksState *state, const SupJobs *jobs,
                       float *io_positions) {
  Smoothing s = {.model = model,
                 .rows = (const float *)sup_chunks_at(state, state->rows),
                 .pulls = (const float *)sup_chunks_at(state, state->pulls),
                 .positions = io_positions,
                 .buffers = {(float *)sup_chunks_at(state, state->offsets[0]),
                             (float *)sup_chunks_at(state, state->offsets[1])}};
  const uint32_t blocks = model->skin.block_count;
  sup_parallel_for(jobs, blocks, BLOCKS_PER_TASK, fill_offsets, &s);
  for (; s.round < ROUNDS; s.round++) {
    sup_parallel_for(jobs, blocks, BLOCKS_PER_TASK, smooth_blocks, &s);
  }
  sup_parallel_for(jobs, blocks, BLOCKS_PER_TASK, fill_band, &s);
}
