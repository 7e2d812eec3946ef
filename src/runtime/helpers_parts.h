/* SPDX-License-Identifier: MIT */
/* What one character and a crowd share. */
#ifndef SUP_SRC_RUNTIME_HELPERS_PARTS_H
#define SUP_SRC_RUNTIME_HELPERS_PARTS_H

#include "supple/helpers.h"

/* Values of `seen` besides 0 (nothing is on the screen yet), 1 and 2 (poses): what is shown stays,
 * but velocities and states start again. */
#define HELPERS_AGAIN 3

/* Where frame f of the model is, and its axes: number c goes to out[c * stride], 12 of them. */
void sup_helpers_place(const SupHelpersView *model, uint32_t f, const SupAffine *globals,
                       size_t stride, float *out);

/* `shown` a step nearer to `target`. */
float sup_helpers_fade(float shown, float target, float step);

#endif
