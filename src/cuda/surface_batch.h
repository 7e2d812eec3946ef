/* SPDX-License-Identifier: MIT */
/* What a launch of the surface kernels is given: passed by value. */
#ifndef SUP_SRC_CUDA_SURFACE_BATCH_H
#define SUP_SRC_CUDA_SURFACE_BATCH_H

#include <cuda_runtime.h>

#include "supple/tiles.h"

#define SURFACE_GROUPS 8 /* models in one launch */
#define SURFACE_NUMBERS 24
#define SURFACE_FEW 264 /* blocks: two on each multiprocessor of a large GPU */

/* A tile of the usual size has no more; shared memory for others is laid out as tiles_layout.h
 * allows. */
#define SURFACE_ENTRIES 384
#define SURFACE_BONES 32
#define SURFACE_SEGMENTS 32

/* What a launch may meet, for each of which there is a kernel. */
typedef enum SurfaceCase {
  SURFACE_PLAIN,     /* nothing out of the ordinary, see surface.cu */
  SURFACE_DELAYED,   /* the same with an eta: what presets make */
  SURFACE_UNDELAYED, /* the same with SUP_SURFACE_UNDELAYED and an eta: what is learned */
  SURFACE_ANY,       /* anything in tiles of the usual size */
  SURFACE_LARGE,     /* and of any size */
  SURFACE_CASES
} SurfaceCase;

/* The characters of one model. */
typedef struct SurfaceGroup {
  const uint32_t *words;    /* SupTiles.words */
  char *states;             /* state_bytes of each character */
  const float *palettes;    /* of the step */
  const uint32_t *vertices; /* [lanes] body vertex, UINT32_MAX for spare lanes */
  uint64_t state_bytes, history, records, first_vertex;
  uint32_t first_block, tile_count, lanes, bone_count, vertex_count;
  uint32_t tile_factor, tile_shift; /* n / tile_count is n * factor >> shift, for n < 2^31 */
  uint32_t flags, tied, whole, pad;
  float numbers[SURFACE_NUMBERS]; /* the first words of the model */
} SurfaceGroup;

typedef struct SurfaceLaunch {
  uint32_t group_count;
  uint32_t entries, staged; /* the most that a tile has */
  SurfaceCase what;
  float step[8];
  float *positions, *normals;
  uint32_t position_stride, normal_stride;
  SurfaceGroup groups[SURFACE_GROUPS];
  float colliders[11 * SUP_COLLIDERS];
} SurfaceLaunch;

#ifdef __cplusplus
extern "C" {
#endif

cudaError_t sup_cuda_surface_allow(const SurfaceLaunch *launch);
void sup_cuda_launch_step(const SurfaceLaunch *launch, uint32_t blocks, uint32_t threads,
                          cudaStream_t stream);
void sup_cuda_launch_show(const SurfaceLaunch *launch, uint32_t blocks, uint32_t threads,
                          cudaStream_t stream);
void sup_cuda_launch_reset(void *states, size_t state_bytes, uint32_t tiles, uint32_t count,
                           cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
