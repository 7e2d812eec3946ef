/* SPDX-License-Identifier: MIT */
/* Which nodes share a tetrahedron. */
#ifndef SUP_SRC_FEM_NEIGHBOURS_H
#define SUP_SRC_FEM_NEIGHBOURS_H

#include "supple/geom/tet.h"

/* The neighbours of node n are nodes[offsets[n]] .. nodes[offsets[n + 1] - 1], once for every
 * tetrahedron that both are in, in the order of the tetrahedra. */
typedef struct SupTetNeighbours {
  uint32_t *offsets; /* [node_count + 1] */
  uint32_t *nodes;   /* [12 * tet_count] */
} SupTetNeighbours;

/* Arrays in `arena`; false when memory is short. */
bool sup_tet_neighbours(SupArena *arena, const SupTetMesh *mesh, SupTetNeighbours *out_neighbours);

#endif
