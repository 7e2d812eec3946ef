/* SPDX-License-Identifier: MIT */
/*
 * The weights that are not zero are the set P; a Cholesky factor of G on P goes along with it. With
 * sum w = 1 the conditions on P are G w + nu = c, 1^T w = 1, and G may be replaced by G + s 1 1^T,
 * which changes the objective by a constant and is definite wherever the answer on P is unique.
 */
#include "numerics/nnls.h"

/* A column with less of its square outside the span of the others adds nothing. */
#define DEPENDENT 1e-12
#define LIMIT 1e-9
#define NOWHERE UINT32_MAX

typedef struct Search {
  const SupNnls *problem;
  double shift;     /* s */
  double nu;        /* 0 without unit_sum */
  uint32_t used;    /* of P */
  double *factor;   /* [count * count] lower, row by row */
  double *weights;  /* [used] */
  double *wanted;   /* [used] best on P, of either sign */
  double *ones;     /* [used] (G on P)^-1 1, with unit_sum */
  double *work;     /* [count] */
  uint32_t *places; /* [count] P */
  uint8_t *states;  /* [count] IN: in P, BARRED: not to be tried again before something changed */
} Search;

enum { OUT, IN, BARRED };

static double magnitude(double x) { return x < 0 ? -x : x; }

static double gram_at(const Search *s, uint32_t i, uint32_t j) {
  return s->problem->gram[(size_t)i * s->problem->count + j] + s->shift;
}

static double *factor_row(const Search *s, uint32_t i) {
  return s->factor + (size_t)i * s->problem->count;
}

/* ---- The factor ----------------------------------------------------------------------------- */

static void solve_lower(const Search *s, double *x) {
  for (uint32_t i = 0; i < s->used; i++) {
    const double *row = factor_row(s, i);
    for (uint32_t k = 0; k < i; k++) x[i] -= row[k] * x[k];
    x[i] /= row[i];
  }
}

static void solve_upper(const Search *s, double *x) {
  for (uint32_t i = s->used; i-- > 0;) {
    x[i] /= factor_row(s, i)[i];
    for (uint32_t k = 0; k < i; k++) x[k] -= factor_row(s, i)[k] * x[i];
  }
}

/* Takes a column into P. False if it depends on those that are there. */
static bool enter(Search *s, uint32_t column) {
  double *row = factor_row(s, s->used);
  const double square = gram_at(s, column, column);
  double left = square;
  for (uint32_t k = 0; k < s->used; k++) row[k] = gram_at(s, column, s->places[k]);
  solve_lower(s, row);
  for (uint32_t k = 0; k < s->used; k++) left -= row[k] * row[k];
  if (!(left > DEPENDENT * square)) return false;
  row[s->used] = __builtin_sqrt(left);
  s->places[s->used] = column;
  s->weights[s->used++] = 0;
  s->states[column] = IN;
  return true;
}

/* Takes the column at `at` out of P: its row goes, and rotations of neighbouring columns make the
 * rows below triangular again. */
static void leave(Search *s, uint32_t at) {
  s->states[s->places[at]] = OUT;
  s->used--;
  for (uint32_t i = at; i < s->used; i++) {
    double *row = factor_row(s, i);
    const double *below = factor_row(s, i + 1);
    for (uint32_t k = 0; k <= i + 1; k++) row[k] = below[k];
    s->places[i] = s->places[i + 1];
    s->weights[i] = s->weights[i + 1];
  }
  for (uint32_t j = at; j < s->used; j++) {
    const double a = factor_row(s, j)[j], b = factor_row(s, j)[j + 1];
    const double length = __builtin_sqrt(a * a + b * b);
    for (uint32_t i = j; i < s->used; i++) {
      double *row = factor_row(s, i);
      const double x = row[j], y = row[j + 1];
      row[j] = (a * x + b * y) / length;
      row[j + 1] = (a * y - b * x) / length;
    }
  }
}

/* ---- The best on P -------------------------------------------------------------------------- */

/* c - G w - nu at one column, for weights x of P. */
static double slope_at(const Search *s, const double *x, uint32_t column) {
  double sum = s->problem->products[column] - s->nu;
  for (uint32_t k = 0; k < s->used; k++) sum -= gram_at(s, column, s->places[k]) * x[k];
  return sum;
}

/* Adds (G on P)^-1 of `work` to x, with the nu that keeps or makes the sum 1. */
static void correct(Search *s, double *x) {
  solve_lower(s, s->work);
  solve_upper(s, s->work);
  double step = 0;
  if (s->problem->unit_sum) {
    double sum = -1, all = 0;
    for (uint32_t k = 0; k < s->used; k++) sum += x[k] + s->work[k], all += s->ones[k];
    step = sum / all;
  }
  for (uint32_t k = 0; k < s->used; k++) {
    x[k] += s->work[k] - (s->problem->unit_sum ? step * s->ones[k] : 0);
  }
  s->nu += step;
}

/* `wanted` and `nu`, once refined. */
static void solve_on_set(Search *s) {
  s->nu = 0;
  for (uint32_t k = 0; k < s->used; k++) s->wanted[k] = 0, s->ones[k] = 1;
  if (s->problem->unit_sum) {
    solve_lower(s, s->ones);
    solve_upper(s, s->ones);
  }
  for (int round = 0; round < 2; round++) {
    for (uint32_t k = 0; k < s->used; k++) s->work[k] = slope_at(s, s->wanted, s->places[k]);
    correct(s, s->wanted);
  }
}

/* Walks towards the best on P; weights that reach zero leave. */
static void settle(Search *s) {
  while (s->used) {
    double fraction = 1;
    uint32_t first = NOWHERE;
    solve_on_set(s);
    for (uint32_t k = 0; k < s->used; k++) {
      if (s->wanted[k] > 0) continue;
      const double part = s->weights[k] / (s->weights[k] - s->wanted[k]);
      if (first == NOWHERE || part < fraction) fraction = part, first = k;
    }
    if (first == NOWHERE) {
      for (uint32_t k = 0; k < s->used; k++) s->weights[k] = s->wanted[k];
      return;
    }
    for (uint32_t k = 0; k < s->used; k++) {
      s->weights[k] += fraction * (s->wanted[k] - s->weights[k]);
    }
    leave(s, first);
  }
}

/* ---- The search ----------------------------------------------------------------------------- */

static double value(const Search *s) {
  const SupNnls *p = s->problem;
  double sum = p->square;
  for (uint32_t k = 0; k < s->used; k++) {
    const uint32_t i = s->places[k];
    double row = -2 * p->products[i];
    for (uint32_t m = 0; m < s->used; m++) {
      row += p->gram[(size_t)i * p->count + s->places[m]] * s->weights[m];
    }
    sum += s->weights[k] * row;
  }
  return sum;
}

static void allow_all(Search *s) {
  for (uint32_t i = 0; i < s->problem->count; i++) {
    if (s->states[i] == BARRED) s->states[i] = OUT;
  }
}

/* The column outside P that promises most, or NOWHERE where none promises more than the limit. */
static uint32_t most_promising(const Search *s, double limit) {
  uint32_t best = NOWHERE;
  double most = limit;
  for (uint32_t i = 0; i < s->problem->count; i++) {
    const double slope = s->states[i] == OUT ? slope_at(s, s->weights, i) : 0;
    if (slope > most) most = slope, best = i;
  }
  return best;
}

/* Where a sum of 1 starts: on the column nearest to b. */
static void start(Search *s) {
  const SupNnls *p = s->problem;
  double least = 0, mean = 0;
  uint32_t best = 0;
  if (!p->unit_sum) return;
  for (uint32_t i = 0; i < p->count; i++) {
    const double square = p->gram[(size_t)i * p->count + i];
    const double distance = square - 2 * p->products[i];
    if (i == 0 || distance < least) least = distance, best = i;
    mean += square / p->count;
  }
  s->shift = mean > 0 ? mean : 1;
  enter(s, best);
  s->weights[0] = 1;
  settle(s);
}

static void search(Search *s, SupNnlsReport *report) {
  const uint32_t most = 20 * s->problem->count + 20;
  double before = value(s);
  while (report->steps < most) {
    const uint32_t column = most_promising(s, report->limit);
    if (column == NOWHERE) return;
    if (!enter(s, column)) {
      s->states[column] = BARRED;
      continue;
    }
    report->steps++;
    settle(s);
    const double after = value(s);
    /* One that left at once waits until another has helped by more than rounding. */
    if (s->states[column] == OUT) {
      s->states[column] = BARRED;
    } else if (after < before) {
      allow_all(s);
    }
    if (after < before) before = after;
  }
}

static void tell(Search *s, double *out_weights, SupNnlsReport *report) {
  const uint32_t count = s->problem->count;
  for (uint32_t i = 0; i < count; i++) out_weights[i] = 0;
  for (uint32_t k = 0; k < s->used; k++) out_weights[s->places[k]] = s->weights[k];
  for (uint32_t i = 0; i < count; i++) {
    const double slope = slope_at(s, s->weights, i);
    const double miss = s->states[i] == IN ? magnitude(slope) : slope;
    if (miss > report->miss) report->miss = miss;
  }
  report->used = s->used;
  report->residual = value(s);
  if (report->residual < 0) report->residual = 0;
}

size_t sup_nnls_scratch(uint32_t count) {
  const size_t n = count;
  return n * n + 4 * n + (n * (sizeof(uint32_t) + 1) + sizeof(double) - 1) / sizeof(double);
}

bool sup_nnls(const SupNnls *problem, double *out_weights, double *scratch,
              SupNnlsReport *out_report) {
  const size_t n = problem->count;
  double *vectors = scratch + n * n;
  Search s = {.problem = problem,
              .factor = scratch,
              .weights = vectors,
              .wanted = vectors + n,
              .ones = vectors + 2 * n,
              .work = vectors + 3 * n,
              .places = (uint32_t *)(void *)(vectors + 4 * n)};
  s.states = (uint8_t *)(s.places + n);
  *out_report = (SupNnlsReport){0};
  for (uint32_t i = 0; i < problem->count; i++) {
    const double scale = magnitude(problem->products[i]), square = problem->gram[i * (n + 1)];
    s.states[i] = OUT;
    if (LIMIT * scale > out_report->limit) out_report->limit = LIMIT * scale;
    if (problem->unit_sum && LIMIT * square > out_report->limit) out_report->limit = LIMIT * square;
  }
  start(&s);
  search(&s, out_report);
  tell(&s, out_weights, out_report);
  return out_report->miss <= out_report->limit;
}
