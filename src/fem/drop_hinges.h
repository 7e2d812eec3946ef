/* SPDX-License-Identifier: MIT */
/* Corners of flesh that only an edge or a node joins to the rest, taken away. */
#ifndef SUP_SRC_FEM_DROP_HINGES_H
#define SUP_SRC_FEM_DROP_HINGES_H

#include "supple/fem/fill.h"

/* Takes hinged tetrahedra (tet_faces.h) away whose skin other tetrahedra can carry, being not
 * farther than half a spacing outside them; the others stay. `skin` is that of the fill. New arrays
 * lie in `arena`. */
SupResult sup_drop_hinges(SupArena *arena, const SupMesh *skin, SupFill *io_fill, SupError *error);

#endif
