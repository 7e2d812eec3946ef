/* SPDX-License-Identifier: MIT */
/*
 * The body-centred cubic lattice and its tetrahedra.
 *
 * Lattice points are the corners of cubic cells and their centres. Two cells that share a face
 * form, with their centres and each of the face's four edges, four tetrahedra: all alike, with
 * dihedral angles of 60 and 90 degrees and a volume of spacing^3 / 12. Finding the tetrahedron of
 * a point is arithmetic: the largest offset from the cell's centre says which face, the second
 * largest which edge.
 */
#ifndef SUP_SRC_FEM_LATTICE_H
#define SUP_SRC_FEM_LATTICE_H

#include "supple/math.h"

/* Cells 0 .. cells[axis] - 1; cell (0, 0, 0) has its low corner at `origin`. */
typedef struct SupLattice {
  SupVec3d origin;
  double spacing;
  int32_t cells[3];
} SupLattice;

/* Twelve tetrahedra belong to each cell: 4 * axis + edge, between it and its upper neighbour. */
typedef struct SupLatticeTet {
  int32_t cell[3];
  int32_t kind; /* 0 .. 11 */
} SupLatticeTet;

/* The tetrahedron around a point. */
SupLatticeTet sup_lattice_locate(const SupLattice *lattice, SupVec3d point);

/* The same for a point of a cell, given by its offset from the cell's centre in any unit. */
SupLatticeTet sup_lattice_tet(const int32_t cell[3], const double offset[3]);

/* A lattice point as doubled integer coordinates: even for corners, odd for centres. */
typedef struct SupLatticePoint {
  int32_t at[3];
} SupLatticePoint;

/* The four corners, positively oriented. */
void sup_lattice_corners(SupLatticeTet tet, SupLatticePoint out_corners[4]);

SupVec3d sup_lattice_position(const SupLattice *lattice, SupLatticePoint point);

#endif
