/* SPDX-License-Identifier: MIT */
/* Which tetrahedra of a volume are around a point. */
#ifndef SUP_SRC_FEM_LOCATE_H
#define SUP_SRC_FEM_LOCATE_H

#include "supple/geom/tet.h"

/* Tetrahedra by the cells of a grid that their boxes touch, CSR. */
typedef struct SupLocator {
  SupTetMesh mesh;
  SupVec3d low;
  double cell;
  uint32_t size[3];
  const uint32_t *offsets; /* [cells + 1] */
  const uint32_t *tets;    /* rising within a cell */
} SupLocator;

/* In `arena`; points into the mesh, whose tetrahedra have edges of about `edge`. */
SupResult sup_locator_create(SupArena *arena, const SupTetMesh *mesh, double edge,
                             SupLocator *out_locator, SupError *error);

/* Barycentric coordinates of a point in a tetrahedron. */
void sup_tet_coordinates(const SupTetMesh *mesh, uint32_t tet, SupVec3d point, double out[4]);

/* Up to `most` tetrahedra that contain the point, by rising number; copies of one cell are several.
 * Returns their number. */
uint32_t sup_locate(const SupLocator *locator, SupVec3d point, uint32_t most, uint32_t *out_tets);

#endif
