/* SPDX-License-Identifier: MIT */
/* Where a packed envelope has the vertices of its patches: for packing and unpacking. */
#ifndef SUP_SRC_AUTHOR_ENVELOPE_ROWS_H
#define SUP_SRC_AUTHOR_ENVELOPE_ROWS_H

#include "supple/envelope.h"

#define SUP_ENVELOPE_COOKIE SUP_FOURCC('e', 'v', 'd', 'f')

/* The row, among those of its patch, of its i-th vertex: the border, whole blocks, the interior. */
static inline uint32_t sup_envelope_row(const SupEnvelopeFace *face, uint32_t i) {
  if (i < face->border_count) return i;
  return SUP_SKIN_BLOCK * sup_range_count(face->border_count, SUP_SKIN_BLOCK) +
         (i - face->border_count);
}

/* The patch that a row is in, among patches[0 .. last]. */
static inline uint32_t sup_envelope_patch_of_row(const SupEnvelopeFace *faces, uint32_t row,
                                                 uint32_t last) {
  uint32_t low = 0, high = last + 1;
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if (SUP_SKIN_BLOCK * faces[middle].first_block <= row)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static inline bool sup_envelope_on_border(const SupEnvelopeFace *faces, uint32_t row,
                                          uint32_t last) {
  const SupEnvelopeFace *face = &faces[sup_envelope_patch_of_row(faces, row, last)];
  return row - SUP_SKIN_BLOCK * face->first_block < face->border_count;
}

/* The seam of a row on the border of its patch. */
static inline uint32_t sup_envelope_seam_of_row(const SupEnvelopeFace *faces,
                                                const uint32_t *borders, uint32_t row,
                                                uint32_t last) {
  const SupEnvelopeFace *face = &faces[sup_envelope_patch_of_row(faces, row, last)];
  return borders[face->first_border + row - SUP_SKIN_BLOCK * face->first_block];
}

#endif
