/* SPDX-License-Identifier: MIT */
/* The sections of a chunks model, for its check and its view. */
#ifndef SUP_SRC_RUNTIME_CHUNKS_SECTIONS_H
#define SUP_SRC_RUNTIME_CHUNKS_SECTIONS_H

#include "runtime/sewn/sewn_skin.h"
#include "supple/chunks.h"

/* How many items each section has. */
typedef struct ChunksSections {
  uint64_t counts, limbs, limb_joints, points, influence_first, influences;
  uint64_t face_first, corners, corner_edges, edges, vertex_first, vertex_edges;
  uint64_t pieces, names, nodes, node_slices, node_weights, matrices, holds, places;
  uint64_t angles, bulges, bulge_names, curves, seams, patches, borders;
  uint64_t vertex_nodes, vertex_weights, residuals, spread;
  uint64_t sources, row_lanes, lanes, ring_first, rings;
} ChunksSections;

/* Points the view (but for its skin) into the sections; false where one is missing. */
bool sup_chunks_sections(const SupModel *model, SupChunksView *view, ChunksSections *n);

/* The columns of an end of a limb's chunk. */
static inline uint32_t sup_chunks_end_columns(uint32_t end, uint32_t places) {
  return end == SUP_CHUNKS_END_JOINT ? 12 : end == SUP_CHUNKS_END_RIM ? 3 * places : 0;
}

static inline uint32_t sup_chunks_node_count(const SupChunksPiece *piece) {
  return piece->free_count + piece->held_count;
}

#endif
