/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* lstat */
#include "io/gltf/gltf_beside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/gltf/gltf_names.h"
#include "io/path.h"

SupResult sup_gltf_beside_init(GltfBeside *beside, SupArena *arena, SupAllocator allocator,
                               const char *path, uint32_t most, SupError *error) {
  *beside = (GltfBeside){.arena = arena, .allocator = allocator, .path = path};
  beside->files = SUP_ALLOC(arena, GltfBesideFile, most);
  if (!beside->files) return sup_fail_memory(error, "saving");
  beside->earlier = sup_gltf_peek(arena, path);
  return SUP_OK;
}

void sup_gltf_beside_free(GltfBeside *beside) { json_decref(beside->earlier); }

/* ---- Names ---------------------------------------------------------------------------------- */

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
  PLACE_FREE, /* nothing is there */
  PLACE_SAME, /* the file is there already */
  PLACE_TAKEN /* by another file: one is never replaced, because a document may need it */
} Place;

static Place look_at(const GltfBeside *beside, const char *relative, const char *path,
                     const uint8_t *data, size_t bytes) {
  struct stat status;
  const char *own = beside->path + sup_folder_length(beside->path);
  if (strcmp(sup_gltf_without_dots(relative), own) == 0) return PLACE_TAKEN;
  for (uint32_t k = 0; k < beside->file_count; k++) {
    const GltfBesideFile *file = &beside->files[k];
    if (strcmp(file->path, path) != 0) continue;
    bool same = file->bytes == bytes && memcmp(file->data, data, bytes) == 0;
    return same ? PLACE_SAME : PLACE_TAKEN;
  }
  if (lstat(path, &status) != 0) return PLACE_FREE;
  return holds(path, data, bytes) ? PLACE_SAME : PLACE_TAKEN;
}

static void add_file(GltfBeside *beside, char *path, const uint8_t *data, size_t bytes) {
  beside->files[beside->file_count++] = (GltfBesideFile){path, data, bytes, NULL, false};
}

/* Adds the file under the first name that is free or holds it: FIRST LENGTH bytes of `stem`, a
 * dash, the hash of the contents, a number if need be, and the ending. */
static SupResult add_by_contents(GltfBeside *beside, const SupGltf *document, const char *stem,
                                 size_t length, const char *ending, const uint8_t *data,
                                 size_t bytes, const char **out_name, SupError *error) {
  size_t size = length + strlen(ending) + 40;
  char *name = SUP_ALLOC(beside->arena, char, size);
  if (!name) return sup_fail_memory(error, "a file name");
  unsigned long long hash = (unsigned long long)sup_hash(data, bytes, 0);
  for (unsigned n = 1; n < 1000; n++) {
    int used = snprintf(name, size, "%.*s-%016llx", (int)length, stem, hash);
    if (n > 1) used += snprintf(name + used, size - (size_t)used, "_%u", n);
    snprintf(name + used, size - (size_t)used, "%s", ending);
    char *path = path_of(beside, name);
    if (!path) return sup_fail_memory(error, "a file name");
    Place place = look_at(beside, name, path, data, bytes);
    bool named = sup_gltf_names_file(beside->arena, document->json.root, name);
    if (place == PLACE_TAKEN || (named && place == PLACE_FREE)) continue;
    if (place == PLACE_FREE) add_file(beside, path, data, bytes);
    *out_name = name;
    return SUP_OK;
  }
  return sup_fail(error, SUP_ERROR_IO,
                  "%s: a thousand files beside it have its name; write into another folder",
                  beside->path);
}

/* Length of the name at the end of `path` without its ending, cut (between characters) so that a
 * hash and an ending still make a file name. */
static size_t stem_length(const char *name) {
  const char *dot = strrchr(name, '.');
  size_t length = dot && dot != name ? (size_t)(dot - name) : strlen(name);
  if (length <= SUP_GLTF_STEM) return length;
  for (length = SUP_GLTF_STEM; length && ((unsigned char)name[length] & 0xC0) == 0x80;) length--;
  return length;
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

SupResult sup_gltf_beside_add(GltfBeside *beside, const SupGltf *document, const char *relative,
                              const uint8_t *data, size_t bytes, const char **out_uri,
                              SupError *error) {
  *out_uri = NULL;
  char *path = path_of(beside, relative);
  if (!path) return sup_fail_memory(error, "a file name");
  Place place = look_at(beside, relative, path, data, bytes);
  if (place == PLACE_FREE) add_file(beside, path, data, bytes);
  if (place != PLACE_TAKEN) return SUP_OK;
  size_t folder = sup_folder_length(relative);
  size_t stem = folder + stem_length(relative + folder);
  const char *dot = strrchr(relative + folder, '.'), *name;
  SupResult result =
      add_by_contents(beside, document, relative, stem, dot && dot != relative + folder ? dot : "",
                      data, bytes, &name, error);
  if (result != SUP_OK) return result;
  *out_uri = uri_of(beside->arena, name);
  return *out_uri ? SUP_OK : sup_fail_memory(error, "a file name");
}

SupResult sup_gltf_beside_add_named(GltfBeside *beside, const SupGltf *document,
                                    const uint8_t *data, size_t bytes, const char **out_uri,
                                    SupError *error) {
  const char *base = beside->path + sup_folder_length(beside->path), *name;
  SupResult result =
      add_by_contents(beside, document, base, stem_length(base), ".bin", data, bytes, &name, error);
  if (result != SUP_OK) return result;
  *out_uri = uri_of(beside->arena, name);
  return *out_uri ? SUP_OK : sup_fail_memory(error, "a file name");
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

/* Brings the names of the side files and of the folders made for them to the disk. */
static void sync_names(const GltfBeside *beside, const MadeFolder *made) {
  for (uint32_t k = 0; k < beside->file_count; k++) {
    const char *path = beside->files[k].path, *last = k ? beside->files[k - 1].path : "";
    size_t length = sup_folder_length(path);
    bool same = k && length == sup_folder_length(last) && memcmp(path, last, length) == 0;
    if (!same) sup_sync_folder(path);
  }
  for (; made; made = made->before) sup_sync_folder(made->path);
}

/* Side files first. None of them replaces anything, so that the old document stays whole until the
 * new one has its name. */
static SupResult commit_files(GltfBeside *beside, const MadeFolder *made, SupFileWriter *document,
                              SupError *error) {
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < beside->file_count && result == SUP_OK; k++) {
    SupFileWriter *writer = beside->files[k].writer;
    beside->files[k].writer = NULL;
    result = sup_file_commit(writer, error);
    beside->files[k].is_there = result == SUP_OK;
  }
  if (result != SUP_OK) {
    sup_file_abandon(document);
    return result;
  }
  sync_names(beside, made);
  return sup_file_commit(document, error);
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
  if (result == SUP_OK) {
    result = commit_files(beside, made, writer, error);
  } else {
    sup_file_abandon(writer);
  }
  if (result == SUP_OK) return SUP_OK;
  for (uint32_t k = 0; k < beside->file_count; k++) {
    sup_file_abandon(beside->files[k].writer);
    if (beside->files[k].is_there) unlink(beside->files[k].path);
  }
  for (; made; made = made->before) rmdir(made->path);
  return result;
}

/* Whether a name is one that we give, or gave, to the buffer of a .gltf: its stem with ".bin", or
 * with a dash, sixteen hexadecimal digits and perhaps "_N" between. level_terrain.bin is not
 * level.gltf's. */
static bool is_derived(const char *name, const char *stem, size_t length) {
  if (strncmp(name, stem, length) != 0) return false;
  const char *at = name + length;
  if (*at == '-') {
    if (strspn(++at, "0123456789abcdef") != 16) return false;
    at += 16;
    size_t digits = *at == '_' ? strspn(at + 1, "0123456789") : 0;
    if (digits) at += 1 + digits;
  }
  return strcmp(at, ".bin") == 0;
}

/* The path of a buffer that has the .gltf's name and lies beside it as a file; NULL for others. */
static const char *named_after_us(const GltfBeside *beside, const json_t *buffer,
                                  const char **out_relative) {
  const char *base = beside->path + sup_folder_length(beside->path), *relative = NULL;
  const char *uri = sup_gltf_get_string(buffer, "uri");
  SupError ignored;
  if (!uri || sup_gltf_uri_is_data(uri)) return NULL;
  if (sup_gltf_uri_path(beside->arena, uri, &relative, &ignored) != SUP_OK || !relative)
    return NULL;
  relative = sup_gltf_without_dots(relative);
  if (!is_derived(relative, base, stem_length(base))) return NULL;
  struct stat status;
  const char *path = path_of(beside, relative);
  *out_relative = relative;
  return path && lstat(path, &status) == 0 && S_ISREG(status.st_mode) ? path : NULL;
}

void sup_gltf_beside_retire(const GltfBeside *beside) {
  const json_t *buffers = json_object_get(beside->earlier, "buffers");
  unsigned looked = 0; /* each look reads the folder's documents: a few are ours, not thousands */
  for (size_t k = 0; k < json_array_size(buffers) && looked < 16; k++) {
    const char *relative, *path = named_after_us(beside, json_array_get(buffers, k), &relative);
    if (!path) continue;
    /* After a power cut the old document, which needs it, must not be there again. */
    if (!looked++) sup_sync_folder(beside->path);
    if (!sup_gltf_is_named_beside(beside->arena, beside->path, relative)) unlink(path);
  }
}
