/* SPDX-License-Identifier: MIT */
/* Supple: the skin of a character in a file, taken apart: by a patch file or without asking. */
#ifndef SUPPLE_APP_PATCH_CHARACTER_H
#define SUPPLE_APP_PATCH_CHARACTER_H

#include "supple/app/character_file.h"
#include "supple/author/patch_auto.h"
#include "supple/author/patch_chart.h"
#include "supple/author/patch_quality.h"
#include "supple/author/sides.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Start from sup_patch_character_def. */
typedef struct SupPatchCharacterDef {
  uint32_t cookie;
  const char *plan;  /* a patch file; NULL: sup_patch_auto decides */
  const char *names; /* a patch file that gives the patches their names and zones, or NULL */
  SupSide keep;      /* this side takes the place of the other one; SUP_SIDE_NONE: neither */
} SupPatchCharacterDef;

SupPatchCharacterDef sup_patch_character_def(void);

/* Everything in the context's arena; points into the character. */
typedef struct SupPatchCharacter {
  SupPatchPlan plan; /* on the body as it is, mirrored: what a patch file would hold */
  SupPatchFit fit;   /* of a patch file */
  SupPatchesDef def;
  SupPatches patches;
  double skin_area;      /* body units squared */
  double covered;        /* fraction of the skin that is in patches */
  int32_t skin_euler;    /* vertices - edges + triangles of the pieces of skin that have features */
  SupPatchCharts charts; /* harmonic, by lengths; no patches where one cannot be laid flat: */
  const char *not_flat;  /* a sentence that names it, else NULL */
  SupChartDistortion distortion;      /* means over all patches, and the worst triangle */
  uint32_t angles_patch, areas_patch; /* the ones that have it */
  SupPatchesQuality quality;          /* its distortion is the geometric mean of angles and areas */
  bool automatic;
  bool around; /* boundaries do not go through all of the plan's places, where others are now */
  uint32_t piece_count;        /* automatic: pieces of the body without patches */
  const SupPatchPiece *pieces; /* [piece_count] the largest first */
} SupPatchCharacter;

/* Reads or finds the plan, fits and mirrors it, lays it on the body and cuts. What moved is told in
 * the fit, never said. */
SupResult sup_patch_character(const SupAppContext *app, const SupCharacterFile *file,
                              const SupPatchCharacterDef *def, SupPatchCharacter *out_patches,
                              SupError *error);

/* Draws the patches from the front and from behind, a colour each, as a PNG; `size` is the longer
 * side of a view in pixels. */
SupResult sup_patch_picture(const SupAppContext *app, const SupPatchCharacter *patches,
                            uint32_t size, const char *path, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
