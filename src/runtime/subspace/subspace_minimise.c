/* SPDX-License-Identifier: MIT */
/*
 * L-BFGS (Nocedal 1980) with a diagonal preconditioner and a memory that is kept from step to step:
 * the energy of the next step has nearly the same second derivative.
 *
 * A place is taken only if the energy there is finite and less by 1e-4 of what the slope promises
 * (Armijo), so the energy does not grow from the start of a step to its end. Near the minimum the
 * promise is less than the energy's rounding: then the slope decides (Hager and Zhang 2005), which
 * must have become flatter. Where no length along the direction does either, the memory is
 * forgotten and the preconditioned gradient tried; where that does not help, it is done.
 */
#include "runtime/subspace/subspace_work.h"

#define PROMISE 1e-4 /* of the slope */
#define SHORTER 0.25 /* each try along a direction */
#define TRIES 5
#define ROUNDING 1e-8 /* of the energy's terms: amplitudes are floats where they meet clusters */
#define DONE 1e-16    /* a promise below this part of the terms is not worth a step */
#define CURVED 1e-7   /* least cosine between a step and its change of the gradient */

static double dot(const double *a, const double *b, uint32_t n) {
  double sum[4] = {0, 0, 0, 0};
  for (uint32_t i = 0; i < n; i++) sum[i % 4] += a[i] * b[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void add(double *io, const double *a, double factor, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) io[i] += factor * a[i];
}

static double *pair_of(SubspaceWork *w, uint64_t offset, uint32_t pair) {
  return subspace_doubles(w->state, offset) + (size_t)pair * w->n;
}

/* Remembers the step from z to trial; the oldest of eight is forgotten. */
static void remember(SubspaceWork *w) {
  SupSubspaceState *s = w->state;
  double *products = subspace_doubles(s, s->products);
  const size_t bytes = w->n * sizeof(double), kept = SUP_SUBSPACE_HISTORY - 1;
  double ss = 0, yy = 0, sy = 0;
  for (uint32_t i = 0; i < w->n; i++) {
    const double step = w->trial[i] - w->z[i], yield = w->trial_gradient[i] - w->gradient[i];
    ss += step * step, yy += yield * yield, sy += step * yield;
  }
  if (!(sy > 0) || !(sy * sy > CURVED * CURVED * ss * yy)) return;
  if (s->pairs == SUP_SUBSPACE_HISTORY) {
    __builtin_memmove(pair_of(w, s->steps, 0), pair_of(w, s->steps, 1), kept * bytes);
    __builtin_memmove(pair_of(w, s->yields, 0), pair_of(w, s->yields, 1), kept * bytes);
    __builtin_memmove(products, products + 1, kept * sizeof(double));
    s->pairs--;
  }
  double *step = pair_of(w, s->steps, s->pairs), *yield = pair_of(w, s->yields, s->pairs);
  for (uint32_t i = 0; i < w->n; i++) {
    step[i] = w->trial[i] - w->z[i];
    yield[i] = w->trial_gradient[i] - w->gradient[i];
  }
  products[s->pairs++] = 1 / sy;
}

/* Minus the approximate inverse of the second derivative times the gradient. */
static void find_direction(SubspaceWork *w) {
  SupSubspaceState *s = w->state;
  const uint32_t n = w->n, count = w->model->function_count;
  const double *products = subspace_doubles(s, s->products);
  double along[SUP_SUBSPACE_HISTORY], *d = w->direction;
  for (uint32_t i = 0; i < n; i++) d[i] = -w->gradient[i];
  for (uint32_t k = s->pairs; k-- > 0;) {
    along[k] = products[k] * dot(pair_of(w, s->steps, k), d, n);
    add(d, pair_of(w, s->yields, k), -along[k], n);
  }
  for (uint32_t i = 0; i < n; i++) {
    d[i] /= w->inertia + w->drag + (1 + w->a) * (double)w->model->preconditioner[i % count];
  }
  for (uint32_t k = 0; k < s->pairs; k++) {
    const double back = products[k] * dot(pair_of(w, s->yields, k), d, n);
    add(d, pair_of(w, s->steps, k), along[k] - back, n);
  }
}

static bool finite(const double *x, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (!(x[i] - x[i] == 0)) return false;
  }
  return true;
}

/* No step is longer than what amplitudes may be at all. */
static void shorten(SubspaceWork *w) {
  const double limit = (double)w->model->limit, square = dot(w->direction, w->direction, w->n);
  if (!(square > limit * limit)) return;
  const double factor = limit / sup_sqrt(square);
  for (uint32_t i = 0; i < w->n; i++) w->direction[i] *= factor;
}

/* The slope along a direction that goes down, or 0. */
static double go_down(SubspaceWork *w) {
  for (int again = 0; again < 2; again++) {
    find_direction(w);
    shorten(w);
    const double slope = dot(w->direction, w->gradient, w->n);
    if (slope < 0 && finite(w->direction, w->n)) return slope;
    w->state->pairs = 0;
  }
  return 0;
}

/* Whether the trial may be taken. */
static bool better(const SubspaceWork *w, double length, double slope, double from, double to) {
  if (!finite(w->trial_gradient, w->n)) return false;
  if (to <= from + PROMISE * length * slope) return true;
  if (!(to <= from + ROUNDING * w->size)) return false;
  const double flatter = dot(w->direction, w->trial_gradient, w->n);
  return flatter >= 0.9 * slope && flatter <= (2 * PROMISE - 1) * slope;
}

/* Looks along the direction for less energy than *io_energy; takes it. */
static bool descend(SubspaceWork *w, double slope, double *io_energy) {
  double length = 1;
  for (int k = 0; k < TRIES; k++, length *= SHORTER) {
    for (uint32_t i = 0; i < w->n; i++) w->trial[i] = w->z[i] + length * w->direction[i];
    const double energy = sup_subspace_evaluate(w, w->trial, w->trial_gradient);
    if (!better(w, length, slope, *io_energy, energy)) continue;
    remember(w);
    for (uint32_t i = 0; i < w->n; i++) {
      w->z[i] = w->trial[i];
      w->gradient[i] = w->trial_gradient[i];
    }
    *io_energy = energy;
    return true;
  }
  return false;
}

void sup_subspace_minimise(SubspaceWork *w, uint32_t iterations) {
  double energy = sup_subspace_evaluate(w, w->z, w->gradient);
  bool here = true; /* change is that of z */
  for (uint32_t k = 0; k < iterations; k++) {
    const double slope = go_down(w);
    if (!(-slope > DONE * w->size)) break;
    here = descend(w, slope, &energy);
    if (here) continue;
    if (w->state->pairs == 0) break;
    w->state->pairs = 0;
  }
  if (!here) sup_subspace_evaluate(w, w->z, w->gradient);
}
