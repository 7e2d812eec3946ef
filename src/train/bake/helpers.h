/* SPDX-License-Identifier: MIT */
/* Baking into helper joints, step by step. */
#ifndef SUP_SRC_TRAIN_BAKE_HELPERS_H
#define SUP_SRC_TRAIN_BAKE_HELPERS_H

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

/* Weights of all vertices, and the helpers' motions in the basis frames. */
SupResult sup_bake_solve(HelperBaker *b);

/* Their motions in all frames, and what is left. Needs places and parents. */
SupResult sup_bake_follow(HelperBaker *b, SupBakedHelpers *out);

#endif
