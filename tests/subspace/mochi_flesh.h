/* SPDX-License-Identifier: MIT */
/* A built-in character with a subspace model, and motion for it. */
#ifndef SUP_TESTS_SUBSPACE_MOCHI_FLESH_H
#define SUP_TESTS_SUBSPACE_MOCHI_FLESH_H

#include "check.h"
#include "supple/pose.h"
#include "supple/train/subspace.h"

typedef struct Flesh {
  SupArena arena;
  SupCharacter character;
  SupSubspaceTrainDef def;
  SupSubspaceTrainReport report;
  SupSubspaceView view;
  SupSubspaceState *state;
  SupAffine *rest;    /* [bone_count] the palette of the rest pose */
  SupAffine *palette; /* [bone_count] scratch */
  SupAffine *still;   /* [bone_count] all zero: offsets are the functions' part alone */
  float *shown;       /* [3 * function_count] scratch */
  SupVec3 *offsets;   /* [vertex_count] scratch */
} Flesh;

/* A mochi of about 600 vertices; set def, then train. */
Flesh *flesh_open(uint32_t tets);
void flesh_train(Flesh *flesh);
void flesh_free(Flesh *flesh);

/* For groups of tests that share one. */
int flesh_make(void **state);
int flesh_unmake(void **state);

/* Every joint turned by up to `angle` radians about a random axis, into flesh->palette. */
void flesh_pose(Flesh *flesh, uint64_t seed, double angle);

/* The same at a time of a smooth random motion; the root also moves, by up to `way` metres. */
void flesh_motion(Flesh *flesh, uint64_t seed, double time, double angle, double way);

/* All bones by a rigid map: palette = move * palette. */
void flesh_move(Flesh *flesh, const SupAffine *move);

/* What the functions do now, into flesh->offsets; the largest, metres. */
float flesh_offsets(Flesh *flesh);

/* The place of vertex v: plain skinning with flesh->palette. */
SupVec3 flesh_skinned(const Flesh *flesh, uint32_t v);

#endif
