/* SPDX-License-Identifier: MIT */
/* A volume while its boundary is brought to the skin. */
#ifndef SUP_SRC_FEM_DRIVEN_WORK_H
#define SUP_SRC_FEM_DRIVEN_WORK_H

#include "supple/fem/driven_volume.h"
#include "supple/geom/bvh.h"

typedef enum SupDrivenState {
  SUP_DRIVEN_INSIDE,  /* free */
  SUP_DRIVEN_SURFACE, /* on the skin */
  SUP_DRIVEN_RELEASED /* on the boundary, and free all the same */
} SupDrivenState;

/* A place on the skin. */
typedef struct SupDrivenTie {
  uint32_t triangle;
  double weights[3];
  double distance; /* that the node was moved */
} SupDrivenTie;

/* Arrays over the nodes and tetrahedra of the fill. */
typedef struct SupDrivenWork {
  const SupMesh *skin;
  const SupFill *fill;
  SupBvh bvh;
  double quality;
  uint8_t *alive;     /* [tet_count] */
  uint8_t *state;     /* [node_count] a SupDrivenState */
  SupVec3d *at;       /* [node_count] */
  SupDrivenTie *ties; /* [node_count] of surface nodes */
  uint8_t *boundary;  /* [node_count] of what is alive */
  uint32_t *faces;    /* [12 * tet_count] scratch */
  /* Which corners of tetrahedra a node is: CSR, entries 4 * tet + corner. */
  uint32_t *corner_offsets; /* [node_count + 1] */
  uint32_t *corners;        /* [4 * tet_count] */
  /* The skin vertices in a tetrahedron, and the triangles at a skin vertex: CSR. */
  uint32_t *inside_offsets;   /* [tet_count + 1] */
  uint32_t *inside;           /* [skin vertex_count] */
  uint32_t *triangle_offsets; /* [skin vertex_count + 1] */
  uint32_t *triangles;        /* [3 * triangle_count] */
} SupDrivenWork;

/* Sets up the work in `scratch`: tetrahedra with less flesh than `fraction` are dead. */
SupResult sup_driven_begin(SupArena *scratch, const SupMesh *skin, const SupFill *fill,
                           const SupDrivenDef *def, SupDrivenWork *out_work, SupError *error);

/* Finds the boundary of what is alive, and puts nodes that have come to it on the skin. Those that
 * are farther from it than the lattice is wide are released. */
void sup_driven_snap(SupDrivenWork *work);

/* Quality of a tetrahedron; negative when it is inside out. */
double sup_driven_quality(const SupDrivenWork *work, uint32_t tet);

/* Whether its quality is below `limit` and below half of what it was filled with: nobody is to
 * blame for tetrahedra that another program made so. */
bool sup_driven_is_bad(const SupDrivenWork *work, uint32_t tet, double limit);

/* Moves nodes inside to the middle of their neighbours where that improves the worst of their
 * tetrahedra, `sweeps` times over those below twice the quality wanted. */
void sup_driven_smooth(SupDrivenWork *work, int sweeps);

#endif
