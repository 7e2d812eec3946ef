/* SPDX-License-Identifier: MIT */
/* Supple: laying patches flat (docs/patches.md). */
#ifndef SUPPLE_TRAIN_PATCH_MAP_H
#define SUPPLE_TRAIN_PATCH_MAP_H

#include "supple/author/patch_chart.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The polygon that a patch is laid into; its corners lie on the unit circle. */
typedef enum SupPatchPolygon {
  SUP_PATCH_POLYGON_LENGTHS, /* arcs in proportion to the lengths of the sides (Guo 2007), none
                                below a tenth of an even one */
  SUP_PATCH_POLYGON_REGULAR  /* all sides alike: the same whatever the patch looks like */
} SupPatchPolygon;

typedef struct SupPatchMapDef {
  const SupPatchesDef *def;
  const SupPatches *patches; /* of def */
  SupChartWeights weights;   /* to begin with */
  SupPatchPolygon polygon;
  const SupPatchCharts *like;  /* or NULL: charts whose polygons are taken over, in place of */
  const uint32_t *like_charts; /* `polygon`; [patch_count] the chart that each patch is like,
                                  or SUP_NONE */
} SupPatchMapDef;

/* Lays every patch flat. Border vertices divide the sides of the polygon as they divide the sides
 * of the patch, by length; every inner vertex lies at the weighted mean of its neighbours. If that
 * turns triangles over (area <= 0), mean value weights are taken, and if those do, equal ones:
 * SupPatchChart.weights and flipped_count tell. No triangle of the result is flipped: what equal
 * weights cannot lay flat in double precision is SUP_ERROR_NUMERIC with a sentence that names the
 * patch. Results live in `arena` and point into def->patches; *out_charts is untouched on failure.
 */
SupResult sup_patch_charts(SupArena *arena, const SupPatchMapDef *def, SupPatchCharts *out_charts,
                           SupError *error);

#ifdef __cplusplus
}
#endif
#endif
