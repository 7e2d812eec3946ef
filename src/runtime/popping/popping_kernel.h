/* SPDX-License-Identifier: MIT */
/* The kernels of the popping technique for the instruction set being compiled. */
#ifndef SUP_SRC_RUNTIME_POPPING_KERNEL_H
#define SUP_SRC_RUNTIME_POPPING_KERNEL_H

#include "anim/real.h"
#include "supple/popping.h"

/* What a group does in a step, or in the part of one that has passed. */
typedef struct SupPoppingPull {
  uint32_t phase; /* SupPoppingPhase */
  float goal;     /* while clenched */
  float hold;     /* while releasing: the fraction that stays */
} SupPoppingPull;

typedef struct SupPoppingStepCall {
  const SupPoppingView *model;
  const SupPoppingPull *pulls; /* [group_count] */
  float *fractions, *ways;     /* [16 * slots] */
  uint32_t *alive;             /* [group_count] 1 where something is left of the contraction */
} SupPoppingStepCall;

typedef struct SupPoppingShowCall {
  const SupPoppingView *model;
  const SupPoppingPull *pulls;   /* [group_count] */
  float part;                    /* of a step, that has passed since */
  const float *fractions, *ways; /* [16 * slots] */
  float *out;                    /* [16 * block_count] */
} SupPoppingShowCall;

void SUP_KERNEL(popping_step)(const SupPoppingStepCall *call);
void SUP_KERNEL(popping_show)(const SupPoppingShowCall *call);

#endif
