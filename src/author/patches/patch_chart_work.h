/* SPDX-License-Identifier: MIT */
/* What is done before and after a patch is laid flat. */
#ifndef SUP_AUTHOR_PATCH_CHART_WORK_H
#define SUP_AUTHOR_PATCH_CHART_WORK_H

#include "supple/author/patch_chart.h"

/* Vertices and triangles of the chart of one patch, no places yet. Edges that cross the patch from
 * one side to the same side are divided in the middle: what they cut off would have no area. */
SupResult sup_chart_lay_out(SupArena *arena, const SupPatchesDef *def, const SupPatches *patches,
                            uint32_t patch, SupPatchChart *out_chart, SupError *error);

/* Where a vertex of a chart is on the skin. */
SupVec3d sup_chart_vertex_position(const SupMesh *skin, const SupPatches *patches,
                                   SupChartVertex vertex);

/* What finds places in charts[patch_count] with their places. */
SupResult sup_chart_finish(SupArena *arena, const SupPatchesDef *def, uint32_t patch_count,
                           SupPatchChart *charts, SupPatchCharts *out_charts, SupError *error);

#endif
