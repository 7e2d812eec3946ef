/* SPDX-License-Identifier: MIT */
/* Nuclear norm identification (MUK-T9). */
#include "check.h"

#include "numerics/n4sid.h"
#include "supple/io/file.h"
#include "systems.h"

enum { BLOCKS = 5 };

typedef struct Case {
  SupArena arena;
  SupSeries series;
  SupN4sid n4sid;
  uint32_t lengths[2];
  size_t n, m;
} Case;

static SupError error;
static const SupN4sidDef exact = {.blocks = BLOCKS};

static void begin(Case *c) {
  sup_arena_init(&c->arena, sup_heap_allocator(), 0);
  c->lengths[0] = 70, c->lengths[1] = 50;
  const SupSystem truth = planted_system(&c->arena, 2, 1);
  c->series = planted_series(&c->arena, &truth, 2, c->lengths, 0.3, 5);
  assert_int_equal(sup_n4sid_with_g(&c->arena, &c->series, &exact, &c->n4sid, &error), SUP_OK);
  c->n = (size_t)sup_series_frames(&c->series) * c->series.outputs;
  c->m = (size_t)c->n4sid.rows * c->n4sid.phi;
}

static SupNuclearReport solve(Case *c, double beta, double rho, double *v) {
  const SupNuclear def = {.beta = beta, .rho = rho, .most_rounds = 5000, .tolerance = 1e-7};
  SupNuclearReport report;
  assert_int_equal(sup_nuclear_outputs(&c->arena, &c->series, &c->n4sid, &def, v, &report, &error),
                   SUP_OK);
  return report;
}

/* <Theta(v), X> = <v, Theta*(X)>. */
static void adjoint(void **state) {
  (void)state;
  Case c;
  begin(&c);
  double *v = SUP_ALLOC(&c.arena, double, c.n), *x = SUP_ALLOC(&c.arena, double, c.m);
  double *tv = SUP_ALLOC(&c.arena, double, c.m), *ax = SUP_ALLOC(&c.arena, double, c.n);
  double *scratch = SUP_ALLOC(&c.arena, double, (size_t)c.n4sid.columns *c.n4sid.rows + c.m);
  SupRng rng = sup_rng(2, 2);
  for (size_t k = 0; k < c.n; k++) v[k] = sup_rng_double(&rng) - 0.5;
  for (size_t k = 0; k < c.m; k++) x[k] = sup_rng_double(&rng) - 0.5;
  sup_nuclear_map(&c.series, &c.n4sid, v, scratch, tv);
  sup_nuclear_adjoint(&c.series, &c.n4sid, x, scratch, ax);
  double a = 0, b = 0, size = 0;
  for (size_t k = 0; k < c.m; k++) a += tv[k] * x[k], size += fabs(tv[k] * x[k]);
  for (size_t k = 0; k < c.n; k++) b += v[k] * ax[k];
  assert_true(fabs(a - b) < 1e-12 * size);
  /* At the measured outputs Theta is the matrix whose singular values were taken. */
  sup_nuclear_map(&c.series, &c.n4sid, c.series.y, scratch, tv);
  double square = 0, sum = 0;
  for (size_t k = 0; k < c.m; k++) square += tv[k] * tv[k];
  for (uint32_t k = 0; k < c.n4sid.rows; k++) sum += c.n4sid.singular[k] * c.n4sid.singular[k];
  assert_true(fabs(square - sum) < 1e-9 * sum);
  sup_arena_free(&c.arena);
}

static void optimum(void **state) {
  (void)state;
  Case c;
  begin(&c);
  double *v = SUP_ALLOC(&c.arena, double, c.n), *w = SUP_ALLOC(&c.arena, double, c.n), plain = 0;
  for (uint32_t k = 0; k < c.n4sid.rows; k++) plain += c.n4sid.singular[k];
  double last = 0;
  for (double beta = 0.01; beta < 200; beta *= 10) {
    const SupNuclearReport report = solve(&c, beta, 10, v);
    assert_true(report.objective <= plain * (1 + 1e-9)); /* not worse than staying */
    assert_true(report.norm >= last - 1e-6);             /* rank falls with beta */
    last = report.norm;
    /* Another start of the penalty finds the same. */
    const SupNuclearReport other = solve(&c, beta, 1, w);
    assert_true(fabs(report.objective - other.objective) < 1e-4 * plain);
  }
  solve(&c, 1e8, 10, v);
  for (size_t k = 0; k < c.n; k++) assert_true(fabs(v[k] - c.series.y[k]) < 1e-5);
  sup_arena_free(&c.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(adjoint), cmocka_unit_test(optimum)};
  return cmocka_run_group_tests_name("nuclear_norm", tests, NULL, NULL);
}
