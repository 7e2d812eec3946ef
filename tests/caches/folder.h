/* SPDX-License-Identifier: MIT */
/* A folder of a test's own, and whole files for it. Include after check.h. */
#ifndef SUP_TESTS_FOLDER_H
#define SUP_TESTS_FOLDER_H

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct Folder {
  char path[64];
  char name[512]; /* what folder_path gave last */
} Folder;

static inline Folder folder_make(void) {
  Folder folder = {.path = "/tmp/supple_test_XXXXXX"};
  assert_non_null(mkdtemp(folder.path));
  return folder;
}

/* A file in it; valid until the next call. */
static inline const char *folder_path(Folder *folder, const char *name) {
  snprintf(folder->name, sizeof folder->name, "%s/%s", folder->path, name);
  return folder->name;
}

/* Files in it; with `remove`, they go. */
static inline size_t folder_count(Folder *folder, bool remove) {
  DIR *directory = opendir(folder->path);
  assert_non_null(directory);
  size_t count = 0;
  for (struct dirent *entry; (entry = readdir(directory));) {
    if (entry->d_name[0] == '.') continue;
    count++;
    if (remove) assert_int_equal(unlink(folder_path(folder, entry->d_name)), 0);
  }
  closedir(directory);
  return count;
}

static inline void folder_remove(Folder *folder) {
  folder_count(folder, true);
  assert_int_equal(rmdir(folder->path), 0);
}

static inline void file_put(const char *path, const void *data, size_t bytes) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, bytes, file), bytes);
  assert_int_equal(fclose(file), 0);
}

/* The bytes of a small file; the caller frees. */
static inline uint8_t *file_get(const char *path, size_t *out_bytes) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  uint8_t *data = malloc((size_t)1 << 20);
  assert_non_null(data);
  *out_bytes = fread(data, 1, (size_t)1 << 20, file);
  assert_true(feof(file));
  fclose(file);
  return data;
}

#endif
