/* SPDX-License-Identifier: MIT */
/* Pictures in memory; sRGB. */
#include "supple/draw/image.h"

SupResult sup_image_create(SupArena *arena, uint32_t width, uint32_t height, SupImage *out_image,
                           SupError *error) {
  if (width < 1 || height < 1 || width > SUP_IMAGE_LARGEST || height > SUP_IMAGE_LARGEST) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "a picture of %u by %u pixels: a side has 1 to %u; give a smaller --size",
                    width, height, SUP_IMAGE_LARGEST);
  }
  uint8_t *pixels = SUP_ALLOC(arena, uint8_t, 3 * (size_t)width * height);
  if (!pixels) return sup_fail_memory(error, "the picture");
  *out_image = (SupImage){width, height, 3 * (size_t)width, pixels};
  return SUP_OK;
}

SupImage sup_image_part(SupImage image, uint32_t x, uint32_t y, uint32_t width, uint32_t height) {
  const uint32_t left = x < image.width ? image.width - x : 0;
  const uint32_t below = y < image.height ? image.height - y : 0;
  if (left == 0 || below == 0) return (SupImage){0, 0, image.stride, image.pixels};
  return (SupImage){width < left ? width : left, height < below ? height : below, image.stride,
                    image.pixels + y * image.stride + 3 * (size_t)x};
}

void sup_image_fill(SupImage image, SupVec3 color) {
  const uint8_t rgb[3] = {sup_srgb_encode(color.x), sup_srgb_encode(color.y),
                          sup_srgb_encode(color.z)};
  for (size_t k = 0; k < (size_t)image.width * image.height; k++) {
    sup_copy(image.pixels + k / image.width * image.stride + k % image.width * 3, rgb, 3);
  }
}

uint8_t sup_srgb_encode(float linear) {
  if (!(linear > 0)) return 0; /* NaN too */
  if (linear >= 1) return 255;
  const float encoded =
      linear <= 0.0031308f ? 12.92f * linear : 1.055f * sup_expf(sup_logf(linear) / 2.4f) - 0.055f;
  return (uint8_t)(encoded * 255 + 0.5f);
}

float sup_srgb_decode(uint8_t srgb) {
  const float encoded = (float)srgb / 255;
  return encoded <= 0.04045f ? encoded / 12.92f
                             : sup_expf(2.4f * sup_logf((encoded + 0.055f) / 1.055f));
}
