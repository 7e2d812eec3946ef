/* SPDX-License-Identifier: MIT */
/*
 * Arguments of sine and cosine too large for subtracting multiples of pi/2.
 *
 * M. Payne and R. Hanek, "Radian reduction for trigonometric functions", 1983: of x * 2/pi only
 * the value modulo 4 matters, so the digits of 2/pi that give multiples of 4 are skipped, and 192
 * bits from there on are enough: the product with the 53 bits of x is right to 137 bits after the
 * point, and no double comes closer than 2^-62 to a multiple of pi/2.
 */
#include "math/pio2.h"

/* 2/pi after the point, from scripts/minimax.py. */
static const uint32_t two_over_pi[38] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab};

#define WINDOW 6 /* words of 2/pi that are used */
#define WORDS (WINDOW + 2)

/* The 192 bits of 2/pi from the one with weight 2^-first on, most significant word first. */
static void read_window(uint32_t first, uint32_t *out_window) {
  uint32_t word = (first - 1) / 32;
  uint32_t turn = (first - 1) % 32;
  for (uint32_t k = 0; k < WINDOW; k++) {
    uint64_t pair = ((uint64_t)two_over_pi[word + k] << 32) | two_over_pi[word + k + 1];
    out_window[k] = (uint32_t)(pair >> (32 - turn));
  }
}

/* The 256-bit product of a 64-bit and a 192-bit number, most significant word first. */
static void multiply(uint64_t mantissa, const uint32_t *window, uint32_t *out_product) {
  uint32_t factor[2] = {(uint32_t)mantissa, (uint32_t)(mantissa >> 32)};
  for (int k = 0; k < WORDS; k++) out_product[k] = 0;
  for (int f = 0; f < 2; f++) {
    uint64_t carry = 0;
    for (int k = WINDOW - 1; k >= 0; k--) {
      uint32_t *digit = &out_product[k + 2 - f];
      carry += *digit + (uint64_t)factor[f] * window[k];
      *digit = (uint32_t)carry;
      carry >>= 32;
    }
    out_product[1 - f] = (uint32_t)carry;
  }
}

/* 64 bits of the product, the first of them `bit` bits below the top. */
static uint64_t read_bits(const uint32_t *product, uint32_t bit) {
  uint32_t word = bit / 32;
  uint32_t turn = bit % 32;
  uint64_t high = ((uint64_t)product[word] << 32) | product[word + 1];
  return turn ? (high << turn) | (product[word + 2] >> (32 - turn)) : high;
}

/* a b = product + error exactly (Dekker 1971), the factors split into halves of 26 bits. */
static double two_product(double a, double b, double *out_error) {
  double a_shifted = a * 0x1.0000002p+27, b_shifted = b * 0x1.0000002p+27;
  double a_high = a_shifted - (a_shifted - a), b_high = b_shifted - (b_shifted - b);
  double a_low = a - a_high, b_low = b - b_high;
  double product = a * b;
  *out_error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
  return product;
}

/* 2^n for n within the exponents of normal numbers. */
static double power_of_two(int n) {
  union {
    uint64_t bits;
    double value;
  } u = {(uint64_t)(1023 + n) << 52};
  return u.value;
}

int32_t sup_pio2_reduce(double x, double *out_r) {
  union {
    double value;
    uint64_t bits;
  } u = {x};
  int exponent = (int)(u.bits >> 52) - 1075; /* x = mantissa 2^exponent */
  uint64_t mantissa = (u.bits & 0xfffffffffffff) | 0x10000000000000;
  uint32_t first = exponent >= 2 ? (uint32_t)exponent - 1 : 1;

  uint32_t window[WINDOW], product[WORDS + 2] = {0};
  read_window(first, window);
  multiply(mantissa, window, product);

  /* The point: the product's lowest bit has weight 2^(exponent - first - 191). */
  uint32_t top = (uint32_t)((int)(256 - 2) - ((int)first + 191 - exponent));
  uint32_t quadrant = (uint32_t)(read_bits(product, top) >> 62);
  uint64_t high = read_bits(product, top + 2), low = read_bits(product, top + 66);
  double sign = 1;
  if (high >> 63) { /* above one half: count down from the next multiple */
    quadrant++;
    sign = -1;
    low = ~low + 1;
    high = ~high + (low == 0);
  }
  int zeros = 0;
  for (; !(high >> 63) && zeros < 127; zeros++) {
    high = (high << 1) | (low >> 63);
    low <<= 1;
  }
  double f0 = (double)(high >> 11) * power_of_two(-53 - zeros);
  double f1 = (double)(((high << 53) | (low >> 11)) >> 11) * power_of_two(-106 - zeros);

  /* (f0 + f1) pi/2, pi/2 = C0 + C1. */
  const double C0 = 0x1.921fb54442d18p+0, C1 = 0x1.1a62633145c07p-54;
  double error;
  double r = two_product(f0, C0, &error);
  double rest = error + (f0 * C1 + f1 * C0);
  out_r[0] = sign * (r + rest);
  out_r[1] = sign * ((r - (r + rest)) + rest);
  return (int32_t)(quadrant & 3);
}
