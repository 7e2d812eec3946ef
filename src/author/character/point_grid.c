/* SPDX-License-Identifier: MIT */
#include "author/character/point_grid.h"

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

/* Walks over the points of the eight cells that a ball touches. */
typedef struct Walk {
  const SupPointGrid *grid;
  SupVec3 place;
  Cell low, cell;
  uint32_t corner; /* of the next cell */
  uint32_t next;   /* point to look at, or SUP_NONE */
  uint32_t looked; /* points looked at so far */
} Walk;

static Walk walk_begin(const SupPointGrid *grid, SupVec3 place) {
  return (Walk){.grid = grid, .place = place, .low = cell_of(grid, place, -0.5), .next = SUP_NONE};
}

/* The next point within reach, in a fixed order; lower ones first in each cell. */
static bool walk_next(Walk *walk, SupPointNear *out_near) {
  const SupPointGrid *grid = walk->grid;
  for (;;) {
    while (walk->next == SUP_NONE) {
      uint32_t corner = walk->corner++;
      if (corner == 8) return false;
      walk->cell = (Cell){walk->low.x + (corner & 1), walk->low.y + (corner >> 1 & 1),
                          walk->low.z + (corner >> 2)};
      walk->next = grid->heads[bucket_of(grid, walk->cell)];
    }
    uint32_t v = walk->next;
    walk->next = grid->nexts[v];
    walk->looked++;
    double distance = sup_point_distance_squared(grid->points[v], walk->place);
    if (distance > grid->reach * grid->reach) continue;
    /* Two of the eight cells may share a bucket: count a point in its own cell only. */
    Cell own = cell_of(grid, grid->points[v], 0);
    if (own.x != walk->cell.x || own.y != walk->cell.y || own.z != walk->cell.z) continue;
    *out_near = (SupPointNear){v, distance};
    return true;
  }
}

uint32_t sup_point_grid_near(const SupPointGrid *grid, SupVec3 place, uint32_t capacity,
                             SupPointNear *out_near) {
  uint32_t count = 0;
  SupPointNear near;
  for (Walk walk = walk_begin(grid, place); count < capacity && walk_next(&walk, &near);) {
    out_near[count++] = near;
  }
  return count;
}

static void keep_nearest(SupPointNear *best, SupPointNear near) {
  bool nearer = near.distance_squared < best->distance_squared;
  bool tie = near.distance_squared == best->distance_squared && near.point < best->point;
  if (best->point == SUP_NONE || nearer || tie) *best = near;
}

void sup_point_grid_nearest(const SupPointGrid *grid, SupVec3 place, const uint32_t *taken,
                            SupPointNear *out_best, SupPointNear *out_free) {
  const uint32_t crowd = 4096;
  *out_best = *out_free = (SupPointNear){SUP_NONE, 0};
  SupPointNear near;
  for (Walk walk = walk_begin(grid, place); walk_next(&walk, &near);) {
    if (walk.looked > crowd) {
      *out_best = *out_free = (SupPointNear){SUP_NONE, 0};
      return;
    }
    keep_nearest(out_best, near);
    if (taken[near.point] == SUP_NONE) keep_nearest(out_free, near);
  }
}

void sup_point_grid_remove(SupPointGrid *grid, uint32_t point) {
  uint32_t *link = &grid->heads[bucket_of(grid, cell_of(grid, grid->points[point], 0))];
  while (*link != point) link = &grid->nexts[*link];
  *link = grid->nexts[point];
}
