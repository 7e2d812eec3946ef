/* SPDX-License-Identifier: MIT */
/*
 * Packing. Pictures of a studio are even: most is matches, and codes made to measure would save
 * about a tenth. In return there is no library, and the bytes are the same everywhere.
 */
#include "draw/deflate.h"

#include "draw/deflate_codes.h"

enum { HASH_BITS = 15, WINDOW = 32768, SHORTEST = 3, LONGEST = 258, TRIES = 32, END = 256 };
#define NOWHERE UINT32_MAX

typedef struct Packer {
  uint8_t *out;
  size_t at;
  uint32_t bits; /* not yet written, lowest first */
  uint32_t count;
} Packer;

/* Bits of a number, lowest first. */
static void put(Packer *p, uint32_t value, uint32_t count) {
  p->bits |= value << p->count;
  for (p->count += count; p->count >= 8; p->count -= 8, p->bits >>= 8) {
    p->out[p->at++] = (uint8_t)p->bits;
  }
}

/* Bits of a code, highest first. */
static void put_code(Packer *p, uint32_t code, uint32_t count) {
  uint32_t turned = 0;
  for (uint32_t k = 0; k < count; k++) turned |= (code >> k & 1) << (count - 1 - k);
  put(p, turned, count);
}

/* RFC 1951, 3.2.6. */
static void put_symbol(Packer *p, uint32_t symbol) {
  if (symbol < 144) {
    put_code(p, 0x30 + symbol, 8);
  } else if (symbol < 256) {
    put_code(p, 0x190 + symbol - 144, 9);
  } else if (symbol < 280) {
    put_code(p, symbol - 256, 7);
  } else {
    put_code(p, 0xc0 + symbol - 280, 8);
  }
}

static void put_match(Packer *p, uint32_t length, uint32_t distance) {
  uint32_t k = 28;
  while (sup_length_base[k] > length) k--;
  put_symbol(p, 257 + k);
  put(p, length - sup_length_base[k], sup_length_extra[k]);
  k = 29;
  while (sup_distance_base[k] > distance) k--;
  put_code(p, k, 5);
  put(p, distance - sup_distance_base[k], sup_distance_extra[k]);
}

static uint32_t hash(const uint8_t *d) {
  const uint32_t three = (uint32_t)d[0] | (uint32_t)d[1] << 8 | (uint32_t)d[2] << 16;
  return three * 2654435761u >> (32 - HASH_BITS);
}

typedef struct Chains {
  uint32_t *heads; /* [1 << HASH_BITS] the last place of each hash */
  uint32_t *links; /* [WINDOW] the one before */
} Chains;

static void remember(Chains *c, const uint8_t *data, size_t at) {
  const uint32_t h = hash(data + at);
  c->links[at % WINDOW] = c->heads[h];
  c->heads[h] = (uint32_t)at;
}

/* The longest match of what follows `at`; 0: none of at least three. */
static uint32_t find_match(const Chains *c, const uint8_t *data, size_t at, size_t bytes,
                           uint32_t *out_distance) {
  const size_t most = bytes - at < LONGEST ? bytes - at : LONGEST;
  uint32_t best = SHORTEST - 1, place = c->heads[hash(data + at)];
  for (uint32_t k = 0; k < TRIES && place != NOWHERE && at - place <= WINDOW - 1; k++) {
    uint32_t length = 0;
    while (length < most && data[place + length] == data[at + length]) length++;
    if (length > best) best = length, *out_distance = (uint32_t)(at - place);
    if (best == most) break;
    place = c->links[place % WINDOW];
  }
  return best >= SHORTEST ? best : 0;
}

static uint32_t adler(const uint8_t *data, size_t bytes) {
  uint32_t a = 1, b = 0;
  for (size_t k = 0; k < bytes; k++) {
    a = (a + data[k]) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

uint8_t *sup_deflate(SupArena *arena, const uint8_t *data, size_t bytes, size_t *out_bytes) {
  if (bytes >= NOWHERE) return NULL;
  /* A byte by itself takes up to nine bits. */
  Packer p = {.out = SUP_ALLOC(arena, uint8_t, bytes + bytes / 8 + 64)};
  Chains c = {SUP_ALLOC(arena, uint32_t, (size_t)1 << HASH_BITS),
              SUP_ALLOC(arena, uint32_t, WINDOW)};
  if (!p.out || !c.heads || !c.links) return NULL;
  for (size_t k = 0; k < (size_t)1 << HASH_BITS; k++) c.heads[k] = NOWHERE;
  p.out[p.at++] = 0x78; /* deflate, window of 32 KiB */
  p.out[p.at++] = 0x01;
  put(&p, 1, 1); /* the last block */
  put(&p, 1, 2); /* fixed codes */
  for (size_t at = 0; at < bytes;) {
    uint32_t distance = 0;
    const bool hashed = bytes - at >= SHORTEST;
    const uint32_t length = hashed ? find_match(&c, data, at, bytes, &distance) : 0;
    if (length) {
      put_match(&p, length, distance);
    } else {
      put_symbol(&p, data[at]);
    }
    for (const size_t next = at + (length ? length : 1); at < next; at++) {
      if (bytes - at >= SHORTEST) remember(&c, data, at);
    }
  }
  put_symbol(&p, END);
  put(&p, 0, 7); /* to the end of a byte */
  const uint32_t sum = adler(data, bytes);
  for (int k = 3; k >= 0; k--) p.out[p.at++] = (uint8_t)(sum >> 8 * k);
  *out_bytes = p.at;
  return p.out;
}

uint32_t sup_crc32(uint32_t crc, const uint8_t *data, size_t bytes) {
  crc = ~crc;
  for (size_t k = 0; k < bytes; k++) {
    crc ^= data[k];
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (0xedb88320u & (0 - (crc & 1)));
  }
  return ~crc;
}
