/* SPDX-License-Identifier: MIT */
/* What a launch of the skinning kernel is given: passed by value. */
#ifndef SUP_SRC_CUDA_SKIN_BATCH_H
#define SUP_SRC_CUDA_SKIN_BATCH_H

#include <cuda_runtime.h>

#include "supple/skin.h"

/* The characters of one skin, as in SupSkinView. */
typedef struct SkinLaunch {
  const uint32_t *order, *bone_first, *bones, *morph_first, *morph_targets;
  const float *records, *morph_offsets, *morph_turns;
  uint32_t rows, count, vertex_count, block_count, bone_count, morph_count, turn_first;
  uint64_t first_vertex;
  const float *palettes, *weights;
  float *positions, *normals;
  uint32_t position_stride, normal_stride;
} SkinLaunch;

#ifdef __cplusplus
extern "C" {
#endif

void sup_cuda_launch_skin(const SkinLaunch *l, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
