/* SPDX-License-Identifier: MIT */
/*
 * Supple: a decomposition into patches without asking: from skeleton and skin weights
 * (docs/patches.md).
 *
 * Rings run around limbs where the weights of a joint and all below it are a half, and between
 * joints where a limb is long. Four seams lead from ring to ring; what lies between three rings or
 * more is divided in front and back around a middle. Names follow the joints, so that characters
 * with the same joint names get the same decomposition.
 */
#ifndef SUPPLE_AUTHOR_PATCH_AUTO_H
#define SUPPLE_AUTHOR_PATCH_AUTO_H

#include "supple/author/hard_parts.h"
#include "supple/author/patch_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Start from sup_patch_auto_def. */
typedef struct SupPatchAutoDef {
  uint32_t cookie;
  const SupCharacter *character;
  SupHardPartsDef hard; /* what is no flesh: pieces that are, mostly, get no patches */
} SupPatchAutoDef;

SupPatchAutoDef sup_patch_auto_def(const SupCharacter *character);

/* A connected piece of the body that has no patches. */
typedef struct SupPatchPiece {
  const char *name;        /* of its part, or of the bone that moves it most; never NULL */
  const char *reason;      /* "not flesh", "small", "no patch fits" */
  uint32_t triangle_count; /* its own */
  double area;             /* fraction of the skin */
} SupPatchPiece;

typedef struct SupPatchAuto {
  SupPatchPlan plan; /* of named patches alone */
  /* The plan's features and boundaries on the skin: what sup_patches_create cut. */
  SupTopology topology;
  SupPatchesDef def;
  SupPatches patches;
  double covered;        /* fraction of the skin that is in patches, */
  double flesh_covered;  /* and of the pieces that are not left out */
  uint32_t ring_count;   /* loops around limbs */
  uint32_t coarse_count; /* rings that were given up, since no patches were to be had with them */
  uint32_t left_out_count;
  const SupPatchPiece *left_out; /* [left_out_count] the largest first */
} SupPatchAuto;

/* Finds one; everything is in `arena` and points into the character; `def.topology` points into
 * *out_auto itself, so a copy needs it set again. SUP_ERROR_UNSUPPORTED where
 * there is no flesh to take apart; else there is always a decomposition, maybe a coarse one.
 * The same bits everywhere. */
SupResult sup_patch_auto(SupArena *arena, const SupPatchAutoDef *def, SupPatchAuto *out_auto,
                         SupError *error);

#ifdef __cplusplus
}
#endif
#endif
