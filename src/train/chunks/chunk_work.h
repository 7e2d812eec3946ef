/* SPDX-License-Identifier: MIT */
/* What both kinds of chunks are made with. */
#ifndef SUP_TRAIN_CHUNKS_CHUNK_WORK_H
#define SUP_TRAIN_CHUNKS_CHUNK_WORK_H

#include "chunk.h"

typedef struct SupChunkMaking {
  const SupChunkDef *def;
  SupArena *arena;
  SupChunk chunk;
  SupVec3d *nodes; /* [mesh.node_count] in bind space until the chunk is finished */
  uint8_t *held;
  uint8_t *fixed; /* [mesh.node_count] not moved by relaxation */
  bool upwards;   /* slices follow each other in the direction that triangles turn around */
} SupChunkMaking;

/* Slices, nodes without places, wedges. */
SupResult sup_chunk_begin(SupArena *arena, const SupChunkDef *def, SupSliceKind kind,
                          uint32_t corner_count, bool upwards, SupChunkMaking *out_making,
                          SupError *error);

/* Where a place of a chart is in bind space. */
SupVec3d sup_chunk_on_skin(const SupChunkDef *def, uint32_t patch, const double uv[2]);

/* Moves nodes that are not fixed to the means of their neighbours, again and again; with flat_ends
 * those of the first and last slice within their slice. */
SupResult sup_chunk_relax(SupChunkMaking *making, bool flat_ends, SupError *error);

/* Into the chunk's own space, checked; kept is what is in `kept_slices` (first, one behind the
 * last) and not held, on the rim alone or not. */
SupResult sup_chunk_finish(SupChunkMaking *making, SupAffined frame, const uint32_t kept_slices[2],
                           bool rim_alone, SupChunk *out_chunk, SupError *error);

#endif
