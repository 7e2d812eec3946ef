/* SPDX-License-Identifier: MIT */
/* A smooth way from the nodes of a volume to its skin. */
#ifndef SUP_SRC_FEM_SMOOTH_H
#define SUP_SRC_FEM_SMOOTH_H

#include "supple/fem/fill.h"

/* Weights of nodes per skin vertex, CSR. They sum to 1 and give every affine motion back exactly;
 * unlike barycentric ones they show no facets of the lattice. */
typedef struct SupSmooth {
  uint32_t vertex_count;
  const uint32_t *offsets; /* [vertex_count + 1] */
  const uint32_t *nodes;
  const double *weights;
} SupSmooth;

/* For the vertices of `skin`, the one that was filled. */
SupResult sup_smooth_create(SupArena *arena, const SupMesh *skin, const SupFill *fill,
                            SupSmooth *out_smooth, SupError *error);

#endif
