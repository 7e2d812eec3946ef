/* SPDX-License-Identifier: MIT */
/* Buffers, buffer views, and views compressed with EXT_meshopt_compression. */
#include <meshoptimizer.h>
#include <string.h>

#include "base/scratch.h"
#include "io/gltf/gltf_reader.h"

#define MESHOPT "EXT_meshopt_compression"

/* What a pass may read (sup_gltf_spend). Compression and bytes that become floats give a tenfold at
 * most, meshes that many nodes show the rest. */
#define ROOM_LEAST ((uint64_t)64 << 20)
#define ROOM_TIMES ((uint64_t)100)

/* ---- Buffers -------------------------------------------------------------------------------- */

bool sup_gltf_buffer_is_fallback(const SupGltf *document, uint32_t index) {
  const json_t *buffer = json_array_get(sup_gltf_array(document, GLTF_BUFFER), index);
  const json_t *extension = json_object_get(json_object_get(buffer, "extensions"), MESHOPT);
  return json_is_true(json_object_get(extension, "fallback"));
}

static SupResult load_buffer(SupGltf *document, uint32_t index, const uint8_t *bin,
                             size_t bin_bytes, SupError *error) {
  GltfItem item;
  SupResult result = sup_gltf_item(document, GLTF_BUFFER, index, &item, error);
  uint64_t length = 0;
  if (result == SUP_OK)
    result = sup_gltf_get_uint(&item, "byteLength", SIZE_MAX / 2, &length, error);
  if (result != SUP_OK) return result;
  GltfBuffer *buffer = &document->buffers[index];
  const char *uri = sup_gltf_get_string(item.json, "uri");
  const uint8_t *data = NULL;
  size_t bytes = 0;
  if (uri) {
    result = sup_gltf_uri_load(document, &document->arena, uri, item.name, &data, &bytes, error);
    if (result != SUP_OK) return result;
  } else if (index == 0 && bin && !sup_gltf_buffer_is_fallback(document, 0)) {
    data = bin;
    bytes = bin_bytes;
    document->bin_buffer = 0;
  } else {
    buffer->bytes = (size_t)length;
    return SUP_OK;
  }
  if (length > bytes) {
    return sup_fail(error, SUP_ERROR_FORMAT, "%s should have %llu bytes but its data has %zu",
                    item.name, (unsigned long long)length, bytes);
  }
  *buffer = (GltfBuffer){data, (size_t)length, 0};
  return SUP_OK;
}

SupResult sup_gltf_load_buffers(SupGltf *document, const uint8_t *bin, size_t bin_bytes,
                                SupError *error) {
  uint32_t count = sup_gltf_count(document, GLTF_BUFFER);
  document->buffers = SUP_ALLOC(&document->arena, GltfBuffer, count);
  if (!document->buffers) return sup_fail_memory(error, "the buffers");
  document->buffer_count = count;
  for (uint32_t k = 0; k < count; k++) {
    SupResult result = load_buffer(document, k, bin, bin_bytes, error);
    if (result != SUP_OK) return result;
  }
  return SUP_OK;
}

/* ---- Compressed views ----------------------------------------------------------------------- */

/* What the extension says about a view. */
typedef struct Packed {
  GltfItem item;
  const uint8_t *data; /* [bytes] compressed */
  size_t bytes;
  size_t count;  /* elements */
  size_t stride; /* bytes per element */
  const char *mode;
  const char *filter;
} Packed;

/* Bytes of `buffer` from byteOffset on, as the item says. */
static SupResult find_bytes(const SupGltf *document, const GltfItem *item, GltfView *out_view,
                            SupError *error) {
  uint32_t buffer;
  uint64_t offset = 0, length = 0;
  SupResult result = sup_gltf_get_index(document, item, "buffer", GLTF_BUFFER, &buffer, error);
  if (result == SUP_OK)
    result = sup_gltf_get_uint(item, "byteOffset", SIZE_MAX / 2, &offset, error);
  if (result == SUP_OK)
    result = sup_gltf_get_uint(item, "byteLength", SIZE_MAX / 2, &length, error);
  if (result != SUP_OK) return result;
  if (buffer == SUP_NONE) {
    return sup_fail(error, SUP_ERROR_FORMAT, "%s: `buffer` is missing", item->name);
  }
  const GltfBuffer *source = &document->buffers[buffer];
  if (!source->data) {
    return sup_fail(error, SUP_ERROR_FORMAT, "%s: buffer %u has no data", item->name, buffer);
  }
  if (offset > source->bytes || length > source->bytes - offset) {
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "%s: bytes %llu to %llu extend beyond buffer %u, which has %zu", item->name,
                    (unsigned long long)offset, (unsigned long long)(offset + length), buffer,
                    source->bytes);
  }
  *out_view = (GltfView){source->data + offset, (size_t)length, 0};
  return SUP_OK;
}

/* What the compressed size allows at most, checked before anything is allocated: the vertex codec
 * spends at least 2 bits per 16 bytes, the index codecs a byte per triangle or index. */
static bool packed_size_is_possible(const Packed *packed) {
  if (packed->stride && packed->count > SIZE_MAX / 2 / packed->stride) return false;
  if (strcmp(packed->mode, "ATTRIBUTES") == 0) {
    return packed->stride && packed->stride % 4 == 0 && packed->stride <= 256 &&
           packed->count * packed->stride / 64 <= packed->bytes;
  }
  if (packed->stride != 2 && packed->stride != 4) return false;
  if (strcmp(packed->mode, "TRIANGLES") == 0) {
    return packed->count % 3 == 0 && packed->count / 3 <= packed->bytes;
  }
  return packed->count <= packed->bytes;
}

static SupResult read_packed(GltfReader *reader, const GltfItem *view, json_t *extension,
                             Packed *out) {
  *out = (Packed){.item.json = extension};
  sup_format(out->item.name, sizeof out->item.name, "%s (compressed)", view->name);
  GltfView bytes;
  uint64_t count = 0, stride = 0;
  SupError *error = reader->error;
  SupResult result = find_bytes(reader->document, &out->item, &bytes, error);
  if (result == SUP_OK) result = sup_gltf_get_uint(&out->item, "count", UINT32_MAX, &count, error);
  if (result == SUP_OK) result = sup_gltf_get_uint(&out->item, "byteStride", 256, &stride, error);
  if (result != SUP_OK) return result;
  out->data = bytes.data;
  out->bytes = bytes.bytes;
  out->count = (size_t)count;
  out->stride = (size_t)stride;
  out->mode = sup_gltf_get_string(extension, "mode");
  out->filter = sup_gltf_get_string(extension, "filter");
  if (!out->filter) out->filter = "NONE";
  bool known = out->mode && (!strcmp(out->mode, "ATTRIBUTES") || !strcmp(out->mode, "TRIANGLES") ||
                             !strcmp(out->mode, "INDICES"));
  if (!known || !packed_size_is_possible(out)) {
    return sup_fail(error, SUP_ERROR_FORMAT, "%s: mode, count or stride contradict its data",
                    out->item.name);
  }
  return SUP_OK;
}

/* False if the filter is unknown or does not fit the stride. */
static bool apply_filter(const Packed *packed, void *data) {
  if (strcmp(packed->filter, "NONE") == 0) return true;
  if (strcmp(packed->mode, "ATTRIBUTES") != 0) return false;
  if (strcmp(packed->filter, "OCTAHEDRAL") == 0) {
    if (packed->stride != 4 && packed->stride != 8) return false;
    meshopt_decodeFilterOct(data, packed->count, packed->stride);
  } else if (strcmp(packed->filter, "QUATERNION") == 0) {
    if (packed->stride != 8) return false;
    meshopt_decodeFilterQuat(data, packed->count, packed->stride);
  } else if (strcmp(packed->filter, "EXPONENTIAL") == 0) {
    meshopt_decodeFilterExp(data, packed->count, packed->stride);
  } else {
    return false;
  }
  return true;
}

static SupResult decode(GltfReader *reader, const Packed *packed, GltfView *out_view) {
  size_t bytes = packed->count * packed->stride;
  uint8_t *data = SUP_ALLOC(&reader->scratch, uint8_t, bytes);
  if (!data) return sup_fail_memory(reader->error, packed->item.name);
  int failure;
  if (strcmp(packed->mode, "ATTRIBUTES") == 0) {
    failure = meshopt_decodeVertexBuffer(data, packed->count, packed->stride, packed->data,
                                         packed->bytes);
  } else if (strcmp(packed->mode, "TRIANGLES") == 0) {
    failure =
        meshopt_decodeIndexBuffer(data, packed->count, packed->stride, packed->data, packed->bytes);
  } else {
    failure = meshopt_decodeIndexSequence(data, packed->count, packed->stride, packed->data,
                                          packed->bytes);
  }
  if (failure || !apply_filter(packed, data)) {
    return sup_fail(reader->error, SUP_ERROR_FORMAT, "%s: meshoptimizer cannot decode it (%s, %s)",
                    packed->item.name, packed->mode, packed->filter);
  }
  *out_view = (GltfView){data, bytes, 0};
  return SUP_OK;
}

/* ---- Views ---------------------------------------------------------------------------------- */

SupResult sup_gltf_view(GltfReader *reader, uint32_t index, GltfView *out_view) {
  GltfItem item;
  uint64_t stride = 0;
  SupResult result = sup_gltf_item(reader->document, GLTF_VIEW, index, &item, reader->error);
  if (result == SUP_OK)
    result = sup_gltf_get_uint(&item, "byteStride", 252, &stride, reader->error);
  if (result != SUP_OK) return result;
  GltfView view = {0};
  json_t *extension = json_object_get(json_object_get(item.json, "extensions"), MESHOPT);
  if (extension) {
    Packed packed;
    result = read_packed(reader, &item, extension, &packed);
    if (result != SUP_OK) return result;
    if (reader->decoded[index]) {
      view = (GltfView){reader->decoded[index], packed.count * packed.stride, 0};
    } else {
      result = decode(reader, &packed, &view);
      reader->decoded[index] = view.data;
    }
    if (stride == 0 && strcmp(packed.mode, "ATTRIBUTES") == 0) stride = packed.stride;
  } else {
    result = find_bytes(reader->document, &item, &view, reader->error);
  }
  if (result != SUP_OK) return result;
  view.stride = (uint32_t)stride;
  *out_view = view;
  return SUP_OK;
}

SupResult sup_gltf_reader_init(GltfReader *reader, const SupGltf *document, SupArena *arena,
                               SupError *error) {
  *reader = (GltfReader){.document = document, .arena = arena, .error = error};
  reader->own_room = ROOM_LEAST;
  for (uint32_t b = 0; b < document->buffer_count; b++) {
    if (document->buffers[b].data) reader->own_room += ROOM_TIMES * document->buffers[b].bytes;
  }
  reader->room = &reader->own_room;
  reader->scratch = sup_scratch(&document->arena);
  reader->decoded =
      SUP_ALLOC(&reader->scratch, const uint8_t *, sup_gltf_count(document, GLTF_VIEW));
  return reader->decoded ? SUP_OK : sup_fail_memory(error, "buffer views");
}

SupResult sup_gltf_spend(GltfReader *reader, const char *name, uint64_t count, uint64_t size) {
  if (size && count > *reader->room / size) {
    return sup_fail(reader->error, SUP_ERROR_FORMAT,
                    "%s: more numbers than the file can hold (over %u times its data); accessors "
                    "without a bufferView or used too often",
                    name, (unsigned)ROOM_TIMES);
  }
  *reader->room -= count * size;
  return SUP_OK;
}

void sup_gltf_reader_free(GltfReader *reader) { sup_arena_free(&reader->scratch); }
