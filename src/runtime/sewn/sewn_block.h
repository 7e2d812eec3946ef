/* SPDX-License-Identifier: MIT */
/*
 * Sewing one patch, for kernels: its border goes to the seams, its interior by what that spreads to
 * it, F^-1 H s_b.
 *
 * The spread is stored by block of interior points, then border point, so that a pass streams
 * through it once for all three coordinates.
 */
#ifndef SUP_SRC_RUNTIME_SEWN_BLOCK_H
#define SUP_SRC_RUNTIME_SEWN_BLOCK_H

#include "anim/skin_block.h"
#include "runtime/sewn/sewn_skin.h"

#define SEWN_ROWS (3 * (size_t)SUP_BLOCK)

typedef struct SewnPatch {
  uint32_t border_count, interior_count;
  const uint32_t *borders; /* [border_count] seams */
  const float *spread;     /* by interior block: a row of 16 per border point */
  const float *seams;      /* [4 per seam] places */
  float *rows;             /* of the patch */
} SewnPatch;

SUP_INLINE float *sewn_border_point(float *rows, uint32_t b) {
  return rows + SEWN_ROWS * (b / SUP_BLOCK) + b % SUP_BLOCK;
}

/* Every border point becomes its displacement, s_b. */
static inline void sewn_part_from_seams(const SewnPatch *patch) {
  for (uint32_t b = 0; b < patch->border_count; b++) {
    const float *seam = patch->seams + 4 * (size_t)patch->borders[b];
    float *point = sewn_border_point(patch->rows, b);
    for (int k = 0; k < 3; k++) point[SUP_BLOCK * k] = seam[k] - point[SUP_BLOCK * k];
  }
}

static inline void sewn_go_to_seams(const SewnPatch *patch) {
  for (uint32_t b = 0; b < patch->border_count; b++) {
    const float *seam = patch->seams + 4 * (size_t)patch->borders[b];
    float *point = sewn_border_point(patch->rows, b);
    for (int k = 0; k < 3; k++) point[SUP_BLOCK * k] = seam[k];
  }
}

/* Adds what the border's displacements spread to a block of the interior. */
SUP_INLINE void sewn_spread_block(const float *spread, uint32_t border_count, const float *border,
                                  float *io_inside, int lane) {
  SkinVector s = {SUP_C(0), SUP_C(0), SUP_C(0)};
  for (uint32_t b = 0; b < border_count; b++) {
    const float *point = border + SEWN_ROWS * (b / SUP_BLOCK) + b % SUP_BLOCK;
    const sup_vf w = sup_vf_load(spread + (size_t)SUP_BLOCK * b + lane);
    s.x += w * point[0], s.y += w * point[SUP_BLOCK], s.z += w * point[2 * SUP_BLOCK];
  }
  const SkinVector p = skin_load(io_inside, lane);
  skin_store(io_inside, lane, (SkinVector){p.x + s.x, p.y + s.y, p.z + s.z});
}

static inline void sewn_stitch(const SewnPatch *patch) {
  float *inside = patch->rows + SEWN_ROWS * sup_sewn_blocks(patch->border_count);
  const uint32_t blocks = sup_sewn_blocks(patch->interior_count);
  sewn_part_from_seams(patch);
  for (uint32_t block = 0; block < blocks; block++) {
    const float *spread = patch->spread + (size_t)SUP_BLOCK * block * patch->border_count;
    for (int lane = 0; lane < SUP_BLOCK; lane += SUP_WIDTH) {
      sewn_spread_block(spread, patch->border_count, patch->rows, inside + SEWN_ROWS * block, lane);
    }
  }
  sewn_go_to_seams(patch);
}

#endif
