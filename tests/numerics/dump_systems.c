/* SPDX-License-Identifier: MIT */
/* Problems and our answers as text, for check_systems.py: lines of a name, its shape, its numbers.
 */
#include <stdio.h>
#include <stdlib.h>

#include "numerics/lasso.h"
#include "numerics/n4sid.h"
#include "numerics/nnls.h"
#include "supple/io/file.h"
#include "systems.h"

static void put(const char *name, uint32_t rows, uint32_t columns, const double *numbers) {
  printf("%s %u %u", name, rows, columns);
  for (uint32_t k = 0; k < rows * columns; k++) printf(" %.17g", numbers[k]);
  printf("\n");
}

static void sparse(SupArena *arena) {
  enum { ROWS = 60, COUNT = 10 };
  SupRng rng = sup_rng(5, 1);
  double x[ROWS * COUNT], q[ROWS], gram[COUNT * COUNT] = {0}, products[COUNT] = {0}, square = 0;
  for (int r = 0; r < ROWS; r++) {
    q[r] = 0;
    for (int c = 0; c < COUNT; c++) {
      x[COUNT * r + c] = sup_rng_double(&rng) - 0.4;
      q[r] += x[COUNT * r + c] * (c < 3 ? 1 + c : 0) + 0.1 * (sup_rng_double(&rng) - 0.5);
    }
    square += q[r] * q[r];
    for (int c = 0; c < COUNT; c++) products[c] += x[COUNT * r + c] * q[r];
  }
  for (int k = 0; k < COUNT * COUNT; k++) {
    for (int r = 0; r < ROWS; r++) gram[k] += x[COUNT * r + k / COUNT] * x[COUNT * r + k % COUNT];
  }
  put("lasso_x", ROWS, COUNT, x);
  put("lasso_q", ROWS, 1, q);
  for (double alpha = 0.5; alpha < 60; alpha *= 4) {
    double f[COUNT] = {0}, scratch[COUNT];
    SupLassoReport report;
    const SupLasso lasso = {COUNT, gram, products, square, alpha, 1e-14, 100000};
    sup_lasso(&lasso, f, scratch, &report);
    put("lasso_alpha", 1, 1, &alpha);
    put("lasso_f", COUNT, 1, f);
    put("lasso_objective", 1, 1, &report.objective);
  }
  (void)arena;
}

/* Weights that are not negative, with and without a sum of 1; some columns are twins. */
static void weights(void) {
  enum { ROWS = 60, COUNT = 24 };
  SupRng rng = sup_rng(11, 3);
  for (int round = 0; round < 6; round++) {
    double a[ROWS * COUNT], b[ROWS], gram[COUNT * COUNT] = {0}, products[COUNT] = {0}, square = 0;
    const int rows = round % 2 ? 12 : ROWS; /* fewer rows than columns too */
    for (int r = 0; r < rows; r++) {
      b[r] = 2 * sup_rng_double(&rng) - 1;
      for (int c = 0; c < COUNT; c++) {
        a[COUNT * r + c] = c % 9 == 8 ? a[COUNT * r + c - 3] : sup_rng_double(&rng) - 0.4;
        if (c < 3) b[r] += 0.5 * a[COUNT * r + c];
      }
      square += b[r] * b[r];
      for (int c = 0; c < COUNT; c++) products[c] += a[COUNT * r + c] * b[r];
      for (int k = 0; k < COUNT * COUNT; k++) {
        gram[k] += a[COUNT * r + k / COUNT] * a[COUNT * r + k % COUNT];
      }
    }
    double w[COUNT], *scratch = malloc(sup_nnls_scratch(COUNT) * sizeof(double));
    if (!scratch) exit(1);
    put("nnls_a", (uint32_t)rows, COUNT, a);
    put("nnls_b", (uint32_t)rows, 1, b);
    for (int unit = 0; unit < 2; unit++) {
      SupNnlsReport report;
      const SupNnls problem = {COUNT, gram, products, square, unit};
      if (!sup_nnls(&problem, w, scratch, &report)) exit(1);
      put(unit ? "nnls_w1" : "nnls_w", COUNT, 1, w);
    }
    free(scratch);
  }
}

static void system_out(const SupSystem *s) {
  put("a", s->states, s->states, s->a);
  put("b", s->states, s->inputs, s->b);
  put("c", s->outputs, s->states, s->c);
  put("d", s->outputs, s->inputs, s->d);
}

static int subspaces(SupArena *arena) {
  const uint32_t lengths[2] = {220, 160}, order = 4;
  const SupSystem truth = planted_system(arena, 3, 2);
  const SupSeries series = planted_series(arena, &truth, 2, lengths, 0.1, 77);
  const double split[2] = {lengths[0], lengths[1]};
  SupN4sid n4sid;
  SupSystem s;
  SupError error;
  put("lengths", 2, 1, split);
  put("u", 380, 3, series.u);
  put("y", 380, 2, series.y);
  const SupInputFit fit = {0};
  if (!sup_system_make(arena, order, 3, 2, &s) ||
      sup_n4sid(arena, &series, &(SupN4sidDef){.blocks = 8}, NULL, &n4sid, &error) != SUP_OK ||
      sup_n4sid_system(arena, &n4sid, order, s.a, s.c, &error) != SUP_OK ||
      sup_fit_inputs(arena, &series, &fit, &s, &error) != SUP_OK) {
    return 1;
  }
  put("singular", n4sid.rows, 1, n4sid.singular);
  system_out(&s);
  const double most[3] = {1, 1, 1};
  double bound[2];
  SupGain gain;
  if (sup_system_gain(arena, &s, &gain, &error) != SUP_OK ||
      sup_system_bound(arena, &s, most, bound, &error) != SUP_OK) {
    return 1;
  }
  put("gain", 1, 1, &gain.peak);
  put("bound", 2, 1, bound);
  return 0;
}

static int nuclear(SupArena *arena) {
  const uint32_t length = 40;
  const SupSystem truth = planted_system(arena, 1, 1);
  const SupSeries series = planted_series(arena, &truth, 1, &length, 0.3, 78);
  SupN4sid n4sid;
  SupError error;
  double *v = SUP_ALLOC(arena, double, length);
  if (!v || sup_n4sid_with_g(arena, &series, &(SupN4sidDef){.blocks = 4}, &n4sid, &error) != SUP_OK)
    return 1;
  put("nuclear_y", length, 1, series.y);
  put("nuclear_w1", n4sid.rows, n4sid.rows, n4sid.w1);
  put("nuclear_g", n4sid.columns, n4sid.phi, n4sid.g);
  for (double beta = 0.02; beta < 5; beta *= 10) {
    const SupNuclear def = {.beta = beta, .rho = 10, .most_rounds = 20000, .tolerance = 1e-9};
    SupNuclearReport report;
    if (sup_nuclear_outputs(arena, &series, &n4sid, &def, v, &report, &error) != SUP_OK) return 1;
    put("nuclear_beta", 1, 1, &beta);
    put("nuclear_v", length, 1, v);
    put("nuclear_objective", 1, 1, &report.objective);
  }
  return 0;
}

int main(void) {
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  sparse(&arena);
  weights();
  const int bad = subspaces(&arena) || nuclear(&arena);
  sup_arena_free(&arena);
  return bad;
}
