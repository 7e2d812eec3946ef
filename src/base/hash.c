/* SPDX-License-Identifier: MIT */
/* XXH64, from its published specification (Collet); reads little-endian on any machine. */
#include "supple/base.h"

#define PRIME_1 0x9E3779B185EBCA87u
#define PRIME_2 0xC2B2AE3D27D4EB4Fu
#define PRIME_3 0x165667B19E3779F9u
#define PRIME_4 0x85EBCA77C2B2AE63u
#define PRIME_5 0x27D4EB2F165667C5u

static uint64_t rotate_left(uint64_t x, unsigned bits) { return (x << bits) | (x >> (64 - bits)); }

static uint64_t read_bytes(const unsigned char *p, unsigned count) {
  uint64_t value = 0;
  for (unsigned i = 0; i < count; i++) value |= (uint64_t)p[i] << (8 * i);
  return value;
}

static uint64_t lane_round(uint64_t accumulator, uint64_t input) {
  return rotate_left(accumulator + input * PRIME_2, 31) * PRIME_1;
}

static uint64_t merge_round(uint64_t hash, uint64_t lane) {
  return (hash ^ lane_round(0, lane)) * PRIME_1 + PRIME_4;
}

/* All whole stripes of 32 bytes. Advances *p. */
static uint64_t hash_stripes(const unsigned char **p, size_t bytes, uint64_t seed) {
  uint64_t lane[4] = {seed + PRIME_1 + PRIME_2, seed + PRIME_2, seed, seed - PRIME_1};
  for (size_t left = bytes; left >= 32; left -= 32) {
    for (unsigned k = 0; k < 4; k++) lane[k] = lane_round(lane[k], read_bytes(*p + 8 * k, 8));
    *p += 32;
  }
  uint64_t hash = rotate_left(lane[0], 1) + rotate_left(lane[1], 7) + rotate_left(lane[2], 12) +
                  rotate_left(lane[3], 18);
  for (unsigned k = 0; k < 4; k++) hash = merge_round(hash, lane[k]);
  return hash;
}

uint64_t sup_hash(const void *block, size_t bytes, uint64_t seed) {
  const unsigned char *p = (const unsigned char *)block;
  const unsigned char *end = p + bytes;
  uint64_t hash = bytes >= 32 ? hash_stripes(&p, bytes, seed) : seed + PRIME_5;
  hash += (uint64_t)bytes;
  for (; end - p >= 8; p += 8) {
    hash ^= lane_round(0, read_bytes(p, 8));
    hash = rotate_left(hash, 27) * PRIME_1 + PRIME_4;
  }
  if (end - p >= 4) {
    hash ^= read_bytes(p, 4) * PRIME_1;
    hash = rotate_left(hash, 23) * PRIME_2 + PRIME_3;
    p += 4;
  }
  for (; p < end; p++) {
    hash ^= *p * PRIME_5;
    hash = rotate_left(hash, 11) * PRIME_1;
  }
  hash = (hash ^ (hash >> 33)) * PRIME_2;
  hash = (hash ^ (hash >> 29)) * PRIME_3;
  return hash ^ (hash >> 32);
}
