/* SPDX-License-Identifier: MIT */
/* A surface model being laid out in tiles: what tiles.c gathers and tiles_write.c writes. */
#ifndef SUP_SRC_RUNTIME_TILING_H
#define SUP_SRC_RUNTIME_TILING_H

#include "runtime/tiles/tiles_layout.h"
#include "supple/tiles.h"

#define TILING_NONE UINT32_MAX
#define TILING_INFLUENCES 256u
#define TILING_NUMBERS (SUP_SURFACE_TERMS + SUP_SURFACE_NORMAL_ROWS) /* that have 16 bits */

typedef struct Influence {
  uint32_t bone;
  float weight;
} Influence;

/* The tile being made, and all that were. */
typedef struct Tiling {
  const SupSurfaceView *model;
  uint32_t lanes;  /* of the character */
  uint32_t *order; /* lane of the model for each of the tiles */
  uint32_t *tiled; /* and back */
  uint32_t *place, *bone_at,
      *segment_at; /* in the tile: of a lane, a bone, a segment; or TILING_NONE */
  uint32_t first, own, halo, bones, segments, extras;
  float longest; /* spoke */
  bool tied;     /* spoke k of a lane has the weight of influence k */
  bool whole;    /* and every influence has one where there is a gamma */
  uint32_t halo_lanes[TILES_ENTRIES], bone_list[TILES_BONES], segment_list[TILES_SEGMENTS];
  uint32_t tile_count, halo_count;
  size_t one_ring_words;
  uint32_t *words; /* NULL while counting */
  size_t used;     /* words */
  float low[TILING_NUMBERS], step[TILING_NUMBERS];
} Tiling;

/* ---- Reading the model --------------------------------------------------------------------------
 */

/* By rising bone, so that lanes with the same bones meet them in the same order. */
static inline uint32_t influences_of(const SupSkinView *skin, uint32_t lane, Influence *out) {
  const uint32_t block = lane / SUP_SKIN_BLOCK, first = skin->bone_first[block];
  const size_t rows = sup_skin_record_rows(skin->flags);
  const float *weights =
      skin->records + SUP_SKIN_BLOCK * (rows * (block + 1) + first) + lane % SUP_SKIN_BLOCK;
  uint32_t count = 0;
  for (uint32_t k = 0; k < skin->bone_first[block + 1] - first; k++) {
    const float weight = weights[(size_t)SUP_SKIN_BLOCK * k];
    if (!(weight > 0)) continue;
    if (count == TILING_INFLUENCES) return TILING_INFLUENCES + 1;
    const Influence added = {skin->bones[first + k], weight};
    uint32_t at = count++;
    for (; at > 0 && out[at - 1].bone > added.bone; at--) out[at] = out[at - 1];
    out[at] = added;
  }
  return count;
}

static inline SupVec3 rest_of(const SupSkinView *skin, uint32_t lane, uint32_t row) {
  const uint32_t block = lane / SUP_SKIN_BLOCK;
  const size_t rows = sup_skin_record_rows(skin->flags);
  const float *p = skin->records + SUP_SKIN_BLOCK * (rows * block + skin->bone_first[block] + row) +
                   lane % SUP_SKIN_BLOCK;
  return (SupVec3){p[0], p[SUP_SKIN_BLOCK], p[2 * SUP_SKIN_BLOCK]};
}

static inline float number_of(const SupSurfaceView *model, uint32_t lane, uint32_t row) {
  return model
      ->parameters[SUP_SKIN_BLOCK * ((size_t)SUP_SURFACE_ROWS * (lane / SUP_SKIN_BLOCK) + row) +
                   lane % SUP_SKIN_BLOCK];
}

/* Number i of those that have 16 bits: a map, or one along the normal (0 without that flag). */
static inline float coded_number(const SupSurfaceView *model, uint32_t lane, uint32_t i) {
  if (i < SUP_SURFACE_TERMS) return number_of(model, lane, i);
  if (!(model->flags & SUP_SURFACE_NORMAL)) return 0;
  const size_t block = (size_t)SUP_SURFACE_NORMAL_ROWS * (lane / SUP_SKIN_BLOCK);
  return model
      ->normal_rows[SUP_SKIN_BLOCK * (block + i - SUP_SURFACE_TERMS) + lane % SUP_SKIN_BLOCK];
}

/* Slot `row` of a lane's block: a lane, its own where it has no further neighbour. */
static inline uint32_t slot_of(const SupSurfaceView *model, uint32_t lane, uint32_t row) {
  return model->slots[(size_t)SUP_SKIN_BLOCK * row + lane % SUP_SKIN_BLOCK];
}

static inline uint32_t neighbour_count(const SupSurfaceView *model, uint32_t lane) {
  const uint32_t *first = model->slot_first + lane / SUP_SKIN_BLOCK;
  uint32_t count = 0;
  for (uint32_t row = first[0]; row < first[1]; row++) count += slot_of(model, lane, row) != lane;
  return count;
}

static inline float spoke_number(const SupSurfaceView *model, uint32_t spoke, uint32_t row,
                                 uint32_t lane) {
  return model
      ->spoke_rows[(size_t)SUP_SKIN_BLOCK * (2 * (size_t)spoke + row) + lane % SUP_SKIN_BLOCK];
}

/* Do all spokes have the weights of their influences, and how long is the longest? */
void sup_tiling_find_spokes(Tiling *t);

/* The slots of a warp, `rows` of 32 words of zero from `at` on. */
void sup_tiling_write_slots(Tiling *t, uint32_t warp, size_t at, uint32_t rows);

/* Writes the tile that was gathered, or only counts its words. */
void sup_tiling_write_tile(Tiling *t);

void sup_tiling_write_first_words(Tiling *t);

#endif
