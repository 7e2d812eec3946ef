/* SPDX-License-Identifier: MIT */
/*
 * Supple: fill any skin with tetrahedra.
 */
#ifndef SUPPLE_FEM_FILL_H
#define SUPPLE_FEM_FILL_H

#include "supple/author/character.h"
#include "supple/geom/tet.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tetrahedra of a body where nobody asks for another number. */
#define SUP_FILL_USUAL 5000

typedef struct SupFillDef {
  uint32_t tet_target; /* about this many tetrahedra; 0 means `edge` rules */
  double edge;         /* lattice spacing in the mesh's units; 0 means `tet_target` rules */
  const SupJobs *jobs; /* may be NULL */
  const SupSkin *skin; /* parts that have no bone in common are filled apart; NULL: together */
  const float *lock; /* [vertex_count] 1: not flesh. Open pieces that are not at all, as a robe is,
                        are filled apart too, so that the room inside is no flesh. NULL: all is */
} SupFillDef;

/* A filled skin. */
typedef struct SupFill {
  SupTetMesh mesh;         /* nodes in the units of the skin */
  SupEmbedding embedding;  /* every vertex of the skin in the volume */
  const double *fractions; /* [tet_count] fraction of each tetrahedron that is inside, (0, 1] */
  double spacing;          /* of the lattice, in the units of the skin; a mean edge otherwise */
  double usual;            /* the spacing with SUP_FILL_USUAL tetrahedra; 0: nobody knows */
} SupFill;

typedef struct SupFillReport {
  double edge;             /* lattice spacing, mesh units */
  double volume;           /* inside the skin, cubic mesh units */
  uint32_t piece_count;    /* connected volumes */
  uint32_t copy_count;     /* tetrahedra doubled where two parts share a lattice cell */
  uint32_t thin_count;     /* skin samples in parts too thin for the lattice, kept all the same */
  double outside_distance; /* how far a skin vertex lies outside its tetrahedron, mesh units */
  double dihedral_least;   /* degrees */
  double dihedral_most;    /* degrees */
  double fraction_least;   /* of any tetrahedron, before it is raised to the floor */
} SupFillReport;

/* Fills `mesh`: any triangles, also open, self-intersecting or in several pieces; inside is where
 * the generalised winding number is above one half. Tetrahedra come from a body-centred cubic
 * lattice (dihedral angles of 60 and 90 degrees) and reach a little beyond the skin; `fractions`
 * say how much of each is flesh. Parts that touch the same cell without being connected inside it
 * (two thighs, fingers) get tetrahedra of their own; so do parts that neither triangles nor bones
 * join, however they lie in each other. Fails with a sentence when nothing is inside
 * and nothing can be attached, or when the request needs too much memory. */
SupResult sup_fill(SupArena *arena, const SupMesh *mesh, const SupFillDef *def, SupFill *out_fill,
                   SupFillReport *out_report, SupError *error);

/* Takes a volume that another program made (supple/io/tets.h), in the units and pose of the skin,
 * and finds every skin vertex in it; a vertex outside goes with the nearest tetrahedron. All of
 * each tetrahedron counts as flesh. `volume`'s arrays must outlive the result. Fails with a
 * sentence when a tetrahedron is flat or inside out, or when the skin reaches farther outside than
 * a tenth of its size. */
SupResult sup_fill_given(SupArena *arena, const SupMesh *skin, const SupTetMesh *volume,
                         SupFill *out_fill, SupFillReport *out_report, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
