/* SPDX-License-Identifier: MIT */
/* What packing and unpacking chunks have in common. */
#ifndef SUP_SRC_AUTHOR_CHUNKS_PACKING_H
#define SUP_SRC_AUTHOR_CHUNKS_PACKING_H

#include "author/pack/one_rings.h"
#include "supple/author/chunks_pack.h"

#define SUP_CHUNKS_COOKIE SUP_FOURCC('c', 'k', 'd', 'f')

typedef struct ChunksPack {
  const SupCharacter *character;
  const SupChunksPackDef *def;
  SupSkinView skin;
  SupFans rings;
  /* How many of all chunks and patches. */
  uint64_t nodes, node_blocks, numbers, frames, holds, places, bulge_count, node_weight_count;
  uint64_t matrix_count, sample_count, border_count, blocks, spread_count;
  SupChunksPiece *pieces;
  SupChunksBulge *bulges;
  SupChunksSkin *patches;
  SupChunksHold *all_holds;
  SupChunksPlace *all_places;
  SupVec3 *all_nodes;
  char *names, *bulge_names;
  uint32_t *node_slices, *borders, *vertex_nodes, *sources, *row_lanes;
  float *node_weights, *matrices, *curves, *vertex_weights, *residuals, *spread;
} ChunksPack;

/* Does the definition make sense? */
SupResult sup_chunks_pack_check(const ChunksPack *pack, SupError *error);

static inline uint32_t sup_chunks_corner_count(const SupChunksPackDef *def, uint32_t face) {
  return def->face_offsets[face + 1] - def->face_offsets[face];
}

/* The numbers that a chunk follows, bulges excepted. */
uint64_t sup_chunks_driven_columns(const SupChunksPackDef *def, const SupChunksPieceDef *piece);

#endif
