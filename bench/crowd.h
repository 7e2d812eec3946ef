/* SPDX-License-Identifier: MIT */
/* What the tests and benches of batches play: a built-in body with everything that a surface model
 * can have, and palettes that move. No test library, so that it also builds where there is none. */
#ifndef SUP_BENCH_CROWD_H
#define SUP_BENCH_CROWD_H

#include "chain.h"
#include "supple/author/modes_pack.h"
#include "supple/author/surface_pack.h"

enum { CROWD_BONES = 24, CROWD_JOINTS = CHAIN_JOINTS };

/* Triangles reach across the body, so that tiles (supple/tiles.h) have large halos. */
#define CROWD_TANGLED 0x80000000u
/* Half of the vertices have no volume (gamma), and whole blocks no spokes. */
#define CROWD_HOLLOW 0x40000000u
/* An eta everywhere, also where maps do not vary. */
#define CROWD_FOLLOWS 0x20000000u

/* Three to six influences per vertex instead of four. */
#define CROWD_SPREAD 0x10000000u

typedef struct CrowdModel {
  SupModel *model;
  SupSurfaceView view;
} CrowdModel;

SupArena crowd_arena(void);

/* A limbed body of exactly that many vertices; flags of SupSurfaceDef, and those above; maps that
 * differ from vertex to vertex if `varied`. Stops the program with a sentence on failure. */
CrowdModel crowd_model(SupArena *arena, uint32_t vertex_count, uint32_t flags, bool varied);

/* The same for steps of h seconds. */
CrowdModel crowd_model_at(SupArena *arena, uint32_t vertex_count, uint32_t flags, bool varied,
                          float h);

/* A modes model of such a body: frequencies of some Hz, smooth shapes, any drive. */
SupModel *crowd_modes(SupArena *arena, uint32_t vertex_count, uint32_t mode_count);

/* A chain of CROWD_JOINTS joints with that many helpers (up to 8) of `states` numbers each. */
SupModel *crowd_helpers(SupArena *arena, uint32_t helper_count, uint32_t states);
SupModel *crowd_helpers_two(SupArena *arena, uint32_t helper_count,
                            uint32_t states); /* materials */

/* Its pose at a time, and where its joints are; helpers stand at rest. */
void crowd_joints(uint32_t character, double seconds, uint32_t joint_count, SupTransform *joints,
                  SupAffine *globals);

/* The bones of one character at a frame: they wave and turn, each by itself, differently for every
 * character. Scaled ones change size by a tenth, and one bone is mirrored. */
void crowd_palette(uint32_t character, double seconds, bool scaled, SupAffine *out);

#endif
