/* SPDX-License-Identifier: MIT */
/* The triangles around every vertex of a packed skin, for normals that follow the positions. */
#ifndef SUP_SRC_AUTHOR_ONE_RINGS_H
#define SUP_SRC_AUTHOR_ONE_RINGS_H

#include "supple/author/character.h"
#include "supple/skin.h"

/* Blocks of 16 lanes: row r of block b holds the two other corners of the r-th triangle of each
 * lane, first[b] + r rows of 2 * 16 lanes on. */
typedef struct SupFans {
  uint32_t *lanes;     /* [vertex_count] where the skin has a vertex */
  uint32_t *first;     /* [block_count + 1] rows */
  uint32_t *one_rings; /* [2 * 16 * first[block_count]] */
} SupFans;

SupResult sup_one_rings_pack(SupArena *arena, const SupMesh *mesh, const SupSkinView *skin,
                             SupFans *out_one_rings, SupError *error);

#endif
