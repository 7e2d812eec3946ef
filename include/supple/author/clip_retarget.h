/* SPDX-License-Identifier: MIT */
/* Supple: whole clips for another skeleton. */
#ifndef SUPPLE_AUTHOR_CLIP_RETARGET_H
#define SUPPLE_AUTHOR_CLIP_RETARGET_H

#include "supple/retarget.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The clip with the keys of every matched joint carried over (sup_retarget_joint), key by key:
 * times and interpolation stay. Morph weights belong to the source's mesh and are left out. The
 * result lives in `arena` and shares nothing with `clip`. */
SupResult sup_clip_retarget(SupArena *arena, const SupRetarget *retarget, const SupClip *clip,
                            SupClip *out_clip, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
