/* SPDX-License-Identifier: MIT */
/* Sets that grow by joining (union-find). The root of a set is its lowest member, so the outcome
 * does not depend on the order of the joins. parents[k] is k to begin with. */
#ifndef SUP_GEOM_FOREST_H
#define SUP_GEOM_FOREST_H

#include <stdint.h>

static inline uint32_t sup_forest_root(uint32_t *parents, uint32_t k) {
  while (parents[k] != k) {
    parents[k] = parents[parents[k]]; /* halves the path */
    k = parents[k];
  }
  return k;
}

static inline void sup_forest_join(uint32_t *parents, uint32_t a, uint32_t b) {
  a = sup_forest_root(parents, a);
  b = sup_forest_root(parents, b);
  if (a < b) parents[b] = a;
  if (b < a) parents[a] = b;
}

#endif
