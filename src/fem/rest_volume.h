/* SPDX-License-Identifier: MIT */
/* What a character's flesh has in common whoever computes with it: its size and its stiffness. */
#ifndef SUP_SRC_FEM_REST_VOLUME_H
#define SUP_SRC_FEM_REST_VOLUME_H

#include "supple/author/character.h"
#include "supple/fem/attach.h"
#include "supple/fem/fill.h"

/* Metres per body unit, and how the rest pose turns the body (out_turn may be NULL): from the
 * palette of the rest pose, weighted by how much skin each bone moves. Fails when the rest pose
 * flattens the body. */
SupResult sup_rest_scale(SupArena *arena, const SupCharacter *character, double *out_scale,
                         SupMat3d *out_turn, SupError *error);

/* Factors on Young's modulus per tetrahedron, *out_factors[tet_count] in `arena`; NULL where the
 * material is uniform. Carried into the volume as a harmonic field, so that it
 * changes smoothly. by_vertex[body.vertex_count] and by_bone[bone_count] multiply; each may be
 * NULL. */
SupResult sup_rest_stiffness(SupArena *arena, const SupCharacter *character, const SupFill *fill,
                             const float *by_vertex, const float *by_bone, double **out_factors,
                             SupError *error);

/* The bone that moves each tetrahedron most, *out_bones[tet_count] in `arena`: an element is made
 * of what that bone has. */
SupResult sup_rest_bones(SupArena *arena, const SupFill *fill, const SupAttachment *attachment,
                         uint32_t **out_bones, SupError *error);

#endif
