/* SPDX-License-Identifier: MIT */
/* Weights that are not negative: planted ones found again, and the optimality conditions. */
#include "check.h"

#include <math.h>
#include <stdlib.h>

#include "numerics/nnls.h"

enum { ROWS_MOST = 240, COUNT_MOST = 500 };

static double a[ROWS_MOST * COUNT_MOST], b[ROWS_MOST], gram[COUNT_MOST * COUNT_MOST];
static double products[COUNT_MOST], found[COUNT_MOST];
static double scratch[COUNT_MOST * COUNT_MOST + 6 * COUNT_MOST];

static SupNnls multiply(uint32_t rows, uint32_t count, bool unit_sum) {
  SupNnls problem = {count, gram, products, 0, unit_sum};
  assert_true(sup_nnls_scratch(count) <= sizeof scratch / sizeof *scratch);
  for (uint32_t r = 0; r < rows; r++) problem.square += b[r] * b[r];
  for (uint32_t i = 0; i < count; i++) {
    products[i] = 0;
    for (uint32_t r = 0; r < rows; r++) products[i] += a[r * count + i] * b[r];
    for (uint32_t j = 0; j < count; j++) {
      double sum = 0;
      for (uint32_t r = 0; r < rows; r++) sum += a[r * count + i] * a[r * count + j];
      gram[i * count + j] = sum;
    }
  }
  return problem;
}

static double residual(uint32_t rows, uint32_t count, const double *w, double *out_slopes) {
  double sum = 0;
  for (uint32_t i = 0; i < count; i++) out_slopes[i] = 0;
  for (uint32_t r = 0; r < rows; r++) {
    double left = b[r];
    for (uint32_t i = 0; i < count; i++) left -= a[r * count + i] * w[i];
    for (uint32_t i = 0; i < count; i++) out_slopes[i] += a[r * count + i] * left;
    sum += left * left;
  }
  return sum;
}

/* Solves, and recomputes the conditions from A and b themselves. Returns the residual. */
static double solve(uint32_t rows, uint32_t count, bool unit_sum) {
  static double slopes[COUNT_MOST];
  SupNnlsReport report;
  const SupNnls problem = multiply(rows, count, unit_sum);
  assert_true(sup_nnls(&problem, found, scratch, &report));
  const double least = residual(rows, count, found, slopes);
  double sum = 0, nu = 0;
  uint32_t used = 0;
  for (uint32_t i = 0; i < count; i++) {
    assert_true(found[i] >= 0);
    sum += found[i];
    nu += found[i] * slopes[i];
    used += found[i] > 0;
  }
  assert_int_equal(used, report.used);
  if (unit_sum) assert_true(fabs(sum - 1) < 1e-12);
  if (!unit_sum) nu = 0;
  for (uint32_t i = 0; i < count; i++) {
    const double slack = 10 * report.limit + 1e-12;
    assert_true(slopes[i] - nu < slack);
    if (found[i] > 0) assert_true(fabs(slopes[i] - nu) < slack);
  }
  assert_true(fabs(report.residual - least) < 1e-9 * (1 + problem.square));
  return least;
}

static void fill(SupRng *rng, uint32_t rows, uint32_t count) {
  for (uint32_t k = 0; k < rows * count; k++) a[k] = sup_rng_double(rng) - 0.4;
  for (uint32_t r = 0; r < rows; r++) b[r] = 2 * sup_rng_double(rng) - 1;
}

static void conditions_hold(void **state) {
  (void)state;
  SupRng rng = sup_rng(1, 1);
  for (int round = 0; round < 400; round++) {
    const uint32_t rows = 1 + sup_rng_below(&rng, 40), count = 1 + sup_rng_below(&rng, 30);
    fill(&rng, rows, count);
    for (uint32_t i = 1; i < count; i++) { /* twins, columns of nothing, and sums of others */
      const uint32_t kind = sup_rng_below(&rng, 12);
      for (uint32_t r = 0; r < rows && kind < 3; r++) {
        double *at = a + r * count + i;
        *at = kind == 0 ? 0 : kind == 1 ? at[-1] : 0.5 * (at[-1] + a[r * count]);
      }
    }
    solve(rows, count, false);
    solve(rows, count, true);
  }
}

/* No feasible point near or far is better. */
static void no_point_is_better(void **state) {
  (void)state;
  enum { COUNT = 6, ROWS = 5 };
  SupRng rng = sup_rng(2, 1);
  for (int round = 0; round < 200; round++) {
    fill(&rng, ROWS, COUNT);
    for (int unit = 0; unit < 2; unit++) {
      const double least = solve(ROWS, COUNT, unit);
      double w[COUNT], slopes[COUNT];
      for (int trial = 0; trial < 2000; trial++) { /* any feasible point */
        double sum = 0;
        for (int i = 0; i < COUNT; i++) {
          const bool near = sup_rng_below(&rng, 2);
          w[i] = fmax(0, (near ? found[i] : 0) + 0.05 * (sup_rng_double(&rng) - 0.5));
          sum += w[i];
        }
        for (int i = 0; i < COUNT && unit; i++) w[i] = sum > 0 ? w[i] / sum : 1.0 / COUNT;
        assert_true(residual(ROWS, COUNT, w, slopes) >= least - 1e-12);
      }
    }
  }
}

/* Five planted weights among 20 and among 200 candidates, 74 poses (HAHN-T8). */
static void planted_weights_are_found(void **state) {
  (void)state;
  static const uint32_t counts[] = {20, 200};
  SupRng rng = sup_rng(3, 1);
  for (int k = 0; k < 2; k++) {
    const uint32_t rows = 3 * 74, count = counts[k];
    fill(&rng, rows, count);
    double planted[200] = {0}, sum = 0;
    for (int i = 0; i < 5; i++) {
      const uint32_t at = sup_rng_below(&rng, count);
      planted[at] += 0.1 + sup_rng_double(&rng);
    }
    for (uint32_t i = 0; i < count; i++) sum += planted[i];
    for (uint32_t i = 0; i < count; i++) planted[i] /= sum;
    for (uint32_t r = 0; r < rows; r++) {
      b[r] = 0;
      for (uint32_t i = 0; i < count; i++) b[r] += a[r * count + i] * planted[i];
    }
    for (int unit = 0; unit < 2; unit++) {
      solve(rows, count, unit);
      for (uint32_t i = 0; i < count; i++) assert_true(fabs(found[i] - planted[i]) < 1e-8);
    }
  }
}

/* More candidates than numbers: the answer is not unique, but it is one. */
static void many_candidates_are_no_trouble(void **state) {
  (void)state;
  SupRng rng = sup_rng(4, 1);
  fill(&rng, ROWS_MOST, COUNT_MOST);
  solve(ROWS_MOST, COUNT_MOST, false);
  solve(ROWS_MOST, COUNT_MOST, true);
}

/* Where the origin is does not matter with a sum of 1. */
static void origins_do_not_matter(void **state) {
  (void)state;
  enum { ROWS = 30, COUNT = 12 };
  SupRng rng = sup_rng(5, 1);
  double near[COUNT];
  fill(&rng, ROWS, COUNT);
  solve(ROWS, COUNT, true);
  for (int i = 0; i < COUNT; i++) near[i] = found[i];
  for (int r = 0; r < ROWS; r++) {
    b[r] += 100;
    for (int i = 0; i < COUNT; i++) a[r * COUNT + i] += 100;
  }
  const SupNnls problem = multiply(ROWS, COUNT, true);
  SupNnlsReport report;
  assert_true(sup_nnls(&problem, found, scratch, &report));
  for (int i = 0; i < COUNT; i++) assert_true(fabs(found[i] - near[i]) < 1e-6);
}

static void edges_are_right(void **state) {
  (void)state;
  SupNnlsReport report;
  const SupNnls nothing = {0, NULL, NULL, 4, false};
  double none;
  assert_true(sup_nnls(&nothing, &none, scratch, &report));
  assert_true(report.residual == 4 && report.used == 0);
  /* One column with a sum of 1 takes it whatever it is; all columns alike too. */
  for (uint32_t count = 1; count < 4; count++) {
    for (uint32_t k = 0; k < 3 * count; k++) a[k] = -1;
    for (int r = 0; r < 3; r++) b[r] = 5;
    solve(3, count, true);
    assert_int_equal(solve(3, count, false) > 74, 1);
    for (uint32_t i = 0; i < count; i++) assert_true(found[i] == 0);
    for (uint32_t k = 0; k < 3 * count; k++) a[k] = 0;
    solve(3, count, true);
    solve(3, count, false);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(conditions_hold),           cmocka_unit_test(no_point_is_better),
      cmocka_unit_test(planted_weights_are_found), cmocka_unit_test(many_candidates_are_no_trouble),
      cmocka_unit_test(origins_do_not_matter),     cmocka_unit_test(edges_are_right),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
