/* SPDX-License-Identifier: MIT */
/*
 * Supple: tetrahedral meshes and what hangs on them, plain data.
 */
#ifndef SUPPLE_GEOM_TET_H
#define SUPPLE_GEOM_TET_H

#include "supple/geom/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A volume of tetrahedra. Corners 1, 2, 3 of each turn counter-clockwise seen from outside, away
 * from corner 0: (x1 - x0) . ((x2 - x0) x (x3 - x0)) > 0 at rest. */
typedef struct SupTetMesh {
  uint32_t node_count;
  uint32_t tet_count;
  const SupVec3d *nodes; /* [node_count] rest positions, body space, metres */
  const uint32_t *tets;  /* [4 * tet_count] */
} SupTetMesh;

/* Surface vertices carried by the volume: vertex v is the weighted sum of the four nodes of its
 * tetrahedron. Weights sum to 1; a vertex outside its tetrahedron has negative ones. */
typedef struct SupEmbedding {
  uint32_t vertex_count;
  const uint32_t *tets;  /* [vertex_count] */
  const double *weights; /* [4 * vertex_count] */
} SupEmbedding;

#ifdef __cplusplus
}
#endif
#endif
