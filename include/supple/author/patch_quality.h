/* SPDX-License-Identifier: MIT */
/*
 * Supple: how good patches are (docs/patches.md): round, with sides of like length and open
 * corners.
 */
#ifndef SUPPLE_AUTHOR_PATCH_QUALITY_H
#define SUPPLE_AUTHOR_PATCH_QUALITY_H

#include "supple/author/patches.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SupPatchQuality {
  double area; /* of the shape that the patches were cut on */
  double perimeter;
  uint32_t triangle_count;
  double roundness; /* 4 pi area / perimeter^2 over that of a regular polygon with as many sides: 1
                       for one, more where the patch bulges */
  double shortest_side, longest_side;
  double balance;     /* shortest over mean side: 1 where features are evenly placed */
  double least_angle; /* radians at a feature, within the patch */
  double greatest_angle;
  double shape;      /* 0 .. 1: all of the above */
  double distortion; /* of a parameterisation, 1 for none; 0: not known. The caller fills it in */
  double score;      /* 0 .. 1: shape over distortion */
} SupPatchQuality;

typedef struct SupPatchesQuality {
  uint32_t patch_count;
  SupPatchQuality *patches; /* [patch_count] in the order of SupPatches */
  double covered;           /* fraction of the skin that is in patches */
  double least_score;       /* of a patch */
  double score;             /* 0 .. 1: mean by area, times `covered` */
} SupPatchesQuality;

/* Measures all patches; distortions are 0. In `arena`. */
SupResult sup_patches_quality(SupArena *arena, const SupPatches *patches,
                              SupPatchesQuality *out_quality, SupError *error);

/* Scores again, after distortions were filled in. */
void sup_patches_score(SupPatchesQuality *quality);

#ifdef __cplusplus
}
#endif
#endif
