/* SPDX-License-Identifier: MIT */
/* Characters of planted flesh, and what must hold for everything that sup_chunks_train makes. */
#ifndef SUP_TESTS_TRAINED_H
#define SUP_TESTS_TRAINED_H

#include "chunk_bodies.h"
#include "supple/train/chunks.h"

/* A body with a chain of joints at places[count], each vertex on the bone that is nearest, and a
 * plan of one zone per bone that has patches. All in the arena of the body. */
typedef struct Flesh {
  PatchBody *body;
  SupCharacter character;
  SupPatchCharts charts;
  SupPatches patches; /* with zones */
  SupPatchPlan plan;
  SupPatchZone zones[8];
  SupPatchFlesh said[8];
  char names[8][16]; /* "joint0" and so on */
} Flesh;

/* Solid zones "zone0" .. between the joints where `solid`, else one stratum "zone0" of all. */
Flesh *make_flesh(PatchBody *body, uint32_t count, const SupVec3d *places, bool solid);
void free_flesh(Flesh *flesh);

SupChunksTrainDef flesh_def(const Flesh *flesh);

/* Weights add up, indices are in range, skin is where it was bound, held nodes are held where they
 * are, rims are where the nodes that they follow are. */
void check_trained(const SupCharacter *character, const SupChunksTrained *trained);

/* What the matrix of a piece makes of a small turn and shift, map - 1 in its own space, of all that
 * holds it: the largest difference from the same at a free node. */
double turn_error(const SupChunksPackDef *def, uint32_t piece, SupAffined map);

#endif
