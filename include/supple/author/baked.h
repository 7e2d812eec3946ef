/* SPDX-License-Identifier: MIT */
/* Supple: what carries baked motion in a file: helper joints and morph targets of ours, by name. */
#ifndef SUPPLE_AUTHOR_BAKED_H
#define SUPPLE_AUTHOR_BAKED_H

#include "supple/author/character.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Baked joints and morph targets are called so, with a number of two digits or more behind it. */
#define SUP_BAKED_JOINT "helper_"
#define SUP_BAKED_MORPH "flesh_"

typedef struct SupBakedParts {
  uint32_t joint_count; /* bones of that name which no helpers model of the file moves */
  uint32_t morph_count; /* morph targets of that name, those of several meshes once */
  const char *first;    /* the name of the first, or NULL */
} SupBakedParts;

/* What the character has of it. Other programs keep the names, so this also holds for a file that
 * was exported again. A joint that an artist calls helper_01 counts as well. */
SupBakedParts sup_baked_parts(const SupCharacter *character);

/* Whether that is one of the joints. */
bool sup_is_baked_joint(const SupCharacter *character, uint32_t joint);

#ifdef __cplusplus
}
#endif
#endif
