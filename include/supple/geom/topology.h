/* SPDX-License-Identifier: MIT */
/*
 * Supple: how the triangles of a mesh hang together.
 *
 * Half-edge h = 3 f + k runs from corner k of triangle f to the next one; the same number stands
 * for that corner. Two half-edges are twins if their edge has exactly these two triangles. A
 * half-edge without twin lies on the boundary: its edge has one triangle, or more than two, and
 * there the surface counts as cut. So every mesh has well-defined twins, fans and loops, however
 * badly it is made, and the counts say how badly.
 */
#ifndef SUPPLE_GEOM_TOPOLOGY_H
#define SUPPLE_GEOM_TOPOLOGY_H

#include "supple/geom/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which vertices share an edge with each vertex. */
typedef struct SupRings {
  uint32_t vertex_count;
  const uint32_t *offsets;    /* [vertex_count + 1] into neighbours */
  const uint32_t *neighbours; /* [offsets[vertex_count]] rising within each vertex */
} SupRings;

/* A set of vertices connected by edges. */
typedef struct SupComponent {
  uint32_t vertex_count;
  uint32_t edge_count;
  uint32_t triangle_count;
  uint32_t loop_count; /* boundary loops */
  int32_t euler;       /* vertices - edges + triangles */
  int32_t genus;       /* handles; -1 where not both manifold and oriented */
  bool manifold;       /* every edge has 1 or 2 triangles, every vertex one fan of them */
  bool oriented;       /* no edge is run through twice in the same direction */
  bool closed;         /* every edge has 2 triangles or more */
} SupComponent;

typedef struct SupTopology {
  SupRings rings;
  uint32_t triangle_count;
  const uint32_t *twins;          /* [3 * triangle_count] half-edge -> half-edge, or SUP_NONE */
  const uint32_t *corner_offsets; /* [vertex_count + 1] into corners */
  const uint32_t *corners;        /* [3 * triangle_count] the corners at each vertex, rising */

  uint32_t edge_count;
  const uint32_t *edges;           /* [2 * edge_count] lower and higher vertex; rising pairs */
  const uint32_t *edge_degrees;    /* [edge_count] triangles at each edge */
  const uint32_t *half_edge_edges; /* [3 * triangle_count] edge of each half-edge */

  uint32_t component_count;
  const SupComponent *components;    /* [component_count] by their lowest vertex */
  const uint32_t *vertex_components; /* [vertex_count]; SUP_NONE for a vertex without triangle */

  uint32_t loop_count;           /* closed walks along half-edges without twin */
  const uint32_t *loop_offsets;  /* [loop_count + 1] into loop_vertices */
  const uint32_t *loop_vertices; /* in the direction of the loop's lowest half-edge */

  uint32_t nonmanifold_vertex_count;
  const uint32_t *nonmanifold_vertices; /* rising: more than one fan, or at such an edge */

  uint32_t boundary_edge_count;    /* one triangle */
  uint32_t nonmanifold_edge_count; /* three or more triangles */
  uint32_t reversed_edge_count;    /* two triangles that run through it in the same direction */
  uint32_t isolated_vertex_count;  /* vertices without triangle */
} SupTopology;

/* The one-rings alone, in linear time. The mesh's positions are not read, here and below. Fails if
 * memory is short, or a triangle names a vertex twice or one that does not exist (a sentence says
 * which). Results live in `arena`; outputs are untouched on failure. `error` may be NULL. */
SupResult sup_rings(SupArena *arena, const SupMesh *mesh, SupRings *out_rings, SupError *error);

/* Everything above, in linear time; fails as sup_rings does. */
SupResult sup_topology(SupArena *arena, const SupMesh *mesh, SupTopology *out_topology,
                       SupError *error);

/* A mesh turned so that neighbouring triangles agree and outsides face outwards. */
typedef struct SupOrientation {
  const uint32_t *triangles; /* [3 * triangle_count] a flipped one has its last corners swapped */
  uint32_t flipped_count;
  uint32_t shell_count;        /* sets of triangles connected through twins */
  const uint32_t *shells;      /* [triangle_count] shell of each triangle, by lowest triangle */
  uint32_t unorientable_count; /* shells that no flipping makes consistent (Moebius strips) */
  uint32_t turned_count;       /* consistent shells that were inside out */
} SupOrientation;

/* Makes each shell consistent, keeping as many triangles as possible as they are, and then turns it
 * over if it is inside out: if its signed volume, measured from its own middle, is negative. A
 * shell with less volume than a hundredth of area^(3/2) (a sheet: a sphere has 0.094) has no
 * inside and keeps the side that most of its area has. An unorientable shell is left as it is.
 * Needs positions. `topology` is of `mesh`. Fails only if memory is short. */
SupResult sup_orient(SupArena *arena, const SupMesh *mesh, const SupTopology *topology,
                     SupOrientation *out_orientation, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
