/* SPDX-License-Identifier: MIT */
/* A built-in character with pairs of relaxed and clenched shapes that follow a known law. */
#ifndef SUP_TESTS_POPPING_DANCER_H
#define SUP_TESTS_POPPING_DANCER_H

#include "check.h"
#include "supple/popping.h"
#include "supple/stack.h"
#include "supple/train/popping.h"

enum { DANCER_PAIRS = 3 };

typedef struct Dancer {
  SupArena arena;
  SupCharacter character;
  const SupBackend *backend;
  SupPose pose;
  SupAffine *globals, *palette;
  SupPoppingPair pairs[DANCER_PAIRS]; /* by bending of the knee */
  SupVec3 *shapes[DANCER_PAIRS][2];   /* scene space: relaxed, clenched */
  SupPoppingTrainDef def;
  SupPoppingTrainReport report;
} Dancer;

Dancer *dancer_create(const char *name, uint32_t vertices);
void dancer_free(Dancer *dancer);

/* The rest pose with every joint but the root turned by `angle` about its x axis; the palette too.
 */
void dancer_bend(Dancer *dancer, float angle);

/* The pose of a pair: into dancer->pose and the palette. */
void dancer_pose(Dancer *dancer, uint32_t pair);

/* Where an offset in rest space takes a vertex under the palette. */
SupVec3 dancer_place(const Dancer *dancer, uint32_t vertex, SupVec3 offset);

/* Builds dancer->def; the model lives in the arena. */
SupModel *dancer_model(Dancer *dancer);

/* A stack of these models (NULL: none), and its state. */
typedef struct Show {
  Dancer *dancer;
  SupStack stack;
  SupStackState *state;
  float *positions, *normals;
} Show;

Show show_begin(Dancer *dancer, const SupModel *a, const SupModel *b, const SupModel *c);

/* One frame in dancer->pose. */
void show_frame(Show *show, double dt, uint32_t count, const SupPoppingEvent *events);

#endif
