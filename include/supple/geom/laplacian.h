/* SPDX-License-Identifier: MIT */
/* Supple: the Laplacian of a mesh as a sparse matrix. */
#ifndef SUPPLE_GEOM_LAPLACIAN_H
#define SUPPLE_GEOM_LAPLACIAN_H

#include "supple/geom/measure.h"
#include "supple/geom/topology.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SupLaplacianKind {
  SUP_LAPLACIAN_UNIFORM,  /* every edge weighs 1 */
  SUP_LAPLACIAN_COTANGENT /* half the sum of the cotangents of the angles opposite to the edge */
} SupLaplacianKind;

typedef struct SupLaplacianDef {
  SupLaplacianKind kind;
  bool nonnegative;       /* weights below zero (obtuse angles) become zero */
  double cotangent_limit; /* cotangents are held within +- this; 0 means the default, 1e5 */
  SupVertexArea mass;     /* how areas are shared among vertices */
} SupLaplacianDef;

/* L = D - W: symmetric, positive semidefinite where all weights are >= 0 (and for the cotangent
 * one without limits always); rows sum to 0. Negative of the Laplace operator integrated over the
 * cell of each vertex: divide by the mass for the operator itself. */
typedef struct SupLaplacian {
  uint32_t vertex_count;
  const uint32_t *offsets; /* [vertex_count + 1] into columns and values */
  const uint32_t *columns; /* rising in each row; the diagonal is always there */
  const double *values;
  const double *mass; /* [vertex_count] area of each vertex, square units of the positions */
} SupLaplacian;

/* Assembles the matrix. `rings` is of `mesh`. Any mesh will do: a degenerate triangle's cotangents
 * are at the limit, or 0 where two corners coincide; at edges with more than two triangles all
 * angles count. The matrix is symmetric to the last bit. The result lives in `arena`. Fails only if
 * memory is short; *out_laplacian is then untouched. `error` may be NULL. */
SupResult sup_laplacian(SupArena *arena, const SupMesh *mesh, const SupRings *rings,
                        const SupLaplacianDef *def, SupLaplacian *out_laplacian, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
