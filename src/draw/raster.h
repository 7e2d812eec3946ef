/* SPDX-License-Identifier: MIT */
/*
 * Triangles to samples: which triangle is nearest at the centre of each. Corners are rounded to
 * 1/256 of a sample, and whether one covers a centre is decided in integers: two triangles that
 * share an edge cover every sample exactly once (top-left rule).
 */
#ifndef SUP_DRAW_RASTER_H
#define SUP_DRAW_RASTER_H

#include "supple/base.h"

/* A corner in samples from the top left, y down. `near` is larger for what is nearer and an affine
 * function of x and y over the triangle: 1 / distance in perspective, - distance in parallel. */
typedef struct RasterCorner {
  double x, y, near;
} RasterCorner;

/* Corners must lie within this of the origin: squares of differences in 1/256 then fit 64 bits. */
#define RASTER_FARTHEST 1048576.0

/* Rows first_row .. first_row + height - 1 of a picture. */
typedef struct RasterTarget {
  uint32_t width, first_row, height;
  float *near;   /* [width * height] what is nearest so far */
  uint32_t *ids; /* [width * height] and which triangle that is; or NULL */
} RasterTarget;

/* Draws one triangle of either orientation over what lies behind it; the first of equals stays.
 * One without area, or with a corner that is not finite or too far away, covers nothing. */
void sup_raster_triangle(const RasterTarget *target, const RasterCorner corners[3], uint32_t id);

#endif
