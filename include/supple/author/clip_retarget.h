/* SPDX-License-Identifier: MIT */
/* Supple: whole clips for another skeleton. */
#ifndef SUPPLE_AUTHOR_CLIP_RETARGET_H
#define SUPPLE_AUTHOR_CLIP_RETARGET_H

#include "supple/author/character.h"
#include "supple/retarget.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The clip with the keys of every matched joint carried over (sup_retarget_joint), key by key:
 * times and interpolation stay. Morph weights belong to the source's mesh and are left to
 * sup_clip_retarget_weights. The result lives in `arena` and shares nothing with `clip`. */
SupResult sup_clip_retarget(SupArena *arena, const SupRetarget *retarget, const SupClip *clip,
                            SupClip *out_clip, SupError *error);

/* For each of from's morph targets the first of to's with the same name, or SUP_NONE; targets
 * without a name match nothing. out_match [from.morph_count]. */
void sup_morphs_match(const SupCharacter *from, const SupCharacter *to, uint32_t *out_match);

/* Adds the weights that `clip` drives to *io_clip, the retargeted clip: one track for each matched
 * target, its keys as they are. match [morph_count] as above. */
SupResult sup_clip_retarget_weights(SupArena *arena, const SupClip *clip, uint32_t morph_count,
                                    const uint32_t *match, SupClip *io_clip, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
