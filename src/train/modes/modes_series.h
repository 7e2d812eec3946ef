/* SPDX-License-Identifier: MIT */
/* Examples as time series of modes: what pushes each, and how it should swing. */
#ifndef SUP_SRC_TRAIN_MODES_SERIES_H
#define SUP_SRC_TRAIN_MODES_SERIES_H

#include "supple/modes.h"
#include "supple/train/modes_fit.h"

/* One example. Steps are parts of frames; step 0 begins at frame 0. */
typedef struct ModesClip {
  uint32_t frame_count, parts; /* steps per frame */
  double dt;                   /* of a step */
  double *pushes; /* [steps * modes] taken from the velocity at the start of the step */
  double *forces; /* [(steps + 1) * modes] of gravity, or NULL */
  double *wanted; /* [frames * modes] */
} ModesClip;

typedef struct ModesSeries {
  uint32_t mode_count, clip_count;
  ModesClip *clips;
  double *weights; /* [modes] square size on the skin of a mode of weight 1, by area */
  bool balanced;   /* what the forces do in balance is in the goal */
} ModesSeries;

SupResult sup_modes_series(SupArena *arena, const SupModesFitDef *def, const SupModel *model,
                           ModesSeries *out_series, SupError *error);

/* How mode k swings in a clip with these numbers: out[frame_count], gain 1. */
void sup_modes_swing(const ModesSeries *series, const ModesClip *clip, uint32_t k, double stiffness,
                     double decay, double *out);

#endif
