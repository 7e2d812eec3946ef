/* SPDX-License-Identifier: MIT */
/* Supple: pictures in memory, writing on them, and their files. */
#ifndef SUPPLE_DRAW_IMAGE_H
#define SUPPLE_DRAW_IMAGE_H

#include "supple/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Pixels of somebody's: red, green, blue, sRGB, from the top left. A picture may be part of a
 * larger one. */
typedef struct SupImage {
  uint32_t width, height;
  size_t stride;   /* bytes from one row to the next, at least 3 * width */
  uint8_t *pixels; /* [height * stride] */
} SupImage;

#define SUP_IMAGE_LARGEST 16383u /* pixels per side: WebP's limit, and enough */

/* A black picture in the arena. SUP_ERROR_UNSUPPORTED for a side of 0 or above SUP_IMAGE_LARGEST;
 * *out_image is untouched on failure. */
SupResult sup_image_create(SupArena *arena, uint32_t width, uint32_t height, SupImage *out_image,
                           SupError *error);

/* The part of it from (x, y) on, which shares its pixels; cut where it would reach beyond. */
SupImage sup_image_part(SupImage image, uint32_t x, uint32_t y, uint32_t width, uint32_t height);

/* One linear colour everywhere. */
void sup_image_fill(SupImage image, SupVec3 color);

/* ---- Colours --------------------------------------------------------------------------------- */

/* Linear light in 0..1 to sRGB in 0..255 and back; what is beyond is cut, NaN gives 0. */
uint8_t sup_srgb_encode(float linear);
float sup_srgb_decode(uint8_t srgb);

/* ---- Text ------------------------------------------------------------------------------------ */

/* Writes a line in round strokes of our own (ASCII; anything else shows as a box), its top left at
 * (x, y), capitals `height` pixels high. `color` is linear. What lies outside is left out. */
void sup_image_text(SupImage image, const char *text, float x, float y, float height,
                    SupVec3 color);

/* Width of the line in pixels. */
float sup_image_text_width(const char *text, float height);

/* ---- Files ----------------------------------------------------------------------------------- */

/* The picture as a PNG, in the arena: the same bytes on every machine. */
SupResult sup_png_encode(SupArena *arena, SupImage image, const uint8_t **out_data,
                         size_t *out_bytes, SupError *error);

/* A picture as textures are: any 8 bit channels, alpha beside the colours. */
typedef struct SupTexture {
  uint32_t width, height;
  const uint8_t *pixels; /* [4 * width * height] red, green, blue (sRGB), alpha (linear) */
} SupTexture;

/* Reads a PNG of any colour type; of 16 bits the upper 8 are kept. SUP_ERROR_UNSUPPORTED if it is
 * interlaced or larger than 8192 pixels a side, SUP_ERROR_FORMAT if it is damaged. Checksums are
 * not looked at. */
SupResult sup_png_decode(SupArena *arena, const void *data, size_t bytes, SupTexture *out_texture,
                         SupError *error);

/* Pictures as an animated WebP. One thread at a time. */
typedef struct SupWebpWriter SupWebpWriter;

/* Whether this build has libwebp; without it sup_webp_begin is SUP_ERROR_UNSUPPORTED. */
bool sup_webp_available(void);

/* Starts one that repeats for ever. `quality` 0..100, lossy. The writer lives in the arena;
 * libwebp's own memory is the C library's heap, which sup_webp_end gives back. */
SupResult sup_webp_begin(SupArena *arena, uint32_t width, uint32_t height, float quality,
                         SupWebpWriter **out_writer, SupError *error);

/* Appends a picture of that size, which is shown from `milliseconds` after the beginning on. The
 * first is shown at 0; times rise. */
SupResult sup_webp_add(SupWebpWriter *writer, SupImage image, uint32_t milliseconds,
                       SupError *error);

/* The file, in the arena; the last picture is shown until `milliseconds`. NULL data: throws the
 * writer away. Ends the writer in either case. */
SupResult sup_webp_end(SupWebpWriter *writer, uint32_t milliseconds, const uint8_t **out_data,
                       size_t *out_bytes, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
