/* SPDX-License-Identifier: MIT */
/* What both ways of baking begin with: the bones of every frame. */
#ifndef SUP_SRC_TRAIN_BAKE_BAKE_H
#define SUP_SRC_TRAIN_BAKE_BAKE_H

#include "supple/train/bake.h"

/* Frames of all motions, one after the other. */
typedef struct BakeFrames {
  uint32_t count;
  SupAffine *globals;  /* [count * joint_count] scene space */
  SupAffine *palettes; /* [count * bone_count] body space -> scene */
} BakeFrames;

SupResult sup_bake_frames(SupArena *arena, const SupCharacter *character, uint32_t motion_count,
                          const SupBakeMotion *motions, BakeFrames *out, SupError *error);

/* The diagonal of the body's box, in the units of another space. */
double sup_bake_size(const SupCharacter *character, SupAffine to_space);

/* A track whose keys are those of curve[count * width] that are needed, judged by `measure` (the
 * same shape; NULL: the curve itself). */
SupResult sup_bake_track(SupArena *arena, const SupTrack *like, double fps, uint32_t count,
                         const float *curve, const float *measure, double tolerance,
                         SupTrack *out_track, SupError *error);

#endif
