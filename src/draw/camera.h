/* SPDX-License-Identifier: MIT */
/* From the scene to samples of a picture. */
#ifndef SUP_DRAW_CAMERA_H
#define SUP_DRAW_CAMERA_H

#include "draw/raster.h"
#include "supple/draw/draw.h"

/* A point as a camera has it: to the right and up in units of the half picture times w, and w, the
 * distance along its line of sight. */
typedef struct DrawSeen {
  double x, y, w;
} DrawSeen;

DrawSeen sup_draw_see(const SupDrawCamera *camera, SupVec3 point);

/* Draws a triangle as the camera sees it in a picture of width by height samples. What lies behind
 * the eye, and what is farther out than integers can hold, is cut off. */
void sup_draw_seen(const RasterTarget *target, uint32_t width, uint32_t height,
                   const DrawSeen corners[3], uint32_t id);

#endif
