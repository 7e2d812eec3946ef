/* SPDX-License-Identifier: MIT */
/* A bar along x on one bone at its left end: a cantilever. */
#ifndef SUP_TESTS_MODES_BAR_H
#define SUP_TESTS_MODES_BAR_H

#include "check.h"
#include "supple/author/character.h"

enum { BAR_LONG = 40, BAR_WIDE = 4 }; /* squares along and across */
enum { BAR_RING = 4 * BAR_WIDE, BAR_VERTICES = BAR_RING * (BAR_LONG + 1) + 2 * 9 };

/* `length` by a tenth of it; rings of BAR_RING vertices from x = 0 on, the caps' insides last. */
SupCharacter bar_character(SupArena *arena, double length);

/* The middle of ring i. */
SupVec3d bar_middle(const float *positions, uint32_t ring);

#endif
