/* SPDX-License-Identifier: MIT */
/* The triangles around every vertex, in blocks. */
#include "author/pack/one_rings.h"

#define BLOCK SUP_SKIN_BLOCK

/* counts[lane] = triangles at each lane; with `one_rings` also writes them. */
static void walk(const SupMesh *mesh, const uint32_t *lanes, const uint32_t *first,
                 uint32_t *counts, uint32_t *one_rings) {
  for (uint32_t c = 0; c < 3 * mesh->triangle_count; c++) {
    const uint32_t *triangle = mesh->triangles + c - c % 3;
    const uint32_t lane = lanes[triangle[c % 3]];
    if (one_rings) {
      const size_t row = first[lane / BLOCK] + counts[lane];
      uint32_t *one_ring = one_rings + 2 * BLOCK * row + lane % BLOCK;
      one_ring[0] = lanes[triangle[(c + 1) % 3]];
      one_ring[BLOCK] = lanes[triangle[(c + 2) % 3]];
    }
    counts[lane]++;
  }
}

/* Spare lanes repeat the first lane of the last block. */
static void repeat(const SupSkinView *skin, const uint32_t *first, uint32_t *one_rings) {
  const uint32_t lanes = BLOCK * skin->block_count, last = skin->block_count - 1;
  for (size_t row = first[last]; row < first[last + 1]; row++) {
    for (uint32_t lane = skin->vertex_count; lane < lanes; lane++) {
      uint32_t *one_ring = one_rings + 2 * BLOCK * row;
      one_ring[lane % BLOCK] = one_ring[0];
      one_ring[BLOCK + lane % BLOCK] = one_ring[BLOCK];
    }
  }
}

SupResult sup_one_rings_pack(SupArena *arena, const SupMesh *mesh, const SupSkinView *skin,
                             SupFans *out_one_rings, SupError *error) {
  const size_t lane_count = (size_t)BLOCK * skin->block_count;
  uint32_t *lanes = SUP_ALLOC(arena, uint32_t, skin->vertex_count);
  uint32_t *counts = SUP_ALLOC(arena, uint32_t, lane_count);
  uint32_t *first = SUP_ALLOC(arena, uint32_t, (size_t)skin->block_count + 1);
  if (!lanes || !counts || !first) return sup_fail_memory(error, "packing triangles");
  for (uint32_t i = 0; i < skin->vertex_count; i++) lanes[skin->order[i]] = i;
  walk(mesh, lanes, first, counts, NULL);
  for (uint32_t block = 0; block < skin->block_count; block++) {
    uint32_t most = 0;
    for (uint32_t i = BLOCK * block; i < BLOCK * (block + 1); i++) {
      if (counts[i] > most) most = counts[i];
    }
    first[block + 1] = first[block] + most;
  }
  uint32_t *one_rings = SUP_ALLOC(arena, uint32_t, 2 * BLOCK * (size_t)first[skin->block_count]);
  if (!one_rings) return sup_fail_memory(error, "packing triangles");
  sup_zero(counts, lane_count * sizeof *counts);
  walk(mesh, lanes, first, counts, one_rings); /* lanes with fewer triangles keep (0, 0): no area */
  repeat(skin, first, one_rings);
  *out_one_rings = (SupFans){lanes, first, one_rings};
  return SUP_OK;
}
