/* SPDX-License-Identifier: MIT */
/* A tube whose end follows and swings as a known helper does. */
#ifndef SUP_TESTS_HELPERS_PLANTED_H
#define SUP_TESTS_HELPERS_PLANTED_H

#include "supple/train/helpers.h"

enum { PLANTED_FRAMES = 240 };

/* Five sines of random frequencies and phases. */
double planted_waves(uint32_t seed, double time);

/* Random waves of an amplitude, flesh that swings at `rate` radians per second (damping ratio 0.1)
 * and moves with the pose. */
SupHelpersMotion planted_motion(SupArena *arena, const SupCharacter *tube, uint32_t seed,
                                double amplitude, double rate);

/* The same with flesh that feels no push beyond `most` metres per frame^2. */
SupHelpersMotion planted_deaf_motion(SupArena *arena, const SupCharacter *tube, uint32_t seed,
                                     double amplitude, double rate, double most);

/* Root mean square distance of a character with helpers from a motion, at a level; a blend of
 * materials by their fractions, or NULL. Negative: there is no such blend. */
double planted_error(SupArena *arena, const SupCharacter *character, const SupModel *model,
                     const float *fractions, const SupHelpersMotion *motion, SupHelpersLod lod);

#endif
