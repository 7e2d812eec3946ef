/* SPDX-License-Identifier: MIT */
/* The naive skinning loop, one copy per instruction set. */
#ifndef SUP_BENCH_NAIVE_SKIN_H
#define SUP_BENCH_NAIVE_SKIN_H

#include "supple/math.h"

typedef struct NaiveVertex {
  SupVec3 position, normal;
  uint32_t bones[4];
  float weights[4];
} NaiveVertex;

/* The compiler's command line names the copy being compiled: NAIVE_SKIN=naive_skin_avx2. */
#ifndef NAIVE_SKIN
#define NAIVE_SKIN naive_skin_sse2
#endif

typedef void NaiveSkin(const NaiveVertex *vertices, uint32_t vertex_count, const SupAffine *palette,
                       SupVec3 *out_positions, SupVec3 *out_normals);

NaiveSkin NAIVE_SKIN;

#endif
