/* SPDX-License-Identifier: MIT */
/*
 * Teacher forcing, growing windows, and the published iteration.
 *
 * X. Shi et al. 2008, fig. 5: simulate with the present numbers, fit every vertex's numbers so that
 * each step leads onto the example, move towards them by a rate, repeat. It is a fixed-point
 * iteration (how the trajectory depends on the numbers is dropped), not the descent that the paper
 * calls it, and from stiffness 1 it fails on long clips: the first trajectory swings with a period
 * of 6 steps and teaches nothing. Windows that begin on the example and grow lead around that:
 * windows of one frame need no simulation at all, whole clips are what shall be good in the end.
 */
#include <math.h>

#include "train/surface/problem.h"

#define FIRST_WINDOW 5u
#define MANY 5u /* passes */
#define SWEEPS 6
#define PATIENCE 5

void sup_surface_progress(const SurfaceProblem *p, const char *what, double done, double total) {
  if (p->def->progress) p->def->progress(p->def->user, what, done, total);
}

static void keep(SurfaceProblem *p, double *best) {
  sup_copy(best, p->numbers, (size_t)p->terms * p->lanes * sizeof(double));
}

static void restore(SurfaceProblem *p, const double *best) {
  sup_copy(p->numbers, best, (size_t)p->terms * p->lanes * sizeof(double));
}

static uint32_t longest(const SurfaceProblem *p) {
  uint32_t most = 0;
  for (uint32_t k = 0; k < p->clip_count; k++) {
    if (p->clips[k].used && p->clips[k].frame_count > most) most = p->clips[k].frame_count;
  }
  return most;
}

void sup_surface_start_numbers(SurfaceProblem *p, double alpha) {
  for (uint32_t lane = 0; lane < p->lanes; lane++) {
    for (uint32_t k = 0; k < p->terms; k++) {
      const bool fitted = p->free_rows >> k & 1;
      const bool stiffness = k == SUP_SURFACE_ALPHA || k == SUP_SURFACE_TERM_NORMAL_ALPHA;
      const double start = stiffness ? alpha : 0;
      *surface_at(p->numbers, p->terms, lane, k) = fitted ? start : p->fixed[k];
    }
  }
}

SupResult sup_surface_forced(SurfaceProblem *p, SupError *error) {
  const uint32_t sweeps = p->smooth > 0 || p->seen < p->vertices ? SWEEPS : 1;
  sup_surface_progress(p, "teacher forcing", 0, 1);
  sup_surface_pass(p, &(SurfacePass){.window = 1, .sums = true}, NULL);
  sup_surface_fit(p, 1, 1);
  SupResult result = sup_surface_spread(p, error);
  if (sweeps > 1) sup_surface_fit(p, 1, sweeps);
  sup_surface_limit_numbers(p);
  return result;
}

SupResult sup_surface_windows(SurfaceProblem *p, double *best, double *io_error, SupError *error) {
  (void)error;
  const uint32_t most = longest(p), passes = p->window_passes;
  const uint32_t sweeps = p->smooth > 0 || p->seen < p->vertices ? 2 : 1;
  const uint32_t growth = passes < MANY ? 4 : 2; /* where time is short, in fewer steps */
  uint32_t stages = 1, done = 0, window = FIRST_WINDOW;
  for (uint32_t w = FIRST_WINDOW; w + FIRST_STEP + 1 < most; w *= growth) stages++;
  for (uint32_t s = 0; s < stages; s++, window *= growth) {
    const bool last = s + 1 == stages;
    double before = INFINITY, rate = last ? 0.3 : 0.5;
    uint32_t worse = 0;
    for (uint32_t k = 0; k < (last ? 2 : 1) * passes; k++) {
      sup_surface_progress(p, "windows", done++, (stages + 1) * passes);
      const SurfacePass pass = {.window = last ? 0 : window, .sums = true};
      const double e = sup_surface_pass(p, &pass, NULL);
      if (last && e < *io_error) {
        *io_error = e;
        keep(p, best);
      }
      worse = e > before ? worse + 1 : 0;
      if (worse >= 2) rate *= 0.5, worse = 0;
      before = e;
      sup_surface_fit(p, rate, sweeps);
      sup_surface_limit_numbers(p);
    }
  }
  const double e = sup_surface_pass(p, &(SurfacePass){0}, NULL);
  if (e < *io_error) {
    *io_error = e;
    keep(p, best);
  }
  restore(p, best);
  return SUP_OK;
}

double sup_surface_literal(SurfaceProblem *p) {
  double first = -1, before = -1, e = 0;
  sup_surface_start_numbers(p, 1);
  for (uint32_t k = 0; k < p->def->iterations; k++) {
    sup_surface_progress(p, "the published iteration", k, p->def->iterations);
    e = sup_surface_pass(p, &(SurfacePass){.sums = true}, NULL);
    if (first < 0) first = e;
    if (before >= 0 && fabs(e - before) < p->def->tolerance * first) break;
    before = e;
    sup_surface_fit(p, p->def->rate, 1);
  }
  return sup_surface_pass(p, &(SurfacePass){0}, NULL);
}
