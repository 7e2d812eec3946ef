/* SPDX-License-Identifier: MIT */
/* Whole folders out. */
#define _GNU_SOURCE /* renameat2 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/path.h"
#include "io/temporary.h"
#include "supple/io/file.h"

struct SupFolderWriter {
  SupAllocator allocator;
  size_t bytes; /* of this struct with its names */
  char *path;
  char *temporary;
  char *marker;
  int lock; /* says that the temporary folder is in use, or -1 */
};

static bool is_dot(const char *name) { return strcmp(name, ".") == 0 || strcmp(name, "..") == 0; }

/* Whether the folder is empty or has an entry `marker`. */
static bool may_replace(const char *path, const char *marker) {
  DIR *folder = opendir(path);
  if (!folder) return false;
  bool is_empty = true, is_ours = false;
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    if (is_dot(entry->d_name)) continue;
    is_empty = false;
    if (strcmp(entry->d_name, marker) == 0) is_ours = true;
  }
  closedir(folder);
  return is_empty || is_ours;
}

static SupFolderWriter *folder_make(SupAllocator allocator, const char *path, const char *marker) {
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/') length--;
  size_t names = (length + 1) + (length + SUP_TEMPORARY_LENGTH);
  size_t bytes = sizeof(SupFolderWriter) + names + strlen(marker) + 1;
  SupFolderWriter *writer = allocator.allocate(allocator.user, bytes);
  if (!writer) return NULL;
  memset(writer, 0, bytes);
  writer->allocator = allocator;
  writer->bytes = bytes;
  writer->lock = -1;
  writer->path = (char *)(writer + 1);
  writer->temporary = writer->path + length + 1;
  writer->marker = writer->path + names;
  memcpy(writer->path, path, length);
  memcpy(writer->marker, marker, strlen(marker));
  return writer;
}

static void folder_free(SupFolderWriter *writer) {
  if (writer->lock >= 0) close(writer->lock);
  writer->allocator.release(writer->allocator.user, writer, writer->bytes);
}

SupResult sup_folder_begin(SupAllocator allocator, const char *path, const char *marker,
                           SupFolderWriter **out_writer, SupError *error) {
  *out_writer = NULL;
  SupFolderWriter *writer = folder_make(allocator, path, marker);
  if (!writer) return sup_fail_memory(error, path);
  struct stat old;
  SupResult result = SUP_OK;
  const char *name = writer->path + sup_folder_length(writer->path);
  if (!name[0] || is_dot(name)) {
    result =
        sup_fail(error, SUP_ERROR_IO, "'%s' cannot be replaced; give the name of a folder", path);
  } else if (lstat(writer->path, &old) == 0 && !S_ISDIR(old.st_mode)) {
    result =
        sup_fail(error, SUP_ERROR_IO, "%s: is not a folder; remove it or give another name", path);
  } else if (access(writer->path, F_OK) == 0 && !may_replace(writer->path, marker)) {
    result = sup_fail(error, SUP_ERROR_IO,
                      "%s: contains other files; give the name of a new or empty folder", path);
  } else if (!sup_temporary_folder(writer->path, writer->temporary, &writer->lock)) {
    result = sup_cannot_write(error, path, errno);
  }
  if (result == SUP_OK) {
    *out_writer = writer;
  } else {
    folder_free(writer);
  }
  return result;
}

const char *sup_folder_path(const SupFolderWriter *writer) { return writer->temporary; }

/* The name that an earlier folder has while neither it nor the new one is in its place: none that
 * is ever swept. From malloc. */
static char *name_aside(const SupFolderWriter *writer) {
  size_t folder = sup_folder_length(writer->path), bytes = folder + SUP_TEMPORARY_LENGTH;
  char *name = malloc(bytes);
  if (!name) return NULL;
  memcpy(name, writer->path, folder);
  sup_format(name + folder, bytes - folder, ".supple-old-%ld", (long)getpid());
  return name;
}

/* Puts the new folder in the place of a full one, which is then in the temporary folder's place. */
static bool exchange(SupFolderWriter *writer) {
#ifdef RENAME_EXCHANGE
  if (renameat2(AT_FDCWD, writer->temporary, AT_FDCWD, writer->path, RENAME_EXCHANGE) == 0)
    return true;
#endif
  char *aside = name_aside(writer);
  bool is_aside = aside && rename(writer->path, aside) == 0;
  bool done = is_aside && rename(writer->temporary, writer->path) == 0;
  if (is_aside) rename(aside, done ? writer->temporary : writer->path);
  free(aside);
  return done;
}

/* rename replaces an empty folder by itself. An earlier full one changes places with the new one,
 * in one step where the system can, and is removed then. */
SupResult sup_folder_commit(SupFolderWriter *writer, SupError *error) {
  SupResult result = SUP_OK;
  if (rename(writer->temporary, writer->path) != 0) {
    int reason = errno;
    bool is_full = reason == ENOTEMPTY || reason == EEXIST;
    if (!is_full || !may_replace(writer->path, writer->marker) || !exchange(writer)) {
      result = sup_cannot_write(error, writer->path, reason);
    }
    sup_remove_tree(writer->temporary);
  }
  folder_free(writer);
  return result;
}

void sup_folder_abandon(SupFolderWriter *writer) {
  if (!writer) return;
  sup_remove_tree(writer->temporary);
  folder_free(writer);
}
