/* SPDX-License-Identifier: MIT */
/* Are numbers finite? By their bits, so that no compiler may assume the answer. */
#ifndef SUP_BASE_FINITE_H
#define SUP_BASE_FINITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SUP_INFINITE_BITS 0x7f800000u /* the exponent of infinities and of what is not a number */

typedef uint32_t SupFourBits __attribute__((vector_size(16), aligned(4), may_alias));

/* `found` with bits for those of floats[4 * quads] that are not finite. */
static inline SupFourBits sup_infinite_quads(SupFourBits found, const void *floats, size_t quads) {
  const SupFourBits infinite = {SUP_INFINITE_BITS, SUP_INFINITE_BITS, SUP_INFINITE_BITS,
                                SUP_INFINITE_BITS};
  const SupFourBits *at = (const SupFourBits *)floats;
  for (size_t i = 0; i < quads; i++) found |= (SupFourBits)((at[i] & infinite) == infinite);
  return found;
}

static inline bool sup_any_infinite(SupFourBits found) {
  return (found[0] | found[1] | found[2] | found[3]) != 0;
}

/* Whether floats[count] has no infinity and nothing that is not a number. */
static inline bool sup_finite_all(const void *floats, size_t count) {
  if (count == 0) return true; /* floats may be NULL */
  const SupFourBits none = {0, 0, 0, 0};
  const char *rest = (const char *)floats + sizeof none * (count / 4);
  uint32_t found = 0;
  for (size_t i = 0; i < count % 4; i++) {
    uint32_t bits;
    __builtin_memcpy(&bits, rest + sizeof bits * i, sizeof bits);
    found |= (bits & SUP_INFINITE_BITS) == SUP_INFINITE_BITS;
  }
  return !found && !sup_any_infinite(sup_infinite_quads(none, floats, count / 4));
}

#endif
