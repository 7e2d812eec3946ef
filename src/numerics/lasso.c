/* SPDX-License-Identifier: MIT */
/*
 * With r = q - X f and g = X^T r: the optimum has 2 g_j = alpha sign(f_j) where f_j is not zero and
 * |2 g_j| <= alpha elsewhere. One coordinate at a time is solved exactly (soft threshold) and g
 * kept up to date from the Gram matrix, so that a round costs no frame.
 *
 * Gap. For half the objective, s r with s = min(1, alpha / (2 max |g|)) is feasible in the dual,
 * whose value there is s q.r - s^2 r.r / 2: the difference bounds the distance from the optimum.
 */
#include "numerics/lasso.h"

static double magnitude(double x) { return x < 0 ? -x : x; }

double sup_lasso_limit(uint32_t count, const double *products) {
  double most = 0;
  for (uint32_t j = 0; j < count; j++) {
    if (2 * magnitude(products[j]) > most) most = 2 * magnitude(products[j]);
  }
  return most;
}

/* g = products - gram f. */
static void correlate(const SupLasso *p, const double *f, double *g) {
  for (uint32_t j = 0; j < p->count; j++) g[j] = p->products[j];
  for (uint32_t k = 0; k < p->count; k++) {
    if (f[k] == 0) continue;
    const double *column = p->gram + (size_t)p->count * k;
    for (uint32_t j = 0; j < p->count; j++) g[j] -= column[j] * f[k];
  }
}

static void measure(const SupLasso *p, const double *f, const double *g, SupLassoReport *out) {
  double size = 0, most = 0, along = 0, rest = 0;
  out->used = 0;
  for (uint32_t j = 0; j < p->count; j++) {
    size += magnitude(f[j]);
    out->used += f[j] != 0;
    if (magnitude(g[j]) > most) most = magnitude(g[j]);
    along += f[j] * p->products[j];
    rest += f[j] * g[j];
  }
  const double qr = p->square - along;             /* q . r */
  const double rr = qr - rest > 0 ? qr - rest : 0; /* r . r = q . r - f . g */
  const double s = 2 * most > p->alpha ? p->alpha / (2 * most) : 1;
  out->residual = rr;
  out->objective = rr + p->alpha * size;
  out->gap = out->objective - (2 * s * qr - s * s * rr);
}

static void sweep(const SupLasso *p, bool all, double *f, double *g) {
  for (uint32_t j = 0; j < p->count; j++) {
    const double *column = p->gram + (size_t)p->count * j;
    if (!(column[j] > 0) || (!all && f[j] == 0)) continue;
    const double target = g[j] + column[j] * f[j];
    const double excess = magnitude(target) - p->alpha / 2;
    const double next = excess > 0 ? (target < 0 ? -excess : excess) / column[j] : 0;
    const double change = next - f[j];
    if (change == 0) continue;
    f[j] = next;
    for (uint32_t k = 0; k < p->count; k++) g[k] -= column[k] * change;
  }
}

void sup_lasso(const SupLasso *problem, double *io_weights, double *scratch,
               SupLassoReport *out_report) {
  SupLassoReport report = {0};
  for (uint32_t j = 0; j < problem->count; j++) {
    if (!(problem->gram[(size_t)problem->count * j + j] > 0)) io_weights[j] = 0;
  }
  correlate(problem, io_weights, scratch);
  for (report.rounds = 0; report.rounds < problem->most_rounds; report.rounds++) {
    /* Mostly among the weights that are in use; every tenth time all are asked. */
    sweep(problem, report.rounds % 10 == 0, io_weights, scratch);
    if (report.rounds % 10 != 9) continue;
    correlate(problem, io_weights, scratch); /* rounding does not pile up */
    measure(problem, io_weights, scratch, &report);
    if (report.gap <= problem->tolerance * problem->square) break;
  }
  correlate(problem, io_weights, scratch);
  measure(problem, io_weights, scratch, &report);
  *out_report = report;
}
