/* SPDX-License-Identifier: MIT */
#include "io/gltf/gltf_edit.h"

#include <string.h>

#define OWN_NAME "SUPPLE"
#define FREE_NAME "SUPPLE free"
#define LEAST_FREE 256 /* bytes */

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *need(json_t *parent, const char *key, json_t *(*make)(void)) {
  json_t *value = json_object_get(parent, key);
  if (value) return value;
  value = make();
  return json_object_set_new(parent, key, value) == 0 ? value : NULL;
}

json_t *sup_gltf_need_array(SupGltf *document, GltfKind kind) {
  return need(document->json.root, sup_gltf_array_key(kind), json_array);
}

json_t *sup_gltf_need_object(json_t *parent, const char *key) {
  return need(parent, key, json_object);
}
json_t *sup_gltf_need_list(json_t *parent, const char *key) {
  return need(parent, key, json_array);
}

SupResult sup_gltf_set(json_t *object, const char *key, json_t *value, SupError *error) {
  bool done = json_object_set_new(object, key, value) == 0;
  return done ? SUP_OK : sup_fail_memory(error, "the document");
}

SupResult sup_gltf_append(json_t *array, json_t *value, SupError *error) {
  return json_array_append_new(array, value) == 0 ? SUP_OK : sup_fail_memory(error, "the document");
}

uint32_t sup_gltf_stored_index(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  double number = json_is_number(value) ? json_number_value(value) : -1;
  return number >= 0 && number < SUP_NONE ? (uint32_t)number : SUP_NONE;
}

static bool lists(const json_t *array, const char *name, size_t *out_index) {
  for (size_t k = 0; k < json_array_size(array); k++) {
    const char *text = json_string_value(json_array_get(array, k));
    if (!text || strcmp(text, name) != 0) continue;
    *out_index = k;
    return true;
  }
  return false;
}

SupResult sup_gltf_use_extension(SupGltf *document, const char *name, SupError *error) {
  size_t index;
  json_t *used = sup_gltf_need_list(document->json.root, "extensionsUsed");
  if (!used) return sup_fail_memory(error, "the document");
  return lists(used, name, &index) ? SUP_OK : sup_gltf_append(used, json_string(name), error);
}

void sup_gltf_unuse_extension(SupGltf *document, const char *name) {
  size_t index;
  json_t *used = json_object_get(document->json.root, "extensionsUsed");
  if (!lists(used, name, &index)) return;
  json_array_remove(used, index);
  if (json_array_size(used) == 0) json_object_del(document->json.root, "extensionsUsed");
}

static json_t *pack_numbers(const float *values, uint32_t count) {
  json_t *array = json_array();
  for (uint32_t k = 0; k < count && array; k++) {
    if (json_array_append_new(array, json_real((double)values[k])) != 0) {
      json_decref(array);
      return NULL;
    }
  }
  return array;
}

SupResult sup_gltf_set_transform(json_t *node, SupTransform transform, SupError *error) {
  SupTransform neutral = sup_transform_identity();
  SupResult result = SUP_OK;
  if (memcmp(&transform.translation, &neutral.translation, sizeof neutral.translation) != 0) {
    result = sup_gltf_set(node, "translation", pack_numbers(&transform.translation.x, 3), error);
  }
  if (result == SUP_OK &&
      memcmp(&transform.rotation, &neutral.rotation, sizeof neutral.rotation) != 0) {
    result = sup_gltf_set(node, "rotation", pack_numbers(&transform.rotation.x, 4), error);
  }
  if (result == SUP_OK && memcmp(&transform.scale, &neutral.scale, sizeof neutral.scale) != 0) {
    result = sup_gltf_set(node, "scale", pack_numbers(&transform.scale.x, 3), error);
  }
  return result;
}

/* ---- The buffer that edits append to -------------------------------------------------------- */

static SupResult add_buffer(SupGltf *document, SupError *error) {
  json_t *array = sup_gltf_need_array(document, GLTF_BUFFER);
  uint32_t count = document->buffer_count;
  GltfBuffer *buffers = SUP_ALLOC(&document->arena, GltfBuffer, (size_t)count + 1);
  if (!array || !buffers) return sup_fail_memory(error, "a buffer");
  if (count) memcpy(buffers, document->buffers, count * sizeof *buffers);
  json_t *buffer = count ? json_pack("{s:i,s:s}", "byteLength", 0, "name", OWN_NAME)
                         : json_pack("{s:i}", "byteLength", 0);
  SupResult result = sup_gltf_append(array, buffer, error);
  if (result != SUP_OK) return result;
  document->buffers = buffers;
  document->own_buffer = count;
  document->buffer_count = count + 1;
  return SUP_OK;
}

/* A .glb's own buffer; in a .gltf the one that an earlier edit added, else a new one. */
static SupResult find_own_buffer(SupGltf *document, SupError *error) {
  if (document->own_buffer != SUP_NONE) return SUP_OK;
  document->own_buffer = document->bin_buffer;
  if (document->own_buffer != SUP_NONE) return SUP_OK;
  uint32_t count = document->buffer_count;
  json_t *last = json_array_get(sup_gltf_array(document, GLTF_BUFFER), count ? count - 1 : 0);
  const char *name = sup_gltf_get_string(last, "name");
  if (!count || !name || strcmp(name, OWN_NAME) != 0 || !document->buffers[count - 1].data) {
    return add_buffer(document, error);
  }
  json_object_del(last, "uri"); /* it is written anew when the document is saved */
  document->own_buffer = count - 1;
  return SUP_OK;
}

/* Makes the own buffer `bytes` long, in memory of its own, the new part zero. */
static SupResult grow_buffer(SupGltf *document, size_t bytes, SupError *error) {
  GltfBuffer *buffer = &document->buffers[document->own_buffer];
  if (bytes > buffer->capacity) {
    size_t capacity = bytes + bytes / 2 + 4096;
    uint8_t *data = SUP_ALLOC(&document->arena, uint8_t, capacity);
    if (!data) return sup_fail_memory(error, "new data");
    if (buffer->bytes) memcpy(data, buffer->data, buffer->bytes);
    buffer->data = data;
    buffer->capacity = capacity;
  }
  json_t *item = json_array_get(sup_gltf_array(document, GLTF_BUFFER), document->own_buffer);
  SupResult result = sup_gltf_set(item, "byteLength", json_integer((json_int_t)bytes), error);
  if (result == SUP_OK) buffer->bytes = bytes;
  return result;
}

/* ---- Views ---------------------------------------------------------------------------------- */

/* Where `bytes` may go: the smallest freed view that has room, else one that ends the buffer and
 * can grow, else SUP_NONE. */
static uint32_t find_free_view(SupGltf *document, size_t bytes, uint64_t *out_offset) {
  if (!document->may_have_free_views) return SUP_NONE;
  document->may_have_free_views = false;
  const json_t *views = sup_gltf_array(document, GLTF_VIEW);
  double end = (double)document->buffers[document->own_buffer].bytes, least = 0;
  uint32_t best = SUP_NONE;
  for (size_t k = 0; k < json_array_size(views); k++) {
    const json_t *view = json_array_get(views, k);
    const char *name = sup_gltf_get_string(view, "name");
    if (!name || strcmp(name, FREE_NAME) != 0) continue;
    double offset = json_number_value(json_object_get(view, "byteOffset"));
    double length = json_number_value(json_object_get(view, "byteLength"));
    if (sup_gltf_stored_index(view, "buffer") != document->own_buffer || offset < 0 || length < 0 ||
        offset + length > end || (uint64_t)offset % 16) {
      continue; /* not as we left it */
    }
    document->may_have_free_views = true;
    bool fits = length >= (double)bytes;
    double size = fits ? length : end; /* growing comes last */
    if ((fits || offset + length == end) && (best == SUP_NONE || size < least)) {
      best = (uint32_t)k;
      least = size;
      *out_offset = (uint64_t)offset;
    }
  }
  return best;
}

/* What a reused view does not need of its space stays free, if it is worth a view. */
static SupResult keep_rest_free(SupGltf *document, uint32_t index, uint64_t offset, size_t bytes,
                                SupError *error) {
  json_t *views = sup_gltf_array(document, GLTF_VIEW);
  const json_t *old = json_array_get(views, index);
  const double length = json_number_value(json_object_get(old, "byteLength"));
  const size_t used = (bytes + 15) / 16 * 16;
  if (length < (double)used + LEAST_FREE) return SUP_OK;
  return sup_gltf_append(views,
                         json_pack("{s:I,s:I,s:I,s:s}", "buffer", (json_int_t)document->own_buffer,
                                   "byteOffset", (json_int_t)(offset + used), "byteLength",
                                   (json_int_t)length - (json_int_t)used, "name", FREE_NAME),
                         error);
}

SupResult sup_gltf_add_view(SupGltf *document, const void *data, size_t bytes, uint32_t target,
                            uint32_t *out_index, SupError *error) {
  SupResult result = find_own_buffer(document, error);
  json_t *views = sup_gltf_need_array(document, GLTF_VIEW);
  if (result != SUP_OK || !views) return sup_fail_memory(error, "new data");
  const GltfBuffer *buffer = &document->buffers[document->own_buffer];
  uint64_t offset = (buffer->bytes + 15) / 16 * 16;
  uint32_t index = find_free_view(document, bytes, &offset);
  size_t end = (size_t)offset + bytes;
  /* Also when nothing is appended: data of the file itself is not ours to change in place. */
  size_t needed = end > buffer->bytes ? end : buffer->bytes;
  result =
      buffer->capacity && needed == buffer->bytes ? SUP_OK : grow_buffer(document, needed, error);
  if (result != SUP_OK) return result;
  if (bytes) memcpy((uint8_t *)(uintptr_t)buffer->data + offset, data, bytes);
  json_t *view =
      json_pack("{s:I,s:I,s:I,s:s}", "buffer", (json_int_t)document->own_buffer, "byteOffset",
                (json_int_t)offset, "byteLength", (json_int_t)bytes, "name", OWN_NAME);
  if (target && view) {
    result = sup_gltf_set(view, "target", json_integer((json_int_t)target), error);
    if (result != SUP_OK) {
      json_decref(view);
      return result;
    }
  }
  if (index == SUP_NONE) {
    index = (uint32_t)json_array_size(views);
    result = sup_gltf_append(views, view, error);
  } else {
    result = keep_rest_free(document, index, offset, bytes, error);
    if (json_array_set_new(views, index, view) != 0) {
      result = sup_fail_memory(error, "new data");
    }
  }
  if (result == SUP_OK) *out_index = index;
  return result;
}

SupResult sup_gltf_free_view(SupGltf *document, uint32_t index, SupError *error) {
  json_t *view = json_array_get(sup_gltf_array(document, GLTF_VIEW), index);
  const char *name = sup_gltf_get_string(view, "name");
  if (!name || strcmp(name, OWN_NAME) != 0) return SUP_OK;
  json_object_del(view, "target");
  document->may_have_free_views = true;
  return sup_gltf_set(view, "name", json_string(FREE_NAME), error);
}

/* ---- Accessors ------------------------------------------------------------------------------ */

static size_t element_numbers(const char *type) {
  if (strcmp(type, "SCALAR") == 0) return 1;
  if (strcmp(type, "MAT4") == 0) return 16;
  return (size_t)(type[3] - '0'); /* VEC2, VEC3, VEC4 */
}

static SupResult set_bounds(json_t *accessor, const GltfData *data, SupError *error) {
  size_t width = element_numbers(data->type);
  const float *values = data->values;
  float low[16], high[16];
  for (size_t k = 0; k < width; k++) low[k] = high[k] = values[k];
  for (size_t k = width; k < width * data->count; k++) {
    if (values[k] < low[k % width]) low[k % width] = values[k];
    if (values[k] > high[k % width]) high[k % width] = values[k];
  }
  SupResult result = sup_gltf_set(accessor, "min", pack_numbers(low, (uint32_t)width), error);
  if (result != SUP_OK) return result;
  return sup_gltf_set(accessor, "max", pack_numbers(high, (uint32_t)width), error);
}

static uint32_t find_free_accessor(SupGltf *document) {
  if (!document->may_have_free_accessors) return SUP_NONE;
  const json_t *accessors = sup_gltf_array(document, GLTF_ACCESSOR);
  for (size_t k = json_array_size(accessors); k-- > 0;) {
    const char *name = sup_gltf_get_string(json_array_get(accessors, k), "name");
    if (name && strcmp(name, FREE_NAME) == 0) return (uint32_t)k;
  }
  document->may_have_free_accessors = false;
  return SUP_NONE;
}

SupResult sup_gltf_add_accessor(SupGltf *document, const GltfData *data, uint32_t *out_index,
                                SupError *error) {
  size_t size = data->component == GLTF_UBYTE ? 1 : data->component == GLTF_USHORT ? 2 : 4;
  uint32_t view, index = find_free_accessor(document);
  SupResult result =
      sup_gltf_add_view(document, data->values, size * element_numbers(data->type) * data->count,
                        data->target, &view, error);
  json_t *accessors = sup_gltf_need_array(document, GLTF_ACCESSOR);
  if (result != SUP_OK || !accessors) return sup_fail_memory(error, "new data");
  json_t *accessor =
      json_pack("{s:I,s:I,s:I,s:s}", "bufferView", (json_int_t)view, "componentType",
                (json_int_t)data->component, "count", (json_int_t)data->count, "type", data->type);
  if (accessor && data->bounds && set_bounds(accessor, data, error) != SUP_OK) {
    json_decref(accessor);
    accessor = NULL;
  }
  if (index == SUP_NONE) {
    index = (uint32_t)json_array_size(accessors);
    result = sup_gltf_append(accessors, accessor, error);
  } else if (json_array_set_new(accessors, index, accessor) != 0) {
    result = sup_fail_memory(error, "new data");
  }
  if (result == SUP_OK) *out_index = index;
  return result;
}

SupResult sup_gltf_free_accessor(SupGltf *document, uint32_t index, SupError *error) {
  json_t *accessors = sup_gltf_array(document, GLTF_ACCESSOR);
  json_t *accessor = json_array_get(accessors, index);
  uint32_t view = sup_gltf_stored_index(accessor, "bufferView");
  const char *name =
      sup_gltf_get_string(json_array_get(sup_gltf_array(document, GLTF_VIEW), view), "name");
  if (!name || strcmp(name, OWN_NAME) != 0) return SUP_OK;
  SupResult result = sup_gltf_free_view(document, view, error);
  if (result != SUP_OK) return result;
  document->may_have_free_accessors = true;
  json_t *empty = json_pack("{s:i,s:i,s:s,s:s}", "componentType", (int)GLTF_UBYTE, "count", 1,
                            "type", "SCALAR", "name", FREE_NAME);
  return json_array_set_new(accessors, index, empty) == 0 ? SUP_OK
                                                          : sup_fail_memory(error, "the document");
}

/* ---- Parts ---------------------------------------------------------------------------------- */

json_t *sup_gltf_part_primitive(const SupGltf *document, const SupPart *part) {
  json_t *mesh = json_array_get(sup_gltf_array(document, GLTF_MESH), part->mesh);
  return json_array_get(json_object_get(mesh, "primitives"), part->primitive);
}

bool sup_gltf_part_is_repeated(const SupRender *render, uint32_t part) {
  for (uint32_t p = 0; p < part; p++) {
    if (render->parts[p].mesh == render->parts[part].mesh &&
        render->parts[p].primitive == render->parts[part].primitive) {
      return true;
    }
  }
  return false;
}
