/* SPDX-License-Identifier: MIT */
/* The swing of a vertex as a spiral: what packing and the run time share. */
#ifndef SUP_SRC_RUNTIME_POPPING_SWING_H
#define SUP_SRC_RUNTIME_POPPING_SWING_H

#include "supple/popping.h"

#define SUP_POPPING_FADE_LEAST (-40.0) /* what is left after a step is then nothing: e^-40 */

/* The logarithm of what a step leaves, and how far it turns. */
void sup_popping_swing_polar(SupPoppingSwing swing, double *out_fade, double *out_angle);

#endif
