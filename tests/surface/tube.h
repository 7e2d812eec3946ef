/* SPDX-License-Identifier: MIT */
/* A tube on two bones, for tests; needs no C library. */
#ifndef SUP_TESTS_SURFACE_TUBE_H
#define SUP_TESTS_SURFACE_TUBE_H

#include "supple/author/surface_pack.h"

/* Axis y from 0 to 2, radius 0.4, closed by two vertices; joints at 0 and 1, smooth weights.
 * `order` renumbers the vertices: new number of each, or NULL. Everything in the arena. */
void tube_make(SupArena *arena, uint32_t around, uint32_t along, const uint32_t *order,
               SupCharacter *out);

/* One segment per bone of the tube. */
extern const SupSurfaceSegment tube_segments[2];

/* From each joint to each of its children, and a point for a leaf. */
SupSurfaceSegment *bone_segments(SupArena *arena, const SupSkeleton *skeleton, uint32_t *out_count);

#endif
