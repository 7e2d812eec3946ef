/* SPDX-License-Identifier: MIT */
/*
 * Supple: Samples, positions frame by frame: from the simulator, a point cache, a model.
 */
#ifndef SUPPLE_AUTHOR_SAMPLES_H
#define SUPPLE_AUTHOR_SAMPLES_H

#include "supple/skeleton.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SupSampleOrder {
  SUP_ORDER_BODY,  /* the welded body's vertices */
  SUP_ORDER_RENDER /* the file's own vertices, part by part */
} SupSampleOrder;

typedef struct SupSamples {
  float fps;   /* frames per second, > 0 */
  float start; /* seconds: time of frame 0 in the clip */
  uint32_t frame_count;
  uint32_t vertex_count;
  SupSampleOrder order;
  const SupVec3 *positions;  /* [frame_count * vertex_count] scene space, metres */
  uint32_t joint_count;      /* 0 when the poses are not known */
  const SupTransform *poses; /* [frame_count * joint_count] or NULL */
} SupSamples;

#ifdef __cplusplus
}
#endif
#endif
