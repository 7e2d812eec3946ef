/* SPDX-License-Identifier: MIT */
/* Motions that a surface model made itself, in double precision: what it can be taught from. */
#ifndef SUP_TESTS_SURFACE_LESSON_H
#define SUP_TESTS_SURFACE_LESSON_H

#include "flesh.h"
#include "supple/train/surface.h"

#define LESSON_H (1.0f / 30)

typedef struct Lesson {
  SupArena *arena;
  SupCharacter tube;
  uint32_t n;                         /* vertices */
  float *truth[SUP_SURFACE_ALL_MAPS]; /* [n] alpha .. delta, and those of the normal; or NULL */
  uint32_t flags;                     /* of the model that made it */
  SupSurfaceExample example;          /* exact */
  SupVec3d *positions;                /* [frame_count * n] the example's */
} Lesson;

/* A tube whose numbers vary smoothly, through `frames` frames of a lively motion (0: in training,
 * 1: another one). `flags` as published or ours; drag only in ours. With SUP_SURFACE_NORMAL it is
 * stiffer along the normal below, along the skin above; with SUP_SURFACE_UNDELAYED it has eta. */
void lesson_make(SupArena *arena, uint32_t around, uint32_t along, uint32_t frames, int motion,
                 uint32_t flags, Lesson *out);

/* The body of another lesson as it moves with these maps instead of the true ones. */
void lesson_play(const Lesson *lesson, const SupSurfaceMaps *maps, int motion, Lesson *out);

/* Adds noise of a fraction of the greatest offset from the goal. */
void lesson_noise(Lesson *lesson, double fraction, uint64_t seed);

/* The flesh of this motion goes only a fraction of its way from the goal. */
void lesson_calm(Lesson *l, double fraction);

/* What to learn it with: no smoothing, no dropping. */
SupSurfaceTrainDef lesson_def(const Lesson *lesson);

/* The greatest difference between the maps and the truth. */
double lesson_distance(const Lesson *lesson, const SupSurfaceMaps *maps);

#endif
