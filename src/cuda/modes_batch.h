/* SPDX-License-Identifier: MIT */
/* What a launch of the modes kernels is given: passed by value. */
#ifndef SUP_SRC_CUDA_MODES_BATCH_H
#define SUP_SRC_CUDA_MODES_BATCH_H

#include <cuda_runtime.h>

#include "supple/modes.h"

/* The characters of one model, and a step. */
typedef struct ModesLaunch {
  char *states;
  uint64_t state_bytes, q, v, force, palette, velocity; /* offsets in a state */
  const uint32_t *pairs;
  const float *drive, *oscillators;
  float *transitions; /* [192 * mode_blocks] */
  const float *palettes;
  uint32_t count, bone_count, pair_count, mode_count, mode_blocks;
  uint32_t heavy; /* there is gravity */
  float gravity[3];
  float rate;          /* 1 / dt */
  uint32_t characters; /* per block of threads */
} ModesLaunch;

/* Of 16 modes. */
typedef struct ModesTransitions {
  float rows[12 * 16];
} ModesTransitions;

#ifdef __cplusplus
extern "C" {
#endif

cudaError_t sup_cuda_modes_allow(ModesLaunch *io);
void sup_cuda_launch_modes(const ModesLaunch *l, cudaStream_t stream);
void sup_cuda_launch_transitions(const ModesTransitions *t, float *to, cudaStream_t stream);
void sup_cuda_launch_modes_reset(char *states, size_t state_bytes, uint32_t count,
                                 cudaStream_t stream);
void sup_cuda_launch_modes_fill(char *states, size_t state_bytes, uint32_t count,
                                const SupModesState *start, cudaStream_t stream);
void sup_cuda_launch_weights(const ModesLaunch *l, float lod, float fade, float *weights,
                             cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
