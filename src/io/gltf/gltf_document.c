/* SPDX-License-Identifier: MIT */
/* Opening and closing documents: the container, the JSON, what other formats look like. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "io/gltf/gltf_document.h"

#include <stdlib.h>
#include <string.h>

#include "io/json_read.h"
#include "io/path.h"
#include "supple/io/file.h"

SupGltfOptions sup_gltf_options(void) {
  return (SupGltfOptions){.allocator = sup_heap_allocator(), .memory_limit = (size_t)1 << 32};
}

SupResult sup_gltf_new(const SupGltfOptions *options, SupGltf **out_document, SupError *error) {
  SupGltfOptions chosen = options ? *options : sup_gltf_options();
  SupGltf *document = chosen.allocator.allocate(chosen.allocator.user, sizeof *document);
  if (!document) return sup_fail_memory(error, "the document");
  *document = (SupGltf){.options = chosen,
                        .bin_buffer = SUP_NONE,
                        .own_buffer = SUP_NONE,
                        .may_have_free_views = true,
                        .may_have_free_accessors = true};
  sup_arena_init(&document->arena, chosen.allocator, chosen.memory_limit);
  *out_document = document;
  return SUP_OK;
}

void sup_gltf_close(SupGltf *document) {
  if (!document) return;
  SupAllocator allocator = document->options.allocator;
  sup_gltf_json_free(&document->json);
  sup_arena_free(&document->arena);
  allocator.release(allocator.user, document, sizeof *document);
}

/* ---- The container -------------------------------------------------------------------------- */

/* The pieces of a file; `bin` is NULL if there is none. */
typedef struct Container {
  bool binary;
  const char *json;
  size_t json_bytes;
  const uint8_t *bin;
  size_t bin_bytes;
  const uint8_t *rest; /* chunks behind the JSON chunk, headers included */
  size_t rest_bytes;
} Container;

#define GLB_HEADER 12
#define CHUNK_HEADER 8
#define CHUNK_JSON 0x4E4F534Au
#define CHUNK_BIN 0x004E4942u

static uint32_t read_u32(const uint8_t *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* The chunk at `offset`, whole inside data[bytes]. */
static SupResult read_chunk(const uint8_t *data, size_t bytes, size_t offset, uint32_t *out_type,
                            size_t *out_bytes, SupError *error) {
  if (bytes - offset < CHUNK_HEADER) {
    return sup_fail(error, SUP_ERROR_FORMAT, "the file ends inside a chunk header at byte %zu",
                    offset);
  }
  size_t length = read_u32(data + offset);
  if (length > bytes - offset - CHUNK_HEADER) {
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "the chunk at byte %zu has %zu bytes but the file ends after %zu: it is "
                    "truncated or damaged",
                    offset, length, bytes - offset - CHUNK_HEADER);
  }
  *out_type = read_u32(data + offset + 4);
  *out_bytes = length;
  return SUP_OK;
}

static SupResult split_glb(const uint8_t *data, size_t bytes, Container *out, SupError *error) {
  if (bytes < GLB_HEADER) return sup_fail(error, SUP_ERROR_FORMAT, "the file ends in its header");
  if (read_u32(data + 4) != 2) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "this is glTF binary version %u; only version 2 can be read",
                    read_u32(data + 4));
  }
  size_t length = read_u32(data + 8);
  if (length > bytes) {
    return sup_fail(
        error, SUP_ERROR_FORMAT,
        "the file should have %zu bytes but has %zu: it is truncated; copy or download it "
        "again",
        length, bytes);
  }
  uint32_t type;
  size_t chunk;
  if (length < GLB_HEADER) length = GLB_HEADER;
  SupResult result = read_chunk(data, length, GLB_HEADER, &type, &chunk, error);
  if (result != SUP_OK) return result;
  if (type != CHUNK_JSON) {
    return sup_fail(error, SUP_ERROR_FORMAT, "the first chunk of the file is not JSON");
  }
  *out = (Container){.binary = true};
  out->json = (const char *)data + GLB_HEADER + CHUNK_HEADER;
  out->json_bytes = chunk;
  size_t offset = GLB_HEADER + CHUNK_HEADER + chunk;
  out->rest = data + offset;
  out->rest_bytes = length - offset;
  if (offset == length) return SUP_OK;
  result = read_chunk(data, length, offset, &type, &chunk, error);
  if (result == SUP_OK && type == CHUNK_BIN) {
    out->bin = data + offset + CHUNK_HEADER;
    out->bin_bytes = chunk;
  }
  return result;
}

static bool starts_with(const uint8_t *data, size_t bytes, const char *text) {
  size_t length = strlen(text);
  return bytes >= length && memcmp(data, text, length) == 0;
}

static SupResult split_file(const uint8_t *data, size_t bytes, Container *out, SupError *error) {
  if (starts_with(data, bytes, "glTF")) return split_glb(data, bytes, out, error);
  SupResult result = sup_file_refuse_other(data, bytes, SUP_WANTED_CHARACTER, error);
  if (result != SUP_OK) return result;
  size_t mark = starts_with(data, bytes, "\xEF\xBB\xBF") ? 3 : 0;
  size_t at = mark;
  while (at < bytes && strchr(" \t\r\n", data[at]) && data[at]) at++;
  if (at == bytes || data[at] != '{') {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "this is neither .glb nor .gltf; other formats must be converted to glTF 2.0 "
                    "first, for example with Blender");
  }
  *out = (Container){.json = (const char *)data + mark, .json_bytes = bytes - mark};
  return SUP_OK;
}

void sup_gltf_find_json(const uint8_t *data, size_t bytes, const char **out_text,
                        size_t *out_bytes) {
  Container parts = {0};
  SupError ignored;
  bool found = split_file(data, bytes, &parts, &ignored) == SUP_OK;
  *out_text = found ? parts.json : "";
  *out_bytes = found ? parts.json_bytes : 0;
}

/* ---- The document --------------------------------------------------------------------------- */

static SupResult check_asset(const SupGltf *document, SupError *error) {
  const json_t *asset = json_object_get(document->json.root, "asset");
  const char *version = sup_gltf_get_string(asset, "version");
  if (!version) {
    return sup_fail(
        error, SUP_ERROR_FORMAT,
        "`asset.version` is missing, so this is JSON but not glTF; give the .gltf or .glb "
        "that the 3D program exported");
  }
  if (strncmp(version, "2.", 2) != 0) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "this is glTF %s; only glTF 2.0 can be read (convert it, for example with "
                    "gltf-pipeline)",
                    version);
  }
  for (GltfKind kind = 0; kind < GLTF_KIND_COUNT; kind++) {
    const json_t *array = json_object_get(document->json.root, sup_gltf_array_key(kind));
    if (array && (!json_is_array(array) || json_array_size(array) >= SUP_NONE)) {
      return sup_fail(error, SUP_ERROR_FORMAT, "`%s` must be an array", sup_gltf_array_key(kind));
    }
  }
  return SUP_OK;
}

static SupResult load_document(SupGltf *document, const uint8_t *data, size_t bytes,
                               SupError *error) {
  Container parts = {0};
  SupResult result = split_file(data, bytes, &parts, error);
  if (result != SUP_OK) return result;
  size_t tree = sup_json_bound(parts.json, parts.json_bytes);
  if (document->arena.limit) {
    if (tree >= document->arena.limit) return sup_fail_memory(error, "the JSON tree");
    document->arena.limit -= tree;
  }
  result =
      sup_gltf_json_parse(&document->arena, parts.json, parts.json_bytes, &document->json, error);
  if (result == SUP_OK) result = check_asset(document, error);
  if (result != SUP_OK) return result;
  document->binary = parts.binary;
  result = sup_gltf_load_buffers(document, parts.bin, parts.bin_bytes, error);
  if (result != SUP_OK) return result;
  if (parts.binary) {
    size_t taken = document->bin_buffer == SUP_NONE ? 0 : CHUNK_HEADER + parts.bin_bytes;
    document->extra_chunks = parts.rest + taken;
    document->extra_bytes = parts.rest_bytes - taken;
  }
  return SUP_OK;
}

SupResult sup_gltf_open_memory(const void *data, size_t bytes, const char *folder,
                               const SupGltfOptions *options, SupGltf **out_document,
                               SupError *error) {
  SupGltf *document;
  SupResult result = sup_gltf_new(options, &document, error);
  if (result != SUP_OK) return result;
  const uint8_t *copy = SUP_COPY(&document->arena, uint8_t, (const uint8_t *)data, bytes);
  if (!copy) {
    result = sup_fail_memory(error, "the file");
    goto done;
  }
  if (folder) {
    char *real = realpath(folder, NULL);
    document->folder = real ? sup_arena_string(&document->arena, real, strlen(real)) : NULL;
    free(real);
    if (!document->folder) {
      result = sup_fail(error, SUP_ERROR_IO, "the folder `%s` cannot be found", folder);
      goto done;
    }
  }
  result = load_document(document, copy, bytes, error);
done:
  if (result != SUP_OK) {
    sup_gltf_close(document);
  } else {
    *out_document = document;
  }
  return result;
}

/* The folder of a path: all before the last slash. */
static SupResult find_folder(SupGltf *document, const char *path, SupError *error) {
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) : 0;
  char *folder = slash && length == 0 ? sup_arena_string(&document->arena, "/", 1)
                 : slash              ? sup_arena_string(&document->arena, path, length)
                                      : sup_arena_string(&document->arena, ".", 1);
  char *real = folder ? realpath(folder, NULL) : NULL;
  document->folder = real ? sup_arena_string(&document->arena, real, strlen(real)) : NULL;
  free(real);
  return document->folder ? SUP_OK : sup_fail_memory(error, "the folder's name");
}

/* Opens what is at `path`, with the files that are beside it; errors speak of `name`. */
static SupResult open_at(const char *path, const char *name, const SupGltfOptions *options,
                         SupGltf **out_document, SupError *error) {
  SupGltf *document;
  SupResult result = sup_gltf_new(options, &document, error);
  if (result != SUP_OK) return result;
  const uint8_t *data;
  size_t bytes;
  result = sup_file_read(&document->arena, path, &data, &bytes, error);
  if (result != SUP_OK) goto done; /* names the path itself */
  result = find_folder(document, path, error);
  if (result == SUP_OK) result = load_document(document, data, bytes, error);
  if (result != SUP_OK) sup_error_prefix(error, "%s", name);
done:
  if (result != SUP_OK) {
    sup_gltf_close(document);
  } else {
    *out_document = document;
  }
  return result;
}

SupResult sup_gltf_open(const char *path, const SupGltfOptions *options, SupGltf **out_document,
                        SupError *error) {
  /* The files of a link are where it leads, as they are saved; else beside the link itself. */
  char *place = sup_follow_link(path);
  SupResult result = SUP_ERROR_IO;
  bool leads_away = place && strcmp(place, path) != 0;
  if (leads_away) result = open_at(place, path, options, out_document, error);
  free(place);
  if (!leads_away || result == SUP_ERROR_IO) {
    result = open_at(path, path, options, out_document, error);
  }
  return result;
}
