/* SPDX-License-Identifier: MIT */
/* Local changes of a SupHalfEdgeMesh; each keeps it a manifold and keeps the outlines of the
 * regions. */
#ifndef SUP_AUTHOR_BUILTIN_HALF_EDGE_H
#define SUP_AUTHOR_BUILTIN_HALF_EDGE_H

#include "author/builtin/builtin_body.h"

#define SUP_HALF_EDGE_RING_MAX 64

/* The half-edges that start at a vertex, counter-clockwise, and the vertices around it: one more
 * than half-edges where the fan is open. */
typedef struct SupHalfEdgeRing {
  uint32_t half_edge_count;
  uint32_t vertex_count;
  uint32_t half_edges[SUP_HALF_EDGE_RING_MAX];
  uint32_t vertices[SUP_HALF_EDGE_RING_MAX + 1];
  /* Edges of the ring that lie on an outline or the mirror plane: how many, the neighbours at
   * their other ends (the first two), and what pins the vertex itself. */
  uint32_t pinned_count;
  uint32_t pinned[2];
  SupPin pin;
} SupHalfEdgeRing;

void sup_half_edge_ring(const SupHalfEdgeMesh *mesh, uint32_t v, SupHalfEdgeRing *out_ring);

/* Puts vertex at `p` into the middle of edge h. False if there is no room. */
bool sup_half_edge_split(SupHalfEdgeMesh *mesh, uint32_t h, SupVec3d p);

/* Turns edge h. The caller has checked that it may. */
void sup_half_edge_flip(SupHalfEdgeMesh *mesh, uint32_t h);

/* Whether from[h] can be merged into the other end without harm to manifold or outlines. */
bool sup_half_edge_may_collapse(const SupHalfEdgeMesh *mesh, uint32_t h, const SupHalfEdgeRing *a,
                                const SupHalfEdgeRing *b);

/* Merges from[h] into the other end. */
void sup_half_edge_collapse(SupHalfEdgeMesh *mesh, uint32_t h, const SupHalfEdgeRing *a);

/* Removes dead slots, keeping the order of the rest. */
SupResult sup_half_edge_compact(SupArena *arena, SupHalfEdgeMesh *mesh);

#endif
