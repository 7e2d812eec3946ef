/* SPDX-License-Identifier: MIT */
/* Supple: the same motion, larger or smaller. */
#ifndef SUPPLE_AUTHOR_CLIP_AMPLIFY_H
#define SUPPLE_AUTHOR_CLIP_AMPLIFY_H

#include "supple/author/character.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The clip with every joint `amplitude` times as far from its mean over the clip: rotations about
 * the mean rotation (exponential map), translations about the mean place. Scales and morph weights
 * stay, as do names, times and interpolation; 1 gives the clip back to round-off, 0 its mean pose.
 * The result lives in `arena` and shares nothing with `clip`. Fails when amplitude is not between
 * 0 and 10. */
SupResult sup_clip_amplify(SupArena *arena, const SupClip *clip, double amplitude,
                           SupClip *out_clip, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
