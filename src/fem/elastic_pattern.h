/* SPDX-License-Identifier: MIT */
#ifndef SUP_SRC_FEM_ELASTIC_PATTERN_H
#define SUP_SRC_FEM_ELASTIC_PATTERN_H

#include "fem/elastic.h"

/* Sets block_offsets, pair_offsets, pairs and the pattern of the matrix, from the mesh and the free
 * nodes of `body`, in `arena`; false when memory is short. */
bool sup_elastic_pattern(SupArena *arena, SupElastic *body);

#endif
