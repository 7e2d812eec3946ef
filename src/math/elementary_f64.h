/* SPDX-License-Identifier: MIT */
/*
 * sin, cos, exp, log, atan2, acos for one double: what elementary_f32.h does, with longer
 * polynomials. Here sup_vf is a double, so this is plain C.
 *
 * Polynomials and split constants come from scripts/minimax.py. Every NaN that leaves is the same
 * one. Included by elementary.h; ranges and special values are promised in supple/math.h.
 */
#ifndef SUP_SRC_MATH_ELEMENTARY_F64_H
#define SUP_SRC_MATH_ELEMENTARY_F64_H

#include "base/simd.h"
#include "math/pio2.h"

#define SUP_F64_NAN sup_from_bits(0x7ff8000000000000)
#define SUP_F64_MAX 0x1.fffffffffffffp+1023

/* a - b = difference + error, exactly (Knuth 1969). */
SUP_INLINE double sup_two_diff(double a, double b, double *out_error) {
  double difference = a - b;
  double b_seen = difference - a;
  *out_error = (a - (difference - b_seen)) - (b + b_seen);
  return difference;
}

/* c[0] + c[1] z + ..., the highest power first in time. */
SUP_INLINE double sup_f64_poly(double z, const double *c, int count) {
  double p = c[count - 1];
  for (int k = count - 2; k >= 0; k--) p = p * z + c[k];
  return p;
}

/* x = quadrant pi/2 + high + low, |high| <= pi/4, for finite x not negative. Below 2^20 multiples
 * of pi/2 are taken off in four pieces of 33 bits and a rest. */
SUP_INLINE int32_t sup_f64_reduce(double x, double *out_high, double *out_low) {
  if (x > 0x1p20) {
    double r[2];
    int32_t quadrant = sup_pio2_reduce(x, r);
    *out_high = r[0];
    *out_low = r[1];
    return quadrant;
  }
  double n = sup_vf_round(x * 0x1.45f306dc9c883p-1);
  double error_2, error_3;
  double r = x - n * 0x1.921fb544p+0;
  r = sup_two_diff(r, n * 0x1.0b4611a6p-34, &error_2);
  r = sup_two_diff(r, n * 0x1.3198a2ep-69, &error_3);
  double rest = (error_2 + error_3) - n * 0x1.b839a252049c1p-104;
  *out_high = r + rest;
  *out_low = (r - *out_high) + rest;
  return (int32_t)n;
}

SUP_INLINE void sup_vf_sincos(double x, double *out_sin, double *out_cos) {
  static const double S[] = {-0x1.5555555555548p-3, 0x1.111111110f73p-7,    -0x1.a01a019be920bp-13,
                             0x1.71de355529969p-19, -0x1.ae5e4b8172911p-26, 0x1.5d8b548365a4cp-33};
  static const double C[] = {0x1.555555555554bp-5,  -0x1.6c16c16c15015p-10,
                             0x1.a01a019c8f24cp-16, -0x1.27e4f7f190844p-22,
                             0x1.1ee9dbce3ad03p-29, -0x1.8fa6840cd008bp-37};
  if (!(sup_abs(x) <= SUP_F64_MAX)) {
    *out_sin = *out_cos = SUP_F64_NAN;
    return;
  }
  double high, low;
  const int32_t quadrant = sup_f64_reduce(sup_abs(x), &high, &low);
  const double z = high * high;
  const double s = high + (sup_f64_poly(z, S, 6) * z * high + low);
  const double half = 0.5 * z;
  const double w = 1 - half;
  const double c = w + (((1 - w) - half) + (sup_f64_poly(z, C, 6) * z * z - high * low));

  const double sine = quadrant & 1 ? c : s, cosine = quadrant & 1 ? s : c;
  const int sin_negative = (sup_bits(x) < 0) != ((quadrant & 2) != 0);
  *out_sin = sin_negative ? -sine : sine;
  *out_cos = (quadrant + 1) & 2 ? -cosine : cosine;
}

SUP_INLINE double sup_vf_sin(double x) {
  double s, c;
  sup_vf_sincos(x, &s, &c);
  return s;
}

SUP_INLINE double sup_vf_cos(double x) {
  double s, c;
  sup_vf_sincos(x, &s, &c);
  return c;
}

SUP_INLINE double sup_vf_exp(double x) {
  static const double E[] = {0x1p-1,
                             0x1.555555555555bp-3,
                             0x1.5555555555503p-5,
                             0x1.111111110ec65p-7,
                             0x1.6c16c16c3041ep-10,
                             0x1.a01a01b37b48ap-13,
                             0x1.a01a0136a6efbp-16,
                             0x1.71ddf0284ed82p-19,
                             0x1.27e5b4254b47ep-22,
                             0x1.af6bda8c93e2dp-26,
                             0x1.1e3d4a4f5427p-29};
  if (x != x) return SUP_F64_NAN;
  if (x > SUP_F64_MAX) return x;
  const double y = x < -750 ? -750 : x > 710 ? 710 : x;
  const double n = sup_vf_round(y * 0x1.71547652b82fep+0);
  const double r = (y - n * 0x1.62e42fefa38p-1) - n * 0x1.ef35793c7673p-45;
  const double p = 1 + (r + sup_f64_poly(r, E, 11) * (r * r));
  const int64_t power = (int64_t)n, half = power / 2;
  const double result = p * sup_exp2_int(half) * sup_exp2_int(power - half);
  return result < SUP_F64_MAX ? result : SUP_F64_MAX;
}

/* With s = f / (2 + f): log(1 + f) = 2 atanh(s) = f - (f^2/2 - s (f^2/2 + s^2 P(s^2))), where P
 * approximates 2/3 + 2/5 s^2 + ... (2^-59.5); f itself stays exact in front. */
SUP_INLINE double sup_vf_log(double x) {
  static const double L[] = {0x1.5555555555592p-1, 0x1.999999997ff62p-2, 0x1.24924941db5dfp-2,
                             0x1.c71c521a056adp-3, 0x1.74663ba7baa57p-3, 0x1.39a20b2d454ap-3,
                             0x1.2f025654f55efp-3};
  if (x != x) return SUP_F64_NAN;
  if (x <= 0) return -SUP_F64_MAX;
  if (x > SUP_F64_MAX) return x;
  const int subnormal = x < 0x1p-1022;
  const int64_t bits = sup_bits(subnormal ? x * 0x1p+54 : x);
  const int64_t k = (bits - sup_bits(0x1.6a09e667f3bcdp-1)) >> 52;
  const double f = sup_from_bits(bits - sup_shl(k, 52)) - 1;
  const double e = (double)(k - (subnormal ? 54 : 0));
  const double s = f / (2 + f), z = s * s, half = 0.5 * f * f;
  const double tail = s * (half + z * sup_f64_poly(z, L, 7)) + e * 0x1.ef35793c7673p-45;
  return e * 0x1.62e42fefa38p-1 + (f - (half - tail));
}

SUP_INLINE double sup_vf_atan2(double y, double x) {
  static const double A[] = {-0x1.5555555555552p-2, 0x1.99999999990d7p-3,  -0x1.24924924536f2p-3,
                             0x1.c71c71aaf4768p-4,  -0x1.745d138fdbe8ap-4, 0x1.3b1360b9907a4p-4,
                             -0x1.110c71756c67ep-4, 0x1.e182da93d1463p-5,  -0x1.ac72b3ee28cf1p-5,
                             0x1.77fc082673dfcp-5,  -0x1.301c9d8261f21p-5, 0x1.83a6e96711902p-6,
                             -0x1.123adbeff0ac4p-7};
  if (x != x || y != y) return SUP_F64_NAN;
  const double ax = sup_abs(x), ay = sup_abs(y);
  const int swap = ax < ay, left = sup_bits(x) < 0;
  double least = swap ? ax : ay, most = swap ? ay : ax;
  if (most > SUP_F64_MAX) {
    least = least > SUP_F64_MAX ? 1 : 0;
    most = 1;
  }
  if (most == 0) most = 1;
  const int steep = least > 0.5 * most;
  const double scale = most > 1 ? 0.5 : 1; /* so that the sum is finite */
  const double a = least * scale, b = most * scale;
  const double t = steep ? (a - b) / (a + b) : least / most;
  const double z = t * t;
  const double tail = sup_f64_poly(z, A, 13) * z * t;

  int eighths = steep ? 1 : 0;
  if (swap) eighths = 2 - eighths;
  if (left) eighths = 4 - eighths;
  const double sign = swap != left ? -1 : 1;
  const double base = (double)eighths * 0x1.921fb54442d18p-1;
  const double sum = base + sign * t;
  const double low = (sign * t - (sum - base)) + (double)eighths * 0x1.1a62633145c07p-55;
  const double angle = sum + (low + sign * tail);
  return sup_with_sign(sup_abs(angle), y);
}

SUP_INLINE double sup_vf_acos(double x) {
  static const double B[] = {0x1.555555555539p-3,  0x1.333333336e82cp-4,  0x1.6db6db4278669p-5,
                             0x1.f1c72c39c40aep-6, 0x1.6e89f42a30f66p-6,  0x1.1c6be3168328ep-6,
                             0x1.c6fda2d62cfccp-7, 0x1.8ec3d4eab2d92p-7,  0x1.abc7a3ac5c3b6p-8,
                             0x1.3ffa345fe56e5p-6, -0x1.09dc3a2f7458bp-6, 0x1.0570a6d8b35f1p-5};
  if (x != x) return SUP_F64_NAN;
  const double ax = sup_abs(x) < 1 ? sup_abs(x) : 1;
  const int outer = ax > 0.5;
  const double z = outer ? 0.5 * (1 - ax) : ax * ax;
  const double s = outer ? sup_vf_sqrt(z) : ax;
  const double p = s + sup_f64_poly(z, B, 12) * z * s;
  if (outer && x > 0) return p + p;
  const double rest = 0x1.921fb54442d18p+0 - ((!outer && x < 0 ? -p : p) - 0x1.1a62633145c07p-54);
  return outer ? rest + rest : rest;
}

#endif
