/* SPDX-License-Identifier: MIT */
/*
 * Barycentric coordinates in a convex polygon.
 *
 * Guo 2007, 3.2: sup_polygon_weights. Floater 2003, mean value coordinates: w_k = (tan(a_(k-1) / 2)
 * + tan(a_k / 2)) / r_k, a_k the angle between corners k and k + 1 seen from the place, r_k the
 * distance to corner k: sup_polygon_smooth_weights.
 */
#include "supple/polygon.h"

/* A place is on a side if it is nearer to it than this, in units of the polygon's size: what
 * rounding moves a place that was blended from two corners. */
#define ON_SIDE 1e-15

static double cross(const double a[2], const double b[2], const double c[2]) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

bool sup_polygon_is_convex(uint32_t count, const double (*corners)[2]) {
  if (count < 3) return false;
  for (uint32_t k = 0; k < count; k++) {
    const double *a = corners[k], *b = corners[(k + 1) % count];
    /* All others lie to the left of every side: that excludes stars, too. */
    for (uint32_t i = 2; i < count; i++) {
      if (!(cross(a, b, corners[(k + i) % count]) > 0)) return false;
    }
  }
  return true;
}

/* The weights of a place that is not inside, and whether it is. */
static bool on_border(uint32_t count, const double (*corners)[2], const double place[2],
                      double *out_weights) {
  uint32_t best = 0;
  double least = __builtin_inf(), best_t = 0;
  bool border = false;
  for (uint32_t k = 0; k < count; k++) {
    const double *a = corners[k], *b = corners[(k + 1) % count];
    const double u[2] = {b[0] - a[0], b[1] - a[1]}, p[2] = {place[0] - a[0], place[1] - a[1]};
    const double square = u[0] * u[0] + u[1] * u[1];
    const double t = (u[0] * p[0] + u[1] * p[1]) / square;
    const double at = t > 0 ? t < 1 ? t : 1 : 0;
    const double away[2] = {p[0] - at * u[0], p[1] - at * u[1]};
    const double distance = away[0] * away[0] + away[1] * away[1];
    const double size = square + p[0] * p[0] + p[1] * p[1];
    border |= cross(a, b, place) <= 0 || distance <= ON_SIDE * ON_SIDE * size;
    if (distance < least) {
      least = distance;
      best = k;
      best_t = at;
    }
  }
  if (!border) return false;
  for (uint32_t k = 0; k < count; k++) out_weights[k] = 0;
  out_weights[best] = 1 - best_t;
  out_weights[(best + 1) % count] = best_t;
  return true;
}

static void normalise(uint32_t count, double *weights) {
  double sum = 0;
  for (uint32_t k = 0; k < count; k++) sum += weights[k];
  for (uint32_t k = 0; k < count; k++) weights[k] /= sum;
}

void sup_polygon_weights(uint32_t count, const double (*corners)[2], const double place[2],
                         double *out_weights) {
  if (on_border(count, corners, place, out_weights)) return;
  for (uint32_t k = 0; k < count; k++) out_weights[k] = 0;
  for (uint32_t j = 0; j < count; j++) {
    /* The last triangle of the fan around corner j whose first ray has the place on its left. */
    uint32_t step = 1;
    while (step + 2 < count && cross(corners[j], corners[(j + step + 1) % count], place) >= 0) {
      step++;
    }
    const uint32_t k = (j + step) % count, next = (k + 1) % count;
    const double whole = cross(corners[j], corners[k], corners[next]);
    double a = cross(place, corners[k], corners[next]) / whole;
    double b = cross(corners[j], place, corners[next]) / whole;
    a = a > 0 ? a < 1 ? a : 1 : 0;
    b = b > 0 ? b < 1 - a ? b : 1 - a : 0;
    out_weights[j] += a;
    out_weights[k] += b;
    out_weights[next] += 1 - a - b;
  }
  normalise(count, out_weights);
}

/* tan(angle / 2) between u and v, from 0 to pi, by the form that does not cancel. */
static double half_tangent(const double u[2], const double v[2], double lengths) {
  const double sine = u[0] * v[1] - u[1] * v[0], cosine = u[0] * v[0] + u[1] * v[1];
  return cosine > 0 ? sine / (lengths + cosine) : (lengths - cosine) / sine;
}

void sup_polygon_smooth_weights(uint32_t count, const double (*corners)[2], const double place[2],
                                double *out_weights) {
  if (on_border(count, corners, place, out_weights)) return;
  for (uint32_t k = 0; k < count; k++) out_weights[k] = 0;
  for (uint32_t k = 0; k < count; k++) {
    const uint32_t next = (k + 1) % count;
    const double u[2] = {corners[k][0] - place[0], corners[k][1] - place[1]};
    const double v[2] = {corners[next][0] - place[0], corners[next][1] - place[1]};
    const double a = sup_sqrt(u[0] * u[0] + u[1] * u[1]), b = sup_sqrt(v[0] * v[0] + v[1] * v[1]);
    const double tangent = half_tangent(u, v, a * b);
    out_weights[k] += tangent / a;
    out_weights[next] += tangent / b;
  }
  normalise(count, out_weights);
}

void sup_polygon_place(uint32_t count, const double (*corners)[2], const double *weights,
                       double out_place[2]) {
  double x = 0, y = 0;
  for (uint32_t k = 0; k < count; k++) {
    x += weights[k] * corners[k][0];
    y += weights[k] * corners[k][1];
  }
  out_place[0] = x;
  out_place[1] = y;
}
