/* SPDX-License-Identifier: MIT */
/* The triangles around every vertex of a packed skin, for normals that follow the positions. */
#ifndef SUP_SRC_AUTHOR_FANS_H
#define SUP_SRC_AUTHOR_FANS_H

#include "supple/author/character.h"
#include "supple/skin.h"

/* Blocks of 16 lanes: row r of block b holds the two other corners of the r-th triangle of each
 * lane, fan_first[b] + r rows of 2 * 16 lanes on. lanes[vertex_count] is where the skin has a
 * vertex. False when memory is out. */
bool sup_fans_pack(SupArena *arena, const SupMesh *mesh, const SupSkinView *skin,
                   const uint32_t *lanes, uint32_t **out_first, uint32_t **out_fans);

#endif
