/* SPDX-License-Identifier: MIT */
/*
 * Wedges: elements with six nodes, a triangle drawn along a line.
 *
 * Guo 2007, 4.3, corrected (docs/techniques/chunks.md). The reference wedge is a regular triangle
 * of radius 1 around the axis a3, from a3 = -1 to 1. Corners run counter-clockwise seen from
 * a3 = 1, so that a wedge whose triangles do so has a determinant above 0.
 */
#ifndef SUP_SRC_FEM_WEDGE_H
#define SUP_SRC_FEM_WEDGE_H

#include "supple/geom/mesh.h"

typedef struct SupWedgeMesh {
  uint32_t node_count;
  uint32_t wedge_count;
  const SupVec3d *nodes;  /* [node_count] at rest */
  const uint32_t *wedges; /* [6 * wedge_count] the lower triangle, then the upper one above it */
} SupWedgeMesh;

/* The six shape functions at a place of the reference wedge. */
void sup_wedge_shape(const double at[3], double out_shape[6]);

/* Their derivatives by a1, a2, a3. */
void sup_wedge_slopes(const double at[3], double out_slopes[6][3]);

/* Gauss points: exact up to degree 2 in the triangle and 3 along a3. All have the same weight. */
#define SUP_WEDGE_POINTS 6
#define SUP_WEDGE_WEIGHT 0.43301270189221932 /* sqrt(3) / 4 */
void sup_wedge_point(uint32_t k, double out_at[3]);

/* Gradients of the shape functions in space where the wedge has these corners; returns the
 * determinant of the map from the reference wedge. */
double sup_wedge_gradients(const SupVec3d corners[6], const double at[3], SupVec3d out[6]);

/* Determinants at the Gauss points: the least, and the volume that they sum to. */
typedef struct SupWedgeSize {
  double volume;
  double least;
} SupWedgeSize;

SupWedgeSize sup_wedge_size(const SupVec3d corners[6]);

/* The corners of wedge w at nodes[], which may be those of a deformed mesh. */
void sup_wedge_corners(const SupWedgeMesh *mesh, const SupVec3d *nodes, uint32_t w,
                       SupVec3d out_corners[6]);

/* Volume of the whole, and the least ratio of a determinant at a Gauss point to that at rest: at 0
 * or below a wedge is inverted there. */
SupWedgeSize sup_wedge_mesh_size(const SupWedgeMesh *mesh, const SupVec3d *nodes);

#endif
