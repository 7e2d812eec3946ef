/* SPDX-License-Identifier: MIT */
/* The bytes of PC2 and MDD files, shared by the reader and the writer (docs/formats.md). */
#ifndef SUP_IO_CACHE_LAYOUT_H
#define SUP_IO_CACHE_LAYOUT_H

#include "supple/io/cache.h"

#define PC2_MAGIC "POINTCACHE2" /* 12 bytes with its zero */
#define PC2_HEAD_BYTES 32u      /* magic, version, points, start, sampling, samples */
#define MDD_HEAD_BYTES 8u       /* frames, points; then one time per frame */

/* Behind the last frame: mark, fps, start, order, and a check of those 20 bytes. */
#define TRAILER_MARK "SUPPLE\0\1"
#define TRAILER_BYTES 24u

static inline uint32_t get_u32_le(const uint8_t *p) {
  return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint32_t get_u32_be(const uint8_t *p) {
  return (uint32_t)p[3] | (uint32_t)p[2] << 8 | (uint32_t)p[1] << 16 | (uint32_t)p[0] << 24;
}

static inline void put_u32_le(uint8_t *p, uint32_t value) {
  for (int k = 0; k < 4; k++) p[k] = (uint8_t)(value >> (8 * k));
}

static inline void put_u32_be(uint8_t *p, uint32_t value) {
  for (int k = 0; k < 4; k++) p[k] = (uint8_t)(value >> (24 - 8 * k));
}

static inline float float_of_bits(uint32_t bits) {
  float value;
  sup_copy(&value, &bits, sizeof value);
  return value;
}

static inline uint32_t bits_of_float(float value) {
  uint32_t bits;
  sup_copy(&bits, &value, sizeof bits);
  return bits;
}

/* Bytes in front of the first frame. */
static inline uint64_t cache_data_offset(SupCacheFormat format, uint32_t frame_count) {
  return format == SUP_CACHE_PC2 ? PC2_HEAD_BYTES : MDD_HEAD_BYTES + 4 * (uint64_t)frame_count;
}

#endif
