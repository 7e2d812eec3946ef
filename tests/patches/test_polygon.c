/* SPDX-License-Identifier: MIT */
/* GUO-T4: barycentric coordinates in convex polygons. */
#include <math.h>

#include "check.h"
#include "supple/polygon.h"

#define MOST 16

typedef void Coordinates(uint32_t, const double (*)[2], const double[2], double *);
static Coordinates *const kinds[2] = {sup_polygon_weights, sup_polygon_smooth_weights};

/* Corners on an ellipse, turned and moved, at uneven angles. */
static uint32_t random_polygon(SupRng *rng, double (*corners)[2]) {
  const uint32_t count = 3 + sup_rng_below(rng, MOST - 2);
  const double size = pow(10, 6 * sup_rng_double(rng) - 3), turn = 6 * sup_rng_double(rng);
  double angles[MOST], sum = 0, at = 0;
  for (uint32_t k = 0; k < count; k++) sum += angles[k] = 0.2 + sup_rng_double(rng);
  for (uint32_t k = 0; k < count; k++) {
    const double x = 2 * cos(at), y = sin(at);
    corners[k][0] = size * (x * cos(turn) - y * sin(turn) + 0.7);
    corners[k][1] = size * (x * sin(turn) + y * cos(turn) - 0.2);
    at += angles[k] * 2 * SUP_PI / sum;
  }
  return count;
}

static double size_of(uint32_t count, double (*corners)[2]) {
  double most = 0;
  for (uint32_t k = 0; k < count; k++) {
    most = fmax(most, fmax(fabs(corners[k][0]), fabs(corners[k][1])));
  }
  return most;
}

static void check(uint32_t count, double (*corners)[2], const double place[2], const double *w) {
  double sum = 0, x = 0, y = 0;
  for (uint32_t k = 0; k < count; k++) {
    assert_true(w[k] >= 0);
    sum += w[k];
    x += w[k] * corners[k][0];
    y += w[k] * corners[k][1];
  }
  assert_true(fabs(sum - 1) < 1e-14);
  assert_true(hypot(x - place[0], y - place[1]) < 1e-13 * size_of(count, corners));
}

/* Sum 1, none below 0, linear precision 1e-13, for places inside. */
static void test_inside(void **state) {
  (void)state;
  SupRng rng = sup_rng(4, 1);
  for (int round = 0; round < 20000; round++) {
    double corners[MOST][2], w[MOST], blend[MOST], place[2], again[2], sum = 0;
    const uint32_t count = random_polygon(&rng, corners);
    assert_true(sup_polygon_is_convex(count, (const double(*)[2])corners));
    for (uint32_t k = 0; k < count; k++) sum += blend[k] = -log(1 - sup_rng_double(&rng));
    for (uint32_t k = 0; k < count; k++) blend[k] /= sum;
    sup_polygon_place(count, (const double(*)[2])corners, blend, place);
    for (int kind = 0; kind < 2; kind++) {
      kinds[kind](count, (const double(*)[2])corners, place, w);
      check(count, corners, place, w);
      sup_polygon_place(count, (const double(*)[2])corners, w, again);
      assert_true(hypot(again[0] - place[0], again[1] - place[1]) <
                  1e-13 * size_of(count, corners));
    }
  }
}

static double cross(const double *a, const double *b, const double *c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* The mean over corners, by trying every triangle of every fan. */
static void test_fans(void **state) {
  (void)state;
  SupRng rng = sup_rng(4, 2);
  for (int round = 0; round < 3000; round++) {
    double corners[MOST][2], w[MOST], want[MOST] = {0}, blend[MOST], place[2], sum = 0;
    const uint32_t count = random_polygon(&rng, corners);
    for (uint32_t k = 0; k < count; k++) sum += blend[k] = sup_rng_double(&rng);
    for (uint32_t k = 0; k < count; k++) blend[k] /= sum;
    sup_polygon_place(count, (const double(*)[2])corners, blend, place);
    for (uint32_t j = 0; j < count; j++) {
      for (uint32_t s = 1; s + 1 < count; s++) {
        const uint32_t k = (j + s) % count, n = (j + s + 1) % count;
        const double whole = cross(corners[j], corners[k], corners[n]);
        const double a = cross(corners[k], corners[n], place) / whole;
        const double b = cross(corners[n], corners[j], place) / whole;
        const double c = cross(corners[j], corners[k], place) / whole;
        if (a < 0 || b < 0 || c < 0) continue;
        want[j] += a / count;
        want[k] += b / count;
        want[n] += c / count;
      }
    }
    sup_polygon_weights(count, (const double(*)[2])corners, place, w);
    for (uint32_t k = 0; k < count; k++) assert_true(fabs(w[k] - want[k]) < 1e-11);
  }
}

/* Corners are their own; on a side only its ends count, and two polygons that share it agree, also
 * for places that come near it from inside. */
static void test_border(void **state) {
  (void)state;
  SupRng rng = sup_rng(4, 3);
  for (int round = 0; round < 4000; round++) {
    double corners[MOST][2], w[MOST], middle[2] = {0, 0};
    const uint32_t count = random_polygon(&rng, corners), k = sup_rng_below(&rng, count);
    const uint32_t next = (k + 1) % count;
    const double g = sup_rng_double(&rng);
    const double place[2] = {corners[k][0] + g * (corners[next][0] - corners[k][0]),
                             corners[k][1] + g * (corners[next][1] - corners[k][1])};
    for (uint32_t i = 0; i < count; i++) {
      middle[0] += corners[i][0] / count;
      middle[1] += corners[i][1] / count;
    }
    for (int kind = 0; kind < 2; kind++) {
      kinds[kind](count, (const double(*)[2])corners, corners[k], w);
      for (uint32_t i = 0; i < count; i++) assert_true(w[i] == (i == k ? 1 : 0));
      kinds[kind](count, (const double(*)[2])corners, place, w);
      check(count, corners, place, w);
      assert_true(fabs(w[k] - (1 - g)) < 1e-12 && fabs(w[next] - g) < 1e-12);
      /* The mirrored polygon on the other side of it. */
      double other[MOST][2], v[MOST];
      for (uint32_t i = 0; i < count; i++) {
        const double *p = corners[(k + count - i) % count];
        const double dx = corners[next][0] - corners[k][0], dy = corners[next][1] - corners[k][1];
        const double t =
            2 * ((p[0] - corners[k][0]) * dx + (p[1] - corners[k][1]) * dy) / (dx * dx + dy * dy);
        other[i][0] = 2 * corners[k][0] + t * dx - p[0];
        other[i][1] = 2 * corners[k][1] + t * dy - p[1];
      }
      kinds[kind](count, (const double(*)[2])other, place, v);
      assert_true(fabs(v[0] - w[k]) < 1e-12 && fabs(v[count - 1] - w[next]) < 1e-12);
      /* The nearer a place inside comes to the side, the nearer its weights. */
      for (double near = 1e-3; near > 1e-16; near /= 10) {
        const double inside[2] = {place[0] + near * (middle[0] - place[0]),
                                  place[1] + near * (middle[1] - place[1])};
        kinds[kind](count, (const double(*)[2])corners, inside, w);
        check(count, corners, inside, w);
        if (g < 0.01 || g > 0.99) continue;
        assert_true(fabs(w[next] - g) < 300 * near + 1e-11);
      }
      /* Outside: the nearest place. */
      const double out[2] = {2 * corners[k][0] - middle[0], 2 * corners[k][1] - middle[1]};
      double most = 0, at[2];
      kinds[kind](count, (const double(*)[2])corners, out, w);
      sup_polygon_place(count, (const double(*)[2])corners, w, at);
      for (uint32_t i = 0; i < count; i++) {
        most = fmax(most, (corners[i][0] - at[0]) * (out[0] - at[0]) +
                              (corners[i][1] - at[1]) * (out[1] - at[1]));
      }
      assert_true(most < 1e-12 * size_of(count, corners) * size_of(count, corners));
    }
  }
}

/* Mean value coordinates by their definition, with angles. */
static void test_smooth(void **state) {
  (void)state;
  SupRng rng = sup_rng(4, 4);
  for (int round = 0; round < 3000; round++) {
    double corners[MOST][2], w[MOST], want[MOST], place[2], sum = 0;
    const uint32_t count = random_polygon(&rng, corners);
    double blend[MOST];
    for (uint32_t k = 0; k < count; k++) sum += blend[k] = 0.05 + sup_rng_double(&rng);
    for (uint32_t k = 0; k < count; k++) blend[k] /= sum;
    sup_polygon_place(count, (const double(*)[2])corners, blend, place);
    sum = 0;
    for (uint32_t k = 0; k < count; k++) {
      want[k] = 0;
      const double *c = corners[k];
      const double from = atan2(c[1] - place[1], c[0] - place[0]);
      for (uint32_t side = 0; side < 2; side++) {
        const double *n = corners[(k + (side ? 1 : count - 1)) % count];
        double angle = fabs(atan2(n[1] - place[1], n[0] - place[0]) - from);
        if (angle > SUP_PI) angle = 2 * SUP_PI - angle;
        want[k] += tan(angle / 2) / hypot(c[0] - place[0], c[1] - place[1]);
      }
      sum += want[k];
    }
    sup_polygon_smooth_weights(count, (const double(*)[2])corners, place, w);
    for (uint32_t k = 0; k < count; k++) assert_true(fabs(w[k] - want[k] / sum) < 1e-10);
  }
}

static void test_convex(void **state) {
  (void)state;
  const double square[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  const double back[4][2] = {{0, 0}, {0, 1}, {1, 1}, {1, 0}};
  const double straight[4][2] = {{0, 0}, {1, 0}, {2, 0}, {0, 1}};
  const double dent[4][2] = {{0, 0}, {1, 0}, {0.2, 0.2}, {0, 1}};
  double star[5][2];
  for (int k = 0; k < 5; k++) {
    star[k][0] = cos(4 * SUP_PI * k / 5);
    star[k][1] = sin(4 * SUP_PI * k / 5);
  }
  assert_true(sup_polygon_is_convex(4, square));
  assert_false(sup_polygon_is_convex(2, square));
  assert_false(sup_polygon_is_convex(4, back));
  assert_false(sup_polygon_is_convex(4, straight));
  assert_false(sup_polygon_is_convex(4, dent));
  assert_false(sup_polygon_is_convex(5, (const double(*)[2])star));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_inside), cmocka_unit_test(test_fans),   cmocka_unit_test(test_border),
      cmocka_unit_test(test_smooth), cmocka_unit_test(test_convex),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
