/* SPDX-License-Identifier: MIT */
/* A small sound model of every technique, for tests that damage them. */
#ifndef SUP_TESTS_FUZZ_SOUND_MODELS_H
#define SUP_TESTS_FUZZ_SOUND_MODELS_H

#include "supple/author/character.h"
#include "supple/model.h"

enum { SOUND_MODELS = 10, SOUND_BLEND = 7 };

typedef struct SoundModel {
  const char *name;
  const SupSkeleton *skeleton;
  const SupModel *model;
} SoundModel;

/* A surface, muscles, correctives, modes, two techniques of tests/stack/breath.h, helpers,
 * helpers of two materials (SOUND_BLEND), an envelope, and chunks. Made once; aborts when that
 * fails. */
const SoundModel *sound_models(void);

/* Plays a checked model for so many frames: the root and a joint move, muscles pull, gravity and a
 * hand act; helpers of several materials are `blended`. False as soon as a position or a normal is
 * no finite number. A model that no stack takes is not played. */
bool sound_step(const SupSkeleton *skeleton, const SupModel *model, bool blended, int frames);

#endif
