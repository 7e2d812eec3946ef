/* SPDX-License-Identifier: MIT */
/* Local changes of a SupWeave; each keeps it a manifold and keeps the outlines of the regions. */
#ifndef SUP_AUTHOR_BUILTIN_WEAVE_H
#define SUP_AUTHOR_BUILTIN_WEAVE_H

#include "author/builtin_body.h"

#define SUP_WEAVE_RING_MAX 64

/* The half-edges that start at a vertex, counter-clockwise, and the vertices around it: one more
 * than half-edges where the fan is open. */
typedef struct SupWeaveRing {
  uint32_t half_count;
  uint32_t vertex_count;
  uint32_t halves[SUP_WEAVE_RING_MAX];
  uint32_t vertices[SUP_WEAVE_RING_MAX + 1];
  /* Edges of the ring that lie on an outline or the mirror plane: how many, the neighbours at
   * their other ends (the first two), and what pins the vertex itself. */
  uint32_t pinned_count;
  uint32_t pinned[2];
  SupPin pin;
} SupWeaveRing;

void sup_weave_ring(const SupWeave *weave, uint32_t v, SupWeaveRing *out_ring);

/* Puts vertex at `p` into the middle of edge h. False if there is no room. */
bool sup_weave_split(SupWeave *weave, uint32_t h, SupVec3d p);

/* Turns edge h. The caller has checked that it may. */
void sup_weave_flip(SupWeave *weave, uint32_t h);

/* Whether from[h] can be merged into the other end without harm to manifold or outlines. */
bool sup_weave_may_collapse(const SupWeave *weave, uint32_t h, const SupWeaveRing *a,
                            const SupWeaveRing *b);

/* Merges from[h] into the other end. */
void sup_weave_collapse(SupWeave *weave, uint32_t h, const SupWeaveRing *a);

/* Removes dead slots, keeping the order of the rest. */
SupResult sup_weave_compact(SupArena *arena, SupWeave *weave);

#endif
