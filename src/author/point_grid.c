/* SPDX-License-Identifier: MIT */
#include "point_grid.h"

typedef struct Cell {
  int64_t x, y, z;
} Cell;

/* Rounds down; far beyond any mesh the cells end, which costs speed there, never correctness:
 * distances are always compared. */
static int64_t floor_to_cell(double value) {
  const double end = 4e18;
  if (value > end) value = end;
  if (value < -end) value = -end;
  int64_t whole = (int64_t)value;
  return (double)whole > value ? whole - 1 : whole;
}

static Cell cell_of(const SupPointGrid *grid, SupVec3 p, double shift) {
  return (Cell){floor_to_cell((double)p.x * grid->per_cell + shift),
                floor_to_cell((double)p.y * grid->per_cell + shift),
                floor_to_cell((double)p.z * grid->per_cell + shift)};
}

static uint32_t bucket_of(const SupPointGrid *grid, Cell cell) {
  return (uint32_t)sup_hash(&cell, sizeof cell, 0) & grid->mask;
}

bool sup_point_grid_make(SupArena *arena, const SupVec3 *points, uint32_t point_count, double reach,
                         SupPointGrid *out_grid) {
  uint32_t buckets = 16;
  while (buckets < point_count && buckets < ((uint32_t)1 << 30)) buckets *= 2;
  SupPointGrid grid = {
      .points = points,
      .reach = reach,
      .per_cell = 1 / (2 * reach),
      .mask = buckets - 1,
      .heads = SUP_ALLOC(arena, uint32_t, buckets),
      .nexts = SUP_ALLOC(arena, uint32_t, point_count),
  };
  if (!grid.heads || !grid.nexts) return false;
  for (uint32_t b = 0; b < buckets; b++) grid.heads[b] = SUP_NONE;
  /* From the last to the first: a bucket then begins with its lowest index. */
  for (uint32_t v = point_count; v-- > 0;) {
    uint32_t bucket = bucket_of(&grid, cell_of(&grid, points[v], 0));
    grid.nexts[v] = grid.heads[bucket];
    grid.heads[bucket] = v;
  }
  *out_grid = grid;
  return true;
}

static double distance_squared(SupVec3 a, SupVec3 b) {
  double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y;
  double z = (double)a.z - (double)b.z;
  return x * x + y * y + z * z;
}

uint32_t sup_point_grid_near(const SupPointGrid *grid, SupVec3 place, uint32_t capacity,
                             SupPointNear *out_near) {
  uint32_t count = 0;
  Cell low = cell_of(grid, place, -0.5);
  for (uint32_t corner = 0; corner < 8; corner++) {
    Cell cell = {low.x + (corner & 1), low.y + (corner >> 1 & 1), low.z + (corner >> 2)};
    for (uint32_t v = grid->heads[bucket_of(grid, cell)]; v != SUP_NONE; v = grid->nexts[v]) {
      double distance = distance_squared(grid->points[v], place);
      if (distance > grid->reach * grid->reach) continue;
      /* Two of the eight cells may share a bucket: count a point in its own cell only. */
      Cell own = cell_of(grid, grid->points[v], 0);
      if (own.x != cell.x || own.y != cell.y || own.z != cell.z) continue;
      if (count == capacity) return count;
      out_near[count++] = (SupPointNear){v, distance};
    }
  }
  return count;
}

void sup_point_grid_remove(SupPointGrid *grid, uint32_t point) {
  uint32_t *link = &grid->heads[bucket_of(grid, cell_of(grid, grid->points[point], 0))];
  while (*link != point) link = &grid->nexts[*link];
  *link = grid->nexts[point];
}
