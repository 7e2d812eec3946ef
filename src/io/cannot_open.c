/* SPDX-License-Identifier: MIT */
/* Why a file cannot be opened or written, as a person would say it. */
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "io/path.h"

enum {
  PATH_SHOWN = 200, /* of a folder in a sentence */
  NAMES_MOST = 200, /* of a folder that are looked at for the one that was meant */
  NAME_BYTES = 65   /* longer names are not looked at */
};

/* The first folder of the path that is not one: its length, and whether something else is there. 0:
 * all are folders. */
static size_t bad_folder(const char *path, bool *out_is_file) {
  const size_t length = sup_folder_length(path);
  char *folder = strdup(path);
  struct stat status;
  size_t found = 0;
  for (size_t k = 1; folder && k < length && !found; k++) {
    if (folder[k] != '/') continue;
    folder[k] = 0;
    const bool exists = stat(folder, &status) == 0;
    if (!exists || !S_ISDIR(status.st_mode)) found = k;
    *out_is_file = exists;
    folder[k] = '/';
  }
  free(folder);
  return found;
}

/* Where a folder of the path is missing: a sentence that says which; else SUP_OK. `what` stands
 * behind the path. */
static SupResult refuse_folder(SupError *error, const char *path, const char *what,
                               const char *advice) {
  bool is_file = false;
  const size_t length = bad_folder(path, &is_file);
  char folder[PATH_SHOWN];
  if (!length) return SUP_OK;
  sup_format(folder, length + 1 < sizeof folder ? length + 1 : sizeof folder, "%s", path);
  if (is_file) {
    return sup_fail(error, SUP_ERROR_IO, "%s: %s'%s' is a file, not a folder", path, what, folder);
  }
  return sup_fail(error, SUP_ERROR_IO, "%s: %sthere is no folder '%s'%s", path, what, folder,
                  advice);
}

SupResult sup_cannot_write(SupError *error, const char *path, int reason) {
  if (reason == ENOENT || reason == ENOTDIR) {
    SupResult result = refuse_folder(error, path, "cannot be written: ", "; make it first");
    if (result != SUP_OK) return result;
  }
  if (reason == EISDIR) {
    return sup_fail(error, SUP_ERROR_IO,
                    "%s: cannot be written: it is a folder; give the name of a file in it", path);
  }
  return sup_fail(error, SUP_ERROR_IO, "%s: cannot be written: %s", path, strerror(reason));
}

/* ---- The file that was meant ----------------------------------------------------------------- */

static const char *ending_of(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot && dot > name ? dot : name + strlen(name);
}

/* Names of the files in a folder whose ending is that of `name`, without it; and one that differs
 * from `name` in nothing but the ending. */
typedef struct Beside {
  char stems[NAMES_MOST][NAME_BYTES];
  const char *names[NAMES_MOST];
  size_t count;
  char other[NAME_BYTES];
} Beside;

static void look_at(Beside *beside, const char *name, const char *entry) {
  const char *ending = ending_of(name), *dot = ending_of(entry);
  const size_t stem = (size_t)(dot - entry);
  if (entry[0] == '.' || strlen(entry) >= NAME_BYTES) return;
  if (stem == (size_t)(ending - name) && strncasecmp(entry, name, stem) == 0 &&
      (!beside->other[0] || strcmp(entry, beside->other) < 0)) {
    memcpy(beside->other, entry, strlen(entry) + 1);
  }
  if (strcasecmp(ending, dot) != 0 || beside->count == NAMES_MOST) return;
  char *copy = beside->stems[beside->count];
  memcpy(copy, entry, stem);
  copy[stem] = 0;
  beside->names[beside->count++] = copy;
}

/* Folders have no order; of two that are as near the first by name is told. */
static int by_name(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "; did you mean 'X'?" where a file beside it has nearly that name. */
static void hint_file(char *hint, size_t size, const char *path) {
  const size_t length = sup_folder_length(path);
  const char *name = path + length, *ending = ending_of(name);
  char folder[PATH_SHOWN] = ".", shown[PATH_SHOWN + 2 * NAME_BYTES], stem[NAME_BYTES];
  hint[0] = 0;
  if (length >= sizeof folder || strlen(name) >= NAME_BYTES || !*name) return;
  if (length) sup_format(folder, length + 1, "%s", path);
  DIR *entries = opendir(folder);
  Beside *beside = calloc(1, sizeof *beside);
  const struct dirent *entry;
  while (entries && beside && (entry = readdir(entries))) look_at(beside, name, entry->d_name);
  if (entries) closedir(entries);
  if (!beside) return;
  qsort(beside->names, beside->count, sizeof *beside->names, by_name);
  sup_format(stem, (size_t)(ending - name) + 1, "%s", name);
  const char *nearest = sup_nearest_name(stem, beside->names, beside->count);
  folder[0] = 0;
  if (length) sup_format(folder, length + 1, "%s", path);
  if (nearest || beside->other[0]) {
    sup_format(shown, sizeof shown, "%s%s%s", folder, nearest ? nearest : beside->other,
               nearest ? ending : "");
    sup_did_you_mean(hint, size, shown);
  }
  free(beside);
}

SupResult sup_cannot_open(SupError *error, const char *path, int reason) {
  char hint[2 * PATH_SHOWN];
  struct stat status;
  if (reason != ENOENT && reason != ENOTDIR) {
    return sup_fail(error, SUP_ERROR_IO, "%s: cannot be opened: %s", path, strerror(reason));
  }
  SupResult result = refuse_folder(error, path, "", "");
  if (result != SUP_OK) return result;
  if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode)) {
    return sup_fail(error, SUP_ERROR_IO, "%s: is a link to a file that is not there", path);
  }
  hint_file(hint, sizeof hint, path);
  return sup_fail(error, SUP_ERROR_IO, "%s: there is no such file%s", path, hint);
}
