/* SPDX-License-Identifier: MIT */
/*
 * Supple: charts of patches: each patch laid flat in a convex polygon (docs/patches.md).
 *
 * A chart gives every place of a patch two coordinates, and back. Corresponding patches of two
 * characters lie in the same polygon, so a place of one leads to the place of the other, and what
 * the one has there (painted maps, for example) can be carried over. sup_patch_charts
 * (supple/train/patch_map.h) lays patches flat; what is here needs no solver.
 */
#ifndef SUPPLE_AUTHOR_PATCH_CHART_H
#define SUPPLE_AUTHOR_PATCH_CHART_H

#include "supple/author/patch_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the place of an inner vertex follows from its neighbours: their mean with these weights. */
typedef enum SupChartWeights {
  SUP_CHART_HARMONIC,         /* sums of cotangents: the least angles change; may flip triangles */
  SUP_CHART_MEAN_VALUE,       /* Floater 2003 */
  SUP_CHART_SHAPE_PRESERVING, /* Floater 1997 */
  SUP_CHART_UNIFORM,          /* Tutte 1963: all alike */
  SUP_CHART_WEIGHTS_COUNT
} SupChartWeights;

/* "harmonic", "mean-value", "shape-preserving", "uniform". */
const char *sup_chart_weights_name(SupChartWeights weights);

/* How much a chart changes the patch, scaled to the area of the patch: 1 is not at all. Means are
 * geometric ones over the area of the patch. */
typedef struct SupChartDistortion {
  double angles;        /* mean of the ratio of the singular values, >= 1 */
  double angles_worst;  /* of any triangle */
  double areas;         /* mean of the ratio of areas or its inverse, >= 1 */
  double areas_worst;   /* of any triangle */
  uint32_t worst_owner; /* the triangle of the skin that has angles_worst */
} SupChartDistortion;

/* A vertex of the cut mesh (b is a), or the middle between two of them. */
typedef struct SupChartVertex {
  uint32_t a, b;
} SupChartVertex;

typedef struct SupPatchChart {
  uint32_t corner_count;
  const double (*corners)[2]; /* [corner_count] of a convex polygon, counter-clockwise */
  uint32_t vertex_count;
  uint32_t loop_count;            /* the first vertices are the border, as SupPatch.loop */
  const SupChartVertex *vertices; /* [vertex_count] */
  const double (*uv)[2];          /* [vertex_count] in the polygon */
  uint32_t triangle_count;
  const uint32_t *triangles; /* [3 * triangle_count] counter-clockwise in the polygon, area > 0 */
  const uint32_t *twins;     /* [3 * triangle_count] as SupTopology.twins */
  const uint32_t *owners;    /* [triangle_count] triangle of the skin that each is part of */
  const double (*corner_weights)[3]; /* [3 * triangle_count] of the owner's corners */
  SupBvh tree;                       /* of the flat triangles, z = 0 */
  SupChartWeights weights;           /* that were used */
  uint32_t flipped_count; /* triangles that those asked for had turned over: the others' reason */
  SupChartDistortion distortion;
} SupPatchChart;

/* A triangle of a chart. */
typedef struct SupChartPiece {
  uint32_t patch, triangle;
} SupChartPiece;

typedef struct SupPatchCharts {
  uint32_t patch_count;
  const SupPatchChart *charts; /* [patch_count] as SupPatches.patches */
  uint32_t triangle_count;     /* of the skin */
  const uint32_t *offsets;     /* [triangle_count + 1] into pieces */
  const SupChartPiece *pieces; /* the parts of each triangle of the skin */
  uint32_t vertex_count;       /* of the skin */
} SupPatchCharts;

/* ---- Places ---------------------------------------------------------------------------------- */

/* A place on a skin: weights of a triangle's corners, none below 0, with sum 1. */
typedef struct SupSkinPlace {
  uint32_t triangle; /* SUP_NONE: nowhere */
  double weights[3];
} SupSkinPlace;

/* A place in a chart. */
typedef struct SupChartPlace {
  uint32_t patch; /* SUP_NONE: in none */
  double uv[2];
} SupChartPlace;

/* Where a place of a chart is on the skin; one outside the polygon counts as the nearest on its
 * border. */
SupSkinPlace sup_chart_to_skin(const SupPatchCharts *charts, SupChartPlace place);

/* Where a place of the skin is in its chart; on a border in the one of the lowest number. */
SupChartPlace sup_skin_to_chart(const SupPatchCharts *charts, SupSkinPlace place);

/* Where it is in bind space. */
SupVec3d sup_skin_place_position(const SupMesh *skin, SupSkinPlace place);

/* ---- From one character to another ----------------------------------------------------------- */

/* out_places[to->vertex_count]: the place on the skin of `from` that corresponds to each vertex of
 * the skin of `to`; nowhere for a vertex outside all patches. patches[to->patch_count] are those of
 * sup_patches_match. Returns how many have a place. */
uint32_t sup_charts_correspond(const SupPatchCharts *to, const SupPatchCharts *from,
                               const uint32_t *patches, SupSkinPlace *out_places);

/* Carries a map of the skin `from`, values[from->vertex_count], to places[count]: blended between
 * the corners of the triangle, or with `nearest` that of the nearest one (for numbers that name
 * something). Where there is no place, io_values[count] stay. */
void sup_map_carry(const SupMesh *from, const float *values, uint32_t count,
                   const SupSkinPlace *places, bool nearest, float *io_values);

/* The plan `to` with the names and zones of the patches of `from`, whose boundaries have the same
 * names. SUP_ERROR_FORMAT, with a sentence, where a boundary of a patch is missing in `to`.
 * *out_plan lives in `arena` and points into both. */
SupResult sup_patch_plan_carry_names(SupArena *arena, const SupPatchPlan *to,
                                     const SupPatchPlan *from, SupPatchPlan *out_plan,
                                     SupError *error);

/* The distortion of a chart of `patches` on the shape of `skin`. */
SupChartDistortion sup_chart_distortion(const SupMesh *skin, const SupPatches *patches,
                                        const SupPatchChart *chart);

#ifdef __cplusplus
}
#endif
#endif
