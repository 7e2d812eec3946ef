/* SPDX-License-Identifier: MIT */
/* What holds for every automatic decomposition, counted again. */
#ifndef SUP_TESTS_PATCH_CHECKS_H
#define SUP_TESTS_PATCH_CHECKS_H

#include "check.h"
#include "supple/author/patch_auto.h"

/* Finds one and checks it: patches are discs with three features or more; the cut skin has the area
 * of the skin, triangle by triangle; names are given once; every named patch is there; the plan,
 * laid on the character, gives the same patches. */
void check_auto(SupArena *arena, const SupPatchAutoDef *def, SupPatchAuto *out);

/* Both have the same decomposition. */
void check_isomorphic(const SupPatchAuto *a, const SupPatchAuto *b);

/* "upper_arm_l.outer" for "upper_arm_r.outer", "chest.left" for "chest.right"; pairs come in
 * alphabetical order as the library gives them. False: longer than `size`. */
bool mirror_name(const char *name, size_t size, char *out);

#endif
