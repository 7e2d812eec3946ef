/* SPDX-License-Identifier: MIT */
/* What the steps of dividing patches hand to each other. */
#ifndef SUP_AUTHOR_PATCH_SPLIT_WORK_H
#define SUP_AUTHOR_PATCH_SPLIT_WORK_H

#include "supple/author/patch_split.h"

/* The middle of a boundary, by length. */
typedef struct SplitMiddle {
  bool found;
  SupSkinPoint at;
  uint32_t before; /* points of its path before it */
  uint32_t after;  /* the first point behind it */
} SplitMiddle;

SplitMiddle sup_split_middle(const SupPatchesDef *def, uint32_t boundary);

/* The lines of one patch: paths[side_count] from the middle of each side to that of the patch. */
typedef struct SplitLines {
  SupSkinPoint centre;
  SupSkinPath *paths;
} SplitLines;

/* *out_room is false where the patch has no room for them. In `arena`. */
SupResult sup_split_lines(SupArena *arena, const SupPatchSplitDef *def, const SplitMiddle *middles,
                          uint32_t patch, SplitLines *out_lines, bool *out_room, SupError *error);

#endif
