/* SPDX-License-Identifier: MIT */
/* Baking into helper joints, step by step. */
#ifndef SUP_SRC_TRAIN_BAKE_BAKE_HELPERS_H
#define SUP_SRC_TRAIN_BAKE_BAKE_HELPERS_H

#include "train/bake/bake.h"

typedef struct HelperBaker {
  SupArena *arena;
  const SupBakeHelpersDef *def;
  const SupCharacter *character;
  SupError *error;
  BakeFrames frames;
  SupDecomposition parts; /* of the basis frames; its bones are the character's, then the helpers */
  SupDecomposeDef solver; /* with everything but the frames */
  SupAffine *motions;     /* [frames.count * helpers] rest to scene; first of the basis frames */
  SupVec3d *places;       /* [helpers] at rest, in the scene */
  double *radii;          /* [helpers] how far flesh reaches from there, root mean square */
  uint32_t *parents;      /* [helpers] bones */
  double tolerance;
  uint32_t kept_count;
} HelperBaker;

/* Everything up to where the helpers are in all frames. */
SupResult sup_bake_take_apart(HelperBaker *b, SupBakedHelpers *out);

/* Where a helper is in one frame, in the scene; `at` is its place at rest there. */
SupAffined sup_bake_global(const HelperBaker *b, uint32_t frame, uint32_t h, SupVec3d at);

/* A helper's motion below a joint, in one frame; the same at rest, where it stands in the bind pose
 * of a bone; `at` is its place at rest in the scene. */
SupAffined sup_bake_local(const HelperBaker *b, uint32_t frame, uint32_t h, uint32_t joint,
                          SupVec3d at);
SupAffined sup_bake_local_rest(const HelperBaker *b, uint32_t bone, SupVec3d at);

/* How much a helper moves against a bone, in square metres of its flesh. */
double sup_bake_restless(const HelperBaker *b, uint32_t h, uint32_t bone, SupVec3d at,
                         double radius);

/* The joint that a helper becomes, below its parent, standing `at` a place of the scene at rest. */
SupBakedHelper sup_bake_joint(const HelperBaker *b, uint32_t h, SupVec3d at);

/* Weights of all vertices, and the helpers' motions in the basis frames. */
SupResult sup_bake_solve(HelperBaker *b);

/* Their motions in all frames, and what is left. Needs places and parents. */
SupResult sup_bake_follow(HelperBaker *b, SupBakedHelpers *out);

#endif
