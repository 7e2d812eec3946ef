/* SPDX-License-Identifier: MIT */
/* Are numbers finite? By their bits, so that no compiler may assume the answer. */
#ifndef SUP_BASE_FINITE_H
#define SUP_BASE_FINITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether floats[count] has no infinity and nothing that is not a number. */
static inline bool sup_finite_all(const void *floats, size_t count) {
  const uint32_t infinite = 0x7f800000u; /* the exponent of both */
  const char *at = (const char *)floats;
  uint32_t found = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t bits;
    __builtin_memcpy(&bits, at + sizeof bits * i, sizeof bits);
    found |= (bits & infinite) == infinite;
  }
  return !found;
}

#endif
