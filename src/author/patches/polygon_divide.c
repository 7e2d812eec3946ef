/* SPDX-License-Identifier: MIT */
/* A convex polygon with corners on its sides, into triangles by cutting off ears. */
#include "patches_work.h"

#define THIN 1e-12 /* area of a triangle, in squares of the polygon's size, that counts as none */

static double area_of(const double *a, const double *b, const double *c) {
  return ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2;
}

static double square_between(const double *a, const double *b) {
  return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]);
}

/* Area by the sum of squared sides: 0.144 for the best triangle, 0 for none. */
static double quality(const double *a, const double *b, const double *c) {
  const double sides = square_between(a, b) + square_between(b, c) + square_between(c, a);
  return sides > 0 ? area_of(a, b, c) / sides : 0;
}

static double polygon_area(uint32_t count, const uint32_t *left, const double (*places)[2]) {
  double area = 0;
  for (uint32_t k = 1; k + 1 < count; k++) {
    area += area_of(places[left[0]], places[left[k]], places[left[k + 1]]);
  }
  return area;
}

bool sup_polygon_divide(uint32_t count, const double (*places)[2], uint32_t *out_triangles) {
  uint32_t left[SUP_POLYGON_MAX];
  if (count < 3 || count > SUP_POLYGON_MAX) return false;
  double size = 0;
  for (uint32_t k = 0; k < count; k++) {
    left[k] = k;
    const double square = square_between(places[0], places[k]);
    if (square > size) size = square;
  }
  for (uint32_t n = count; n > 3; n--) {
    uint32_t best = SUP_NONE;
    double most = 0;
    const double all = polygon_area(n, left, places);
    for (uint32_t k = 0; k < n; k++) {
      const double *a = places[left[(k + n - 1) % n]], *b = places[left[k]],
                   *c = places[left[(k + 1) % n]];
      const double area = area_of(a, b, c), found = quality(a, b, c);
      if (area <= THIN * size || all - area <= THIN * size || found <= most) continue;
      most = found;
      best = k;
    }
    if (best == SUP_NONE) return false;
    *out_triangles++ = left[(best + n - 1) % n];
    *out_triangles++ = left[best];
    *out_triangles++ = left[(best + 1) % n];
    for (uint32_t k = best; k + 1 < n; k++) left[k] = left[k + 1];
  }
  for (uint32_t k = 0; k < 3; k++) out_triangles[k] = left[k];
  return area_of(places[left[0]], places[left[1]], places[left[2]]) > THIN * size;
}
