/* SPDX-License-Identifier: MIT */
/* Lists of groups and holds while they are made. */
#ifndef SUP_TRAIN_CHUNKS_CHUNK_HOLDS_WORK_H
#define SUP_TRAIN_CHUNKS_CHUNK_HOLDS_WORK_H

#include "fem/wedge_condense.h"

typedef struct SupHoldList {
  uint32_t group_count, hold_count;
  SupHoldKind *kinds;
  uint32_t *columns;
  SupHold *holds;
} SupHoldList;

/* Room for that many. */
static inline bool sup_hold_list(SupArena *arena, uint32_t most_groups, size_t most_holds,
                                 SupHoldList *out) {
  *out = (SupHoldList){.kinds = SUP_ALLOC(arena, SupHoldKind, most_groups),
                       .columns = SUP_ALLOC(arena, uint32_t, (size_t)most_groups + 1),
                       .holds = SUP_ALLOC(arena, SupHold, most_holds)};
  return out->kinds && out->columns && out->holds;
}

/* Returns the first of `count` new groups. */
static inline uint32_t sup_hold_list_groups(SupHoldList *list, SupHoldKind kind, uint32_t count) {
  const uint32_t first = list->group_count;
  for (uint32_t k = 0; k < count; k++) {
    list->kinds[list->group_count] = kind;
    list->columns[list->group_count + 1] = list->columns[list->group_count] + (uint32_t)kind;
    list->group_count++;
  }
  return first;
}

static inline void sup_hold_list_add(SupHoldList *list, uint32_t node, uint32_t group,
                                     double weight, SupVec3d at) {
  if (weight != 0) list->holds[list->hold_count++] = (SupHold){node, group, weight, at};
}

static inline SupHolds sup_hold_list_done(const SupHoldList *list) {
  return (SupHolds){list->group_count, list->hold_count, list->kinds, list->columns, list->holds};
}

#endif
