/* SPDX-License-Identifier: MIT */
/*
 * Fitting linear systems to series.
 *
 *   y_t = C A^t z0 + sum_{j < t} C A^{t-1-j} B u_j + D u_t
 *
 * is linear in z0, B and D: the column of B's element (i, j) is the response of the state i to
 * input j (sup_fit_inputs; the published formula has the powers one too high and the input of the
 * wrong frame). The polish follows the same recursion for its derivatives.
 */
#include "numerics/dense.h"

#include "base/scratch.h"
#include "numerics/lasso.h"
#include "numerics/state_space.h"
#include "supple/math.h"

#define NO_INPUT UINT32_MAX

static void step_state(const SupSystem *s, const double *z, double *out) {
  for (uint32_t r = 0; r < s->states; r++) {
    double sum = 0;
    for (uint32_t c = 0; c < s->states; c++) sum += s->a[(size_t)s->states * r + c] * z[c];
    out[r] = sum;
  }
}

static double output_of(const SupSystem *s, uint32_t o, const double *z) {
  double sum = 0;
  for (uint32_t k = 0; k < s->states; k++) sum += s->c[(size_t)s->states * o + k] * z[k];
  return sum;
}

/* ---- B and D --------------------------------------------------------------------------------- */

typedef struct Inputs {
  const SupSeries *series;
  const SupInputFit *fit;
  SupSystem *system;
  uint32_t frames, rows, of_b, of_d, columns;
  double *m; /* [columns of `rows`] row = frame * outputs + output */
} Inputs;

/* The response of the outputs to the state e_i pushed by input j (NO_INPUT: once, at the start). */
static void respond(const Inputs *f, uint32_t i, uint32_t j, uint32_t only, double *z, double *next,
                    double *out) {
  const SupSystem *s = f->system;
  size_t row = 0, at = 0;
  for (uint32_t q = 0; q < f->series->count; q++) {
    for (uint32_t k = 0; k < s->states; k++) z[k] = 0;
    if (j == NO_INPUT && q == only) z[i] = 1;
    for (uint32_t t = 0; t < f->series->lengths[q]; t++, at++) {
      for (uint32_t o = 0; o < s->outputs; o++) out[row++] = output_of(s, o, z);
      step_state(s, z, next);
      for (uint32_t k = 0; k < s->states; k++) z[k] = next[k];
      if (j != NO_INPUT) z[i] += f->series->u[at * s->inputs + j];
    }
  }
}

static SupResult fill(Inputs *f, SupArena *arena, SupError *error) {
  const SupSystem *s = f->system;
  double *z = SUP_ALLOC(arena, double, s->states), *next = SUP_ALLOC(arena, double, s->states);
  f->m = SUP_ALLOC(arena, double, (size_t)f->rows * f->columns);
  if (!z || !next || !f->m) return sup_fail_memory(error, "fitting a system");
  double *column = f->m;
  for (uint32_t i = 0; i < s->states; i++) {
    for (uint32_t j = 0; j < s->inputs; j++, column += f->rows) {
      respond(f, i, j, NO_INPUT, z, next, column);
    }
  }
  for (uint32_t o = 0; o < s->outputs && f->of_d; o++) {
    for (uint32_t j = 0; j < s->inputs; j++, column += f->rows) {
      for (size_t t = 0; t < f->frames; t++) {
        column[t * s->outputs + o] = f->series->u[t * s->inputs + j];
      }
    }
  }
  for (uint32_t q = 0; q < f->series->count && f->fit->free_start; q++) {
    for (uint32_t i = 0; i < s->states; i++, column += f->rows) {
      respond(f, i, NO_INPUT, q, z, next, column);
    }
  }
  return SUP_OK;
}

/* Orthogonal factorisation: exact where the data are. A ridge is a row for every column. */
static SupResult solve_plain(const Inputs *f, SupArena *arena, double *out, SupError *error) {
  const bool ridge = f->fit->ridge > 0;
  const uint32_t rows = f->rows + (ridge ? f->columns : 0);
  const uint32_t tall = rows > f->columns ? rows : f->columns;
  double *right = SUP_ALLOC(arena, double, tall), *m = f->m;
  if (!right) return sup_fail_memory(error, "fitting a system");
  sup_copy(right, f->series->y, f->rows * sizeof *right);
  if (ridge) {
    m = SUP_ALLOC(arena, double, (size_t)rows * f->columns);
    if (!m) return sup_fail_memory(error, "fitting a system");
    for (uint32_t c = 0; c < f->columns; c++) {
      const double *from = f->m + (size_t)f->rows * c;
      double *to = m + (size_t)rows * c, square = 0;
      for (uint32_t r = 0; r < f->rows; r++) square += from[r] * from[r];
      sup_copy(to, from, f->rows * sizeof *to);
      to[f->rows + c] = sup_sqrt(f->fit->ridge * square);
    }
  }
  SupResult result =
      sup_dense_least_squares(arena, (int)rows, (int)f->columns, 1, m, right, 1e-12, error);
  sup_copy(out, right, f->columns * sizeof *out);
  return result;
}

/* LASSO on standardised columns, then least squares again on those that were kept. */
static SupResult solve_sparse(const Inputs *f, SupArena *arena, double *out, SupError *error) {
  const uint32_t p = f->columns;
  double *gram = SUP_ALLOC(arena, double, (size_t)p *p), *scale = SUP_ALLOC(arena, double, p);
  double *products = SUP_ALLOC(arena, double, p), *scratch = SUP_ALLOC(arena, double, p);
  if (!gram || !scale || !products || !scratch) return sup_fail_memory(error, "fitting a system");
  double square = 0;
  for (uint32_t r = 0; r < f->rows; r++) square += f->series->y[r] * f->series->y[r];
  for (uint32_t c = 0; c < p; c++) {
    double *column = f->m + (size_t)f->rows * c, sum = 0;
    for (uint32_t r = 0; r < f->rows; r++) sum += column[r] * column[r];
    scale[c] = sum > 0 ? 1 / sup_sqrt(sum) : 0;
    for (uint32_t r = 0; r < f->rows; r++) {
      column[r] *= scale[c];
      products[c] += column[r] * f->series->y[r];
    }
  }
  const SupProduct shape = {false,        true,         (int)p,       (int)p,
                            (int)f->rows, (int)f->rows, (int)f->rows, (int)p};
  sup_dense_product(&shape, f->m, f->m, gram);
  const SupLasso lasso = {
      p, gram, products, square, f->fit->sparse * sup_lasso_limit(p, products), 1e-6, 2000};
  SupLassoReport report;
  for (uint32_t c = 0; c < p; c++) out[c] = 0;
  sup_lasso(&lasso, out, scratch, &report);
  uint32_t kept = 0;
  for (uint32_t c = 0; c < p; c++) {
    if (out[c] == 0) continue;
    sup_copy(f->m + (size_t)f->rows * kept++, f->m + (size_t)f->rows * c, f->rows * sizeof *f->m);
  }
  Inputs again = *f;
  again.columns = kept;
  SupResult result = kept ? solve_plain(&again, arena, scratch, error) : SUP_OK;
  for (uint32_t c = 0, k = 0; c < p && result == SUP_OK; c++) {
    out[c] = out[c] == 0 ? 0 : scratch[k++] * scale[c];
  }
  return result;
}

SupResult sup_fit_inputs(SupArena *arena, const SupSeries *series, const SupInputFit *fit,
                         SupSystem *io_system, SupError *error) {
  SupSystem *s = io_system;
  SupArena own = sup_scratch(arena); /* the table of responses is large */
  Inputs f = {.series = series, .fit = fit, .system = s, .frames = sup_series_frames(series)};
  f.rows = f.frames * s->outputs;
  f.of_b = s->states * s->inputs;
  f.of_d = fit->without_d ? 0 : s->outputs * s->inputs;
  f.columns = f.of_b + f.of_d + (fit->free_start ? series->count * s->states : 0);
  double *found = SUP_ALLOC(&own, double, f.columns);
  SupResult result = found ? fill(&f, &own, error) : sup_fail_memory(error, "fitting a system");
  if (result == SUP_OK) {
    result = fit->sparse > 0 ? solve_sparse(&f, &own, found, error)
                             : solve_plain(&f, &own, found, error);
  }
  if (result == SUP_OK) {
    sup_copy(s->b, found, f.of_b * sizeof *found);
    sup_zero(s->d, (size_t)s->outputs * s->inputs * sizeof *s->d);
    sup_copy(s->d, found + f.of_b, f.of_d * sizeof *found);
  }
  sup_arena_free(&own);
  return result;
}

/* ---- Auto-regression ------------------------------------------------------------------------- */

SupResult sup_arx(SupArena *arena, const SupSeries *series, uint32_t lags, SupSystem *out_system,
                  SupError *error) {
  const uint32_t nu = series->inputs, ny = series->outputs, columns = lags * (ny + nu);
  uint32_t rows = 0;
  for (uint32_t q = 0; q < series->count; q++) {
    rows += series->lengths[q] > lags ? series->lengths[q] - lags : 0;
  }
  SupArena own = sup_scratch(arena);
  const uint32_t tall = rows > columns ? rows : columns;
  double *m = SUP_ALLOC(&own, double, (size_t)rows *columns);
  double *right = SUP_ALLOC(&own, double, (size_t)tall *ny);
  SupResult result = m && right ? SUP_OK : sup_fail_memory(error, "fitting a system");
  uint32_t row = 0;
  size_t at = 0;
  for (uint32_t q = 0; q < series->count && result == SUP_OK; at += series->lengths[q++]) {
    for (uint32_t t = lags; t < series->lengths[q]; t++, row++) {
      for (uint32_t i = 1; i <= lags; i++) {
        const double *y = series->y + (at + t - i) * ny, *u = series->u + (at + t + 1 - i) * nu;
        for (uint32_t o = 0; o < ny; o++) m[(size_t)rows * ((i - 1) * ny + o) + row] = y[o];
        for (uint32_t j = 0; j < nu; j++) {
          m[(size_t)rows * (lags * ny + (i - 1) * nu + j) + row] = u[j];
        }
      }
      for (uint32_t o = 0; o < ny; o++) {
        right[(size_t)tall * o + row] = series->y[(at + t) * ny + o];
      }
    }
  }
  if (result == SUP_OK) {
    result =
        sup_dense_least_squares(&own, (int)rows, (int)columns, (int)ny, m, right, 1e-10, error);
  }
  /* State: y_{t-1} .. y_{t-lags}, u_{t-1} .. u_{t-lags+1}. */
  const uint32_t of_y = lags * ny, states = of_y + (lags - 1) * nu;
  SupSystem s;
  if (result == SUP_OK && !sup_system_make(arena, states, nu, ny, &s)) {
    result = sup_fail_memory(error, "fitting a system");
  }
  if (result == SUP_OK) {
    for (uint32_t o = 0; o < ny; o++) {
      const double *found = right + (size_t)tall * o;
      for (uint32_t k = 0; k < of_y; k++) s.c[(size_t)states * o + k] = found[k];
      for (uint32_t j = 0; j < nu; j++) s.d[(size_t)nu * o + j] = found[of_y + j];
      for (uint32_t k = 0; k < (lags - 1) * nu; k++) {
        s.c[(size_t)states * o + of_y + k] = found[of_y + nu + k];
      }
      sup_copy(s.a + (size_t)states * o, s.c + (size_t)states * o, states * sizeof *s.a);
      sup_copy(s.b + (size_t)nu * o, s.d + (size_t)nu * o, nu * sizeof *s.b);
    }
    for (uint32_t k = ny; k < of_y; k++) s.a[(size_t)states * k + k - ny] = 1;
    for (uint32_t k = 0; k < (lags - 1) * nu; k++) {
      const uint32_t r = of_y + k;
      if (k < nu) {
        s.b[(size_t)nu * r + k] = 1;
      } else {
        s.a[(size_t)states * r + r - nu] = 1;
      }
    }
    *out_system = s;
  }
  sup_arena_free(&own);
  return result;
}
