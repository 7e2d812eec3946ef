/* SPDX-License-Identifier: MIT */
/*
 * Union-find: disjoint sets of 0 .. count - 1 that grow by joining.
 *
 * The sets lie in the caller's parents[count]. The root of a set is its lowest member, so the
 * outcome does not depend on the order of the joins.
 */
#ifndef SUP_BASE_UNION_FIND_H
#define SUP_BASE_UNION_FIND_H

#include <stdint.h>

/* Every element alone in its set. */
static inline void sup_union_find_init(uint32_t *parents, uint32_t count) {
  for (uint32_t k = 0; k < count; k++) parents[k] = k;
}

/* The lowest member of the set of k. */
static inline uint32_t sup_union_find_root(uint32_t *parents, uint32_t k) {
  while (parents[k] != k) {
    parents[k] = parents[parents[k]]; /* halves the path */
    k = parents[k];
  }
  return k;
}

/* Makes one set of those of a and b. */
static inline void sup_union_find_join(uint32_t *parents, uint32_t a, uint32_t b) {
  a = sup_union_find_root(parents, a);
  b = sup_union_find_root(parents, b);
  if (a < b) parents[b] = a;
  if (b < a) parents[a] = b;
}

#endif
