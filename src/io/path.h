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

/* Opens a regular file for reading and gives its size. Everything else is refused with a sentence:
 * a pipe without a writer, or a terminal, would hold us up for ever. */
SupResult sup_open_regular(const char *path, FILE **out_file, uint64_t *out_bytes, SupError *error);

#endif
