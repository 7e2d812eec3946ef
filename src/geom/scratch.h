/* SPDX-License-Identifier: MIT */
/* Memory that a function needs only while it runs. */
#ifndef SUP_GEOM_SCRATCH_H
#define SUP_GEOM_SCRATCH_H

#include "supple/base.h"

/* An arena of its own, from the same allocator and within what is left of the limit of `arena`.
 * Free it before returning. */
static inline SupArena sup_scratch(const SupArena *arena) {
  SupArena scratch;
  size_t left = 0;
  if (arena->limit) {
    left = arena->limit > arena->reserved ? arena->limit - arena->reserved : 1;
  }
  sup_arena_init(&scratch, arena->allocator, left);
  return scratch;
}

/* Counts what `scratch` holds against the limit of `arena`, while another function works in the
 * latter; gives the limit to be put back behind that. */
static inline size_t sup_scratch_charge(SupArena *arena, const SupArena *scratch) {
  size_t limit = arena->limit;
  if (limit) arena->limit = limit > scratch->reserved ? limit - scratch->reserved : 1;
  return limit;
}

static inline SupResult sup_fail_memory(SupError *error, const char *what) {
  return sup_fail(error, SUP_ERROR_MEMORY,
                  "not enough memory for %s; give more or use a smaller mesh", what);
}

/* Slots of an open-addressing hash table for `count` keys: a power of two, at most half full. */
static inline size_t sup_table_size(uint32_t count) {
  size_t size = 16;
  while (size < 2 * (size_t)count) size *= 2;
  return size;
}

/* A 64-bit mixer (the finaliser of MurmurHash3, Appleby), for tables of small integer keys. */
static inline uint64_t sup_mix(uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdu;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53u;
  return x ^ (x >> 33);
}

#endif
