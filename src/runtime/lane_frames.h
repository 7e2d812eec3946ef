/* SPDX-License-Identifier: MIT */
#ifndef SUP_SRC_RUNTIME_LANE_FRAMES_H
#define SUP_SRC_RUNTIME_LANE_FRAMES_H

#include "anim/real.h"
#include "supple/technique.h"

typedef struct SupLaneFramesCall {
  const SupSkinView *skin;
  SupLaneRings rings;
  const SupAffine *palette; /* [bone_count] */
  const float *pairs;       /* [8 per lane] */
  float *frames;            /* [12 per lane] */
} SupLaneFramesCall;

void SUP_KERNEL(lane_frames_blocks)(const SupLaneFramesCall *call, SupRange blocks);

#endif
