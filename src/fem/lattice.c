/* SPDX-License-Identifier: MIT */
/* Arithmetic of the body-centred cubic lattice. */
#include "fem/lattice.h"

static int32_t floor_of(double x) {
  int32_t whole = (int32_t)x;
  return (double)whole > x ? whole - 1 : whole;
}

static double size_of(double x) { return x < 0 ? -x : x; }

SupLatticeTet sup_lattice_locate(const SupLattice *lattice, SupVec3d point) {
  double at[3] = {(point.x - lattice->origin.x) / lattice->spacing,
                  (point.y - lattice->origin.y) / lattice->spacing,
                  (point.z - lattice->origin.z) / lattice->spacing};
  int32_t cell[3];
  double offset[3];
  for (int a = 0; a < 3; a++) {
    cell[a] = floor_of(at[a]);
    offset[a] = at[a] - (double)cell[a] - 0.5;
  }
  return sup_lattice_tet(cell, offset);
}

SupLatticeTet sup_lattice_tet(const int32_t cell[3], const double offset[3]) {
  SupLatticeTet tet = {{cell[0], cell[1], cell[2]}, 0};
  int face = size_of(offset[0]) >= size_of(offset[1]) ? 0 : 1;
  if (size_of(offset[2]) > size_of(offset[face])) face = 2;
  int p = (face + 1) % 3, q = (face + 2) % 3;
  bool along_p = size_of(offset[p]) >= size_of(offset[q]);
  bool upper = along_p ? offset[p] >= 0 : offset[q] >= 0;
  /* The face below belongs to the cell below. */
  if (offset[face] < 0) tet.cell[face]--;
  tet.kind = 4 * face + (along_p ? 0 : 2) + (upper ? 1 : 0);
  return tet;
}

void sup_lattice_corners(SupLatticeTet tet, SupLatticePoint out_corners[4]) {
  int face = tet.kind / 4, edge = tet.kind % 4;
  int p = (face + 1) % 3, q = (face + 2) % 3;
  int fixed = edge < 2 ? p : q, along = edge < 2 ? q : p;
  int side = edge % 2 ? 1 : -1;
  SupLatticePoint centre;
  for (int a = 0; a < 3; a++) centre.at[a] = 2 * tet.cell[a] + 1;
  SupLatticePoint *c = out_corners;
  for (int k = 0; k < 4; k++) c[k] = centre;
  c[1].at[face] += 2; /* the centre of the upper cell */
  for (int k = 2; k < 4; k++) {
    c[k].at[face] += 1;
    c[k].at[fixed] += side;
  }
  /* (face, p, q) is right-handed: which end of the edge comes first decides the orientation. */
  bool forward = (fixed == p) == (side > 0);
  c[forward ? 2 : 3].at[along] -= 1;
  c[forward ? 3 : 2].at[along] += 1;
}

SupVec3d sup_lattice_position(const SupLattice *lattice, SupLatticePoint point) {
  double half = lattice->spacing / 2;
  return (SupVec3d){lattice->origin.x + half * (double)point.at[0],
                    lattice->origin.y + half * (double)point.at[1],
                    lattice->origin.z + half * (double)point.at[2]};
}
