/* SPDX-License-Identifier: MIT */
/* The kernels of the chunks technique for the instruction set being compiled. */
#ifndef SUP_SRC_RUNTIME_CHUNKS_KERNEL_H
#define SUP_SRC_RUNTIME_CHUNKS_KERNEL_H

#include "anim/real.h"
#include "supple/chunks.h"

/* What the kernels read and write: parts of a state (chunks_parts.h). */
typedef struct SupChunksKernelCall {
  const SupChunksView *model;
  const double *wide;   /* [number_count] */
  const float *numbers; /* [number_count] */
  const float *frames;  /* [16 * frame_count] */
  const float *seams;   /* [4 * seam_count] x y z of the place */
  float *nodes;         /* [16 * node_count] */
  float *rows;          /* [48 * block_count] */
  SupAffine root;
} SupChunksKernelCall;

/* Where the nodes of chunks are, and their frames. */
void SUP_KERNEL(chunks_nodes)(const SupChunksKernelCall *call, SupRange pieces);

/* Rows of the patches' own positions. */
void SUP_KERNEL(chunks_hang)(const SupChunksKernelCall *call, SupRange patches);

/* Moves borders to their seams, and interiors by what that spreads to them. */
void SUP_KERNEL(chunks_spread)(const SupChunksKernelCall *call, SupRange patches);

#endif
