/* SPDX-License-Identifier: MIT */
/* Animated WebP in builds without libwebp: a sentence. */
#include "supple/draw/image.h"

bool sup_webp_available(void) { return false; }

static SupResult without(SupError *error) {
  return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                  "this build has no libwebp, so it writes no .webp; a .png shows the same as a "
                  "strip of frames (or install libwebp-dev and build again)");
}

SupResult sup_webp_begin(SupArena *arena, uint32_t width, uint32_t height, float quality,
                         SupWebpWriter **out_writer, SupError *error) {
  (void)arena, (void)width, (void)height, (void)quality, (void)out_writer;
  return without(error);
}

SupResult sup_webp_add(SupWebpWriter *writer, SupImage image, uint32_t milliseconds,
                       SupError *error) {
  (void)writer, (void)image, (void)milliseconds;
  return without(error);
}

SupResult sup_webp_end(SupWebpWriter *writer, uint32_t milliseconds, const uint8_t **out_data,
                       size_t *out_bytes, SupError *error) {
  (void)writer, (void)milliseconds, (void)out_data, (void)out_bytes;
  return without(error);
}
