/* SPDX-License-Identifier: MIT */
/*
 * Supple: barycentric coordinates in a convex polygon (docs/patches.md).
 *
 * One weight per corner: none below 0, their sum is 1, and the corners blended by them give the
 * place back. At a corner it has the weight 1, on a side its two corners have all of it. Nothing is
 * allocated. Corners run counter-clockwise and none of them is a straight angle
 * (sup_polygon_is_convex); places and corners are finite. A place outside counts as the nearest
 * one on the border.
 */
#ifndef SUPPLE_POLYGON_H
#define SUPPLE_POLYGON_H

#include "supple/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether corners[count] are three or more, run counter-clockwise once around, and turn left at
 * every one. */
bool sup_polygon_is_convex(uint32_t count, const double (*corners)[2]);

/* out_weights[count]: the mean, over all corners, of the barycentric coordinates in the triangle
 * that has the place among those between the corner and the sides opposite to it (Guo 2007).
 * Continuous, with kinks along the diagonals; `count` * `count` steps. */
void sup_polygon_weights(uint32_t count, const double (*corners)[2], const double place[2],
                         double *out_weights);

/* out_weights[count]: mean value coordinates (Floater 2003): smooth inside; `count` steps. */
void sup_polygon_smooth_weights(uint32_t count, const double (*corners)[2], const double place[2],
                                double *out_weights);

/* Where weights[count] put a place. */
void sup_polygon_place(uint32_t count, const double (*corners)[2], const double *weights,
                       double out_place[2]);

#ifdef __cplusplus
}
#endif
#endif
