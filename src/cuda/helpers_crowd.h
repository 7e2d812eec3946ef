/* SPDX-License-Identifier: MIT */
/* What a launch of the helpers kernel is given: passed by value. */
#ifndef SUP_SRC_CUDA_HELPERS_CROWD_H
#define SUP_SRC_CUDA_HELPERS_CROWD_H

#include <cuda_runtime.h>

#include "supple/helpers.h"

#define HELPERS_WARPS 8
#define HELPERS_PAST_ROWS 18 /* of a frame: position, velocity, axes, angular velocity */

/* One helper. Offsets count floats of `matrices` (multiples of 4) or items of `lists`. */
typedef struct HelperItem {
  uint32_t joint, states, state_first;
  uint32_t inputs, inputs_at;     /* rows of inputs */
  uint32_t features, features_at; /* triples of rows of inputs */
  uint32_t rows;                  /* 6 + states, rounded up to 4 */
  uint32_t dynamic_at;            /* [states + inputs + 1 columns][rows] */
  uint32_t static_at;             /* [1 + features columns][8] */
  uint32_t settle_at;             /* [states][inputs + 1] */
  uint32_t range_at;              /* [12] */
  SupTransform rest;
} HelperItem;

/* The characters of one model, and a step. Inputs have rows: three per turn, twelve per frame, 1.
 */
typedef struct HelpersLaunch {
  const HelperItem *helpers;
  const uint32_t *turns, *lists;
  const float *rest; /* [4 * turn_count] */
  const SupHelpersFrame *frames;
  const float *box; /* [2 * input rows] least and greatest of each */
  const float *matrices;
  float *numbers; /* rows of `stride` characters: past of each frame, z, fractions shown */
  uint32_t *seen; /* [stride] */
  uint8_t *lods;  /* [stride] */
  uint32_t stride, count;
  uint32_t joint_count, helper_count, turn_count, frame_count, state_count, input_count;
  uint32_t most_states; /* of a helper */
  uint32_t warps;       /* of a block */
  const float *globals; /* 12 per joint */
  float *joints;        /* 10 per joint */
  float want_static, want_dynamic, fade, exaggerate, range, rate;
  float gravity[3];
} HelpersLaunch;

#ifdef __cplusplus
extern "C" {
#endif

/* Chooses the number of warps; cudaErrorInvalidValue where so many inputs do not fit. */
cudaError_t sup_cuda_helpers_allow(HelpersLaunch *io);
void sup_cuda_launch_helpers(const HelpersLaunch *l, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
