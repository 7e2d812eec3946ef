/* SPDX-License-Identifier: MIT */
/* What the checks of all model kinds ask of the sections of a block that nobody may trust. */
#ifndef SUP_SRC_RUNTIME_MODEL_CHECKS_H
#define SUP_SRC_RUNTIME_MODEL_CHECKS_H

#include "supple/skin.h"

/* A section's items; *io_complete becomes false where there is none. */
static inline const void *sup_need_section(const SupModel *model, uint32_t id, size_t item_bytes,
                                           uint64_t *out_count, bool *io_complete) {
  const void *found = sup_model_section(model, id, item_bytes, out_count);
  if (!found) *io_complete = false;
  return found;
}

/* A technique's skin is that of the body it belongs to. */
static inline bool sup_skin_is_of_mesh(const SupModel *model, const SupSkinView *skin) {
  return skin->vertex_count == model->mesh.vertex_count;
}

/* All from -limit to limit; not so for what is no number. */
static inline bool sup_all_within(const float *values, uint64_t count, float limit) {
  for (uint64_t i = 0; i < count; i++) {
    if (!(values[i] >= -limit && values[i] <= limit)) return false;
  }
  return true;
}

/* Finite, and far enough from the largest number that sums of squares are finite too. */
static inline bool sup_all_moderate(const float *values, uint64_t count) {
  return sup_all_within(values, count, 1e15f);
}

static inline bool sup_all_below(const uint32_t *indices, uint64_t count, uint32_t bound) {
  for (uint64_t i = 0; i < count; i++) {
    if (indices[i] >= bound) return false;
  }
  return true;
}

/* One-rings of triangles (two corners per lane and row): rows rise from 0 to the end, and every
 * corner is a lane. */
static inline bool sup_one_rings_fit(const SupSkinView *skin, const uint32_t *one_ring_first,
                                     uint64_t first_count, const uint32_t *one_rings,
                                     uint64_t one_ring_count) {
  const uint32_t blocks = skin->block_count, row = 2 * SUP_SKIN_BLOCK;
  if (first_count != (uint64_t)blocks + 1 || one_ring_first[0] != 0) return false;
  for (uint32_t b = 0; b < blocks; b++) {
    if (one_ring_first[b + 1] < one_ring_first[b]) return false;
  }
  return one_ring_count == (uint64_t)row * one_ring_first[blocks] &&
         sup_all_below(one_rings, one_ring_count, SUP_SKIN_BLOCK * blocks);
}

#endif
