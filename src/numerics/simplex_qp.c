/* SPDX-License-Identifier: MIT */
/*
 * Wolfe's algorithm (Finding the nearest point in a polytope, 1976) on scalar products alone. On a
 * set S of corners the nearest point of their affine hull is w = G_S^-1 1 / (1^T G_S^-1 1), its
 * squared length 1 / (1^T G_S^-1 1); leaving out corner j subtracts (G_S^-1 1)_j^2 / (G_S^-1)_jj
 * from that denominator.
 */
#include "numerics/simplex_qp.h"

#define MOST SUP_SIMPLEX_MOST
#define RIDGE 1e-12 /* of the mean diagonal */

static double sqrt_of(double x) { return __builtin_sqrt(x); }

/* The lower Cholesky factor of G on the corners, with the least that makes it definite. */
static void factor(int n, const double *gram, const SupSimplexPoint *p, double L[MOST][MOST]) {
  double mean = 0;
  for (int i = 0; i < p->count; i++) mean += gram[p->corners[i] * (n + 1)];
  mean /= p->count;
  const double least = mean > 0 ? RIDGE * mean : 1;
  for (int i = 0; i < p->count; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = gram[p->corners[i] * n + p->corners[j]] + (i == j ? least : 0);
      for (int k = 0; k < j; k++) sum -= L[i][k] * L[j][k];
      if (i == j) {
        L[i][i] = sqrt_of(sum > least ? sum : least);
      } else {
        L[i][j] = sum / L[j][j];
      }
    }
  }
}

static void solve_lower(int count, double L[MOST][MOST], double *x) {
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < i; k++) x[i] -= L[i][k] * x[k];
    x[i] /= L[i][i];
  }
}

static void solve_upper(int count, double L[MOST][MOST], double *x) {
  for (int i = count - 1; i >= 0; i--) {
    for (int k = i + 1; k < count; k++) x[i] -= L[k][i] * x[k];
    x[i] /= L[i][i];
  }
}

/* Weights of the nearest point of the affine hull, of either sign. */
static void affine_weights(int n, const double *gram, const SupSimplexPoint *p, double *out) {
  double L[MOST][MOST], sum = 0;
  factor(n, gram, p, L);
  for (int i = 0; i < p->count; i++) out[i] = 1;
  solve_lower(p->count, L, out);
  solve_upper(p->count, L, out);
  for (int i = 0; i < p->count; i++) sum += out[i];
  for (int i = 0; i < p->count; i++) out[i] /= sum;
}

static double gradient(int n, const double *gram, const SupSimplexPoint *p, int corner) {
  double sum = 0;
  for (int i = 0; i < p->count; i++) sum += gram[corner * n + p->corners[i]] * p->weights[i];
  return sum;
}

static void measure(int n, const double *gram, SupSimplexPoint *p) {
  p->value = 0;
  for (int i = 0; i < p->count; i++) {
    p->value += p->weights[i] * gradient(n, gram, p, p->corners[i]);
  }
  if (p->value < 0) p->value = 0;
}

static bool carries(const SupSimplexPoint *p, int corner) {
  for (int i = 0; i < p->count; i++) {
    if (p->corners[i] == corner) return true;
  }
  return false;
}

static void leave_out(SupSimplexPoint *p, int at) {
  p->count--;
  for (int i = at; i < p->count; i++) {
    p->corners[i] = p->corners[i + 1];
    p->weights[i] = p->weights[i + 1];
  }
}

/* Walks to the nearest point of the hull, leaving out corners whose weight reaches zero. */
static void settle(int n, const double *gram, SupSimplexPoint *p) {
  while (p->count > 1) {
    double to[MOST], fraction = 1;
    int first = -1;
    affine_weights(n, gram, p, to);
    for (int i = 0; i < p->count; i++) {
      if (to[i] > 0) continue;
      const double part = p->weights[i] / (p->weights[i] - to[i]);
      if (first < 0 || part < fraction) fraction = part, first = i;
    }
    for (int i = 0; i < p->count; i++) p->weights[i] += fraction * (to[i] - p->weights[i]);
    if (first < 0) break;
    leave_out(p, first);
  }
  if (p->count == 1) p->weights[0] = 1;
  measure(n, gram, p);
}

static void start(int n, const double *gram, SupSimplexPoint *p) {
  if (p->count == 0) {
    p->count = 1;
    p->corners[0] = 0;
    for (int b = 1; b < n; b++) {
      if (gram[b * (n + 1)] < gram[p->corners[0] * (n + 1)]) p->corners[0] = b;
    }
  }
  for (int i = 0; i < p->count; i++) p->weights[i] = 1.0 / p->count;
}

void sup_simplex_within(int n, const double *gram, SupSimplexPoint *point) {
  start(n, gram, point);
  const SupSimplexPoint all = *point;
  settle(n, gram, point);
  /* A corner that was left out on the way may be wanted after all. */
  for (int round = 0; round < all.count; round++) {
    int best = -1;
    double least = point->value * (1 - 1e-10);
    for (int i = 0; i < all.count; i++) {
      if (carries(point, all.corners[i])) continue;
      const double slope = gradient(n, gram, point, all.corners[i]);
      if (slope < least) least = slope, best = all.corners[i];
    }
    if (best < 0) return;
    point->corners[point->count] = best;
    point->weights[point->count++] = 0;
    settle(n, gram, point);
  }
}

void sup_simplex_nearest(int n, const double *gram, SupSimplexPoint *point) {
  start(n, gram, point);
  settle(n, gram, point);
  for (int round = 0; round < 4 * n; round++) {
    int best = -1;
    double least = point->value * (1 - 1e-8);
    for (int b = 0; b < n; b++) {
      const double slope = gradient(n, gram, point, b);
      if (slope < least) least = slope, best = b;
    }
    if (best < 0 || point->count == MOST) return;
    if (carries(point, best)) return; /* nothing but rounding is left */
    const double before = point->value;
    point->corners[point->count] = best;
    point->weights[point->count++] = 0;
    settle(n, gram, point);
    if (!(point->value < before)) return;
  }
}

/* The corner whose loss costs least. */
static int least_missed(int n, const double *gram, const SupSimplexPoint *p) {
  double L[MOST][MOST], x[MOST], least = 0;
  int found = 0;
  factor(n, gram, p, L);
  for (int i = 0; i < p->count; i++) x[i] = 1;
  solve_lower(p->count, L, x);
  solve_upper(p->count, L, x);
  for (int j = 0; j < p->count; j++) {
    double unit[MOST] = {0}, inverse = 0;
    unit[j] = 1;
    solve_lower(p->count, L, unit);
    for (int k = j; k < p->count; k++) inverse += unit[k] * unit[k];
    const double loss = x[j] * x[j] / inverse;
    if (j == 0 || loss < least) least = loss, found = j;
  }
  return found;
}

void sup_simplex_thin(int n, const double *gram, int most, SupSimplexPoint *point) {
  while (point->count > most) {
    leave_out(point, least_missed(n, gram, point));
    sup_simplex_within(n, gram, point);
  }
}

void sup_simplex_exchange(int n, const double *gram, int most, double least,
                          SupSimplexPoint *point) {
  for (int round = 0; round < MOST; round++) {
    SupSimplexPoint best = *point;
    const int places = point->count < most ? point->count + 1 : point->count;
    for (int b = 0; b < n; b++) {
      if (carries(point, b)) continue;
      for (int place = 0; place < places; place++) {
        SupSimplexPoint trial = *point;
        if (place == trial.count) trial.count++;
        trial.corners[place] = b;
        sup_simplex_within(n, gram, &trial);
        if (trial.value < best.value) best = trial;
      }
    }
    if (!(best.value < point->value * (1 - least))) return;
    *point = best;
  }
}
