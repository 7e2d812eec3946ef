/* SPDX-License-Identifier: MIT */
/* Supple: what lies between two poses of a clip. */
#ifndef SUPPLE_AUTHOR_CLIP_GAP_H
#define SUPPLE_AUTHOR_CLIP_GAP_H

#include "supple/author/character.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SUP_GAP_CLOSED                                                       \
  0.02f /* `apart` of a clip that can go round is less, in sizes of the body \
         */

typedef struct SupClipGap {
  SupVec3 stride; /* how far the body moved as one: the mean over all skin */
  float apart;    /* farthest that a joint is from where that would have put it, a length */
  float turned;   /* largest change of a number of a joint's matrix, in sizes of the matrix */
} SupClipGap;

/* From the clip at `from` to the clip at `to`, seconds. Joints that carry no skin do not count.
 * `scratch` is used meanwhile. */
SupResult sup_clip_gap(SupArena *scratch, const SupCharacter *character, const SupClip *clip,
                       float from, float to, SupClipGap *out_gap, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
