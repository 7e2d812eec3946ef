/* SPDX-License-Identifier: MIT */
/* Members of glTF objects, checked, with sentences that say which object is wrong. */
#include <math.h>
#include <string.h>

#include "io/gltf/gltf_document.h"

static const struct {
  const char *key, *name;
} kinds[GLTF_KIND_COUNT] = {
    [GLTF_ACCESSOR] = {"accessors", "accessor"},
    [GLTF_ANIMATION] = {"animations", "animation"},
    [GLTF_BUFFER] = {"buffers", "buffer"},
    [GLTF_VIEW] = {"bufferViews", "bufferView"},
    [GLTF_CAMERA] = {"cameras", "camera"},
    [GLTF_IMAGE] = {"images", "image"},
    [GLTF_MATERIAL] = {"materials", "material"},
    [GLTF_MESH] = {"meshes", "mesh"},
    [GLTF_NODE] = {"nodes", "node"},
    [GLTF_SCENE] = {"scenes", "scene"},
    [GLTF_SKIN] = {"skins", "skin"},
    [GLTF_TEXTURE] = {"textures", "texture"},
};

const char *sup_gltf_array_key(GltfKind kind) { return kinds[kind].key; }

json_t *sup_gltf_array(const SupGltf *document, GltfKind kind) {
  json_t *array = json_object_get(document->json.root, kinds[kind].key);
  return json_is_array(array) ? array : NULL;
}

uint32_t sup_gltf_count(const SupGltf *document, GltfKind kind) {
  size_t count = json_array_size(sup_gltf_array(document, kind));
  return count < SUP_NONE ? (uint32_t)count : SUP_NONE - 1;
}

SupResult sup_gltf_item(const SupGltf *document, GltfKind kind, uint32_t index, GltfItem *out_item,
                        SupError *error) {
  GltfItem item = {json_array_get(sup_gltf_array(document, kind), index), ""};
  sup_format(item.name, sizeof item.name, "%s %u", kinds[kind].name, index);
  if (!json_is_object(item.json)) {
    return sup_fail(error, SUP_ERROR_FORMAT, "%s is missing or not an object (the file has %u)",
                    item.name, sup_gltf_count(document, kind));
  }
  *out_item = item;
  return SUP_OK;
}

SupResult sup_gltf_child(const GltfItem *parent, const char *key, const char *kind, uint32_t index,
                         GltfItem *out_item, SupError *error) {
  GltfItem item = {json_array_get(json_object_get(parent->json, key), index), ""};
  sup_format(item.name, sizeof item.name, "%s, %s %u", parent->name, kind, index);
  if (!json_is_object(item.json)) {
    return sup_fail(error, SUP_ERROR_FORMAT, "%s is missing or not an object", item.name);
  }
  *out_item = item;
  return SUP_OK;
}

/* A whole number, also when spelt 12.0. */
static bool is_uint(const json_t *value, uint64_t most, uint64_t *out_value) {
  if (json_is_integer(value)) {
    json_int_t integer = json_integer_value(value);
    if (integer < 0 || (uint64_t)integer > most) return false;
    *out_value = (uint64_t)integer;
    return true;
  }
  double real = json_is_real(value) ? json_real_value(value) : -1;
  if (!(real >= 0 && real <= 9007199254740992.0) || real != floor(real)) return false;
  *out_value = (uint64_t)real;
  return *out_value <= most;
}

SupResult sup_gltf_get_uint(const GltfItem *item, const char *key, uint64_t most,
                            uint64_t *io_value, SupError *error) {
  const json_t *value = json_object_get(item->json, key);
  if (!value || is_uint(value, most, io_value)) return SUP_OK;
  return sup_fail(error, SUP_ERROR_FORMAT, "%s: `%s` must be a whole number from 0 to %llu",
                  item->name, key, (unsigned long long)most);
}

SupResult sup_gltf_get_u32(const GltfItem *item, const char *key, uint32_t *io_value,
                           SupError *error) {
  uint64_t value = *io_value;
  SupResult result = sup_gltf_get_uint(item, key, UINT32_MAX - 1, &value, error);
  if (result == SUP_OK) *io_value = (uint32_t)value;
  return result;
}

SupResult sup_gltf_get_bool(const GltfItem *item, const char *key, bool *io_value,
                            SupError *error) {
  const json_t *value = json_object_get(item->json, key);
  if (!value) return SUP_OK;
  if (!json_is_boolean(value)) {
    return sup_fail(error, SUP_ERROR_FORMAT, "%s: `%s` must be true or false", item->name, key);
  }
  *io_value = json_is_true(value);
  return SUP_OK;
}

/* Checks that `value` is an index into the file's objects of that kind. */
static SupResult check_index(const SupGltf *document, const char *name, const char *key,
                             const json_t *value, GltfKind kind, uint32_t *out_index,
                             SupError *error) {
  uint32_t count = sup_gltf_count(document, kind);
  uint64_t index = 0;
  if (count == 0 || !is_uint(value, count - 1, &index)) {
    return sup_fail(error, SUP_ERROR_FORMAT, "%s: `%s` is not the index of a %s (the file has %u)",
                    name, key, kinds[kind].name, count);
  }
  *out_index = (uint32_t)index;
  return SUP_OK;
}

SupResult sup_gltf_get_index(const SupGltf *document, const GltfItem *item, const char *key,
                             GltfKind kind, uint32_t *out_index, SupError *error) {
  const json_t *value = json_object_get(item->json, key);
  if (value) return check_index(document, item->name, key, value, kind, out_index, error);
  *out_index = SUP_NONE;
  return SUP_OK;
}

SupResult sup_gltf_array_index(const SupGltf *document, const GltfItem *item, const char *key,
                               uint32_t entry, GltfKind kind, uint32_t *out_index,
                               SupError *error) {
  const json_t *value = json_array_get(json_object_get(item->json, key), entry);
  return check_index(document, item->name, key, value, kind, out_index, error);
}

SupResult sup_gltf_get_floats(const GltfItem *item, const char *key, uint32_t count,
                              float *io_values, bool *out_present, SupError *error) {
  const json_t *array = json_object_get(item->json, key);
  if (out_present) *out_present = array != NULL;
  if (!array) return SUP_OK;
  if (!json_is_array(array) || json_array_size(array) != count) {
    return sup_fail(error, SUP_ERROR_FORMAT, "%s: `%s` must be an array of %u numbers", item->name,
                    key, count);
  }
  for (uint32_t k = 0; k < count; k++) {
    const json_t *entry = json_array_get(array, k);
    double value = json_is_number(entry) ? json_number_value(entry) : NAN;
    if (!(fabs(value) <= 3.4028234e38)) {
      return sup_fail(error, SUP_ERROR_FORMAT, "%s: `%s`, entry %u is not a finite number",
                      item->name, key, k);
    }
    io_values[k] = (float)value;
  }
  return SUP_OK;
}

SupResult sup_gltf_get_length(const GltfItem *item, const char *key, uint32_t *out_length,
                              SupError *error) {
  const json_t *array = json_object_get(item->json, key);
  if (array && (!json_is_array(array) || json_array_size(array) >= SUP_NONE)) {
    return sup_fail(error, SUP_ERROR_FORMAT, "%s: `%s` must be an array", item->name, key);
  }
  *out_length = (uint32_t)json_array_size(array);
  return SUP_OK;
}

const char *sup_gltf_get_string(const json_t *object, const char *key) {
  return json_string_value(json_object_get(object, key));
}
