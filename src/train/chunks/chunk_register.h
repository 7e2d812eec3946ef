/* SPDX-License-Identifier: MIT */
/* Where skin is on the surface of a chunk: nodes and weights of a place in a chart. */
#ifndef SUP_TRAIN_CHUNKS_CHUNK_REGISTER_H
#define SUP_TRAIN_CHUNKS_CHUNK_REGISTER_H

#include "chunk.h"

typedef struct SupChunkRegister {
  uint32_t nodes[4]; /* of the mesh */
  double weights[4]; /* >= 0, sum 1 */
} SupChunkRegister;

/* In the triangle of the first slice that has the place; beyond all of them, in the nearest. */
SupChunkRegister sup_chunk_register_top(const SupChunk *chunk, const SupPatchChart *chart,
                                        const double uv[2]);

/* In the quadrilateral of side `side` of a limb that has it: bilinear. */
SupChunkRegister sup_chunk_register_side(const SupChunk *chunk, const SupPatchCharts *charts,
                                         const SupPatchRing *ring, uint32_t side,
                                         const double uv[2]);

/* s and t, 0 to 1, for which at = (1 - s)(1 - t) c0 + s (1 - t) c1 + s t c2 + (1 - s) t c3 in a
 * convex quadrilateral. */
void sup_inverse_bilinear(const double *const corners[4], const double at[2], double out[2]);

#endif
