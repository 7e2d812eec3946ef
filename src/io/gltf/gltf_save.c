/* SPDX-License-Identifier: MIT */
/*
 * Writing documents. The tree that is written shares every node with the document's but those on
 * the path to what changes with the container: buffers, the views of our own buffer, and images
 * that move into a .glb.
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/scratch.h"
#include "io/gltf/gltf_beside.h"
#include "io/gltf/gltf_document.h"
#include "io/path.h"
#include "io/temporary.h"
#include "supple/io/file.h"

/* A run of bytes of the binary chunk. */
typedef struct Piece {
  const uint8_t *data;
  size_t bytes;
  size_t offset;
} Piece;

typedef struct Output {
  const SupGltf *document;
  SupArena scratch;
  SupGltfFormat format;
  const char *path;   /* NULL in memory */
  bool same_folder;   /* as the document was read from */
  json_t *root;       /* owned */
  json_t *buffers;    /* borrowed from root, NULL if the file has none */
  uint32_t bin_index; /* buffer that becomes the binary chunk, or SUP_NONE */
  size_t bin_bytes;
  Piece *pieces; /* [piece_count] by rising offset */
  uint32_t piece_count;
  GltfBeside beside; /* files of a .gltf */
  SupError *error;
} Output;

/* ---- Copies along the path ------------------------------------------------------------------ */

/* Replaces the root's array by a copy that may be changed; NULL if memory is short or the file has
 * no such array. */
static json_t *own_array(Output *output, GltfKind kind) {
  json_t *array = json_object_get(output->root, sup_gltf_array_key(kind));
  json_t *copy = array ? sup_gltf_json_copy(array) : NULL;
  if (copy && json_object_set_new(output->root, sup_gltf_array_key(kind), copy) != 0) copy = NULL;
  return copy;
}

/* Replaces an object of an owned array by a copy that may be changed. */
static json_t *own_object(json_t *array, size_t index) {
  json_t *copy = sup_gltf_json_copy(json_array_get(array, index));
  if (copy && json_array_set_new(array, index, copy) != 0) copy = NULL;
  return copy;
}

static SupResult set_uri(Output *output, json_t *object, const char *uri) {
  return json_object_set_new(object, "uri", json_string(uri)) == 0
             ? SUP_OK
             : sup_fail_memory(output->error, "saving");
}

static SupResult set_data_uri(Output *output, json_t *object, const char *mime, const uint8_t *data,
                              size_t bytes) {
  const char *uri;
  SupResult result = sup_gltf_uri_encode(&output->scratch, mime, data, bytes, &uri, output->error);
  return result == SUP_OK ? set_uri(output, object, uri) : result;
}

/* ---- The binary chunk ----------------------------------------------------------------------- */

static void add_run(Output *output, const uint8_t *data, size_t bytes) {
  size_t offset = (output->bin_bytes + 15) / 16 * 16;
  if (output->piece_count == 0) offset = 0;
  output->pieces[output->piece_count++] = (Piece){data, bytes, offset};
  output->bin_bytes = offset + bytes;
}

/* Which buffer is the chunk: the one that was, else the first if it has data. */
static uint32_t choose_bin(const SupGltf *document) {
  if (document->bin_buffer != SUP_NONE) return document->bin_buffer;
  bool first = document->buffer_count && document->buffers[0].data &&
               !sup_gltf_buffer_is_fallback(document, 0);
  return first ? 0 : SUP_NONE;
}

/* Our own buffer goes behind the first one: only our own views point into it. */
static SupResult fold_own_buffer(Output *output) {
  const SupGltf *document = output->document;
  const GltfBuffer *own = &document->buffers[document->own_buffer];
  json_t *views = own_array(output, GLTF_VIEW);
  if (!views) return sup_fail_memory(output->error, "saving");
  add_run(output, own->data, own->bytes);
  json_int_t base = (json_int_t)(output->bin_bytes - own->bytes);
  for (size_t k = 0; k < json_array_size(views); k++) {
    json_t *buffer = json_object_get(json_array_get(views, k), "buffer");
    if (json_number_value(buffer) != document->own_buffer) continue;
    json_t *view = own_object(views, k);
    json_int_t offset = (json_int_t)json_number_value(json_object_get(view, "byteOffset"));
    if (!view || json_object_set_new(view, "buffer", json_integer(output->bin_index)) != 0 ||
        json_object_set_new(view, "byteOffset", json_integer(base + offset)) != 0) {
      return sup_fail_memory(output->error, "saving");
    }
  }
  json_array_remove(output->buffers, document->own_buffer);
  return SUP_OK;
}

/* Buffers of a .glb: one is the chunk, the others carry their data themselves. */
static SupResult place_buffers_binary(Output *output) {
  const SupGltf *document = output->document;
  output->bin_index = choose_bin(document);
  for (uint32_t k = 0; k < document->buffer_count; k++) {
    const GltfBuffer *buffer = &document->buffers[k];
    const char *uri = sup_gltf_get_string(json_array_get(output->buffers, k), "uri");
    bool own = k == document->own_buffer && k != output->bin_index;
    if (!buffer->data || (uri && sup_gltf_uri_is_data(uri) && k != output->bin_index && !own))
      continue;
    if (own && output->bin_index != SUP_NONE) continue; /* folded below */
    json_t *object = own_object(output->buffers, k);
    if (!object) return sup_fail_memory(output->error, "saving");
    SupResult result = SUP_OK;
    if (k == output->bin_index) {
      json_object_del(object, "uri");
      add_run(output, buffer->data, buffer->bytes);
    } else {
      result =
          set_data_uri(output, object, "application/octet-stream", buffer->data, buffer->bytes);
    }
    if (result != SUP_OK) return result;
  }
  bool fold = document->own_buffer != SUP_NONE && document->own_buffer != output->bin_index &&
              output->bin_index != SUP_NONE;
  return fold ? fold_own_buffer(output) : SUP_OK;
}

static const char *mime_of(const json_t *image, const char *uri) {
  const char *mime = sup_gltf_get_string(image, "mimeType");
  const char *dot = strrchr(uri, '.');
  if (mime) return mime;
  if (dot && (!strcasecmp(dot, ".jpg") || !strcasecmp(dot, ".jpeg"))) return "image/jpeg";
  if (dot && !strcasecmp(dot, ".webp")) return "image/webp";
  if (dot && !strcasecmp(dot, ".ktx2")) return "image/ktx2";
  return "image/png";
}

static SupResult image_into_chunk(Output *output, json_t *image, const char *mime,
                                  const uint8_t *data, size_t bytes) {
  json_t *views = json_object_get(output->root, "bufferViews");
  views = views ? sup_gltf_json_copy(views) : json_array();
  if (json_object_set_new(output->root, "bufferViews", views) != 0) {
    return sup_fail_memory(output->error, "saving");
  }
  add_run(output, data, bytes);
  json_int_t offset = (json_int_t)(output->bin_bytes - bytes);
  json_t *view = json_pack("{s:I,s:I,s:I}", "buffer", (json_int_t)output->bin_index, "byteOffset",
                           offset, "byteLength", (json_int_t)bytes);
  json_int_t index = (json_int_t)json_array_size(views);
  if (json_array_append_new(views, view) != 0 ||
      json_object_set_new(image, "bufferView", json_integer(index)) != 0 ||
      json_object_set_new(image, "mimeType", json_string(mime)) != 0) {
    return sup_fail_memory(output->error, "saving");
  }
  json_object_del(image, "uri");
  return SUP_OK;
}

/* ---- Files beside a .gltf ------------------------------------------------------------------- */

/* A relative external file: stays where it is, is copied, or goes inside as base64. */
static SupResult place_external(Output *output, json_t *array, size_t index, const char *name,
                                const char *mime) {
  const char *relative, *uri = sup_gltf_get_string(json_array_get(array, index), "uri");
  SupResult result = sup_gltf_uri_path(&output->scratch, uri, &relative, output->error);
  bool embed = output->format == SUP_GLTF_TEXT_EMBEDDED || !relative;
  if (result != SUP_OK || (!embed && output->same_folder)) return result;
  const uint8_t *data;
  size_t bytes;
  result = sup_gltf_uri_load(output->document, &output->scratch, uri, name, &data, &bytes,
                             output->error);
  if (result != SUP_OK) return result;
  if (embed) {
    json_t *object = own_object(array, index);
    return object ? set_data_uri(output, object, mime, data, bytes)
                  : sup_fail_memory(output->error, "saving");
  }
  const char *new_uri;
  result = sup_gltf_beside_add(&output->beside, output->document, relative, data, bytes, &new_uri,
                               output->error);
  if (result != SUP_OK || !new_uri) return result;
  json_t *object = own_object(array, index);
  return object ? set_uri(output, object, new_uri) : sup_fail_memory(output->error, "saving");
}

static SupResult place_binary_beside(Output *output, json_t *object, const GltfBuffer *buffer) {
  const char *uri = NULL;
  SupResult result = sup_gltf_beside_add_named(&output->beside, output->document, buffer->data,
                                               buffer->bytes, &uri, output->error);
  return result == SUP_OK ? set_uri(output, object, uri) : result;
}

static SupResult place_buffers_text(Output *output) {
  const SupGltf *document = output->document;
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < document->buffer_count && result == SUP_OK; k++) {
    const GltfBuffer *buffer = &document->buffers[k];
    const char *uri = sup_gltf_get_string(json_array_get(output->buffers, k), "uri");
    char name[32];
    sup_format(name, sizeof name, "buffer %u", k);
    if (uri && !sup_gltf_uri_is_data(uri)) {
      result = place_external(output, output->buffers, k, name, "application/octet-stream");
    } else if (!uri && buffer->data) {
      json_t *object = own_object(output->buffers, k);
      if (!object) return sup_fail_memory(output->error, "saving");
      result = output->format == SUP_GLTF_TEXT_EMBEDDED
                   ? set_data_uri(output, object, "application/octet-stream", buffer->data,
                                  buffer->bytes)
                   : place_binary_beside(output, object, buffer);
    }
  }
  return result;
}

static SupResult place_image(Output *output, json_t *images, size_t index) {
  const char *uri = sup_gltf_get_string(json_array_get(images, index), "uri");
  if (!uri || sup_gltf_uri_is_data(uri)) return SUP_OK;
  char name[32];
  sup_format(name, sizeof name, "image %zu", index);
  const char *mime = mime_of(json_array_get(images, index), uri);
  if (output->format != SUP_GLTF_BINARY) {
    return place_external(output, images, index, name, mime);
  }
  const uint8_t *data;
  size_t bytes;
  SupResult result = sup_gltf_uri_load(output->document, &output->scratch, uri, name, &data, &bytes,
                                       output->error);
  json_t *image = result == SUP_OK ? own_object(images, index) : NULL;
  if (result == SUP_OK && !image) result = sup_fail_memory(output->error, "saving");
  if (result != SUP_OK) return result;
  if (output->bin_index == SUP_NONE) return set_data_uri(output, image, mime, data, bytes);
  return image_into_chunk(output, image, mime, data, bytes);
}

/* ---- The tree ------------------------------------------------------------------------------- */

static SupResult prepare(Output *output) {
  const SupGltf *document = output->document;
  size_t images = sup_gltf_count(document, GLTF_IMAGE);
  output->bin_index = SUP_NONE;
  output->root = sup_gltf_json_copy(document->json.root);
  output->pieces = SUP_ALLOC(&output->scratch, Piece, images + document->buffer_count + 1);
  if (!output->root || !output->pieces) return sup_fail_memory(output->error, "saving");
  if (output->format != SUP_GLTF_BINARY) {
    SupResult begun = sup_gltf_beside_init(
        &output->beside, &output->scratch, document->options.allocator, output->path,
        (uint32_t)images + document->buffer_count, output->error);
    if (begun != SUP_OK) return begun;
  }
  if (document->buffer_count) {
    output->buffers = own_array(output, GLTF_BUFFER);
    if (!output->buffers) return sup_fail_memory(output->error, "saving");
  }
  SupResult result =
      output->format == SUP_GLTF_BINARY ? place_buffers_binary(output) : place_buffers_text(output);
  json_t *copies = result == SUP_OK && images ? own_array(output, GLTF_IMAGE) : NULL;
  if (result == SUP_OK && images && !copies) return sup_fail_memory(output->error, "saving");
  for (size_t k = 0; k < images && result == SUP_OK; k++) result = place_image(output, copies, k);
  if (result != SUP_OK || output->bin_index == SUP_NONE) return result;
  json_t *buffer = json_array_get(output->buffers, output->bin_index);
  if (output->bin_bytes != document->buffers[output->bin_index].bytes &&
      json_object_set_new(buffer, "byteLength", json_integer((json_int_t)output->bin_bytes))) {
    return sup_fail_memory(output->error, "saving");
  }
  return SUP_OK;
}

static void free_output(Output *output) {
  sup_gltf_beside_free(&output->beside);
  json_decref(output->root);
  sup_arena_free(&output->scratch);
}

/* ---- Bytes ---------------------------------------------------------------------------------- */

static void count_bytes(void *user, const char *text, size_t bytes) {
  (void)text;
  *(size_t *)user += bytes;
}

static void write_file(void *user, const char *text, size_t bytes) {
  sup_file_write((SupFileWriter *)user, text, bytes);
}

static void write_memory(void *user, const char *text, size_t bytes) {
  uint8_t **at = user;
  if (bytes) memcpy(*at, text, bytes);
  *at += bytes;
}

static void write_u32(GltfWrite *write, void *user, uint32_t value) {
  char bytes[4] = {(char)value, (char)(value >> 8), (char)(value >> 16), (char)(value >> 24)};
  write(user, bytes, 4);
}

static void write_padding(GltfWrite *write, void *user, size_t bytes, char filler) {
  for (size_t k = 0; k < bytes; k++) write(user, &filler, 1);
}

static size_t padding(size_t bytes) { return (4 - bytes % 4) % 4; }

/* Size of the .glb; 0 if it would pass 4 GiB. */
static size_t glb_bytes(const Output *output, size_t json_bytes) {
  const size_t most = UINT32_MAX;
  size_t total = 12 + 8 + json_bytes + padding(json_bytes);
  if (json_bytes > most || output->bin_bytes > most || output->document->extra_bytes > most) {
    return 0;
  }
  if (output->bin_index != SUP_NONE) total += 8 + output->bin_bytes + padding(output->bin_bytes);
  total += output->document->extra_bytes;
  return total > most ? 0 : total;
}

static void write_glb(const Output *output, size_t json_bytes, GltfWrite *write, void *user) {
  const SupGltf *document = output->document;
  write(user, "glTF", 4);
  write_u32(write, user, 2);
  write_u32(write, user, (uint32_t)glb_bytes(output, json_bytes));
  write_u32(write, user, (uint32_t)(json_bytes + padding(json_bytes)));
  write(user, "JSON", 4);
  sup_gltf_json_write(&document->json, output->root, 0, write, user);
  write_padding(write, user, padding(json_bytes), ' ');
  if (output->bin_index != SUP_NONE) {
    write_u32(write, user, (uint32_t)(output->bin_bytes + padding(output->bin_bytes)));
    write(user, "BIN\0", 4);
    size_t at = 0;
    for (uint32_t k = 0; k < output->piece_count; k++) {
      const Piece *piece = &output->pieces[k];
      write_padding(write, user, piece->offset - at, 0);
      write(user, (const char *)piece->data, piece->bytes);
      at = piece->offset + piece->bytes;
    }
    write_padding(write, user, padding(output->bin_bytes), 0);
  }
  write(user, (const char *)document->extra_chunks, document->extra_bytes);
}

static SupResult too_large(Output *output) {
  return sup_fail(output->error, SUP_ERROR_UNSUPPORTED,
                  "the result exceeds 4 GiB, which a .glb cannot hold; save as .gltf");
}

/* ---- Files ---------------------------------------------------------------------------------- */

static void write_json(void *user, SupFileWriter *writer) {
  const Output *output = user;
  sup_gltf_json_write(&output->document->json, output->root, 2, write_file, writer);
  sup_file_write(writer, "\n", 1);
}

static SupResult write_binary(Output *output) {
  size_t json_bytes = 0;
  sup_gltf_json_write(&output->document->json, output->root, 0, count_bytes, &json_bytes);
  if (!glb_bytes(output, json_bytes)) return too_large(output);
  SupFileWriter *writer;
  SupResult result =
      sup_file_begin(output->document->options.allocator, output->path, &writer, output->error);
  if (result != SUP_OK) return result;
  write_glb(output, json_bytes, write_file, writer);
  return sup_file_commit(writer, output->error);
}

static bool is_same_folder(const SupGltf *document, const char *path) {
  char folder[4096];
  size_t length = sup_folder_length(path);
  if (length >= sizeof folder) return false;
  memcpy(folder, path, length);
  strcpy(folder + length, length ? "." : "./");
  char *real = realpath(folder, NULL);
  bool same = real && document->folder && strcmp(real, document->folder) == 0;
  free(real);
  return same;
}

static SupResult save_at(const SupGltf *document, const char *path, SupGltfFormat format,
                         SupError *error) {
  Output output = {.document = document, .format = format, .path = path, .error = error};
  output.scratch = sup_scratch(&document->arena);
  output.same_folder = is_same_folder(document, path);
  SupResult result = prepare(&output);
  if (result == SUP_OK) {
    result = format == SUP_GLTF_BINARY
                 ? write_binary(&output)
                 : sup_gltf_beside_write(&output.beside, write_json, &output, error);
    /* A document from elsewhere may name them, by a path that leads here. */
    if (result == SUP_OK && !document->options.allow_external) {
      sup_gltf_beside_retire(&output.beside);
    }
  }
  free_output(&output);
  return result;
}

SupResult sup_gltf_save(const SupGltf *document, const char *path, SupGltfFormat format,
                        SupError *error) {
  size_t length = strlen(path);
  if (format == SUP_GLTF_BY_NAME) {
    bool glb = length > 4 && strcasecmp(path + length - 4, ".glb") == 0;
    bool vrm = length > 4 && strcasecmp(path + length - 4, ".vrm") == 0;
    bool text = length > 5 && strcasecmp(path + length - 5, ".gltf") == 0;
    if (!glb && !vrm && !text) {
      return sup_fail(error, SUP_ERROR_ARGUMENT, "%s: the name must end in .glb or .gltf", path);
    }
    format = text ? SUP_GLTF_TEXT : SUP_GLTF_BINARY;
  }
  /* Of a link all files go where the document goes. */
  char *place = sup_follow_link(path);
  if (!place) return sup_cannot_write(error, path, errno);
  SupResult result = save_at(document, place, format, error);
  free(place);
  return result;
}

SupResult sup_gltf_save_memory(const SupGltf *document, SupArena *arena, const uint8_t **out_data,
                               size_t *out_bytes, SupError *error) {
  Output output = {.document = document, .format = SUP_GLTF_BINARY, .error = error};
  output.scratch = sup_scratch(&document->arena);
  SupResult result = prepare(&output);
  size_t json_bytes = 0, bytes = 0;
  if (result == SUP_OK) {
    sup_gltf_json_write(&document->json, output.root, 0, count_bytes, &json_bytes);
    bytes = glb_bytes(&output, json_bytes);
    if (!bytes) result = too_large(&output);
  }
  uint8_t *data = result == SUP_OK ? SUP_ALLOC(arena, uint8_t, bytes) : NULL;
  if (result == SUP_OK && !data) result = sup_fail_memory(output.error, "saving");
  if (result == SUP_OK) {
    uint8_t *at = data;
    write_glb(&output, json_bytes, write_memory, &at);
    *out_data = data;
    *out_bytes = bytes;
  }
  free_output(&output);
  return result;
}
