/* SPDX-License-Identifier: MIT */
/*
 * Skins sewn from patches: what the techniques on patches have in common.
 *
 * Patches have rows of their own, in blocks of 16: the border, filled up to whole blocks, then the
 * interior, filled up likewise; a border vertex is in several of them. The last step takes every
 * lane of the skin from one row, so no two threads write one place and nothing depends on their
 * order. What no patch has keeps skinning's bits.
 */
#ifndef SUP_SRC_RUNTIME_SEWN_SKIN_H
#define SUP_SRC_RUNTIME_SEWN_SKIN_H

#include "supple/patch_parts.h"
#include "supple/skin.h"

#define SUP_SEWN_NONE UINT32_MAX /* no row */

/* Blocks of rows of so many vertices. */
static inline uint32_t sup_sewn_blocks(uint32_t count) {
  return count / SUP_SKIN_BLOCK + (count % SUP_SKIN_BLOCK ? 1 : 0);
}

/* The row, among those of its patch, of its i-th vertex. */
static inline uint32_t sup_sewn_row(uint32_t border_count, uint32_t i) {
  if (i < border_count) return i;
  return SUP_SKIN_BLOCK * sup_sewn_blocks(border_count) + (i - border_count);
}

static inline SupVec3 sup_sewn_get(const float *rows, uint32_t row) {
  const float *at = rows + (size_t)3 * (row - row % SUP_SKIN_BLOCK) + row % SUP_SKIN_BLOCK;
  return (SupVec3){at[0], at[SUP_SKIN_BLOCK], at[2 * SUP_SKIN_BLOCK]};
}

static inline void sup_sewn_put(float *rows, uint32_t row, SupVec3 v) {
  float *at = rows + (size_t)3 * (row - row % SUP_SKIN_BLOCK) + row % SUP_SKIN_BLOCK;
  at[0] = v.x, at[SUP_SKIN_BLOCK] = v.y, at[2 * SUP_SKIN_BLOCK] = v.z;
}

/* Where plain skinning puts a place, from the positions of the skin's lanes; of a vertex its very
 * bits. */
SupVec3 sup_sewn_skinned(const SupSeam *seam, const uint32_t *lanes, const float *positions);

/* Adds the border of a patch, rows[border_count], to sums[4 per seam]: x, y, z and how many. */
void sup_sewn_add_border(uint32_t border_count, const uint32_t *borders, const float *rows,
                         float *io_sums);

/* Sums become places: the mean of the patches' own positions, added in the order of the patches; at
 * open seams what plain skinning says. */
void sup_sewn_meet(uint32_t seam_count, const SupSeam *seams, const uint32_t *lanes,
                   const float *positions, float *io_sums);

/* The contexts of tasks over blocks of the skin's lanes. */
typedef struct SupSewnLanes {
  const uint32_t *sources; /* row of each lane, or SUP_SEWN_NONE: it stays */
  const float *rows;
  float *positions;
} SupSewnLanes;

void sup_sewn_fill_lanes(void *context, SupRange blocks);

/* Normals from the triangles around each vertex, by area; where they have none, what is there
 * stays. */
typedef struct SupSewnNormals {
  const uint32_t *ring_first, *rings; /* SupLaneRings */
  const float *positions;
  float *normals;
} SupSewnNormals;

void sup_sewn_fill_normals(void *context, SupRange blocks);

/* Whether the motion of a root can be taken off a pose. */
bool sup_sewn_has_inverse(SupAffine root);

#endif
