/* SPDX-License-Identifier: MIT */
/* Nodes that bones would drive into each other. */
#ifndef SUP_SRC_FEM_RELEASE_CONFLICTS_H
#define SUP_SRC_FEM_RELEASE_CONFLICTS_H

#include "supple/fem/attach.h"

/* Clears held[node_count] where the skeleton, in the poses that the character's clips reach,
 * would bring two held nodes that are neighbours, or have a common one, to less than half of their
 * distance: between them flesh would be crushed, or turned inside out. Of two such nodes the one
 * goes free that has more of them around it. bones and weights are those of an attachment;
 * nodes with keep[n] stay as they are. Deterministic. */
SupResult sup_release_conflicts(SupArena *arena, const SupCharacter *character,
                                const SupTetMesh *mesh, const uint32_t *bones, const float *weights,
                                const uint8_t *keep, uint8_t *held, uint32_t *out_released,
                                SupError *error);

#endif
