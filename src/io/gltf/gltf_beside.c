/* SPDX-License-Identifier: MIT */
#include "io/gltf/gltf_beside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scratch.h"
#include "io/path.h"

/* The document that is to be replaced; NULL when there is none, or it is no document. */
static json_t *read_earlier(SupArena *arena, const char *path) {
  SupArena scratch = sup_scratch(arena);
  SupError ignored;
  const uint8_t *data;
  size_t bytes;
  json_t *root = NULL;
  if (sup_file_read(&scratch, path, &data, &bytes, &ignored) == SUP_OK) {
    root = json_loadb((const char *)data, bytes, 0, NULL);
  }
  sup_arena_free(&scratch);
  return root;
}

SupResult sup_gltf_beside_init(GltfBeside *beside, SupArena *arena, SupAllocator allocator,
                               const char *path, uint32_t most, SupError *error) {
  *beside = (GltfBeside){.arena = arena, .allocator = allocator, .path = path};
  beside->files = SUP_ALLOC(arena, GltfBesideFile, most);
  if (!beside->files) return sup_fail_memory(error, "saving");
  beside->earlier = read_earlier(arena, path);
  return SUP_OK;
}

void sup_gltf_beside_free(GltfBeside *beside) { json_decref(beside->earlier); }

/* ---- Names ---------------------------------------------------------------------------------- */

/* "./tube.bin" is tube.bin. */
static const char *without_dots(const char *relative) {
  while (relative[0] == '.' && relative[1] == '/') {
    relative += 2;
    while (*relative == '/') relative++;
  }
  return relative;
}

/* Whether a buffer or image of the document `root` is the file `relative`. */
static bool names_file(SupArena *arena, const json_t *root, const char *relative) {
  static const char *const keys[] = {"buffers", "images"};
  for (int k = 0; k < 2; k++) {
    const json_t *array = json_object_get(root, keys[k]);
    for (size_t i = 0; i < json_array_size(array); i++) {
      const char *uri = sup_gltf_get_string(json_array_get(array, i), "uri"), *path = NULL;
      SupError ignored;
      if (!uri || sup_gltf_uri_is_data(uri)) continue;
      /* A name that does not fit into memory might be this one. */
      if (sup_gltf_uri_path(arena, uri, &path, &ignored) != SUP_OK) return true;
      if (path && strcmp(without_dots(path), without_dots(relative)) == 0) return true;
    }
  }
  return false;
}

/* The .gltf's folder with `relative` behind it. */
static char *path_of(const GltfBeside *beside, const char *relative) {
  size_t folder = sup_folder_length(beside->path), length = strlen(relative);
  char *path = SUP_ALLOC(beside->arena, char, folder + length + 1);
  if (!path) return NULL;
  memcpy(path, beside->path, folder);
  memcpy(path + folder, relative, length);
  return path;
}

static bool holds(const char *path, const uint8_t *data, size_t bytes) {
  FILE *file;
  uint64_t size;
  SupError ignored;
  if (sup_open_regular(path, &file, &size, &ignored) != SUP_OK) return false;
  uint8_t part[4096];
  size_t at = 0;
  for (size_t got; (got = fread(part, 1, sizeof part, file)) > 0; at += got) {
    if (got > bytes - at || memcmp(part, data + at, got) != 0) break;
  }
  fclose(file);
  return at == bytes && size == bytes;
}

typedef enum Place {
  PLACE_FREE, /* nothing is there, or what the document that is replaced had */
  PLACE_SAME, /* the file is there already */
  PLACE_TAKEN /* by somebody else's file */
} Place;

static Place look_at(const GltfBeside *beside, const char *relative, const char *path,
                     const uint8_t *data, size_t bytes) {
  struct stat status;
  if (strcmp(without_dots(relative), beside->path + sup_folder_length(beside->path)) == 0) {
    return PLACE_TAKEN; /* by the document itself */
  }
  if (stat(path, &status) != 0) return PLACE_FREE;
  if (holds(path, data, bytes)) return PLACE_SAME;
  bool ours = beside->earlier && names_file(beside->arena, beside->earlier, relative);
  return ours && S_ISREG(status.st_mode) ? PLACE_FREE : PLACE_TAKEN;
}

static void add_file(GltfBeside *beside, char *path, const uint8_t *data, size_t bytes) {
  beside->files[beside->file_count++] = (GltfBesideFile){path, data, bytes, NULL};
}

SupResult sup_gltf_beside_add(GltfBeside *beside, const char *whose, const char *relative,
                              const uint8_t *data, size_t bytes, SupError *error) {
  char *path = path_of(beside, relative);
  if (!path) return sup_fail_memory(error, "a file name");
  switch (look_at(beside, relative, path, data, bytes)) {
    case PLACE_FREE: add_file(beside, path, data, bytes); return SUP_OK;
    case PLACE_SAME: return SUP_OK;
    default:
      return sup_fail(error, SUP_ERROR_IO,
                      "%s must be copied to %s, but another file is there and would be lost; move "
                      "it away, write into another folder, or put everything into one file (.glb "
                      "or --embed)",
                      whose, path);
  }
}

/* "my hero.bin" -> "my%20hero.bin". */
static char *uri_of(SupArena *arena, const char *name) {
  static const char hex[] = "0123456789ABCDEF";
  char *uri = SUP_ALLOC(arena, char, 3 * strlen(name) + 1), *to = uri;
  for (const char *c = name; uri && *c; c++) {
    unsigned char byte = (unsigned char)*c;
    if (strchr(" %\"<>\\^`{|}#?:[]@!$&'()*+,;=", byte) || byte < 0x20) {
      *to++ = '%';
      *to++ = hex[byte >> 4];
      *to++ = hex[byte & 15];
    } else {
      *to++ = *c;
    }
  }
  return uri;
}

SupResult sup_gltf_beside_add_named(GltfBeside *beside, const SupGltf *document, const char *ending,
                                    const uint8_t *data, size_t bytes, const char **out_uri,
                                    SupError *error) {
  const char *base = beside->path + sup_folder_length(beside->path);
  const char *dot = strrchr(base, '.');
  int stem = (int)(dot && dot != base ? (size_t)(dot - base) : strlen(base));
  size_t size = strlen(base) + strlen(ending) + 16;
  char *name = SUP_ALLOC(beside->arena, char, size);
  if (!name) return sup_fail_memory(error, "a file name");
  for (unsigned n = 1; n < 1000; n++) {
    int used = snprintf(name, size, "%.*s", stem, base);
    if (n > 1) used += snprintf(name + used, size - (size_t)used, "_%u", n);
    snprintf(name + used, size - (size_t)used, "%s", ending);
    char *path = path_of(beside, name);
    if (!path) return sup_fail_memory(error, "a file name");
    Place place = look_at(beside, name, path, data, bytes);
    if (place == PLACE_TAKEN || names_file(beside->arena, document->json.root, name)) continue;
    if (place == PLACE_FREE) add_file(beside, path, data, bytes);
    *out_uri = uri_of(beside->arena, name);
    return *out_uri ? SUP_OK : sup_fail_memory(error, "a file name");
  }
  return sup_fail(error, SUP_ERROR_IO,
                  "%s: a thousand files beside it have its name; write into "
                  "another folder",
                  beside->path);
}

/* ---- Writing -------------------------------------------------------------------------------- */

/* A folder that was made on the way. */
typedef struct MadeFolder {
  struct MadeFolder *before;
  const char *path;
} MadeFolder;

/* Makes the folders of a path below the .gltf's own. */
static SupResult make_folders(GltfBeside *beside, char *path, MadeFolder **io_made,
                              SupError *error) {
  for (char *c = path + sup_folder_length(beside->path); *c; c++) {
    if (*c != '/') continue;
    *c = 0;
    SupResult result = SUP_OK;
    if (mkdir(path, 0777) == 0) {
      MadeFolder *made = SUP_ALLOC(beside->arena, MadeFolder, 1);
      const char *copy = made ? sup_arena_string(beside->arena, path, strlen(path)) : NULL;
      if (copy) *io_made = memcpy(made, &(MadeFolder){*io_made, copy}, sizeof *made);
    } else if (errno != EEXIST) {
      result = sup_fail(error, SUP_ERROR_IO, "%s: %s", path, strerror(errno));
    }
    *c = '/';
    if (result != SUP_OK) return result;
  }
  return SUP_OK;
}

static SupResult write_files(GltfBeside *beside, MadeFolder **io_made, SupError *error) {
  for (uint32_t k = 0; k < beside->file_count; k++) {
    GltfBesideFile *file = &beside->files[k];
    SupResult result = make_folders(beside, file->path, io_made, error);
    if (result == SUP_OK) {
      result = sup_file_begin(beside->allocator, file->path, &file->writer, error);
    }
    if (result != SUP_OK) return result;
    sup_file_write(file->writer, file->data, file->bytes);
    result = sup_file_flush(file->writer, error);
    if (result != SUP_OK) return result;
  }
  return SUP_OK;
}

static SupResult commit_files(GltfBeside *beside, SupError *error) {
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < beside->file_count && result == SUP_OK; k++) {
    SupFileWriter *writer = beside->files[k].writer;
    beside->files[k].writer = NULL;
    result = sup_file_commit(writer, error);
  }
  return result;
}

SupResult sup_gltf_beside_write(GltfBeside *beside,
                                void (*write_document)(void *user, SupFileWriter *writer),
                                void *user, SupError *error) {
  MadeFolder *made = NULL;
  SupFileWriter *writer = NULL;
  SupResult result = write_files(beside, &made, error);
  if (result == SUP_OK) result = sup_file_begin(beside->allocator, beside->path, &writer, error);
  if (result == SUP_OK) {
    write_document(user, writer);
    result = sup_file_flush(writer, error);
  }
  if (result == SUP_OK) result = commit_files(beside, error);
  if (result == SUP_OK) return sup_file_commit(writer, error);
  sup_file_abandon(writer);
  for (uint32_t k = 0; k < beside->file_count; k++) sup_file_abandon(beside->files[k].writer);
  for (; made; made = made->before) rmdir(made->path);
  return result;
}
