/* SPDX-License-Identifier: MIT */
/* Supple: left and right: sides in names, and the plane between them. */
#ifndef SUPPLE_AUTHOR_SIDES_H
#define SUPPLE_AUTHOR_SIDES_H

#include "supple/author/character.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SupSide { SUP_SIDE_NONE, SUP_SIDE_LEFT, SUP_SIDE_RIGHT } SupSide;

/* The side in a name: a word that is L or R ("arm.L", "thumb_01_r", "LEye", "HandR") or begins with
 * left or right ("LeftArm", "mixamorig:RightHand", "lefteye"). None where a name has both. */
SupSide sup_side_of(const char *name);

/* The name with every side in it changed, in the same capitals. NULL if memory is short. */
char *sup_side_swap(SupArena *arena, const char *name);

/* All points x with dot(normal, x) = offset. */
typedef struct SupPlane {
  SupVec3d normal; /* unit, towards the left */
  double offset;
} SupPlane;

/* The mirror image of a point; of a direction. */
SupVec3d sup_plane_mirror(const SupPlane *plane, SupVec3d point);
SupVec3d sup_plane_turn(const SupPlane *plane, SupVec3d direction);

/* The plane between left and right of the rest shape: half way between the joints whose names
 * differ by their side alone. Without such, x = the middle of the body's box, the left at +X, as
 * characters of glTF stand. SUP_ERROR_MEMORY if memory is short. */
SupResult sup_symmetry_plane(SupArena *arena, const SupCharacter *character, SupPlane *out_plane,
                             SupError *error);

#ifdef __cplusplus
}
#endif
#endif
