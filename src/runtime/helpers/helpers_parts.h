/* SPDX-License-Identifier: MIT */
/* What one character and a crowd share. */
#ifndef SUP_SRC_RUNTIME_HELPERS_PARTS_H
#define SUP_SRC_RUNTIME_HELPERS_PARTS_H

#include "supple/helpers.h"

/* Values of `seen` besides 0 (nothing is on the screen yet), 1 and 2 (poses): what is shown stays,
 * but velocities and states start again. */
#define HELPERS_AGAIN 3

/* What of the frames' rows any helper looks at: HELPERS_USES; a model without helpers, at all. */
uint32_t sup_helpers_uses(const SupHelpersView *model);

/* Lets a state's swings be cut where the ranges among these matrices end. */
void sup_helpers_limit(const SupHelpersView *model, const float *matrices, SupHelpersState *state);

/* Whether what the model looks at in a pose is finite. */
bool sup_helpers_reads_finite(const SupHelpersView *model, const SupPose *pose,
                              const SupAffine *globals);

/* The helpers' joints as the last step left them, at rest before the first. */
void sup_helpers_hold(const SupHelpersView *model, SupHelpersState *state, SupTransform *io_joints);

/* `shown` a step nearer to `target`. */
float sup_helpers_fade(float shown, float target, float step);

#endif
