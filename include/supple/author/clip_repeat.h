/* SPDX-License-Identifier: MIT */
/*
 * Supple: a clip played over and over, as one clip.
 */
#ifndef SUPPLE_AUTHOR_CLIP_REPEAT_H
#define SUPPLE_AUTHOR_CLIP_REPEAT_H

#include "supple/skeleton.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The clip again and again for `seconds`; the last round is cut off there. Keys are in `arena`. A
 * clip that does not end as it begins jumps, within a thousandth of a second. */
SupResult sup_clip_repeat(SupArena *arena, const SupClip *clip, double seconds, SupClip *out_clip,
                          SupError *error);

#ifdef __cplusplus
}
#endif
#endif
