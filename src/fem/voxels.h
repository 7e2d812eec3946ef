/* SPDX-License-Identifier: MIT */
/*
 * Which small cubes of space are flesh: five along each edge of a lattice cell.
 */
#ifndef SUP_SRC_FEM_VOXELS_H
#define SUP_SRC_FEM_VOXELS_H

#include "fem/inside.h"
#include "fem/lattice.h"

/* Voxels along the edge of a cell. */
#define SUP_VOXELS 5

/* What a voxel is. */
#define SUP_VOXEL_FLESH 1 /* inside by winding number */
#define SUP_VOXEL_THIN 2  /* made flesh to carry a part of the skin that is thinner than a voxel */

typedef struct SupVoxels {
  SupLattice lattice;
  int32_t size[3];     /* SUP_VOXELS * cells */
  uint8_t *inside;     /* [size[0] * size[1] * size[2]] 0 outside, or one of the above */
  uint64_t count;      /* of flesh voxels found by winding number */
  uint32_t thin_count; /* voxels that were made flesh */
} SupVoxels;

/* Classifies all voxels of `lattice` against the skin. */
SupResult sup_voxels_create(SupArena *arena, const SupLattice *lattice, const SupMesh *mesh,
                            const SupInside *inside, const SupJobs *jobs, SupVoxels *out_voxels,
                            SupError *error);

/* The point that stands for a voxel: near its centre, a little off, differently along each axis, so
 * that it never lies on the border between two tetrahedra. */
SupVec3d sup_voxel_point(const SupVoxels *voxels, const int32_t at[3]);

/* The tetrahedron around that point, by integer arithmetic: alike in every cell. */
SupLatticeTet sup_voxel_tet(const int32_t at[3]);

static inline size_t sup_voxel_index(const SupVoxels *voxels, const int32_t at[3]) {
  return ((size_t)at[2] * (size_t)voxels->size[1] + (size_t)at[1]) * (size_t)voxels->size[0] +
         (size_t)at[0];
}

/* The voxel nearest to `point` among the 27 around it whose kind is in `mask`; false if there is
 * none. */
bool sup_voxel_near(const SupVoxels *voxels, SupVec3d point, uint8_t mask, int32_t out_at[3]);

#endif
