/* SPDX-License-Identifier: MIT */
/* Memory that a function needs only while it runs. */
#ifndef SUP_BASE_SCRATCH_H
#define SUP_BASE_SCRATCH_H

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

#endif
