/* SPDX-License-Identifier: MIT */
/* Materials, as far as a picture needs them. */
#include "io/gltf/gltf_edit.h"
#include "io/gltf/gltf_reader.h"

/* An array of numbers, one number, an index; absent or wrong ones leave *io alone or give NULL. */
static void take_floats(const json_t *object, const char *key, uint32_t count, float *io_values) {
  const json_t *array = json_object_get(object, key);
  if (json_array_size(array) != count) return;
  for (uint32_t k = 0; k < count; k++) {
    const json_t *number = json_array_get(array, k);
    const double value = json_number_value(number);
    if (json_is_number(number) && value >= 0 && value < 1e6) io_values[k] = (float)value;
  }
}

static json_t *item_of(const SupGltf *document, GltfKind kind, const json_t *parent,
                       const char *key) {
  const uint32_t index = sup_gltf_stored_index(parent, key);
  return index == SUP_NONE ? NULL : json_array_get(sup_gltf_array(document, kind), index);
}

/* The bytes of an image; none where they cannot be had. */
static void take_image(GltfReader *reader, const json_t *image, SupGltfLook *look) {
  const uint32_t view = sup_gltf_stored_index(image, "bufferView");
  const char *uri = sup_gltf_get_string(image, "uri");
  GltfView found;
  if (view != SUP_NONE) {
    if (sup_gltf_view(reader, view, &found) != SUP_OK) return;
    look->image = SUP_COPY(reader->arena, uint8_t, found.data, found.bytes);
    look->image_bytes = look->image ? found.bytes : 0;
  } else if (uri) {
    const uint8_t *data;
    size_t bytes;
    if (sup_gltf_uri_load(reader->document, reader->arena, uri, "image", &data, &bytes,
                          reader->error) != SUP_OK) {
      return;
    }
    look->image = data;
    look->image_bytes = bytes;
  }
}

static void take_look(GltfReader *reader, const json_t *material, SupGltfLook *look) {
  const json_t *pbr = json_object_get(material, "pbrMetallicRoughness");
  take_floats(pbr, "baseColorFactor", 4, look->base_color);
  take_floats(material, "emissiveFactor", 3, look->emissive);
  const json_t *roughness = json_object_get(pbr, "roughnessFactor");
  if (json_is_number(roughness) && json_number_value(roughness) >= 0 &&
      json_number_value(roughness) <= 1) {
    look->roughness = (float)json_number_value(roughness);
  }
  const char *mode = sup_gltf_get_string(material, "alphaMode");
  look->blended = mode && sup_string_equal(mode, "BLEND");
  const json_t *texture =
      item_of(reader->document, GLTF_TEXTURE, json_object_get(pbr, "baseColorTexture"), "index");
  const json_t *image = texture ? item_of(reader->document, GLTF_IMAGE, texture, "source") : NULL;
  if (image) take_image(reader, image, look);
}

SupResult sup_gltf_looks(const SupGltf *document, const SupGltfCharacter *character,
                         SupArena *arena, const SupGltfLook **out_looks, SupError *error) {
  const SupRender *render = &character->character.render;
  SupError ignored;
  GltfReader reader;
  SupResult result = sup_gltf_reader_init(&reader, document, arena, error);
  if (result != SUP_OK) return result;
  SupGltfLook *looks = SUP_ALLOC(arena, SupGltfLook, render->part_count);
  if (!looks) result = sup_fail_memory(error, "the materials");
  reader.error = &ignored;
  for (uint32_t p = 0; p < render->part_count && result == SUP_OK; p++) {
    looks[p] = (SupGltfLook){.base_color = {1, 1, 1, 1}, .roughness = 1};
    const json_t *primitive = sup_gltf_part_primitive(document, &render->parts[p]);
    const json_t *material = item_of(document, GLTF_MATERIAL, primitive, "material");
    if (material) take_look(&reader, material, &looks[p]);
  }
  sup_gltf_reader_free(&reader);
  if (result == SUP_OK) *out_looks = looks;
  return result;
}
