/* SPDX-License-Identifier: MIT */
/* Products of matrices: right for every shape, and the same bits from every copy of the kernel. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "numerics/product.h"
#include "supple/backend.h"

enum { MOST = 150, ROOM = (MOST + 3) * (MOST + 3) };

static double a[ROOM], b[ROOM], out[ROOM], again[ROOM];
static float a32[ROOM], b32[ROOM], out32[ROOM], again32[ROOM];

static double at(const double *m, bool transposed, int stride, int row, int column) {
  return transposed ? m[column * stride + row] : m[row * stride + column];
}

/* One shape against sums in long double, and untouched beyond it. */
static void check(const SupProduct *p) {
  for (int k = 0; k < ROOM; k++) out[k] = 7, out32[k] = 7;
  sup_dense_product(p, a, b, out);
  sup_dense_product_f32(p, a32, b32, out32);
  for (int r = 0; r < p->rows; r++) {
    for (int c = 0; c < p->out_stride; c++) {
      long double sum = 0;
      for (int k = 0; k < p->inner; k++) {
        sum += (long double)at(a, p->a_transposed, p->a_stride, r, k) *
               (long double)at(b, p->b_transposed, p->b_stride, k, c);
      }
      const double is = c < p->columns ? (double)sum : 7;
      assert_true(fabs(out[r * p->out_stride + c] - is) < 1e-13);
      assert_true(fabs((double)out32[r * p->out_stride + c] - is) < 3e-5);
    }
  }
#if defined(__x86_64__)
  sup_product_f64(p, a, b, again);
  for (int r = 0; r < p->rows; r++) {
    const size_t bytes = (size_t)p->columns * sizeof *out;
    assert_memory_equal(out + r * p->out_stride, again + r * p->out_stride, bytes);
  }
#endif
  sup_product_scalar(p, a32, b32, again32);
  for (int r = 0; r < p->rows; r++) {
    const size_t bytes = (size_t)p->columns * sizeof *out32;
    assert_memory_equal(out32 + r * p->out_stride, again32 + r * p->out_stride, bytes);
  }
}

static void shapes(void **state) {
  (void)state;
  SupRng rng = sup_rng(3, 3);
  for (int k = 0; k < ROOM; k++) {
    a32[k] = (float)(sup_rng_double(&rng) - 0.5), b32[k] = (float)(sup_rng_double(&rng) - 0.5);
    a[k] = (double)a32[k], b[k] = (double)b32[k];
  }
  static const int sizes[][3] = {{1, 1, 1},   {8, 16, 128}, {9, 17, 129},
                                 {65, 15, 7}, {3, 40, 0},   {MOST, MOST, MOST},
                                 {0, 5, 5},   {64, 1, 150}, {1, 100, 31}};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    for (int turned = 0; turned < 4; turned++) {
      const SupProduct p = {.a_transposed = turned & 1,
                            .b_transposed = turned & 2,
                            .rows = sizes[k][0],
                            .columns = sizes[k][1],
                            .inner = sizes[k][2],
                            .a_stride = MOST + 1,
                            .b_stride = MOST + 2,
                            .out_stride = sizes[k][1] + 2};
      check(&p);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(shapes)};
  return cmocka_run_group_tests_name("product", tests, NULL, NULL);
}
