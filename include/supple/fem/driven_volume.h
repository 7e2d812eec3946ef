/* SPDX-License-Identifier: MIT */
/*
 * Supple: a volume that is driven by its skin.
 *
 * sup_fill embeds the skin in a lattice: the volume carries the skin. Here it is the other way
 * round: surface nodes of the volume are linear functions of skin vertices, whoever moves those,
 * and the nodes inside are free.
 */
#ifndef SUPPLE_FEM_DRIVEN_VOLUME_H
#define SUPPLE_FEM_DRIVEN_VOLUME_H

#include "supple/fem/fill.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SupDrivenDef {
  double fraction; /* tetrahedra with less flesh than this are left out; 0 means 0.3 */
  double quality;  /* the least quality of a tetrahedron, below; 0 means 0.1 */
} SupDrivenDef;

typedef struct SupDrivenVolume {
  SupTetMesh mesh;        /* surface nodes first */
  uint32_t surface_count; /* nodes 0 .. surface_count - 1 are driven, the others free */
  uint32_t skin_count;    /* skin vertices that drive anything */
  const uint32_t *skin;   /* [skin_count] of the skin, rising */
  /* Surface node n is the sum over c < 3 of weights[3 n + c] times the place of skin vertex
   * skin[corners[3 n + c]]: a place on a triangle of the skin. */
  const uint32_t *corners; /* [3 * surface_count] below skin_count */
  const double *weights;   /* [3 * surface_count] each >= 0, three sum to 1 */
  const double *fractions; /* [tet_count] fraction of each tetrahedron that is flesh */
} SupDrivenVolume;

/* Quality of a tetrahedron: 6 sqrt(2) volume / (root mean square of its edges)^3; 1 for a regular
 * one, 0 for a flat one. */
typedef struct SupDrivenReport {
  uint32_t removed_count;  /* tetrahedra left out: little flesh, or flattened by the skin */
  uint32_t released_count; /* boundary nodes that are free: on the skin they would flatten one */
  double quality_least, quality_mean;
  double volume;        /* of the flesh, cubic units of the skin */
  double snap_most;     /* how far a node was moved to the skin, units of the skin */
  uint32_t piece_count; /* connected volumes */
} SupDrivenReport;

/* Puts the boundary nodes of `fill`, which filled `skin`, onto their nearest places on the skin
 * nearby, and makes the volume good again: nodes inside are smoothed; tetrahedra of surface nodes
 * alone that became flat are removed; a boundary node that would still flatten one is released to
 * where it was, free like a node inside. At rest every surface node is exactly where the skin has
 * it, and every tetrahedron has the quality asked for. Fails with a sentence when nothing is left
 * or no node is driven. A volume of another program (sup_fill_given) whose boundary lies on the
 * skin stays as it is. */
SupResult sup_driven_volume(SupArena *arena, const SupMesh *skin, const SupFill *fill,
                            const SupDrivenDef *def, SupDrivenVolume *out_volume,
                            SupDrivenReport *out_report, SupError *error);

/* Where the skin has the surface nodes: skin[skin_count], the vertices volume->skin, in;
 * out_nodes[surface_count] out. Velocities and derivatives likewise: it is linear. */
void sup_driven_surface(const SupDrivenVolume *volume, const SupVec3d *skin, SupVec3d *out_nodes);

#ifdef __cplusplus
}
#endif
#endif
