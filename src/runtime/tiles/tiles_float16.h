/* SPDX-License-Identifier: MIT */
/* float16 in C, for rotations in tiles: no greater than one, and what is below 2^-14 is zero.
 */
#ifndef SUP_SRC_RUNTIME_TILES_FLOAT16_H
#define SUP_SRC_RUNTIME_TILES_FLOAT16_H

#include <stdint.h>

typedef union TilesBits {
  uint32_t u;
  float f;
} TilesBits;

static inline uint32_t tiles_float16_bits(float x) {
  const TilesBits bits = {.f = x};
  const uint32_t sign = bits.u >> 16 & 0x8000u, size = bits.u & 0x7fffffffu;
  if (size < 0x38800000u) return sign; /* 2^-14 */
  const uint32_t rounded = size + 0xfffu + (size >> 13 & 1u);
  return rounded >= 0x47800000u ? sign | 0x7bffu : sign | ((rounded - 0x38000000u) >> 13);
}

static inline float tiles_float16_value(uint32_t half) {
  const uint32_t size = half & 0x7fffu;
  const TilesBits bits = {.u = (half & 0x8000u) << 16 |
                               (size < 0x400u ? 0 : (size << 13) + 0x38000000u)};
  return bits.f;
}

#endif
