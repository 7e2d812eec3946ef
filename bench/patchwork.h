/* SPDX-License-Identifier: MIT */
/*
 * A tube sewn from patches, of any size, and an envelope for it with a known law: what the bench
 * and the tests of the envelope play. Needs no C library.
 */
#ifndef SUP_BENCH_PATCHWORK_H
#define SUP_BENCH_PATCHWORK_H

#include "supple/author/envelope_pack.h"
#include "supple/pose.h"

enum { PATCHWORK_JOINTS = 4, PATCHWORK_SHAPES = 4, PATCHWORK_ANGLES = 2 };

typedef struct PatchworkDef {
  uint32_t around, along; /* patches; 2 or more, 1 or more */
  uint32_t cells;         /* along each side of a patch; 2 or more */
  uint32_t fields;        /* of each residual; 0: purely layered */
  uint32_t samples;       /* along each angle */
  uint32_t bare;          /* rows of vertices at each end without a patch: open seams */
  bool edge_points;       /* seams along the tube have points in the middle of edges too */
  bool even;              /* blends of multiquadrics, not of Gaussians */
  bool revised;           /* control vertices near the bend are kept off it */
  uint64_t seed;
} PatchworkDef;

/* Lives in the arena it was made in. Shape 1 bends, 2 bends more and twists, 3 bends like 1 and
 * twists the other way; some control vertices look at the bend alone, for which 1 and 3 are one
 * pose. Even patches read both angles, odd ones the bend. */
typedef struct Patchwork {
  SupCharacter character;
  SupEnvelopeDef def;
  SupTransform *poses; /* [PATCHWORK_SHAPES * PATCHWORK_JOINTS] of the example shapes */
  SupVec3 *controls;   /* [control_count * PATCHWORK_SHAPES] the control mesh in them */
} Patchwork;

/* False when memory is short. */
bool patchwork_make(SupArena *arena, const PatchworkDef *def, Patchwork *out);

/* What table k of a patch samples, at these angles (the second is 0 where the patch does not read
 * it): quadratic in each. */
double patchwork_law(uint32_t k, double bend, double twist);

/* The pose with these angles, in joints[PATCHWORK_JOINTS]: bend of joint 1, twist of joint 2. */
void patchwork_pose(const Patchwork *patchwork, float bend, float twist, SupTransform *out_joints);

#endif
