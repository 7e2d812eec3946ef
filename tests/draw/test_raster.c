/* SPDX-License-Identifier: MIT */
/* Triangles to samples: areas, shared edges, depth, and input that no mesh should have. */
#include "check.h"

#include <math.h>

#include "draw/camera.h"
#include "draw/raster.h"

enum { SIDE = 96, COUNT = SIDE * SIDE };
#define EMPTY (-1e30f)

typedef struct Sheet {
  float near[COUNT];
  uint32_t ids[COUNT];
  RasterTarget target;
} Sheet;

static Sheet sheet;

static void wipe(void) {
  for (int k = 0; k < COUNT; k++) {
    sheet.near[k] = EMPTY;
    sheet.ids[k] = UINT32_MAX;
  }
  sheet.target = (RasterTarget){SIDE, 0, SIDE, sheet.near, sheet.ids};
}

static uint32_t covered(uint32_t id) {
  uint32_t count = 0;
  for (int k = 0; k < COUNT; k++) count += sheet.ids[k] == id;
  return count;
}

static double frand(SupRng *rng, double low, double high) {
  return low + (high - low) * sup_rng_double(rng);
}

static void random_corners(SupRng *rng, RasterCorner *out) {
  for (int k = 0; k < 3; k++) {
    out[k] = (RasterCorner){frand(rng, 0, SIDE), frand(rng, 0, SIDE), frand(rng, 0.5, 2)};
  }
}

/* The samples inside are as many as its area says, but for those that its edges pass. */
static void a_triangle_covers_its_area(void **state) {
  (void)state;
  SupRng rng = sup_rng(7, 1);
  double sum = 0, area_sum = 0;
  for (uint32_t n = 0; n < 500; n++) {
    RasterCorner c[3];
    random_corners(&rng, c);
    const double ux = c[1].x - c[0].x, uy = c[1].y - c[0].y;
    const double vx = c[2].x - c[0].x, vy = c[2].y - c[0].y;
    const double area = fabs(ux * vy - uy * vx) / 2;
    const double around = hypot(ux, uy) + hypot(vx, vy) + hypot(vx - ux, vy - uy);
    wipe();
    sup_raster_triangle(&sheet.target, c, n);
    if (fabs(covered(n) - area) > 0.75 * around + 2) {
      fail_msg("triangle %u: %u samples, area %g", n, covered(n), area);
    }
    sum += covered(n);
    area_sum += area;
  }
  assert_true(fabs(sum / area_sum - 1) < 2e-3); /* no bias to either side */
}

/* Every sample of a square is in exactly one of the triangles that it is cut into, around corners
 * on centres, between them, and on edges through centres. */
static void neighbours_share_no_sample_and_leave_none(void **state) {
  (void)state;
  SupRng rng = sup_rng(3, 1);
  enum { CELLS = 8 };
  for (uint32_t n = 0; n < 40; n++) {
    RasterCorner grid[CELLS + 1][CELLS + 1];
    static uint32_t times[COUNT];
    memset(times, 0, sizeof times);
    for (int j = 0; j <= CELLS; j++) {
      for (int i = 0; i <= CELLS; i++) {
        const double step = 80.0 / CELLS, loose = n % 2 ? 3 : 0;
        const bool inner = i > 0 && j > 0 && i < CELLS && j < CELLS;
        grid[j][i] = (RasterCorner){8.5 + step * i + (inner ? frand(&rng, -loose, loose) : 0),
                                    8.5 + step * j + (inner ? frand(&rng, -loose, loose) : 0), 1};
      }
    }
    for (int k = 0; k < 2 * CELLS * CELLS; k++) {
      const int i = k / 2 % CELLS, j = k / 2 / CELLS;
      const RasterCorner *a = &grid[j][i], *b = &grid[j][i + 1], *c = &grid[j + 1][i + 1],
                         *d = &grid[j + 1][i];
      const RasterCorner one[3] = {*a, *b, *c}, two[3] = {*d, *c, *a}; /* of both orientations */
      wipe();
      sup_raster_triangle(&sheet.target, k % 2 ? two : one, 1);
      for (int s = 0; s < COUNT; s++) times[s] += sheet.ids[s] == 1;
    }
    for (int s = 0; s < COUNT; s++) {
      /* Left and top edges pass through centres and have them; right and bottom have not. */
      const int x = s % SIDE, y = s / SIDE;
      const uint32_t inside = x >= 8 && x < 88 && y >= 8 && y < 88;
      if (times[s] != inside) fail_msg("net %u, sample %d %d: %u times", n, x, y, times[s]);
    }
  }
}

static void the_nearest_is_seen_in_any_order(void **state) {
  (void)state;
  static uint32_t first[COUNT];
  SupRng rng = sup_rng(5, 1);
  RasterCorner c[20][3];
  for (int k = 0; k < 20; k++) random_corners(&rng, c[k]);
  for (int turn = 0; turn < 2; turn++) {
    wipe();
    for (uint32_t k = 0; k < 20; k++) {
      const uint32_t id = turn ? 19 - k : k;
      sup_raster_triangle(&sheet.target, c[id], id);
    }
    if (turn == 0) memcpy(first, sheet.ids, sizeof first);
  }
  assert_memory_equal(first, sheet.ids, sizeof first);
  /* Two that stand flat before each other. */
  const RasterCorner far[3] = {{0, 0, 1}, {90, 0, 1}, {0, 90, 1}};
  const RasterCorner near[3] = {{0, 0, 2}, {90, 0, 2}, {0, 90, 2}};
  wipe();
  sup_raster_triangle(&sheet.target, near, 1);
  sup_raster_triangle(&sheet.target, far, 2);
  assert_true(covered(1) > 3900 && covered(2) == 0);
}

/* A part of the rows gives what the whole has there. */
static void bands_are_parts_of_the_whole(void **state) {
  (void)state;
  static Sheet whole;
  SupRng rng = sup_rng(11, 1);
  RasterCorner c[30][3];
  for (int k = 0; k < 30; k++) random_corners(&rng, c[k]);
  wipe();
  for (uint32_t k = 0; k < 30; k++) sup_raster_triangle(&sheet.target, c[k], k);
  whole = sheet;
  wipe();
  for (uint32_t row = 0; row < SIDE; row += 7) {
    const RasterTarget band = {SIDE, row, SIDE - row < 7 ? SIDE - row : 7, sheet.near + row * SIDE,
                               sheet.ids + row * SIDE};
    for (uint32_t k = 0; k < 30; k++) sup_raster_triangle(&band, c[k], k);
  }
  assert_memory_equal(whole.ids, sheet.ids, sizeof whole.ids);
  assert_memory_equal(whole.near, sheet.near, sizeof whole.near);
}

static void senseless_triangles_cover_nothing(void **state) {
  (void)state;
  const double odd[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 1e12, -3e6};
  wipe();
  for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
    for (int place = 0; place < 9; place++) {
      RasterCorner c[3] = {{10, 10, 1}, {50, 12, 1}, {20, 60, 1}};
      double *numbers[9] = {&c[0].x,    &c[0].y, &c[0].near, &c[1].x,   &c[1].y,
                            &c[1].near, &c[2].x, &c[2].y,    &c[2].near};
      *numbers[place] = odd[k];
      if (place % 3 == 2 && fabs(odd[k]) < 1e30) continue; /* merely near or far */
      sup_raster_triangle(&sheet.target, c, 1);
    }
  }
  const RasterCorner point[3] = {{10, 10, 1}, {10, 10, 1}, {10, 10, 1}};
  const RasterCorner line[3] = {{10, 10, 1}, {20, 20, 1}, {40, 40, 1}};
  sup_raster_triangle(&sheet.target, point, 1);
  sup_raster_triangle(&sheet.target, line, 1);
  assert_int_equal(covered(1), 0);
  const double most = RASTER_FARTHEST - 1;
  const RasterCorner huge[3] = {{-most, -most, 1}, {most, -most, 1}, {0, most, 1}};
  sup_raster_triangle(&sheet.target, huge, 2);
  assert_int_equal(covered(2), COUNT);
}

/* A floor that runs from behind the eye to the horizon is cut, not lost. */
static void what_reaches_behind_the_eye_is_cut(void **state) {
  (void)state;
  const DrawSeen floor[3] = {{-1e4, -50, -1e3}, {1e4, -50, -1e3}, {0, -50, 1e7}};
  wipe();
  for (int k = 0; k < COUNT; k++) sheet.near[k] = 0;
  sup_draw_seen(&sheet.target, SIDE, SIDE, floor, 4);
  assert_true(covered(4) > COUNT / 3 && covered(4) <= COUNT / 2);
  for (int s = 0; s < COUNT; s++) assert_true(sheet.ids[s] == UINT32_MAX || s >= COUNT / 2 - SIDE);
  const DrawSeen behind[3] = {{-1, -1, -1}, {1, -1, -1}, {0, 1, -1}};
  const DrawSeen broken[3] = {{NAN, 0, 1}, {1, INFINITY, 1}, {0, 1, 1}};
  sup_draw_seen(&sheet.target, SIDE, SIDE, behind, 5);
  sup_draw_seen(&sheet.target, SIDE, SIDE, broken, 5);
  assert_int_equal(covered(5), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_triangle_covers_its_area),
      cmocka_unit_test(neighbours_share_no_sample_and_leave_none),
      cmocka_unit_test(the_nearest_is_seen_in_any_order),
      cmocka_unit_test(bands_are_parts_of_the_whole),
      cmocka_unit_test(senseless_triangles_cover_nothing),
      cmocka_unit_test(what_reaches_behind_the_eye_is_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
