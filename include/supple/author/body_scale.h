/* SPDX-License-Identifier: MIT */
/* Supple: how large a character's body space is in its scene. */
#ifndef SUPPLE_AUTHOR_BODY_SCALE_H
#define SUPPLE_AUTHOR_BODY_SCALE_H

#include "supple/author/character.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Scene units (metres) per unit of body space in the rest pose, by the first bone. Exactly 1 where
 * it is 1 but for rounding, and where the rest pose flattens the body or there is no bone. */
float sup_body_scale(const SupCharacter *character);

#ifdef __cplusplus
}
#endif
#endif
