/* SPDX-License-Identifier: MIT */
/* Animated WebP through libwebp and libwebpmux. */
#include <webp/encode.h>
#include <webp/mux.h>

#include "supple/draw/image.h"

struct SupWebpWriter {
  SupArena *arena;
  WebPAnimEncoder *encoder;
  WebPConfig config;
  uint32_t width, height;
};

bool sup_webp_available(void) { return true; }

SupResult sup_webp_begin(SupArena *arena, uint32_t width, uint32_t height, float quality,
                         SupWebpWriter **out_writer, SupError *error) {
  SupWebpWriter *writer = SUP_ALLOC(arena, SupWebpWriter, 1);
  if (!writer) return sup_fail_memory(error, "the animation");
  WebPAnimEncoderOptions options;
  if (!WebPAnimEncoderOptionsInit(&options) || !WebPConfigInit(&writer->config)) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "libwebp is of another version than the one this was built with");
  }
  writer->config.quality = quality;
  writer->config.method = 4;
  options.anim_params.loop_count = 0; /* for ever */
  /* Every picture whole, for about a third more bytes: parts that are laid over each other leave
   * ghosts of what moved away on an even background. */
  options.kmin = 0;
  options.kmax = 1;
  writer->arena = arena;
  writer->width = width, writer->height = height;
  writer->encoder = WebPAnimEncoderNew((int)width, (int)height, &options);
  if (!writer->encoder) return sup_fail_memory(error, "the animation");
  *out_writer = writer;
  return SUP_OK;
}

SupResult sup_webp_add(SupWebpWriter *writer, SupImage image, uint32_t milliseconds,
                       SupError *error) {
  WebPPicture picture;
  if (!WebPPictureInit(&picture)) return sup_fail_memory(error, "the animation");
  picture.use_argb = 1;
  picture.width = (int)writer->width;
  picture.height = (int)writer->height;
  const bool added =
      image.width == writer->width && image.height == writer->height &&
      WebPPictureImportRGB(&picture, image.pixels, (int)image.stride) &&
      WebPAnimEncoderAdd(writer->encoder, &picture, (int)milliseconds, &writer->config);
  WebPPictureFree(&picture);
  if (added) return SUP_OK;
  return sup_fail(error, SUP_ERROR_MEMORY, "libwebp could not take a picture: %s",
                  WebPAnimEncoderGetError(writer->encoder));
}

SupResult sup_webp_end(SupWebpWriter *writer, uint32_t milliseconds, const uint8_t **out_data,
                       size_t *out_bytes, SupError *error) {
  SupResult result = SUP_OK;
  if (out_data) {
    WebPData data;
    WebPDataInit(&data);
    if (WebPAnimEncoderAdd(writer->encoder, NULL, (int)milliseconds, NULL) &&
        WebPAnimEncoderAssemble(writer->encoder, &data)) {
      const uint8_t *copy = SUP_COPY(writer->arena, uint8_t, data.bytes, data.size);
      if (copy) {
        *out_data = copy;
        *out_bytes = data.size;
      } else {
        result = sup_fail_memory(error, "the animation");
      }
    } else {
      result = sup_fail(error, SUP_ERROR_MEMORY, "libwebp could not write the animation: %s",
                        WebPAnimEncoderGetError(writer->encoder));
    }
    WebPDataClear(&data);
  }
  WebPAnimEncoderDelete(writer->encoder);
  return result;
}
