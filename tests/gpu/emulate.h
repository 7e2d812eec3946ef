/* SPDX-License-Identifier: MIT */
/* The GPU's step in tiles, run by the processor: the same source, one thread after the other. */
#ifndef SUP_TESTS_GPU_EMULATE_H
#define SUP_TESTS_GPU_EMULATE_H

#include "supple/tiles.h"

/* step[6]: push, wind, feed, number of colliders. */
void emulate_step(const SupTiles *tiles, void *state, const SupAffine *palette, const float *step,
                  const SupCollider *colliders);

#endif
