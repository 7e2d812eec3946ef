/* SPDX-License-Identifier: MIT */
/* The kernels of the modes technique for the instruction set being compiled. */
#ifndef SUP_SRC_RUNTIME_MODES_KERNEL_H
#define SUP_SRC_RUNTIME_MODES_KERNEL_H

#include "anim/real.h"
#include "supple/modes.h"

/* Rows of a block of transitions. */
enum {
  MODES_Q_Q,
  MODES_Q_V,
  MODES_V_Q,
  MODES_V_V,
  MODES_Q_F,                 /* 4 rows */
  MODES_V_F = MODES_Q_F + 4, /* 4 rows */
  MODES_TRANSITION_ROWS = MODES_V_F + 4
};

typedef struct SupModesDriveCall {
  const SupModesView *model;
  const SupAffine *palette;       /* [bone_count] */
  const SupAffine *accelerations; /* [bone_count], or NULL: all bones have `uniform` */
  SupVec3 uniform;
  float *out; /* [16 * block_count] */
} SupModesDriveCall;

typedef struct SupModesAdvanceCall {
  uint32_t block_count;
  uint32_t force_count;     /* rows of forces that are not zero, 0 to 4 */
  const float *transitions; /* [blocks of MODES_TRANSITION_ROWS] */
  const float *forces[4];   /* [16 * block_count] each */
  float *q, *v;             /* [16 * block_count] */
} SupModesAdvanceCall;

void SUP_KERNEL(modes_drive)(const SupModesDriveCall *call);
void SUP_KERNEL(modes_advance)(const SupModesAdvanceCall *call);

#endif
