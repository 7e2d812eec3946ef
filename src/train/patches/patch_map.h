/* SPDX-License-Identifier: MIT */
/* What the steps of sup_patch_charts hand to each other. */
#ifndef SUP_TRAIN_PATCHES_PATCH_MAP_H
#define SUP_TRAIN_PATCHES_PATCH_MAP_H

#include "supple/train/patch_map.h"

/* The weights of a chart's inner vertices, row by row. */
typedef struct SupChartSystem {
  uint32_t vertex_count, loop_count; /* the first vertices are the border */
  bool symmetric;
  const uint32_t *offsets;    /* [vertex_count - loop_count + 1] into neighbours and values */
  const uint32_t *neighbours; /* rising in each row */
  const double *values;       /* with sum 1 in each row where not symmetric */
} SupChartSystem;

/* `positions` are those of the chart's vertices. */
SupResult sup_chart_system(SupArena *arena, const SupPatchChart *chart, const SupVec3d *positions,
                           SupChartWeights weights, SupChartSystem *out_system, SupError *error);

/* The places of the inner vertices, io_uv[vertex_count], whose first loop_count are given.
 * SUP_ERROR_NUMERIC where there are none. */
SupResult sup_chart_solve(SupArena *arena, const SupChartSystem *system, double (*io_uv)[2],
                          SupError *error);

#endif
