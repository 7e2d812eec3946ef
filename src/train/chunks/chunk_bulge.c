/* SPDX-License-Identifier: MIT */
/*
 * Bulges of Guo 2007, 4.4.3, windowed: the thesis constrains the rim twice, by the bulge and by the
 * neighbours (GUO-E31), and lets a centre line end in mid-air.
 */
#include "chunk_bulge.h"

#define AXIS_WINDOW 0.25 /* of the bone, at each end */
#define RIM_WINDOW 0.5   /* of the distance from the middle of a patch to its nearest side */

double sup_bulge_window(double t) {
  if (!(t > 0)) return 0;
  return t < 1 ? t * t * (3 - 2 * t) : 1;
}

static double bell(double square, double width) { return sup_exp(-square / (width * width)); }

static void scale_to_one(uint32_t count, double *io_shape) {
  double most = 0;
  for (uint32_t k = 0; k < count; k++) {
    if (io_shape[k] > most) most = io_shape[k];
  }
  for (uint32_t k = 0; k < count && most > 0; k++) io_shape[k] /= most;
}

void sup_bulge_along(const SupChunk *chunk, double centre, double width, double *out_shape) {
  for (uint32_t j = 0; j < chunk->slice_count; j++) {
    const double u = sup_chunk_depth(chunk, j), end = u < 1 - u ? u : 1 - u;
    out_shape[j] = sup_bulge_window(end / AXIS_WINDOW) * bell((u - centre) * (u - centre), width);
  }
  scale_to_one(chunk->slice_count, out_shape);
}

/* The least distance from a place to a side of a polygon that it is in. */
static double side_distance(uint32_t count, const double (*corners)[2], const double at[2]) {
  double least = __builtin_inf();
  for (uint32_t k = 0; k < count; k++) {
    const double *a = corners[k], *b = corners[(k + 1) % count];
    const double x = b[0] - a[0], y = b[1] - a[1];
    const double far = (x * (at[1] - a[1]) - y * (at[0] - a[0])) / sup_sqrt(x * x + y * y);
    if (far < least) least = far;
  }
  return least;
}

void sup_bulge_below(const SupChunk *chunk, const double (*corners)[2], const double centre[2],
                     double width, double *out_shape) {
  const uint32_t count = chunk->slice.corner_count;
  double middle[2] = {0, 0};
  for (uint32_t c = 0; c < count; c++) {
    middle[0] += corners[c][0] / count;
    middle[1] += corners[c][1] / count;
  }
  const double unit = side_distance(count, corners, middle);
  for (uint32_t k = 0; k < chunk->slice.node_count; k++) {
    double at[2] = {0, 0};
    for (uint32_t c = 0; c < count; c++) {
      const double weight = sup_slice_corner_weight(&chunk->slice, k, c);
      at[0] += weight * corners[c][0];
      at[1] += weight * corners[c][1];
    }
    const double x = (at[0] - middle[0]) / unit - centre[0];
    const double y = (at[1] - middle[1]) / unit - centre[1];
    const double edge = side_distance(count, corners, at) / (RIM_WINDOW * unit);
    const bool rim = chunk->slice.rim_places[k] != SUP_NONE;
    out_shape[k] = rim ? 0 : sup_bulge_window(edge) * bell(x * x + y * y, width);
  }
  scale_to_one(chunk->slice.node_count, out_shape);
}
