/* SPDX-License-Identifier: MIT */
/* PNG: 8 bit RGB, each row with the filter that leaves the smallest numbers. */
#include "draw/deflate.h"
#include "draw/png_filter.h"
#include "supple/draw/image.h"

enum { CHANNELS = 3, HEAD = 13 };

static void put_u32(uint8_t *to, uint32_t value) {
  for (int k = 0; k < 4; k++) to[k] = (uint8_t)(value >> (24 - 8 * k));
}

/* Length, name, contents, CRC; returns where the next one goes. */
static size_t put_chunk(uint8_t *to, size_t at, const char *name, const uint8_t *data,
                        size_t bytes) {
  put_u32(to + at, (uint32_t)bytes);
  sup_copy(to + at + 4, name, 4);
  sup_copy(to + at + 8, data, bytes);
  put_u32(to + at + 8 + bytes, sup_crc32(0, to + at + 4, bytes + 4));
  return at + 12 + bytes;
}

/* Filters a row into out[bytes] and returns how large its numbers are. */
static uint64_t filter(uint32_t kind, const uint8_t *row, const uint8_t *above, size_t bytes,
                       uint8_t *out) {
  uint64_t sum = 0;
  for (size_t k = 0; k < bytes; k++) {
    const uint8_t left = k >= CHANNELS ? row[k - CHANNELS] : 0, up = above ? above[k] : 0;
    const uint8_t corner = above && k >= CHANNELS ? above[k - CHANNELS] : 0;
    out[k] = (uint8_t)(row[k] - sup_png_predict(kind, left, up, corner));
    sum += out[k] < 128 ? out[k] : 256u - out[k];
  }
  return sum;
}

SupResult sup_png_encode(SupArena *arena, SupImage image, const uint8_t **out_data,
                         size_t *out_bytes, SupError *error) {
  const size_t row = (size_t)CHANNELS * image.width;
  uint8_t *filtered = SUP_ALLOC(arena, uint8_t, (row + 1) * image.height);
  uint8_t *trial = SUP_ALLOC(arena, uint8_t, row);
  if (!filtered || !trial) return sup_fail_memory(error, "the picture");
  for (uint32_t y = 0; y < image.height; y++) {
    const uint8_t *from = image.pixels + y * image.stride, *above = y ? from - image.stride : NULL;
    uint8_t *to = filtered + y * (row + 1);
    uint64_t best = UINT64_MAX;
    for (uint8_t kind = 0; kind < 5; kind++) {
      const uint64_t sum = filter(kind, from, above, row, trial);
      if (sum >= best) continue;
      best = sum;
      to[0] = kind;
      sup_copy(to + 1, trial, row);
    }
  }
  size_t packed_bytes = 0;
  const uint8_t *packed = sup_deflate(arena, filtered, (row + 1) * image.height, &packed_bytes);
  uint8_t *file = packed ? SUP_ALLOC(arena, uint8_t, packed_bytes + 128) : NULL;
  if (!file) return sup_fail_memory(error, "the picture");
  uint8_t head[HEAD] = {[8] = 8, [9] = 2}; /* bits per channel; red, green, blue */
  static const uint8_t intent = 0;         /* sRGB, perceptual */
  put_u32(head, image.width);
  put_u32(head + 4, image.height);
  sup_copy(file, "\x89PNG\r\n\x1a\n", 8);
  size_t at = put_chunk(file, 8, "IHDR", head, HEAD);
  at = put_chunk(file, at, "sRGB", &intent, 1);
  at = put_chunk(file, at, "IDAT", packed, packed_bytes);
  *out_bytes = put_chunk(file, at, "IEND", head, 0);
  *out_data = file;
  return SUP_OK;
}
