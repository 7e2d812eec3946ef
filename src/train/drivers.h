/* SPDX-License-Identifier: MIT */
/* Which joints a pose is read off. */
#ifndef SUP_SRC_TRAIN_DRIVERS_H
#define SUP_SRC_TRAIN_DRIVERS_H

#include "supple/author/samples.h"

/* Joints of the character's own that turn in the samples' poses and move some of the skin against
 * the rest of it, rising:
 * (*out_drivers)[*out_count] and their rest rotations, in `arena`. */
SupResult sup_find_drivers(SupArena *arena, const SupCharacter *character, uint32_t sample_count,
                           const SupSamples *samples, uint32_t **out_drivers, SupQuat **out_rest,
                           uint32_t *out_count, SupError *error);

#endif
