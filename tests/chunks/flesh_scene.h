/* SPDX-License-Identifier: MIT */
/*
 * Real chunks, packed: a ball of eight ordinary chunks with two bones inside and two limbs bound
 * bent, the start of the first on the rim of a chunk of the ball.
 */
#ifndef SUP_TESTS_CHUNKS_FLESH_SCENE_H
#define SUP_TESTS_CHUNKS_FLESH_SCENE_H

#include "chunk_bodies.h"
#include "fleshed.h"
#include "train/chunks/chunk_holds.h"

enum { ORDINARY = 8, LIMBS = 2, PIECES = ORDINARY + LIMBS, MOST = 1024 };

/* A chunk, what it was condensed to, and its surface. */
typedef struct Flesh {
  SupChunk chunk;
  SupShellHolds shell;
  SupLimbHolds limb;
  const SupHolds *holds;
  SupCondensed condensed;
  uint32_t free_count, count, *surface; /* nodes of the chunk: free ones first */
} Flesh;

typedef struct Scene {
  PatchBody *ball, *limbs;
  SupPatchCharts charts[2];
  SupShell shell;
  SupVec3d *rest; /* of the shell */
  Flesh flesh[PIECES];
  SupArena *arena;
  SupCharacter character;
  SupChunksPackDef def;
  uint32_t base; /* vertices of the ball */
  uint32_t rim;  /* of limbs: nodes around */
  SupChunksPieceDef pieces[PIECES];
  Fleshed *play;
} Scene;

Scene *scene_create(void);
void scene_free(Scene *scene);

/* Which node of the ball node i of the first limb's rim goes with, at rest, in bind space. */
SupVec3d scene_ball_rest(const Scene *scene, uint32_t i);

#endif
