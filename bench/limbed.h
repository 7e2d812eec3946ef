/* SPDX-License-Identifier: MIT */
/* A body with six limbs, of any size: what the benches skin. */
#ifndef SUP_BENCH_LIMBED_H
#define SUP_BENCH_LIMBED_H

#include "supple/author/surface_pack.h"

enum { LIMBED_BONES = 24, LIMBED_INFLUENCES = 4 };

typedef struct Limbed {
  SupMesh mesh;
  const SupVec3 *normals; /* [vertex_count] */
  SupSkin skin;           /* four influences per vertex, heaviest first */
} Limbed;

/* Exactly vertex_count vertices (at least 100), closed, genus 0; the same for the same seed. The
 * order is row by row, or random. Lives in `arena`. */
SupResult limbed_make(SupArena *arena, uint32_t vertex_count, bool shuffled, uint64_t seed,
                      Limbed *out, SupError *error);

/* Other weights for it: vertices follow by turns the nearest 3, 4, 5 and 6 bones. */
SupResult limbed_spread(SupArena *arena, Limbed *io_body, SupError *error);

/* Where its bones lie: four in a row along each half axis. */
void limbed_segments(SupSurfaceSegment out_segments[LIMBED_BONES]);

#endif
