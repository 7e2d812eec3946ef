/* SPDX-License-Identifier: MIT */
/*
 * sin, cos, exp, log, atan2, acos over vectors of floats: branch-free apart from one rare test,
 * no fused operations, no tables, so every width gives the bits of the scalar build.
 *
 * Polynomials and split constants come from scripts/minimax.py; the number behind each is the
 * relative error of the approximation before rounding. Every NaN that leaves is the same one.
 * Included by elementary.h; ranges and special values are promised in supple/math.h.
 */
#ifndef SUP_SRC_MATH_ELEMENTARY_F32_H
#define SUP_SRC_MATH_ELEMENTARY_F32_H

#include "base/simd.h"
#include "math/pio2.h"

#define SUP_F32_NAN sup_from_bits(SUP_I(0x7fc00000))
#define SUP_F32_INF sup_from_bits(SUP_I(0x7f800000))
#define SUP_F32_MAX SUP_C(0x1.fffffep+127f)

/* a - b = difference + error, exactly (Knuth 1969). */
SUP_INLINE sup_vf sup_two_diff(sup_vf a, sup_vf b, sup_vf *out_error) {
  sup_vf difference = a - b;
  sup_vf b_seen = difference - a;
  *out_error = (a - (difference - b_seen)) - (b + b_seen);
  return difference;
}

/* Lanes above the range of sup_f32_reduce, one by one in double; `x` not negative. */
SUP_SELDOM void sup_f32_reduce_large(sup_vf x, sup_vi large, sup_vi *io_quadrant, sup_vf *io_high,
                                     sup_vf *io_low) {
  float lane_x[SUP_WIDTH], high[SUP_WIDTH], low[SUP_WIDTH];
  int32_t mask[SUP_WIDTH], quadrant[SUP_WIDTH];
  sup_vf_store(lane_x, x);
  sup_vi_store(mask, large);
  sup_vi_store(quadrant, *io_quadrant);
  sup_vf_store(high, *io_high);
  sup_vf_store(low, *io_low);
  for (int k = 0; k < SUP_WIDTH; k++) {
    if (!mask[k] || !(lane_x[k] <= 0x1.fffffep+127f)) continue;
    double r[2];
    quadrant[k] = sup_pio2_reduce((double)lane_x[k], r);
    high[k] = (float)r[0];
    low[k] = (float)((r[0] - (double)high[k]) + r[1]);
  }
  *io_quadrant = sup_vi_load(quadrant);
  *io_high = sup_vf_load(high);
  *io_low = sup_vf_load(low);
}

/* x = quadrant pi/2 + high + low, |high| <= pi/4, for x not negative. Up to 2048 multiples of
 * pi/2 are taken off in four pieces: 13 bits each, whose products with 11-bit numbers are exact,
 * and a rest. Reducing keeps what is rounded off, since x may lie within 2^-28 of a multiple. */
SUP_INLINE sup_vi sup_f32_reduce(sup_vf x, sup_vf *out_high, sup_vf *out_low) {
  const sup_vi large = ~sup_le(x, SUP_C(3200.0f));
  const sup_vf small = sup_select(large, SUP_C(0.0f), x);
  const sup_vf shifted = small * SUP_C(0x1.45f306p-1f) + SUP_C(SUP_ROUND_MAGIC);
  const sup_vf n = shifted - SUP_C(SUP_ROUND_MAGIC);
  sup_vi quadrant = sup_bits(shifted) & SUP_I(3);

  sup_vf error_2, error_3;
  sup_vf r = small - n * SUP_C(0x1.921p+0f);
  r = sup_two_diff(r, n * SUP_C(0x1.f6ap-13f), &error_2);
  r = sup_two_diff(r, n * SUP_C(0x1.11p-26f), &error_3);
  sup_vf rest = (error_2 + error_3) - n * SUP_C(0x1.68c234p-39f);
  *out_high = r + rest;
  *out_low = (r - *out_high) + rest;
  if (sup_any(large)) sup_f32_reduce_large(x, large, &quadrant, out_high, out_low);
  return quadrant;
}

/* sin(high + low) and cos(high + low) for |high| <= pi/4. */
SUP_INLINE void sup_f32_sincos_poly(sup_vf high, sup_vf low, sup_vf *out_sin, sup_vf *out_cos) {
  const sup_vf z = high * high;
  sup_vf s = SUP_C(-0x1.995406p-13f); /* 2^-27.9 */
  s = s * z + SUP_C(0x1.110778p-7f);
  s = s * z + SUP_C(-0x1.555546p-3f);
  *out_sin = high + (s * z * high + low);

  sup_vf c = SUP_C(0x1.99e80cp-16f); /* 2^-33.0 */
  c = c * z + SUP_C(-0x1.6c0c28p-10f);
  c = c * z + SUP_C(0x1.55554ap-5f);
  const sup_vf half = SUP_C(0.5f) * z;
  const sup_vf w = SUP_C(1.0f) - half;
  *out_cos = w + (((SUP_C(1.0f) - w) - half) + (c * z * z - high * low));
}

SUP_INLINE void sup_vf_sincos(sup_vf x, sup_vf *out_sin, sup_vf *out_cos) {
  sup_vf high, low, s, c;
  const sup_vi quadrant = sup_f32_reduce(sup_abs(x), &high, &low);
  sup_f32_sincos_poly(high, low, &s, &c);
  const sup_vi swap = -(quadrant & SUP_I(1));
  const sup_vi sin_sign = (sup_bits(x) & SUP_SIGN_BIT) ^ sup_shl(quadrant & SUP_I(2), 30);
  const sup_vi cos_sign = sup_shl((quadrant + SUP_I(1)) & SUP_I(2), 30);
  const sup_vi finite = sup_lt(sup_abs(x), SUP_F32_INF);
  const sup_vf sine = sup_from_bits(sup_bits(sup_select(swap, c, s)) ^ sin_sign);
  const sup_vf cosine = sup_from_bits(sup_bits(sup_select(swap, s, c)) ^ cos_sign);
  *out_sin = sup_select(finite, sine, SUP_F32_NAN);
  *out_cos = sup_select(finite, cosine, SUP_F32_NAN);
}

SUP_INLINE sup_vf sup_vf_sin(sup_vf x) {
  sup_vf s, c;
  sup_vf_sincos(x, &s, &c);
  return s;
}

SUP_INLINE sup_vf sup_vf_cos(sup_vf x) {
  sup_vf s, c;
  sup_vf_sincos(x, &s, &c);
  return c;
}

/* x = n ln 2 + r, e^x = 2^n e^r. The power is applied in two halves, so that results among the
 * subnormal numbers are rounded once. */
SUP_INLINE sup_vf sup_vf_exp(sup_vf x) {
  const sup_vf y = sup_min(sup_max(SUP_C(-104.0f), x), SUP_C(89.0f)); /* a NaN becomes -104 */
  const sup_vf shifted = y * SUP_C(0x1.715476p+0f) + SUP_C(SUP_ROUND_MAGIC);
  const sup_vf n = shifted - SUP_C(SUP_ROUND_MAGIC);
  const sup_vi power = sup_bits(shifted) - sup_bits(SUP_C(SUP_ROUND_MAGIC));
  const sup_vf r = (y - n * SUP_C(0x1.62e4p-1f)) - n * SUP_C(0x1.7f7d1cp-20f);

  sup_vf p = SUP_C(0x1.6a2452p-10f); /* 2^-28.0 */
  p = p * r + SUP_C(0x1.1239d2p-7f);
  p = p * r + SUP_C(0x1.5558f2p-5f);
  p = p * r + SUP_C(0x1.555492p-3f);
  p = p * r + SUP_C(0x1.fffffcp-2f);
  p = SUP_C(1.0f) + (r + p * (r * r));

  const sup_vi half = sup_shr(power, 1);
  const sup_vf finite = p * sup_exp2_int(half) * sup_exp2_int(power - half);
  const sup_vf result = sup_select(sup_eq(x, SUP_F32_INF), x, sup_min(finite, SUP_F32_MAX));
  return sup_select(sup_is_nan(x), SUP_F32_NAN, result);
}

/* x = 2^k (1 + f), 1 + f in [sqrt(1/2), sqrt(2)). */
SUP_INLINE sup_vf sup_vf_log(sup_vf x) {
  const sup_vi proper = sup_lt(SUP_C(0.0f), x) & sup_lt(x, SUP_F32_INF);
  const sup_vf y = sup_select(proper, x, SUP_C(1.0f));
  const sup_vi subnormal = sup_lt(y, SUP_C(0x1p-126f));
  const sup_vi bits = sup_bits(sup_select(subnormal, y * SUP_C(0x1p+24f), y));
  const sup_vi k = sup_shr(bits - sup_bits(SUP_C(0x1.6a09e6p-1f)), 23);
  const sup_vf f = sup_from_bits(bits - sup_shl(k, 23)) - SUP_C(1.0f);
  const sup_vf e = sup_to_real(k - (subnormal & SUP_I(24)));

  sup_vf p = SUP_C(0x1.14582cp-4f); /* 2^-28.2 */
  p = p * f + SUP_C(-0x1.de3c96p-4f);
  p = p * f + SUP_C(0x1.e6f076p-4f);
  p = p * f + SUP_C(-0x1.fc21f2p-4f);
  p = p * f + SUP_C(0x1.233766p-3f);
  p = p * f + SUP_C(-0x1.555c4ep-3f);
  p = p * f + SUP_C(0x1.99a4b6p-3f);
  p = p * f + SUP_C(-0x1.000006p-2f);
  p = p * f + SUP_C(0x1.555548p-2f);
  const sup_vf square = f * f;
  const sup_vf tail = p * f * square + e * SUP_C(0x1.7f7d1cp-20f);
  const sup_vf finite = e * SUP_C(0x1.62e4p-1f) + (f - (SUP_C(0.5f) * square - tail));

  const sup_vf result = sup_select(proper, finite, -SUP_F32_MAX);
  const sup_vf upper = sup_select(sup_eq(x, SUP_F32_INF), x, result);
  return sup_select(sup_is_nan(x), SUP_F32_NAN, upper);
}

/* The angle of (x, y) is a multiple of pi/4 plus or minus atan(t), |t| <= 1/2. Where the smaller
 * side is more than half the greater, their difference below is exact. */
SUP_INLINE sup_vf sup_vf_atan2(sup_vf y, sup_vf x) {
  const sup_vf ax = sup_abs(x), ay = sup_abs(y);
  const sup_vi swap = sup_lt(ax, ay);
  sup_vf least = sup_select(swap, ax, ay), most = sup_select(swap, ay, ax);
  const sup_vi infinite = sup_eq(most, SUP_F32_INF);
  const sup_vf least_of_infinite = sup_select(sup_eq(least, SUP_F32_INF), SUP_C(1), SUP_C(0));
  least = sup_select(infinite, least_of_infinite, least);
  most = sup_select(infinite | sup_eq(most, SUP_C(0.0f)), SUP_C(1.0f), most);

  const sup_vi steep = sup_lt(SUP_C(0.5f) * most, least);
  const sup_vf scale = sup_select(sup_lt(SUP_C(1.0f), most), SUP_C(0.5f), SUP_C(1.0f));
  const sup_vf a = least * scale, b = most * scale; /* so that a + b is finite */
  const sup_vf t = sup_select(steep, a - b, least) / sup_select(steep, a + b, most);

  const sup_vf z = t * t;
  sup_vf p = SUP_C(0x1.3fd554p-5f); /* 2^-31.7 */
  p = p * z + SUP_C(-0x1.480d4p-4f);
  p = p * z + SUP_C(0x1.c07268p-4f);
  p = p * z + SUP_C(-0x1.24503p-3f);
  p = p * z + SUP_C(0x1.999744p-3f);
  p = p * z + SUP_C(-0x1.555552p-2f);
  const sup_vf tail = p * z * t;

  const sup_vi left = sup_shr(sup_bits(x), 31); /* the sign bit: -0 counts as left */
  sup_vf eighths = sup_select(steep, SUP_C(1.0f), SUP_C(0.0f));
  eighths = sup_select(swap, SUP_C(2.0f) - eighths, eighths);
  eighths = sup_select(left, SUP_C(4.0f) - eighths, eighths);
  /* base + (t + tail) with what rounding takes from base + t put back, |base| >= |t| or 0. */
  const sup_vi sign = (swap ^ left) & SUP_SIGN_BIT;
  const sup_vf base = eighths * SUP_C(0x1.921fbp-1f);
  const sup_vf signed_t = sup_from_bits(sup_bits(t) ^ sign);
  const sup_vf sum = base + signed_t;
  const sup_vf low = (signed_t - (sum - base)) + eighths * SUP_C(0x1.5110b4p-23f);
  const sup_vf angle = sum + (low + sup_from_bits(sup_bits(tail) ^ sign));
  const sup_vf result = sup_with_sign(sup_abs(angle), y);
  return sup_select(sup_is_nan(x) | sup_is_nan(y), SUP_F32_NAN, result);
}

/* acos x = pi/2 - asin x in the middle; near the ends asin of sqrt((1 - |x|) / 2), doubled. */
SUP_INLINE sup_vf sup_vf_acos(sup_vf x) {
  const sup_vf ax = sup_min(sup_abs(x), SUP_C(1.0f)); /* a NaN becomes 1 */
  const sup_vi outer = sup_lt(SUP_C(0.5f), ax);
  const sup_vi negative = sup_lt(x, SUP_C(0.0f));
  const sup_vf z = sup_select(outer, SUP_C(0.5f) * (SUP_C(1.0f) - ax), ax * ax);
  const sup_vf s = sup_select(outer, sup_vf_sqrt(z), ax);

  sup_vf p = SUP_C(0x1.595cbep-5f); /* 2^-27.6 */
  p = p * z + SUP_C(0x1.8c3e02p-6f);
  p = p * z + SUP_C(0x1.747bbcp-5f);
  p = p * z + SUP_C(0x1.330204p-4f);
  p = p * z + SUP_C(0x1.5555c8p-3f);
  p = s + p * z * s;

  /* pi/2 minus the arc sine, with the sign of x only in the middle. */
  const sup_vf arc = sup_from_bits(sup_bits(p) ^ (~outer & negative & SUP_SIGN_BIT));
  const sup_vf rest = SUP_C(0x1.921fb6p+0f) - (arc + SUP_C(0x1.777a5cp-25f));
  const sup_vf ends = sup_select(negative, rest + rest, p + p);
  return sup_select(sup_is_nan(x), SUP_F32_NAN, sup_select(outer, ends, rest));
}

#endif
