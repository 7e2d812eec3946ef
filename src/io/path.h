/* SPDX-License-Identifier: MIT */
#ifndef SUP_IO_PATH_H
#define SUP_IO_PATH_H

#include <stdio.h>
#include <string.h>

#include "supple/base.h"

/* Length of the folder part of a path, its last slash included; 0 when there is none. */
static inline size_t sup_folder_length(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) + 1 : 0;
}

/* The part of a path that a person calls its name, without folder and ending; NULL out of memory.
 */
static inline const char *sup_short_name(SupArena *arena, const char *path) {
  const char *first = path + sup_folder_length(path);
  const char *dot = strrchr(first, '.');
  return sup_arena_string(arena, first, dot && dot > first ? (size_t)(dot - first) : strlen(first));
}

/* Opens a regular file for reading and gives its size. Everything else is refused with a sentence:
 * a pipe without a writer, or a terminal, would hold us up for ever. */
SupResult sup_open_regular(const char *path, FILE **out_file, uint64_t *out_bytes, SupError *error);

/* SUP_ERROR_IO with a sentence of why a file cannot be opened or written: a folder that is missing,
 * the name of a file beside it that may be meant, or what the system says. `reason` is an errno. */
SupResult sup_cannot_open(SupError *error, const char *path, int reason);
SupResult sup_cannot_write(SupError *error, const char *path, int reason);

/* Whether what is at `path` cannot be replaced by a rename, but only written into. */
bool sup_is_special(const char *path);

/* Where `path` leads if it is a link to something that can be replaced, itself otherwise; from
 * malloc, NULL with errno. */
char *sup_follow_link(const char *path);

/* Brings the names in the folder of `path` to the disk, as far as the system can. */
void sup_sync_folder(const char *path);

#endif
