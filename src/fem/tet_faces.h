/* SPDX-License-Identifier: MIT */
/* Faces of a volume, and what hangs together by them. */
#ifndef SUP_SRC_FEM_TET_FACES_H
#define SUP_SRC_FEM_TET_FACES_H

#include "supple/geom/tet.h"

/* A face with the tetrahedra on its two sides. */
typedef struct SupTetFace {
  uint32_t nodes[3]; /* rising */
  uint32_t tets[2];  /* the second may be SUP_NONE */
} SupTetFace;

/* All faces, each once, in `arena`. Where more than two tetrahedra share one, each further pair is
 * another. */
SupResult sup_tet_faces(SupArena *arena, const SupTetMesh *mesh, SupTetFace **out_faces,
                        uint32_t *out_count, SupError *error);

/* Tetrahedra that only edges or nodes join to the largest part of their piece: (*out_hinged)[t] is
 * 1. They would swing like hinges. */
SupResult sup_tet_hinged(SupArena *arena, const SupTetMesh *mesh, uint8_t **out_hinged,
                         SupError *error);

#endif
