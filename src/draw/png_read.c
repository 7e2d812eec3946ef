/* SPDX-License-Identifier: MIT */
/* PNG to a texture: all colour types and depths, not interlaced. */
#include "base/scratch.h"
#include "draw/deflate.h"
#include "draw/png_filter.h"
#include "supple/draw/image.h"

enum { LARGEST = 8192, GREY = 0, RGB = 2, PALETTE = 3, GREY_ALPHA = 4, RGB_ALPHA = 6 };

typedef struct Png {
  uint32_t width, height, depth, type;
  uint32_t channels;
  uint8_t palette[256][4];
  size_t packed_bytes;
} Png;

static uint32_t get_u32(const uint8_t *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static bool is(const uint8_t *name, const char *wanted) {
  for (int k = 0; k < 4; k++) {
    if (name[k] != (uint8_t)wanted[k]) return false;
  }
  return true;
}

static SupResult damaged(SupError *error) {
  return sup_fail(error, SUP_ERROR_FORMAT, "the PNG is damaged");
}

static SupResult read_head(Png *png, const uint8_t *d, size_t bytes, SupError *error) {
  static const uint8_t channels[7] = {1, 0, 3, 1, 2, 0, 4};
  if (bytes < 13 || d[9] > 6 || !channels[d[9]] || d[10] || d[11]) return damaged(error);
  png->width = get_u32(d), png->height = get_u32(d + 4), png->depth = d[8], png->type = d[9];
  png->channels = channels[png->type];
  const uint32_t n = png->depth;
  const bool small = n == 1 || n == 2 || n == 4;
  if (!png->width || !png->height ||
      !(n == 8 || (n == 16 && png->type != PALETTE) ||
        (small && (png->type == GREY || png->type == PALETTE)))) {
    return damaged(error);
  }
  if (png->width > LARGEST || png->height > LARGEST || d[12]) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED, "the PNG is %s",
                    d[12] ? "interlaced" : "too large");
  }
  return SUP_OK;
}

static void read_small_chunk(Png *png, const uint8_t *name, const uint8_t *d, size_t bytes) {
  if (is(name, "PLTE")) {
    for (size_t k = 0; k < 256 && 3 * k + 2 < bytes; k++) {
      for (int c = 0; c < 3; c++) png->palette[k][c] = d[3 * k + (size_t)c];
    }
  } else if (is(name, "tRNS") && png->type == PALETTE) {
    for (size_t k = 0; k < 256 && k < bytes; k++) png->palette[k][3] = d[k];
  }
}

/* All chunks; those of the picture are put together in `packed` (NULL: only counted). */
static SupResult read_chunks(Png *png, const uint8_t *data, size_t bytes, uint8_t *packed,
                             SupError *error) {
  png->packed_bytes = 0;
  for (size_t at = 8; at + 12 <= bytes;) {
    const size_t length = get_u32(data + at);
    const uint8_t *name = data + at + 4, *d = data + at + 8;
    if (length > bytes - at - 12) return damaged(error);
    if (at == 8) {
      SupResult result = is(name, "IHDR") ? read_head(png, d, length, error) : damaged(error);
      if (result != SUP_OK) return result;
    }
    if (is(name, "IDAT")) {
      if (packed) sup_copy(packed + png->packed_bytes, d, length);
      png->packed_bytes += length;
    }
    if (is(name, "IEND")) return SUP_OK;
    read_small_chunk(png, name, d, length);
    at += 12 + length;
  }
  return damaged(error);
}

/* A sample of a row: 8 bits, whatever depth the file has. */
static uint8_t channel(const Png *png, const uint8_t *row, size_t index) {
  if (png->depth == 8) return row[index];
  if (png->depth == 16) return row[2 * index];
  const size_t bit = index * png->depth;
  const uint32_t most = (1u << png->depth) - 1;
  const uint32_t value = row[bit / 8] >> (8 - png->depth - bit % 8) & most;
  return (uint8_t)(png->type == PALETTE ? value : value * 255 / most);
}

static void put_row(const Png *png, const uint8_t *row, uint8_t *out) {
  for (uint32_t x = 0; x < png->width; x++, out += 4) {
    uint8_t c[4] = {0, 0, 0, 255};
    for (uint32_t k = 0; k < 4 && k < png->channels; k++) {
      c[k] = channel(png, row, (size_t)x * png->channels + k);
    }
    if (png->type == PALETTE) {
      sup_copy(out, png->palette[c[0]], 4);
    } else if (png->type == GREY || png->type == GREY_ALPHA) {
      out[0] = out[1] = out[2] = c[0];
      out[3] = png->type == GREY ? 255 : c[1];
    } else {
      sup_copy(out, c, 4);
    }
  }
}

/* Takes the filters out of rows[height * (1 + row)]; false if one has no such filter. */
static bool unfilter(const Png *png, uint8_t *rows, size_t row) {
  const size_t step = ((size_t)png->depth * png->channels + 7) / 8;
  for (uint32_t y = 0; y < png->height; y++) {
    uint8_t *now = rows + y * (row + 1) + 1;
    const uint8_t *above = y ? now - row - 1 : NULL;
    const uint32_t kind = now[-1];
    if (kind > 4) return false;
    for (size_t k = 0; k < row; k++) {
      const uint8_t left = k >= step ? now[k - step] : 0, up = above ? above[k] : 0;
      const uint8_t corner = above && k >= step ? above[k - step] : 0;
      now[k] = (uint8_t)(now[k] + sup_png_predict(kind, left, up, corner));
    }
  }
  return true;
}

/* Deflate makes at most this many bytes of one: a picture of more rows than that is damaged, and
 * would cost memory before it shows. */
#define RATIO_MOST 1032

static SupResult unpack(Png *png, const uint8_t *file, size_t bytes, SupArena *arena,
                        SupArena *scratch, SupTexture *out_texture, SupError *error) {
  const size_t row = ((size_t)png->width * png->channels * png->depth + 7) / 8;
  if (png->height * (row + 1) / RATIO_MOST > png->packed_bytes) return damaged(error);
  uint8_t *packed = SUP_ALLOC(scratch, uint8_t, png->packed_bytes);
  uint8_t *rows = SUP_ALLOC(scratch, uint8_t, png->height * (row + 1));
  if (!packed || !rows) return sup_fail_memory(error, "the texture");
  SupResult result = read_chunks(png, file, bytes, packed, error);
  if (result != SUP_OK) return result;
  if (!sup_inflate(packed, png->packed_bytes, rows, png->height * (row + 1)) ||
      !unfilter(png, rows, row)) {
    return damaged(error);
  }
  uint8_t *pixels = SUP_ALLOC(arena, uint8_t, 4 * (size_t)png->width * png->height);
  if (!pixels) return sup_fail_memory(error, "the texture");
  for (uint32_t y = 0; y < png->height; y++) {
    put_row(png, rows + y * (row + 1) + 1, pixels + 4 * (size_t)png->width * y);
  }
  *out_texture = (SupTexture){png->width, png->height, pixels};
  return SUP_OK;
}

SupResult sup_png_decode(SupArena *arena, const void *data, size_t bytes, SupTexture *out_texture,
                         SupError *error) {
  static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  const uint8_t *file = data;
  for (size_t k = 0; k < 8; k++) {
    if (bytes < 8 || file[k] != signature[k]) {
      return sup_fail(error, SUP_ERROR_UNSUPPORTED, "the picture is no PNG");
    }
  }
  Png png = {0};
  for (size_t k = 0; k < 256; k++) png.palette[k][3] = 255;
  SupResult result = read_chunks(&png, file, bytes, NULL, error);
  if (result != SUP_OK) return result;
  SupArena scratch = sup_scratch(arena);
  result = unpack(&png, file, bytes, arena, &scratch, out_texture, error);
  sup_arena_free(&scratch);
  return result;
}
