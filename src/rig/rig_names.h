/* SPDX-License-Identifier: MIT */
/* What sentences about rigs have in common. */
#ifndef SUP_SRC_RIG_RIG_NAMES_H
#define SUP_SRC_RIG_RIG_NAMES_H

#include "supple/base.h"

/* " (line 12)" for an item of a file, "" for one of a program. Writes into buffer[size]. */
static inline const char *sup_rig_line(char *buffer, size_t size, uint32_t line) {
  if (line) {
    sup_format(buffer, size, " (line %u)", line);
  } else {
    buffer[0] = 0;
  }
  return buffer;
}

#endif
