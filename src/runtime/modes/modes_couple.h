/* SPDX-License-Identifier: MIT */
/* What a follower over the modes gives back to them. */
#ifndef SUP_SRC_RUNTIME_MODES_COUPLE_H
#define SUP_SRC_RUNTIME_MODES_COUPLE_H

#include "supple/modes.h"
#include "supple/technique.h"

/* coupling[2 rows of the modes' lanes]: forces on the modes, then what they are divided by. */
void sup_modes_couple_init(const SupModesView *model, float *coupling);
void sup_modes_couple(const SupModesView *model, const SupAffine *palette, SupDeviation deviation,
                      float fraction, float *coupling);

#endif
