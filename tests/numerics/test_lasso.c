/* SPDX-License-Identifier: MIT */
/* Sparse least squares: the conditions of an optimum, and its two ends (MUK-T5). */
#include "check.h"

#include <math.h>

#include "numerics/lasso.h"

enum { ROWS = 80, COUNT = 12 };

typedef struct Planted {
  double x[ROWS * COUNT], q[ROWS], gram[COUNT * COUNT], products[COUNT], square;
} Planted;

static void plant(Planted *p, uint64_t seed) {
  SupRng rng = sup_rng(seed, 1);
  *p = (Planted){0};
  for (int r = 0; r < ROWS; r++) {
    for (int c = 0; c < COUNT; c++) p->x[COUNT * r + c] = 2 * sup_rng_double(&rng) - 1;
    p->x[COUNT * r + 1] += 2 * p->x[COUNT * r]; /* not independent */
    p->x[COUNT * r + 5] = 0;                    /* says nothing */
    p->q[r] = 3 * p->x[COUNT * r] - 2 * p->x[COUNT * r + 3] + 0.1 * (sup_rng_double(&rng) - 0.5);
    p->square += p->q[r] * p->q[r];
    for (int c = 0; c < COUNT; c++) p->products[c] += p->x[COUNT * r + c] * p->q[r];
  }
  for (int a = 0; a < COUNT; a++) {
    for (int b = 0; b < COUNT; b++) {
      for (int r = 0; r < ROWS; r++)
        p->gram[COUNT * a + b] += p->x[COUNT * r + a] * p->x[COUNT * r + b];
    }
  }
}

static SupLassoReport solve(const Planted *p, double alpha, double *f) {
  double scratch[COUNT];
  SupLassoReport report;
  const SupLasso lasso = {COUNT, p->gram, p->products, p->square, alpha, 1e-15, 20000};
  for (int c = 0; c < COUNT; c++) f[c] = 0;
  sup_lasso(&lasso, f, scratch, &report);
  return report;
}

static void optimal(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed < 20; seed++) {
    Planted p;
    plant(&p, seed);
    const double limit = sup_lasso_limit(COUNT, p.products);
    for (double fraction = 1e-3; fraction < 1; fraction *= 3) {
      double f[COUNT], alpha = fraction * limit;
      const SupLassoReport report = solve(&p, alpha, f);
      assert_true(report.gap >= -1e-9 * p.square && report.gap < 1e-10 * p.square);
      for (int c = 0; c < COUNT; c++) {
        double g = p.products[c];
        for (int k = 0; k < COUNT; k++) g -= p.gram[COUNT * c + k] * f[k];
        if (f[c] == 0) {
          assert_true(fabs(2 * g) <= alpha * (1 + 1e-6));
        } else {
          assert_true(fabs(2 * g - (f[c] > 0 ? alpha : -alpha)) < 1e-6 * limit);
        }
      }
    }
  }
}

static void ends(void **state) {
  (void)state;
  Planted p;
  plant(&p, 3);
  double f[COUNT];
  const double limit = sup_lasso_limit(COUNT, p.products);
  assert_int_equal(solve(&p, limit, f).used, 0);
  assert_true(solve(&p, 0.99 * limit, f).used > 0);
  /* Without shrinkage: least squares, whose residual is orthogonal to every column. */
  solve(&p, 0, f);
  for (int c = 0; c < COUNT; c++) {
    double g = p.products[c];
    for (int k = 0; k < COUNT; k++) g -= p.gram[COUNT * c + k] * f[k];
    assert_true(fabs(g) < 1e-7 * limit);
  }
  assert_true(f[5] == 0);
  /* A little of it: the two planted ones and nothing else of weight. */
  const SupLassoReport report = solve(&p, 0.01 * limit, f);
  assert_true(report.used <= 6);
  assert_true(fabs(f[3] + 2) < 0.2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(optimal), cmocka_unit_test(ends)};
  return cmocka_run_group_tests_name("lasso", tests, NULL, NULL);
}
