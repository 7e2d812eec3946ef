/* SPDX-License-Identifier: MIT */
/* Coverage and depth of triangles, by edge functions in integers (Pineda 1988). */
#include "draw/raster.h"

#define UNIT 256 /* per sample */

typedef struct Edge {
  int64_t dx, dy; /* its change per sample to the right and down */
  int64_t value;  /* at the centre of the first sample; inside where >= 0 */
} Edge;

/* The edge from a to b of a triangle that lies on its positive side; px, py the first centre. */
static Edge edge_make(const int64_t a[2], const int64_t b[2], int64_t px, int64_t py) {
  const int64_t x = b[0] - a[0], y = b[1] - a[1];
  /* With y down and the inside on the positive side, a top edge runs to the right, a left edge
   * up. Centres on the others belong to the neighbour. */
  const bool owns = (y == 0 && x > 0) || y < 0;
  return (Edge){
      .dx = -y * UNIT, .dy = x * UNIT, .value = x * (py - a[1]) - y * (px - a[0]) - (owns ? 0 : 1)};
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* Rounds up to the sample whose centre is not before `at`. */
static int64_t first_centre(int64_t at) {
  const int64_t shifted = at - UNIT / 2 + UNIT - 1;
  return shifted >= 0 ? shifted / UNIT : -((-shifted + UNIT - 1) / UNIT);
}

static bool usable(const RasterCorner *c) {
  /* False for NaN. */
  return c->x > -RASTER_FARTHEST && c->x < RASTER_FARTHEST && c->y > -RASTER_FARTHEST &&
         c->y < RASTER_FARTHEST && c->near > -1e30 && c->near < 1e30;
}

/* The nearest half integer up: the same everywhere, which the C library's rounding need not be. */
static int64_t to_units(double x) {
  const double scaled = x * UNIT + 0.5;
  const int64_t cut = (int64_t)scaled;
  return (double)cut > scaled ? cut - 1 : cut;
}

/* What is nearest along one row, from its first sample on. */
static void fill_row(const RasterTarget *target, size_t at, int64_t count, const Edge edges[3],
                     const int64_t row[3], const double plane[2], uint32_t id) {
  int64_t e0 = row[0], e1 = row[1], e2 = row[2];
  for (int64_t k = 0; k < count; k++) {
    if ((e0 | e1 | e2) >= 0) {
      const float near = (float)(plane[0] + plane[1] * (double)k);
      if (near > target->near[at + (size_t)k]) {
        target->near[at + (size_t)k] = near;
        if (target->ids) target->ids[at + (size_t)k] = id;
      }
    }
    e0 += edges[0].dx, e1 += edges[1].dx, e2 += edges[2].dx;
  }
}

void sup_raster_triangle(const RasterTarget *target, const RasterCorner corners[3], uint32_t id) {
  int64_t p[3][2];
  for (int k = 0; k < 3; k++) {
    if (!usable(&corners[k])) return;
    p[k][0] = to_units(corners[k].x);
    p[k][1] = to_units(corners[k].y);
  }
  const int64_t area =
      (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
  if (area == 0) return;
  const int a = 0, b = area > 0 ? 1 : 2, c = area > 0 ? 2 : 1;
  const int64_t first_row = target->first_row, rows = target->height, columns = target->width;
  const int64_t x0 = most(first_centre(least(p[a][0], least(p[b][0], p[c][0]))), 0);
  const int64_t x1 = least(first_centre(most(p[a][0], most(p[b][0], p[c][0])) + 1), columns);
  const int64_t y0 = most(first_centre(least(p[a][1], least(p[b][1], p[c][1]))), first_row);
  const int64_t y1 =
      least(first_centre(most(p[a][1], most(p[b][1], p[c][1])) + 1), first_row + rows);
  if (x0 >= x1 || y0 >= y1) return;
  const int64_t px = x0 * UNIT + UNIT / 2, py = y0 * UNIT + UNIT / 2;
  const Edge edges[3] = {edge_make(p[b], p[c], px, py), edge_make(p[c], p[a], px, py),
                         edge_make(p[a], p[b], px, py)};
  /* `near` as a plane over the rounded corners. */
  const double ux = (double)(p[b][0] - p[a][0]), uy = (double)(p[b][1] - p[a][1]);
  const double vx = (double)(p[c][0] - p[a][0]), vy = (double)(p[c][1] - p[a][1]);
  const double du = corners[b].near - corners[a].near, dv = corners[c].near - corners[a].near;
  const double whole = ux * vy - uy * vx;
  const double slope_x = (du * vy - dv * uy) / whole, slope_y = (dv * ux - du * vx) / whole;
  for (int64_t y = y0; y < y1; y++) {
    const int64_t down = y - y0;
    const int64_t row[3] = {edges[0].value + down * edges[0].dy,
                            edges[1].value + down * edges[1].dy,
                            edges[2].value + down * edges[2].dy};
    const double plane[2] = {corners[a].near + slope_x * (double)(px - p[a][0]) +
                                 slope_y * (double)(py + down * UNIT - p[a][1]),
                             slope_x * UNIT};
    fill_row(target, (size_t)((y - first_row) * columns + x0), x1 - x0, edges, row, plane, id);
  }
}
