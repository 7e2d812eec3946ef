/* SPDX-License-Identifier: MIT */
/* The strongest vibration in a comparison of two motions. */
#ifndef SUP_SRC_AUTHOR_SPECTRUM_H
#define SUP_SRC_AUTHOR_SPECTRUM_H

#include "supple/author/metrics.h"

/* Finds it; all zero with fewer than 16 frames or when B has no peak. `weight` is the sum of the
 * vertex weights. */
SupResult sup_spectrum_vibration(SupArena *arena, const SupCompareDef *def, double weight,
                                 SupVibration *out_vibration, SupError *error);

#endif
