/* SPDX-License-Identifier: MIT */
/*
 * Each variable is at 0, at its upper bound, or free: 3^n cases at most. For each the free ones
 * follow from a linear system; the case whose solution is inside the box and whose bound variables
 * are pushed against their bounds is the minimum, because the problem is convex, and there is
 * always one. All free comes first: a good fit is mostly inside. From there a few cases are
 * guessed, each by moving the bounds that the last one breaks or is held at in vain; this nearly
 * always ends at the minimum. Where it goes round in circles, all cases are looked at.
 *
 * Scaled so that the diagonal of Q is 1, plus 1e-12 of it: that makes the minimum unique where Q is
 * singular, and no case unsolvable.
 */
#include "numerics/box_qp.h"

#include "supple/math.h"

enum { N = SUP_BOX_QP_MAX };
enum { FREE, LOW, HIGH };
#define GUESSES 12

typedef struct Scaled {
  int n;
  double q[N][N], g[N], upper[N], unit[N];
} Scaled;

static Scaled scaled(int n, const double *q, const double *g, const double *upper) {
  Scaled s = {.n = n};
  for (int i = 0; i < n; i++) {
    const double d = q[i * n + i];
    s.unit[i] = d > 0 ? 1 / sup_sqrt(d) : 1;
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) s.q[i][j] = q[i * n + j] * s.unit[i] * s.unit[j];
    s.q[i][i] += 1e-12;
    s.g[i] = g[i] * s.unit[i];
    s.upper[i] = upper[i] / s.unit[i];
  }
  return s;
}

/* Solves the free block by Gauss elimination without pivots, in place; it is positive definite. */
static void solve_free(const Scaled *s, const int *state, double *p) {
  int list[N], m = 0;
  double a[N][N + 1];
  for (int i = 0; i < s->n; i++) {
    if (state[i] == FREE) list[m++] = i;
  }
  for (int r = 0; r < m; r++) {
    const int i = list[r];
    for (int c = 0; c < m; c++) a[r][c] = s->q[i][list[c]];
    a[r][m] = s->g[i];
    for (int j = 0; j < s->n; j++) {
      if (state[j] == HIGH) a[r][m] -= s->q[i][j] * s->upper[j];
    }
  }
  for (int k = 0; k < m; k++) {
    const double pivot = a[k][k] > 1e-13 ? a[k][k] : 1e-13;
    for (int r = k + 1; r < m; r++) {
      const double f = a[r][k] / pivot;
      for (int c = k; c <= m; c++) a[r][c] -= f * a[k][c];
    }
    a[k][k] = pivot;
  }
  for (int k = m - 1; k >= 0; k--) {
    double sum = a[k][m];
    for (int c = k + 1; c < m; c++) sum -= a[k][c] * p[list[c]];
    p[list[k]] = sum / a[k][k];
  }
}

/* How far p is from being the minimum: out of the box, or held at a bound it would leave. */
static double wrong(const Scaled *s, const int *state, const double *p) {
  double worst = 0;
  for (int i = 0; i < s->n; i++) {
    double slope = -s->g[i];
    for (int j = 0; j < s->n; j++) slope += s->q[i][j] * p[j];
    double error = 0;
    if (state[i] == FREE) error = p[i] < 0 ? -p[i] : p[i] - s->upper[i];
    if (state[i] == LOW) error = -slope;
    if (state[i] == HIGH) error = slope;
    if (error > worst) worst = error;
  }
  return worst;
}

/* The case of which the bounds that p breaks, or is held at in vain, are moved. */
static void move_on(const Scaled *s, int *io_state, const double *p) {
  int next[N];
  for (int i = 0; i < s->n; i++) {
    double slope = -s->g[i];
    for (int j = 0; j < s->n; j++) slope += s->q[i][j] * p[j];
    next[i] = io_state[i];
    if (io_state[i] == FREE && p[i] < 0) next[i] = LOW;
    if (io_state[i] == FREE && p[i] > s->upper[i]) next[i] = HIGH;
    if ((io_state[i] == LOW && slope < 0) || (io_state[i] == HIGH && slope > 0)) next[i] = FREE;
  }
  for (int i = 0; i < s->n; i++) io_state[i] = next[i];
}

/* One case: out_p, and how wrong it is. */
static double solve_case(const Scaled *s, const int *state, double *out_p) {
  for (int i = 0; i < s->n; i++) out_p[i] = state[i] == HIGH ? s->upper[i] : 0;
  solve_free(s, state, out_p);
  return wrong(s, state, out_p);
}

/* The solution of a case, in the units of the caller. */
static void take(const Scaled *s, const int *state, const double *p, const double *upper,
                 double *out_p) {
  for (int i = 0; i < s->n; i++) {
    const bool high = state[i] == HIGH || p[i] >= s->upper[i];
    out_p[i] = high ? upper[i] : p[i] <= 0 ? 0 : p[i] * s->unit[i];
    if (out_p[i] > upper[i]) out_p[i] = upper[i];
  }
}

static void search_all(const Scaled *s, const double *upper, double *out_p) {
  double least = -1;
  int cases = 1;
  for (int i = 0; i < s->n; i++) cases *= 3;
  for (int k = 0; k < cases && least != 0; k++) {
    int state[N];
    double p[N];
    for (int i = 0, rest = k; i < s->n; i++, rest /= 3) state[i] = rest % 3;
    const double error = solve_case(s, state, p);
    if (least >= 0 && !(error < least)) continue;
    least = error; /* 0 at the minimum; by rounding it may be a little more */
    take(s, state, p, upper, out_p);
  }
}

double sup_box_qp(int n, const double *q, const double *g, const double *upper, double *out_p) {
  const Scaled s = scaled(n, q, g, upper);
  int state[N] = {0};
  double p[N], error = 1;
  for (int k = 0; k < GUESSES && error != 0; k++) {
    if (k > 0) move_on(&s, state, p);
    error = solve_case(&s, state, p);
  }
  if (error == 0) {
    take(&s, state, p, upper, out_p);
  } else {
    search_all(&s, upper, out_p);
  }
  double objective = 0;
  for (int i = 0; i < n; i++) {
    double row = -2 * g[i];
    for (int j = 0; j < n; j++) row += q[i * n + j] * out_p[j];
    objective += out_p[i] * row / 2;
  }
  return objective;
}
