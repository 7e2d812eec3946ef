/* SPDX-License-Identifier: MIT */
/* Accessors: every component type, normalised, interleaved, sparse, or without data. */
#include <math.h>
#include <string.h>

#include "io/gltf/gltf_reader.h"

static uint32_t component_bytes(uint32_t component) {
  switch (component) {
    case GLTF_BYTE:
    case GLTF_UBYTE: return 1;
    case GLTF_SHORT:
    case GLTF_USHORT: return 2;
    case GLTF_UINT:
    case GLTF_FLOAT: return 4;
    default: return 0;
  }
}

static uint32_t type_width(const char *type) {
  static const struct {
    const char *name;
    uint32_t width;
  } types[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}};
  for (size_t k = 0; type && k < sizeof types / sizeof *types; k++) {
    if (strcmp(type, types[k].name) == 0) return types[k].width;
  }
  return 0; /* MAT2 and MAT3 are used by nothing that Supple reads */
}

/* `count` elements of `size` bytes, `stride` apart from `offset` on, must lie in the view. */
static SupResult check_range(const GltfView *view, const char *name, uint64_t offset,
                             uint64_t count, uint64_t size, uint64_t stride, SupError *error) {
  /* No product overflows: count is below 2^32, stride below 2^13. */
  uint64_t needed = count ? (count - 1) * stride + size : 0;
  if (offset > view->bytes || needed > view->bytes - offset) {
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "%s: %llu elements from byte %llu on extend beyond its bufferView (%zu bytes)",
                    name, (unsigned long long)count, (unsigned long long)offset, view->bytes);
  }
  return SUP_OK;
}

/* The view that one half of `sparse` points to. */
static SupResult sparse_half(GltfReader *reader, const GltfItem *accessor, const char *key,
                             GltfItem *out_item, GltfView *out_view, uint64_t *out_offset) {
  SupError *error = reader->error;
  *out_item = (GltfItem){json_object_get(json_object_get(accessor->json, "sparse"), key), ""};
  sup_format(out_item->name, sizeof out_item->name, "%s, sparse %s", accessor->name, key);
  uint32_t view;
  *out_offset = 0;
  SupResult result =
      sup_gltf_get_index(reader->document, out_item, "bufferView", GLTF_VIEW, &view, error);
  if (result == SUP_OK) {
    result = sup_gltf_get_uint(out_item, "byteOffset", SIZE_MAX / 2, out_offset, error);
  }
  if (result != SUP_OK) return result;
  if (view == SUP_NONE) {
    return sup_fail(error, SUP_ERROR_FORMAT, "%s: `bufferView` is missing", out_item->name);
  }
  return sup_gltf_view(reader, view, out_view);
}

static uint32_t read_uint(const uint8_t *at, uint32_t component) {
  uint32_t value = at[0];
  if (component == GLTF_UBYTE || component == GLTF_BYTE) return value;
  value |= (uint32_t)at[1] << 8;
  if (component == GLTF_USHORT || component == GLTF_SHORT) return value;
  return value | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint32_t sparse_index(const GltfAccessor *accessor, uint32_t entry) {
  return read_uint(
      accessor->sparse_indices + (size_t)entry * component_bytes(accessor->sparse_component),
      accessor->sparse_component);
}

static SupResult read_sparse(GltfReader *reader, const GltfItem *item, GltfAccessor *accessor) {
  GltfItem half, sparse = *item;
  sparse.json = json_object_get(item->json, "sparse");
  GltfView view;
  uint64_t offset, count = 0;
  uint32_t component = 0;
  SupError *error = reader->error;
  SupResult result = sup_gltf_get_uint(&sparse, "count", accessor->count, &count, error);
  if (result == SUP_OK) result = sparse_half(reader, item, "indices", &half, &view, &offset);
  if (result == SUP_OK) result = sup_gltf_get_u32(&half, "componentType", &component, error);
  if (result != SUP_OK) return result;
  uint32_t size = component_bytes(component);
  if (component != GLTF_UBYTE && component != GLTF_USHORT && component != GLTF_UINT) {
    return sup_fail(error, SUP_ERROR_FORMAT, "%s: `componentType` is not an index type", half.name);
  }
  result = check_range(&view, half.name, offset, count, size, size, error);
  if (result != SUP_OK) return result;
  accessor->sparse_count = (uint32_t)count;
  accessor->sparse_component = component;
  accessor->sparse_indices = view.data + offset;
  result = sparse_half(reader, item, "values", &half, &view, &offset);
  if (result != SUP_OK) return result;
  size = component_bytes(accessor->component) * accessor->width;
  result = check_range(&view, half.name, offset, count, size, size, error);
  if (result != SUP_OK) return result;
  accessor->sparse_values = view.data + offset;
  for (uint32_t k = 0; k < accessor->sparse_count; k++) {
    if (sparse_index(accessor, k) >= accessor->count) {
      return sup_fail(error, SUP_ERROR_FORMAT, "%s: sparse index %u is out of range (count %u)",
                      item->name, k, accessor->count);
    }
  }
  return SUP_OK;
}

static SupResult read_dense(GltfReader *reader, const GltfItem *item, uint32_t view_index,
                            GltfAccessor *accessor) {
  GltfView view;
  uint64_t offset = 0;
  SupResult result = sup_gltf_get_uint(item, "byteOffset", SIZE_MAX / 2, &offset, reader->error);
  if (result == SUP_OK) result = sup_gltf_view(reader, view_index, &view);
  if (result != SUP_OK) return result;
  uint32_t size = component_bytes(accessor->component) * accessor->width;
  accessor->stride = view.stride ? view.stride : size;
  result = check_range(&view, item->name, offset, accessor->count, size, accessor->stride,
                       reader->error);
  if (result == SUP_OK) accessor->data = view.data + offset;
  return result;
}

SupResult sup_gltf_accessor(GltfReader *reader, uint32_t index, GltfAccessor *out_accessor) {
  GltfItem item;
  GltfAccessor accessor = {.index = index};
  uint32_t view;
  SupError *error = reader->error;
  SupResult result = sup_gltf_item(reader->document, GLTF_ACCESSOR, index, &item, error);
  if (result == SUP_OK) result = sup_gltf_get_u32(&item, "count", &accessor.count, error);
  if (result == SUP_OK)
    result = sup_gltf_get_u32(&item, "componentType", &accessor.component, error);
  if (result == SUP_OK)
    result = sup_gltf_get_bool(&item, "normalized", &accessor.normalised, error);
  if (result == SUP_OK) {
    result = sup_gltf_get_index(reader->document, &item, "bufferView", GLTF_VIEW, &view, error);
  }
  if (result != SUP_OK) return result;
  accessor.width = type_width(sup_gltf_get_string(item.json, "type"));
  if (!accessor.width || !component_bytes(accessor.component) || !accessor.count) {
    return sup_fail(error, SUP_ERROR_FORMAT, "%s: `type`, `componentType` or `count` is invalid",
                    item.name);
  }
  if (view != SUP_NONE) result = read_dense(reader, &item, view, &accessor);
  if (result == SUP_OK && json_is_object(json_object_get(item.json, "sparse"))) {
    result = read_sparse(reader, &item, &accessor);
  }
  if (result == SUP_OK) *out_accessor = accessor;
  return result;
}

/* ---- Values --------------------------------------------------------------------------------- */

static float component_value(const uint8_t *at, uint32_t component, bool normalised) {
  uint32_t bits = read_uint(at, component);
  float value, most;
  switch (component) {
    case GLTF_BYTE:
      value = (float)(int8_t)bits;
      most = 127;
      break;
    case GLTF_UBYTE:
      value = (float)bits;
      most = 255;
      break;
    case GLTF_SHORT:
      value = (float)(int16_t)bits;
      most = 32767;
      break;
    case GLTF_USHORT:
      value = (float)bits;
      most = 65535;
      break;
    case GLTF_UINT: return (float)bits;
    default: memcpy(&value, &bits, sizeof value); return value;
  }
  if (!normalised) return value;
  value /= most;
  return value < -1 ? -1 : value;
}

static bool read_element(const GltfAccessor *accessor, const uint8_t *at, float *out_values) {
  uint32_t size = component_bytes(accessor->component);
  bool finite = true;
  for (uint32_t k = 0; k < accessor->width; k++) {
    out_values[k] = component_value(at + k * size, accessor->component, accessor->normalised);
    finite = finite && isfinite(out_values[k]);
  }
  return finite;
}

static SupResult spend_on(GltfReader *reader, const GltfAccessor *accessor) {
  char name[32];
  sup_format(name, sizeof name, "accessor %u", accessor->index);
  return sup_gltf_spend(reader, name, accessor->count, 4 * (uint64_t)accessor->width);
}

SupResult sup_gltf_read_floats(GltfReader *reader, const GltfAccessor *accessor, SupArena *to,
                               float **out_values) {
  size_t width = accessor->width;
  SupResult result = spend_on(reader, accessor);
  if (result != SUP_OK) return result;
  float *values = SUP_ALLOC(to, float, accessor->count *width);
  if (!values) {
    return sup_fail(reader->error, SUP_ERROR_MEMORY,
                    "out of memory for accessor %u with its %u elements", accessor->index,
                    accessor->count);
  }
  uint32_t bad = SUP_NONE;
  for (uint32_t v = 0; v < accessor->count && accessor->data; v++) {
    const uint8_t *at = accessor->data + v * accessor->stride;
    if (!read_element(accessor, at, values + v * width) && bad == SUP_NONE) bad = v;
  }
  size_t size = component_bytes(accessor->component) * width;
  for (uint32_t k = 0; k < accessor->sparse_count; k++) {
    uint32_t v = sparse_index(accessor, k);
    bool finite = read_element(accessor, accessor->sparse_values + k * size, values + v * width);
    if (!finite && bad == SUP_NONE) bad = v;
  }
  if (bad != SUP_NONE) {
    return sup_fail(reader->error, SUP_ERROR_FORMAT,
                    "accessor %u: element %u is not a finite number; export the file again",
                    accessor->index, bad);
  }
  *out_values = values;
  return SUP_OK;
}

SupResult sup_gltf_read_uints(GltfReader *reader, const GltfAccessor *accessor, SupArena *to,
                              uint32_t **out_values) {
  if (accessor->component == GLTF_FLOAT) {
    return sup_fail(reader->error, SUP_ERROR_FORMAT, "accessor %u must hold integers, not floats",
                    accessor->index);
  }
  size_t width = accessor->width;
  uint32_t size = component_bytes(accessor->component);
  SupResult result = spend_on(reader, accessor);
  if (result != SUP_OK) return result;
  uint32_t *values = SUP_ALLOC(to, uint32_t, accessor->count * width);
  if (!values) {
    return sup_fail(reader->error, SUP_ERROR_MEMORY,
                    "out of memory for accessor %u with its %u elements", accessor->index,
                    accessor->count);
  }
  for (uint32_t v = 0; v < accessor->count && accessor->data; v++) {
    for (uint32_t k = 0; k < width; k++) {
      values[v * width + k] =
          read_uint(accessor->data + v * accessor->stride + k * size, accessor->component);
    }
  }
  for (uint32_t s = 0; s < accessor->sparse_count; s++) {
    for (uint32_t k = 0; k < width; k++) {
      values[sparse_index(accessor, s) * width + k] =
          read_uint(accessor->sparse_values + (s * width + k) * size, accessor->component);
    }
  }
  *out_values = values;
  return SUP_OK;
}
