/* SPDX-License-Identifier: MIT */
/* Many right sides at once, judged by multiplying back. */
#include "check.h"

#include <math.h>

#include "numerics/sparse.h"

enum { SIZE = 40, RIGHTS = 7 };

/* A chain of springs with a hold on every third knot: lower triangle in columns. */
static void make_chain(int64_t *columns, int64_t *rows, double *values) {
  int64_t used = 0;
  for (int64_t c = 0; c < SIZE; c++) {
    columns[c] = used;
    rows[used] = c;
    values[used++] = 2 + (c % 3 == 0);
    if (c + 1 == SIZE) break;
    rows[used] = c + 1;
    values[used++] = -1 - 0.01 * (double)c;
  }
  columns[SIZE] = used;
}

static void many_right_sides_are_solved(void **state) {
  (void)state;
  int64_t columns[SIZE + 1], rows[2 * SIZE];
  double values[2 * SIZE], b[RIGHTS * SIZE], x[RIGHTS * SIZE], alone[SIZE];
  SupRng rng = sup_rng(3, 9);
  SupCholesky *factor;
  SupError error;
  make_chain(columns, rows, values);
  const SupSparse matrix = {SIZE, columns, rows, values};
  for (int k = 0; k < RIGHTS * SIZE; k++) b[k] = sup_rng_double(&rng) - 0.5;
  assert_int_equal(sup_cholesky_create(&matrix, &factor, &error), SUP_OK);
  assert_int_equal(sup_cholesky_factor(factor, &matrix, &error), SUP_OK);
  /* One, many, one again: work space that is kept changes its shape. */
  assert_int_equal(sup_cholesky_solve(factor, b, alone, &error), SUP_OK);
  assert_int_equal(sup_cholesky_solve_many(factor, RIGHTS, b, x, &error), SUP_OK);
  for (int r = 0; r < RIGHTS; r++) {
    double back[SIZE] = {0};
    const double *solved = x + r * SIZE;
    for (int64_t c = 0; c < SIZE; c++) {
      for (int64_t k = columns[c]; k < columns[c + 1]; k++) {
        back[rows[k]] += values[k] * solved[c];
        if (rows[k] != c) back[c] += values[k] * solved[rows[k]];
      }
    }
    for (int k = 0; k < SIZE; k++) assert_true(fabs(back[k] - b[r * SIZE + k]) < 1e-13);
  }
  for (int k = 0; k < SIZE; k++) assert_true(fabs(alone[k] - x[k]) < 1e-14);
  assert_int_equal(sup_cholesky_solve(factor, b + SIZE, alone, &error), SUP_OK);
  for (int k = 0; k < SIZE; k++) assert_true(fabs(alone[k] - x[SIZE + k]) < 1e-14);
  sup_cholesky_free(factor);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(many_right_sides_are_solved)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
