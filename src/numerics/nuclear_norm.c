/* SPDX-License-Identifier: MIT */
/*
 * minimise |Theta(v)|_* + beta |v - y|^2, Theta(v) = W1 H(v) G, by ADMM on X = Theta(v):
 *
 *   v:  (2 beta + rho Theta* Theta) v = 2 beta y + rho Theta*(X - L)     conjugate gradients
 *   X:  singular values of Theta(v) + L lowered by 1 / rho
 *   L:  += Theta(v) - X                                                  (scaled multiplier)
 *
 * rho follows the balance of the residuals. H(v) holds the frames of the future block rows alone:
 * the first `blocks` frames of every sequence stay as measured. The published semidefinite
 * programme is not needed.
 */
#include "numerics/dense.h"

#include "base/scratch.h"
#include "numerics/n4sid.h"
#include "supple/math.h"

static uint32_t columns_of(uint32_t length, uint32_t blocks) {
  return length >= 2 * blocks ? length - 2 * blocks + 1 : 0;
}

/* scratch[columns * rows], a row per Hankel column. */
static void spread(const SupSeries *series, const SupN4sid *s, const double *v, double *out) {
  size_t at = 0;
  for (uint32_t q = 0; q < series->count; at += series->lengths[q++]) {
    const uint32_t count = columns_of(series->lengths[q], s->blocks);
    for (uint32_t j = 0; j < count; j++, out += s->rows) {
      sup_copy(out, v + (at + j + s->blocks) * s->outputs, s->rows * sizeof *out);
    }
  }
}

void sup_nuclear_map(const SupSeries *series, const SupN4sid *s, const double *v, double *scratch,
                     double *out) {
  double *hankel = scratch, *half = scratch + (size_t)s->columns * s->rows;
  const int n = (int)s->columns, rows = (int)s->rows, phi = (int)s->phi;
  const SupProduct first = {true, false, rows, phi, n, rows, phi, phi};
  const SupProduct second = {false, false, rows, phi, rows, rows, phi, phi};
  spread(series, s, v, hankel);
  sup_dense_product(&first, hankel, s->g, half);
  sup_dense_product(&second, s->w1, half, out);
}

void sup_nuclear_adjoint(const SupSeries *series, const SupN4sid *s, const double *x,
                         double *scratch, double *out_v) {
  double *hankel = scratch, *half = scratch + (size_t)s->columns * s->rows;
  const int n = (int)s->columns, rows = (int)s->rows, phi = (int)s->phi;
  const SupProduct first = {true, false, rows, phi, rows, rows, phi, phi};
  const SupProduct second = {false, true, n, rows, phi, phi, phi, rows};
  sup_dense_product(&first, s->w1, x, half);
  sup_dense_product(&second, s->g, half, hankel);
  sup_zero(out_v, (size_t)sup_series_frames(series) * s->outputs * sizeof *out_v);
  size_t at = 0;
  for (uint32_t q = 0; q < series->count; at += series->lengths[q++]) {
    const uint32_t count = columns_of(series->lengths[q], s->blocks);
    for (uint32_t j = 0; j < count; j++, hankel += s->rows) {
      double *to = out_v + (at + j + s->blocks) * s->outputs;
      for (uint32_t k = 0; k < s->rows; k++) to[k] += hankel[k];
    }
  }
}

typedef struct Admm {
  const SupSeries *series;
  const SupN4sid *s;
  size_t n, m;     /* numbers in v and in Theta(v) */
  double *scratch; /* [columns * rows + rows * phi] */
  double *theta;   /* [m] */
  double *cg_r, *cg_p, *cg_ap;
} Admm;

static double dot(size_t n, const double *a, const double *b) {
  double sum = 0;
  for (size_t k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

static void apply(Admm *a, double beta, double rho, const double *v, double *out) {
  sup_nuclear_map(a->series, a->s, v, a->scratch, a->theta);
  sup_nuclear_adjoint(a->series, a->s, a->theta, a->scratch, out);
  for (size_t k = 0; k < a->n; k++) out[k] = 2 * beta * v[k] + rho * out[k];
}

/* Conjugate gradients from the last v. */
static void solve_v(Admm *a, double beta, double rho, const double *right, double tolerance,
                    double *v) {
  apply(a, beta, rho, v, a->cg_ap);
  for (size_t k = 0; k < a->n; k++) a->cg_p[k] = a->cg_r[k] = right[k] - a->cg_ap[k];
  double square = dot(a->n, a->cg_r, a->cg_r);
  const double enough = tolerance * tolerance * dot(a->n, right, right);
  for (int round = 0; round < 60 && square > enough; round++) {
    apply(a, beta, rho, a->cg_p, a->cg_ap);
    const double along = dot(a->n, a->cg_p, a->cg_ap);
    if (!(along > 0)) break;
    const double step = square / along;
    for (size_t k = 0; k < a->n; k++) {
      v[k] += step * a->cg_p[k];
      a->cg_r[k] -= step * a->cg_ap[k];
    }
    const double next = dot(a->n, a->cg_r, a->cg_r);
    for (size_t k = 0; k < a->n; k++) a->cg_p[k] = a->cg_r[k] + next / square * a->cg_p[k];
    square = next;
  }
}

/* Lowers the singular values of m (row-major rows x phi) by `by`; returns their sum afterwards. */
static SupResult shrink(SupArena *arena, const SupN4sid *s, double *m, double by, double *out_norm,
                        SupError *error) {
  SupArena own = sup_scratch(arena);
  const uint32_t rows = s->rows, phi = s->phi;
  double *a = SUP_COPY(&own, double, m, (size_t)rows *phi), *values = SUP_ALLOC(&own, double, rows);
  double *u = SUP_ALLOC(&own, double, (size_t)phi *rows);
  double *vt = SUP_ALLOC(&own, double, (size_t)rows *rows);
  SupResult result = a && values && u && vt ? SUP_OK : sup_fail_memory(error, "nuclear norm");
  if (result == SUP_OK) {
    result = sup_dense_svd(&own, (int)phi, (int)rows, a, values, u, vt, error);
  }
  *out_norm = 0;
  for (uint32_t k = 0; k < rows && result == SUP_OK; k++) {
    const double left = values[k] > by ? values[k] - by : 0;
    *out_norm += left;
    for (uint32_t c = 0; c < phi; c++) u[(size_t)phi * k + c] *= left;
  }
  /* The transpose of u diag vt (column-major, phi x rows) is what is stored. */
  const SupProduct product = {false,     false,     (int)rows, (int)phi,
                              (int)rows, (int)rows, (int)phi,  (int)phi};
  if (result == SUP_OK && by > 0) sup_dense_product(&product, vt, u, m);
  sup_arena_free(&own);
  return result;
}

SupResult sup_nuclear_outputs(SupArena *arena, const SupSeries *series, const SupN4sid *s,
                              const SupNuclear *def, double *out_v, SupNuclearReport *out_report,
                              SupError *error) {
  SupArena own = sup_scratch(arena);
  Admm a = {.series = series,
            .s = s,
            .n = (size_t)sup_series_frames(series) * s->outputs,
            .m = (size_t)s->rows * s->phi};
  a.scratch = SUP_ALLOC(&own, double, (size_t)s->columns * s->rows + a.m);
  a.theta = SUP_ALLOC(&own, double, a.m);
  a.cg_r = SUP_ALLOC(&own, double, a.n);
  a.cg_p = SUP_ALLOC(&own, double, a.n);
  a.cg_ap = SUP_ALLOC(&own, double, a.n);
  double *x = SUP_ALLOC(&own, double, a.m), *last = SUP_ALLOC(&own, double, a.m);
  double *multiplier = SUP_ALLOC(&own, double, a.m), *now = SUP_ALLOC(&own, double, a.m);
  double *right = SUP_ALLOC(&own, double, a.n), *change = SUP_ALLOC(&own, double, a.n);
  SupNuclearReport report = {0};
  SupResult result = SUP_OK;
  if (!a.scratch || !a.theta || !a.cg_r || !a.cg_p || !a.cg_ap || !x || !last || !multiplier ||
      !now || !right || !change) {
    result = sup_fail_memory(error, "nuclear norm");
    goto done;
  }
  double rho = def->rho > 0 ? def->rho : 10;
  sup_copy(out_v, series->y, a.n * sizeof *out_v);
  sup_nuclear_map(series, s, out_v, a.scratch, x);
  for (report.rounds = 0; report.rounds < def->most_rounds; report.rounds++) {
    for (size_t k = 0; k < a.m; k++) now[k] = x[k] - multiplier[k];
    sup_nuclear_adjoint(series, s, now, a.scratch, right);
    for (size_t k = 0; k < a.n; k++) right[k] = 2 * def->beta * series->y[k] + rho * right[k];
    solve_v(&a, def->beta, rho, right, 1e-2 * def->tolerance, out_v);
    sup_nuclear_map(series, s, out_v, a.scratch, now);
    sup_copy(last, x, a.m * sizeof *last);
    for (size_t k = 0; k < a.m; k++) x[k] = now[k] + multiplier[k];
    result = shrink(arena, s, x, 1 / rho, &report.norm, error);
    if (result != SUP_OK) goto done;
    double primal = 0;
    for (size_t k = 0; k < a.m; k++) {
      const double gap = now[k] - x[k];
      multiplier[k] += gap;
      primal += gap * gap;
      last[k] = x[k] - last[k];
    }
    sup_nuclear_adjoint(series, s, last, a.scratch, change);
    sup_nuclear_adjoint(series, s, multiplier, a.scratch, right);
    const double size = sup_sqrt(dot(a.m, x, x)) + 1e-300;
    const double force = rho * sup_sqrt(dot(a.n, right, right)) + 1e-300;
    report.primal = sup_sqrt(primal) / size;
    report.dual = rho * sup_sqrt(dot(a.n, change, change)) / force;
    if (report.primal <= def->tolerance && report.dual <= def->tolerance) break;
    if (report.rounds % 10 == 9) {
      const double f = report.primal > 10 * report.dual   ? 2
                       : report.dual > 10 * report.primal ? 0.5
                                                          : 1;
      rho *= f;
      for (size_t k = 0; k < a.m; k++) multiplier[k] /= f;
    }
  }
  sup_nuclear_map(series, s, out_v, a.scratch, now);
  result = shrink(arena, s, now, 0, &report.norm, error);
  report.objective = report.norm;
  for (size_t k = 0; k < a.n; k++) {
    const double off = out_v[k] - series->y[k];
    report.objective += def->beta * off * off;
  }
  *out_report = report;
done:
  sup_arena_free(&own);
  return result;
}
