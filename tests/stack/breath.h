/* SPDX-License-Identifier: MIT */
/*
 * Two techniques that the library does not know, for tests: what they need is in this file and the
 * next, and nothing in src.
 *
 *   breath   an offset: one morph target, whose weight is amplitude sin(2 pi frequency t)
 *   twice    a goal provider: the rest shape twice as large, under the first bone
 */
#ifndef SUP_TESTS_STACK_BREATH_H
#define SUP_TESTS_STACK_BREATH_H

#include "supple/author/character.h"
#include "supple/author/model_pack.h"
#include "supple/technique.h"

#define BREATH_KIND SUP_FOURCC('B', 'R', 'T', 'H')
#define TWICE_KIND SUP_FOURCC('T', 'W', 'C', 'E')

extern const SupTechnique breath_technique, twice_technique;

/* Those of the build, then these two; ended by NULL. */
const SupTechnique *const *breath_techniques(void);

/* A model that moves every vertex by `way` at its full breath. NULL on failure. */
SupModel *breath_pack(SupArena *arena, const SupCharacter *character, float frequency,
                      float amplitude, SupVec3 way, SupError *error);

SupModel *twice_pack(SupArena *arena, const SupCharacter *character, SupError *error);

#endif
