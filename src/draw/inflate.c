/* SPDX-License-Identifier: MIT */
/* Unpacking: RFC 1951 in order of its sections. A bit at a time: textures are read once. */
#include "draw/deflate.h"
#include "draw/deflate_codes.h"

enum { LONGEST_CODE = 15, MOST_SYMBOLS = 288 };

typedef struct Unpacker {
  const uint8_t *data;
  size_t bytes, at; /* `at` in bits */
  uint8_t *out;
  size_t room, made;
  bool bad;
} Unpacker;

/* Codes by length: how many there are, and their symbols in order. */
typedef struct Codes {
  uint16_t counts[LONGEST_CODE + 1], symbols[MOST_SYMBOLS];
} Codes;

static uint32_t take(Unpacker *u, uint32_t count) {
  uint32_t value = 0;
  for (uint32_t k = 0; k < count; k++, u->at++) {
    if (u->at / 8 >= u->bytes) {
      u->bad = true;
      return 0;
    }
    value |= (uint32_t)(u->data[u->at / 8] >> u->at % 8 & 1) << k;
  }
  return value;
}

/* False where more codes are wanted than bits can tell apart. */
static bool make_codes(const uint8_t *lengths, uint32_t count, Codes *out) {
  uint16_t first[LONGEST_CODE + 2] = {0};
  int32_t left = 1;
  *out = (Codes){0};
  for (uint32_t k = 0; k < count; k++) out->counts[lengths[k]]++;
  out->counts[0] = 0;
  for (uint32_t length = 1; length <= LONGEST_CODE; length++) {
    left = 2 * left - out->counts[length];
    if (left < 0) return false;
    first[length + 1] = (uint16_t)(first[length] + out->counts[length]);
  }
  for (uint32_t k = 0; k < count; k++) {
    if (lengths[k]) out->symbols[first[lengths[k]]++] = (uint16_t)k;
  }
  return true;
}

static uint32_t take_symbol(Unpacker *u, const Codes *codes) {
  int32_t code = 0, first = 0, index = 0;
  for (uint32_t length = 1; length <= LONGEST_CODE && !u->bad; length++) {
    code |= (int32_t)take(u, 1);
    const int32_t count = codes->counts[length];
    if (code - first < count) return codes->symbols[index + code - first];
    index += count;
    first = (first + count) << 1;
    code <<= 1;
  }
  u->bad = true;
  return 0;
}

static void put(Unpacker *u, uint8_t byte) {
  if (u->made < u->room) {
    u->out[u->made++] = byte;
  } else {
    u->bad = true;
  }
}

static void stored(Unpacker *u) {
  u->at = (u->at + 7) / 8 * 8;
  const uint32_t length = take(u, 16), check = take(u, 16);
  if ((length ^ check) != 0xffff) u->bad = true;
  for (uint32_t k = 0; k < length && !u->bad; k++) put(u, (uint8_t)take(u, 8));
}

static void compressed(Unpacker *u, const Codes *literals, const Codes *distances) {
  while (!u->bad) {
    uint32_t symbol = take_symbol(u, literals);
    if (symbol == 256) return;
    if (symbol < 256) {
      if (!u->bad) put(u, (uint8_t)symbol);
      continue;
    }
    symbol -= 257;
    if (symbol >= 29) {
      u->bad = true;
      return;
    }
    const uint32_t length = sup_length_base[symbol] + take(u, sup_length_extra[symbol]);
    symbol = take_symbol(u, distances);
    if (symbol >= 30) u->bad = true;
    const uint32_t distance =
        u->bad ? 0 : sup_distance_base[symbol] + take(u, sup_distance_extra[symbol]);
    if (distance > u->made) u->bad = true;
    for (uint32_t k = 0; k < length && !u->bad; k++) put(u, u->out[u->made - distance]);
  }
}

static void fixed(Unpacker *u) {
  uint8_t lengths[MOST_SYMBOLS];
  Codes literals, distances;
  for (uint32_t k = 0; k < MOST_SYMBOLS; k++) {
    lengths[k] = k < 144 ? 8 : k < 256 ? 9 : k < 280 ? 7 : 8;
  }
  make_codes(lengths, MOST_SYMBOLS, &literals);
  for (uint32_t k = 0; k < 30; k++) lengths[k] = 5;
  make_codes(lengths, 30, &distances);
  compressed(u, &literals, &distances);
}

static void dynamic(Unpacker *u) {
  static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                    11, 4,  12, 3, 13, 2, 14, 1, 15};
  uint8_t lengths[320] = {0};
  Codes codes, distances;
  const uint32_t literal_count = take(u, 5) + 257, distance_count = take(u, 5) + 1;
  const uint32_t code_count = take(u, 4) + 4, all = literal_count + distance_count;
  if (u->bad || literal_count > 286 || distance_count > 30) u->bad = true;
  for (uint32_t k = 0; k < code_count; k++) lengths[order[k]] = (uint8_t)take(u, 3);
  if (!make_codes(lengths, 19, &codes)) u->bad = true;
  for (uint32_t k = 0; k < 19; k++) lengths[k] = 0;
  for (uint32_t k = 0; k < all && !u->bad;) {
    const uint32_t symbol = take_symbol(u, &codes);
    uint32_t times = 1;
    uint8_t length = (uint8_t)symbol;
    if (symbol >= 16) {
      if (symbol == 16 && k == 0) u->bad = true;
      length = symbol == 16 && k > 0 ? lengths[k - 1] : 0;
      times = symbol == 16 ? 3 + take(u, 2) : symbol == 17 ? 3 + take(u, 3) : 11 + take(u, 7);
    }
    if (k + times > all) u->bad = true;
    for (uint32_t t = 0; t < times && !u->bad; t++) lengths[k++] = length;
  }
  if (u->bad || !make_codes(lengths + literal_count, distance_count, &distances) ||
      !make_codes(lengths, literal_count, &codes)) {
    u->bad = true;
    return;
  }
  compressed(u, &codes, &distances);
}

bool sup_inflate(const uint8_t *data, size_t bytes, uint8_t *out, size_t room) {
  /* Method 8, no preset dictionary. */
  if (bytes < 2 || (data[0] & 15) != 8 || (data[1] & 32)) return false;
  Unpacker u = {.data = data + 2, .bytes = bytes - 2, .out = out, .room = room};
  for (bool last = false; !last && !u.bad;) {
    last = take(&u, 1);
    switch (take(&u, 2)) {
      case 0: stored(&u); break;
      case 1: fixed(&u); break;
      case 2: dynamic(&u); break;
      default: u.bad = true;
    }
  }
  return !u.bad && u.made == room;
}
