/* SPDX-License-Identifier: MIT */
/* How sharp tetrahedra are. */
#ifndef SUP_SRC_FEM_DIHEDRAL_H
#define SUP_SRC_FEM_DIHEDRAL_H

#include "supple/geom/tet.h"

/* Cosines of the dihedral angles of a tetrahedron with these corners, whichever way round it is:
 * raises io_most to that of its least angle, lowers io_least to that of its greatest. */
void sup_dihedral_cosines(const SupVec3d corners[4], double *io_least, double *io_most);

/* The angle of a cosine, in degrees. */
double sup_dihedral_degrees(double cosine);

#endif
