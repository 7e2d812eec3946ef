/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700
#include "io/gltf/gltf_names.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/scratch.h"
#include "io/json_read.h"
#include "io/path.h"
#include "supple/io/file.h"

json_t *sup_gltf_peek(SupArena *arena, const char *path) {
  SupArena scratch = sup_scratch(arena);
  SupError ignored;
  const uint8_t *data;
  size_t bytes;
  json_t *root = NULL;
  if (sup_file_read(&scratch, path, &data, &bytes, &ignored) == SUP_OK) {
    const char *text = (const char *)data;
    sup_gltf_find_json(data, bytes, &text, &bytes);
    const SupJsonDef def = {.text = text, .bytes = bytes, .allow_zero = true};
    bool fits = !scratch.limit || sup_json_bound(text, bytes) < scratch.limit - scratch.reserved;
    if (!fits || sup_json_read(&scratch, &def, &root, &ignored) != SUP_OK) root = NULL;
  }
  sup_arena_free(&scratch);
  return root;
}

const char *sup_gltf_without_dots(const char *relative) {
  while (relative[0] == '.' && relative[1] == '/') {
    relative += 2;
    while (*relative == '/') relative++;
  }
  return relative;
}

bool sup_gltf_names_file(SupArena *arena, const json_t *root, const char *relative) {
  static const char *const keys[] = {"buffers", "images"};
  for (int k = 0; k < 2; k++) {
    const json_t *array = json_object_get(root, keys[k]);
    for (size_t i = 0; i < json_array_size(array); i++) {
      const char *uri = sup_gltf_get_string(json_array_get(array, i), "uri"), *path = NULL;
      SupError ignored;
      if (!uri || sup_gltf_uri_is_data(uri)) continue;
      /* A name that does not fit into memory might be this one. */
      if (sup_gltf_uri_path(arena, uri, &path, &ignored) != SUP_OK) return true;
      /* Ways around, like "../folder/tube.bin", may lead here as well. */
      if (!path && sup_gltf_uri_may_end_in(arena, uri, relative)) return true;
      if (path && strcmp(sup_gltf_without_dots(path), sup_gltf_without_dots(relative)) == 0) {
        return true;
      }
    }
  }
  return false;
}

/* Whether a file begins like a document. Of what cannot be read nobody knows. */
static bool may_be_document(const char *path) {
  struct stat status;
  if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  char first[64];
  FILE *file = fopen(path, "rb");
  if (!file) return true;
  size_t bytes = fread(first, 1, sizeof first, file), at = 0;
  fclose(file);
  if (bytes >= 4 && memcmp(first, "glTF", 4) == 0) return true;
  if (bytes >= 3 && memcmp(first, "\xEF\xBB\xBF", 3) == 0) at = 3;
  while (at < bytes && first[at] && strchr(" \t\r\n", first[at])) at++;
  return at < bytes ? first[at] == '{' : bytes == sizeof first;
}

bool sup_gltf_is_named_beside(SupArena *arena, const char *path, const char *relative) {
  size_t length = sup_folder_length(path);
  SupArena scratch = sup_scratch(arena);
  char *folder = sup_arena_string(&scratch, length ? path : "./", length ? length : 2);
  DIR *entries = folder ? opendir(folder) : NULL;
  bool named = !entries;
  for (struct dirent *entry; !named && (entry = readdir(entries)) != NULL;) {
    size_t bytes = strlen(folder) + strlen(entry->d_name) + 1;
    char *other = SUP_ALLOC(&scratch, char, bytes);
    if (other) sup_format(other, bytes, "%s%s", folder, entry->d_name);
    if (other && !may_be_document(other)) continue;
    json_t *root = other ? sup_gltf_peek(&scratch, other) : NULL;
    named = !root || sup_gltf_names_file(&scratch, root, relative);
    json_decref(root);
  }
  if (entries) closedir(entries);
  sup_arena_free(&scratch);
  return named;
}
