/* SPDX-License-Identifier: MIT */
/* Points in hashed cells: who lies within a small distance of a place? */
#ifndef SUP_AUTHOR_POINT_GRID_H
#define SUP_AUTHOR_POINT_GRID_H

#include "supple/geom/mesh.h"

typedef struct SupPointGrid {
  const SupVec3 *points;
  double reach;
  double per_cell; /* 1 / edge of a cell; the edge is twice the reach, so 8 cells cover a ball */
  uint32_t mask;
  uint32_t *heads; /* [mask + 1] first point of a bucket, or SUP_NONE */
  uint32_t *nexts; /* [point_count] */
} SupPointGrid;

/* One answer. */
typedef struct SupPointNear {
  uint32_t point;
  double distance_squared;
} SupPointNear;

/* Points finite, reach > 0. The grid points to `points`; its arrays are in `arena`. False when
 * memory is short. */
bool sup_point_grid_make(SupArena *arena, const SupVec3 *points, uint32_t point_count, double reach,
                         SupPointGrid *out_grid);

/* Up to `capacity` points within reach of `place` into out_near, and their number. The order is
 * fixed but not sorted. When more than `capacity` lie within reach the rest is left out, which
 * bounds the work where many points coincide. */
uint32_t sup_point_grid_near(const SupPointGrid *grid, SupVec3 place, uint32_t capacity,
                             SupPointNear *out_near);

/* The nearest point within reach of `place` into *out_best, and the nearest p with taken[p] ==
 * SUP_NONE into *out_free; of equally near ones the lowest. point is SUP_NONE where there is
 * none, and in both when so many points are that near that looking at all would take too long. */
void sup_point_grid_nearest(const SupPointGrid *grid, SupVec3 place, const uint32_t *taken,
                            SupPointNear *out_best, SupPointNear *out_free);

static inline double sup_point_distance_squared(SupVec3 a, SupVec3 b) {
  double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y;
  double z = (double)a.z - (double)b.z;
  return x * x + y * y + z * z;
}

/* Takes a point out of the grid; it must be in it. */
void sup_point_grid_remove(SupPointGrid *grid, uint32_t point);

#endif
