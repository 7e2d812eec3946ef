/* SPDX-License-Identifier: MIT */
/* A small wavy sheet on a chain of three bones: the character of the rows of techniques. */
#ifndef SUP_TESTS_HASH_SHEET_H
#define SUP_TESTS_HASH_SHEET_H

#include "supple/author/character.h"

enum { SHEET_WIDE = 13, SHEET_LONG = 11, SHEET_VERTICES = SHEET_WIDE * SHEET_LONG };
enum { SHEET_BONES = 3, SHEET_LANES = (SHEET_VERTICES + 15) / 16 * 16 };

/* All calls give the same arrays. */
SupCharacter hash_sheet(void);

/* One random vector in [-0.5, 0.5) for each of `count`. */
void hash_fill_vectors(SupRng *rng, SupVec3 *out, uint32_t count);

#endif
