/* SPDX-License-Identifier: MIT */
/* SHI-T8: the conditions of Karush, Kuhn and Tucker on 10^4 random problems, singular ones too. */
#include "check.h"

#include <math.h>

#include "numerics/box_qp.h"

enum { N = SUP_BOX_QP_MAX };

typedef struct Problem {
  int n;
  double q[N * N], g[N], upper[N];
} Problem;

/* Q = M^T M with `rank` rows, columns of very different size; some variables may count for
 * nothing at all. */
static Problem random_problem(SupRng *rng) {
  Problem p = {.n = 1 + (int)sup_rng_below(rng, N)};
  const int rank = (int)sup_rng_below(rng, (uint32_t)p.n + 4);
  double m[N + 4][N] = {{0}}, x[N], size[N];
  for (int i = 0; i < p.n; i++) {
    size[i] = sup_rng_below(rng, 12) ? pow(10, 6 * sup_rng_double(rng) - 3) : 0;
    x[i] = (2 * sup_rng_double(rng) - 0.5) / (size[i] > 0 ? 1 : 1e300);
    p.upper[i] = sup_rng_below(rng, 3) ? 1 : 0.5;
  }
  for (int r = 0; r < rank; r++) {
    for (int i = 0; i < p.n; i++) m[r][i] = size[i] * (2 * sup_rng_double(rng) - 1);
  }
  for (int i = 0; i < p.n; i++) {
    for (int j = 0; j < p.n; j++) {
      for (int r = 0; r < rank; r++) p.q[i * p.n + j] += m[r][i] * m[r][j];
    }
  }
  /* g in the range of Q, as fitting makes it: Q x for some x, inside the box or not. */
  for (int i = 0; i < p.n; i++) {
    for (int j = 0; j < p.n; j++) p.g[i] += p.q[i * p.n + j] * x[j];
  }
  return p;
}

static void shi_t8_karush_kuhn_tucker(void **state) {
  (void)state;
  SupRng rng = sup_rng(8, 8);
  double worst = 0;
  uint32_t inside = 0, bound = 0;
  for (int k = 0; k < 10000; k++) {
    const Problem p = random_problem(&rng);
    double x[N];
    sup_box_qp(p.n, p.q, p.g, p.upper, x);
    for (int i = 0; i < p.n; i++) {
      double slope = -p.g[i], scale = fabs(p.g[i]) + 1e-300;
      for (int j = 0; j < p.n; j++) {
        slope += p.q[i * p.n + j] * x[j];
        scale += sqrt(p.q[i * p.n + i] * p.q[j * p.n + j]);
      }
      assert_true(x[i] >= 0 && x[i] <= p.upper[i]);
      double error = fabs(slope);
      if (x[i] == 0) error = fmax(0, -slope);
      if (x[i] == p.upper[i]) error = fmax(0, slope);
      worst = fmax(worst, error / scale);
      if (x[i] > 0 && x[i] < p.upper[i])
        inside++;
      else
        bound++;
    }
  }
  print_message("%u free, %u at a bound; relative slope %.1e at most\n", inside, bound, worst);
  assert_true(worst < 1e-9 && inside > 5000 && bound > 5000);
}

/* No point of the box is better. */
static void nothing_else_is_better(void **state) {
  (void)state;
  SupRng rng = sup_rng(9, 9);
  for (int k = 0; k < 500; k++) {
    const Problem p = random_problem(&rng);
    double x[N], size = 0;
    const double best = sup_box_qp(p.n, p.q, p.g, p.upper, x);
    for (int i = 0; i < p.n; i++) size += p.q[i * p.n + i] + fabs(p.g[i]);
    for (int t = 0; t < 200; t++) {
      double y[N], value = 0;
      for (int i = 0; i < p.n; i++) {
        const uint32_t kind = sup_rng_below(&rng, 4);
        y[i] = kind == 0   ? 0
               : kind == 1 ? p.upper[i]
               : kind == 2 ? x[i]
                           : p.upper[i] * sup_rng_double(&rng);
      }
      for (int i = 0; i < p.n; i++) {
        for (int j = 0; j < p.n; j++) value += y[i] * p.q[i * p.n + j] * y[j] / 2;
        value -= p.g[i] * y[i];
      }
      assert_true(value >= best - 1e-12 * size);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(shi_t8_karush_kuhn_tucker),
                                     cmocka_unit_test(nothing_else_is_better)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
