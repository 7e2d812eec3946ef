/* SPDX-License-Identifier: MIT */
/* A creature made of random numbers, for tests: skeleton, clip, weights, packed skin. */
#ifndef SUP_TESTS_ANIM_CREATURE_H
#define SUP_TESTS_ANIM_CREATURE_H

#include "supple/author/skin_pack.h"
#include "supple/clip.h"

enum { CREATURE_JOINTS = 12, CREATURE_KEYS = 6, CREATURE_MORPHS = 2 };

typedef struct Creature {
  SupSkeleton skeleton;
  SupClip clip; /* every joint turns and moves; both morphs */
  SupSkinSource source;
  SupSkinView skin;
} Creature;

/* Rigid joints and inverse binds, so that the rest pose puts every vertex where it is; up to 8
 * influences. Everything lives in the arena. Returns false when memory is short. */
bool creature_make(SupArena *arena, uint64_t seed, uint32_t vertex_count, Creature *out);

/* Random numbers in [-size, size], and a random rotation. */
SupVec3 creature_vector(SupRng *rng, float size);
SupQuat creature_rotation(SupRng *rng);

#endif
