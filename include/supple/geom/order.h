/* SPDX-License-Identifier: MIT */
/*
 * Supple: an order of the vertices in which every 16 make a compact patch.
 *
 * Skinning handles blocks of 16 vertices and pays for every bone that any of them uses; dynamics
 * loads every vertex next to the block once. Both want blocks that share bones and are round.
 */
#ifndef SUPPLE_GEOM_ORDER_H
#define SUPPLE_GEOM_ORDER_H

#include "supple/geom/topology.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Vertices per block. */
#define SUP_BLOCK 16

typedef struct SupOrderDef {
  SupRings rings;
  /* Which bones move each vertex, as in SupSkin: bone_offsets[vertex_count + 1] into bones[]. Both
   * NULL: only the neighbours count. */
  const uint32_t *bone_offsets;
  const uint32_t *bones;
  uint32_t bone_count; /* every entry of bones[] is below it */
  /* What a bone of a block and a vertex outside next to it cost. Both 0 means the defaults, 3 and
   * 1: about their share in the time of a step. */
  float bone_cost;
  float outside_cost;
} SupOrderDef;

typedef struct SupOrder {
  uint32_t vertex_count;
  const uint32_t *old_of_new; /* [vertex_count] block b is old_of_new[16 b .. 16 b + 15] */
  const uint32_t *new_of_old; /* [vertex_count] its inverse */
  uint32_t block_count;       /* the last block may be shorter */
  double bones_per_block;     /* mean number of different bones */
  double outside_per_block;   /* mean number of vertices outside that are next to the block */
} SupOrder;

/* Finds a good order in expected linear time. Deterministic. Its quality hardly depends on the
 * order of the input (docs/geometry.md has figures), the order itself does. The result lives in
 * `arena`. Fails only if memory is short; *out_order is then untouched. `error` may be NULL. */
SupResult sup_order(SupArena *arena, const SupOrderDef *def, SupOrder *out_order, SupError *error);

/* The two means for a given order: old_of_new[vertex_count], or NULL for the order as it is. Fails
 * only if memory is short. */
SupResult sup_order_measure(SupArena *arena, const SupOrderDef *def, const uint32_t *old_of_new,
                            double *out_bones_per_block, double *out_outside_per_block,
                            SupError *error);

#ifdef __cplusplus
}
#endif
#endif
