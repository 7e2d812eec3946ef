/* SPDX-License-Identifier: MIT */
/* How thick the parts of a skin are, by rays inward. */
#ifndef SUP_SRC_FEM_FLESH_THICKNESS_H
#define SUP_SRC_FEM_FLESH_THICKNESS_H

#include "fem/inside.h"
#include "fem/skin_groups.h"

typedef struct SupThickness {
  double *halves;  /* [vertex_count] half thickness; 0 of a sheet without another side */
  SupVec3 *middle; /* [vertex_count] half-way through */
  double *areas;   /* [vertex_count] of skin around the vertex */
} SupThickness;

/* Each group by itself; insides[groups->count]. `size` is the longest side; what is thicker than
 * `enough` may be said to be too thin, but not less than that. In `arena`. */
SupResult sup_thickness_measure(SupArena *arena, const SupMesh *mesh, const SupGroups *groups,
                                const SupInside *insides, double size, double enough,
                                SupThickness *out_thickness, SupError *error);

/* How far flesh reaches along a unit direction: through the walls of parts that lie in each other,
 * looked at `ahead` behind them, but not further than the first one after `enough`. 0 where there
 * is no skin. */
float sup_reach(const SupInside *inside, SupVec3 from, SupVec3 way, float ahead, float enough);

/* Two directions across a unit one. */
void sup_across(SupVec3 axis, SupVec3 *out_u, SupVec3 *out_v);

/* Direction k of `count` around the axis that u and v are across to. */
SupVec3 sup_around(SupVec3 u, SupVec3 v, int k, int count);

/* The middle of `count` values, which are sorted. */
float sup_median(float *values, size_t count);

#endif
