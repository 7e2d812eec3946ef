/* SPDX-License-Identifier: MIT */
#ifndef SUP_IO_PATH_H
#define SUP_IO_PATH_H

#include <stddef.h>
#include <string.h>

/* Length of the folder part of a path, its last slash included; 0 when there is none. */
static inline size_t sup_folder_length(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) + 1 : 0;
}

#endif
