/* SPDX-License-Identifier: MIT */
/* Skins with patches whose answers are known. All in the arena of the body. */
#ifndef SUP_TESTS_PATCH_BODIES_H
#define SUP_TESTS_PATCH_BODIES_H

#include "check.h"
#include "supple/author/patches.h"
#include "supple/io/file.h"

typedef struct PatchBody {
  SupArena arena;
  SupMesh mesh;
  SupTopology topology;
  SupBvh bvh;
  SupPatchFeature features[16];
  SupPatchBoundary boundaries[24];
  SupPatchesDef def;
  SupPatches patches;
} PatchBody;

/* To be freed by patch_body_free. */
PatchBody *patch_body(void);
void patch_body_free(PatchBody *body);

/* A ball of that many subdivisions (shape_icosphere), bumpy by `bumps`: corners at random
 * distances from the middle, and scaled along the axes. Eight patches of three sides around its six
 * poles; boundaries along edges (cuts 0) or across triangles. `turn` renumbers the vertices. */
PatchBody *patch_ball(unsigned subdivisions, double bumps, SupVec3 scale, uint32_t cuts,
                      uint64_t turn);

/* A flat sheet of n x n squares, its inner vertices moved by up to `moved` in the plane; one patch
 * with features at these `count` vertices of its border, counter-clockwise. */
PatchBody *patch_sheet(uint32_t n, double moved, uint32_t count, const uint32_t *features);

/* A finger of `rows` rings of 16 vertices, as far apart as those in a ring, with a tip; open at its
 * root, where the four features of its one patch are. */
PatchBody *patch_finger(uint32_t rows);

#endif
