/* SPDX-License-Identifier: MIT */
/* Skins with patches for chunks: limbs in a row, flat sheets and balls. */
#ifndef SUP_TESTS_CHUNK_BODIES_H
#define SUP_TESTS_CHUNK_BODIES_H

#include "patches/patch_bodies.h"
#include "train/chunks/chunk.h"
#include "train/chunks/shell.h"

#define LIMB_LENGTH 4.0

/* How wide a limb is at a place of the bone, 0 to 1 from joint to joint. */
typedef double LimbRadius(double u);
double limb_cylinder(double u);  /* 1 */
double limb_hourglass(double u); /* 1 at the joints, 0.4 in the middle */
double limb_waist(double u);     /* the same, 0.6 */

/* `limbs` tubes in a row along z, LIMB_LENGTH each, open at both ends; four patches of four sides
 * around each, whose corners are at angles of 0, 90, 180 and 270 degrees. The tube is bent by
 * `bend` at each joint, about x. */
PatchBody *limb_body(uint32_t limbs, LimbRadius *radius, double bend);
/* The joint before limb k, or behind the last. */
SupVec3d limb_joint(uint32_t k, double bend);
/* The direction of limb k in bind space. */
SupQuatd limb_turn(uint32_t k, double bend);

SupPatchCharts body_charts(PatchBody *body);

SupChunkDef body_def(const PatchBody *body, const SupPatchCharts *charts, uint32_t levels,
                     uint32_t slices);

/* The chunk of limb k; the wanted patches are given in a confused order. */
SupChunk limb_chunk(PatchBody *body, const SupChunkDef *def, uint32_t k, double bend);

/* A shell of the body's features, scaled by `size`, and its faces, one per patch. */
SupShell body_shell(PatchBody *body, double size, SupVec3d **out_positions);

/* The chunk of patch p above that shell. */
SupChunk shell_chunk(PatchBody *body, const SupChunkDef *def, const SupShell *shell,
                     const SupVec3d *positions, uint32_t p, SupSliceKind kind);

#endif
