/* SPDX-License-Identifier: MIT */
/* The parts of the check of a chunks model. */
#ifndef SUP_SRC_RUNTIME_CHUNKS_CHECK_H
#define SUP_SRC_RUNTIME_CHUNKS_CHECK_H

#include "runtime/chunks/chunks_sections.h"
#include "runtime/sewn/sewn_checks.h"

#define SUP_CHUNKS_MOST_LENGTH 1e9f /* of points, nodes, residuals, heights, columns */
#define SUP_CHUNKS_MOST_WEIGHT 16.0f

/* Columns of unit length, translation within bounds. */
bool sup_chunks_rigid(const SupAffined *map);

/* Limbs, joints, points. */
bool sup_chunks_limbs_sensible(const SupChunksView *view, const ChunksSections *n);
bool sup_chunks_points_sensible(const SupChunksView *view, const ChunksSections *n);
bool sup_chunks_shell_sensible(const SupChunksView *view, const ChunksSections *n);

/* Chunks, nodes, matrices, holds, places. */
bool sup_chunks_pieces_sensible(const SupChunksView *view, const ChunksSections *n);
bool sup_chunks_bulges_sensible(const SupChunksView *view, const ChunksSections *n);

#endif
