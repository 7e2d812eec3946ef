/* SPDX-License-Identifier: MIT */
/*
 * Supple: patches divided through their charts (docs/patches.md).
 *
 * Lines that are straight in the chart join the middles of the sides with the middle of the patch:
 * one of r sides becomes r of four, as a face does in Catmull and Clark's subdivision. Neighbours
 * share the middle of their side. A patch without room for it on its mesh stays whole; where a
 * neighbour divides its side, it has one side more.
 */
#ifndef SUPPLE_AUTHOR_PATCH_SPLIT_H
#define SUPPLE_AUTHOR_PATCH_SPLIT_H

#include "supple/author/patch_chart.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SupPatchSplitDef {
  const SupPatchesDef *def;
  const SupPatches *patches;    /* of def, all or those that were kept */
  const SupPatchCharts *charts; /* of them */
} SupPatchSplitDef;

/* out_can[patch_count]: whether each patch has room: a place for the middle of every side, edges
 * inside, and lines that keep apart on them. */
SupResult sup_patches_can_split(SupArena *arena, const SupPatchSplitDef *def, bool *out_can,
                                SupError *error);

/* Divides the patches for which which[patch_count] is true; all of them can be. The parts of patch
 * P are "P/1" and so on, from its first corner on, in its zone; those of boundary B "B/1" and "B/2"
 * with "B/middle" between them; the line from there is "B/left" in the patch on its left, and the
 * middle of a patch is named as the line from its first side. So what corresponded still does. The
 * result has these parts and the patches that stay whole, and nothing else. It lives in `arena` and
 * points into the old definition. SUP_ERROR_FORMAT, with a sentence, where a name is there already.
 */
SupResult sup_patches_split(SupArena *arena, const SupPatchSplitDef *def, const bool *which,
                            SupPatchesDef *out_def, SupPatches *out_patches, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
