/* SPDX-License-Identifier: MIT */
/*
 * The limiter: every vertex's numbers into the region where it is stable by itself.
 *
 * Linearised at rest with uniform numbers, a mode with eigenvalue mu of the mesh's random-walk
 * Laplacian (in [0, 2]) has stiffness k = alpha + gamma + beta mu and damping d = delta + lambda
 * mu; it is stable for 0 < k < 4 - 2 d (Jury). The worst case mu = 2 gives the bound below. Detail
 * alone makes pairs of modes flutter, because it has no energy: hence the least damping. Without
 * stiffness a vertex would never come back (its slow pole is about 1 - alpha / delta): hence the
 * least of it, a third of a swing per second. These two floors are numbers per second: what a step
 * has of them goes with h for damping and with h^2 for stiffness, as the numbers themselves do. The
 * published box [0,1]^3 x [0,1/2] is no such
 * region: its corner doubles in every step. Where the normal has a stiffness and a drag of its own,
 * the larger of each counts in the sum, and the floors hold for both. All this is exact for uniform
 * numbers only; the probe looks at what they really do.
 */
#include "supple/author/surface_build.h"

#define MOST SUP_SURFACE_LIMIT_SUM
#define LEAST_DAMPING SUP_SURFACE_LIMIT_DAMPING
#define DAMPING_PER_DETAIL SUP_SURFACE_LIMIT_DETAIL
#define LEAST_STIFFNESS SUP_SURFACE_LIMIT_STIFFNESS
#define ROUNDS 32

/* alpha, beta, gamma, lambda, delta are the first rows; then the normal's alpha and delta */
enum { TERMS = 5, NORMAL_ALPHA = TERMS, NORMAL_DELTA, ALL_TERMS };

static double larger(double a, double b) { return a > b ? a : b; }

/* The floors of one direction. */
static bool raise(double rate, double wanted, double lambda, double *io_alpha, double *io_delta) {
  const double stiffness = LEAST_STIFFNESS * rate * rate, damping = lambda + *io_delta;
  bool changed = false;
  if (*io_alpha < stiffness * (1 - 1e-6)) {
    *io_alpha = stiffness;
    changed = true;
  }
  if (damping < wanted * (1 - 1e-6)) {
    *io_delta += wanted - damping;
    changed = true;
  }
  return changed;
}

/* `rate` is 60 h. Detail is of second order in h; the damping that it needs is of first. */
static bool limit_once(double rate, int count, double n[ALL_TERMS]) {
  const double wanted = LEAST_DAMPING * rate + DAMPING_PER_DETAIL / rate * n[SUP_SURFACE_BETA];
  const double lambda = n[SUP_SURFACE_LAMBDA];
  double *alpha = &n[SUP_SURFACE_ALPHA], *delta = &n[SUP_SURFACE_DELTA];
  bool changed = raise(rate, wanted, lambda, alpha, delta);
  double stiffest = *alpha, drag = *delta;
  if (count > TERMS) {
    changed |= raise(rate, wanted, lambda, &n[NORMAL_ALPHA], &n[NORMAL_DELTA]);
    stiffest = larger(stiffest, n[NORMAL_ALPHA]);
    drag = larger(drag, n[NORMAL_DELTA]);
  }
  const double sum =
      stiffest + n[SUP_SURFACE_GAMMA] + 2 * n[SUP_SURFACE_BETA] + 4 * lambda + 2 * drag;
  if (sum > MOST * (1 + 1e-6)) {
    for (int k = 0; k < count; k++) n[k] *= MOST / sum;
    changed = true;
  }
  return changed;
}

uint32_t sup_surface_limit(SupSurfaceMaps *io_maps, float h) {
  const double rate = 60 * (double)h;
  const int terms = io_maps->normal ? ALL_TERMS : TERMS;
  float *rows[ALL_TERMS];
  for (int k = 0; k < ALL_TERMS; k++) {
    rows[k] = io_maps->rows[k < TERMS ? k : SUP_SURFACE_MAP_NORMAL_ALPHA + k - TERMS];
  }
  uint32_t count = 0;
  for (uint32_t v = 0; v < io_maps->vertex_count; v++) {
    double n[ALL_TERMS];
    bool changed = false;
    for (int k = 0; k < terms; k++) n[k] = (double)rows[k][v];
    /* Scaling takes damping away again, less each time. */
    for (int round = 0; round < ROUNDS && limit_once(rate, terms, n); round++) changed = true;
    if (!changed) continue;
    count++;
    for (int k = 0; k < terms; k++) rows[k][v] = (float)n[k];
  }
  return count;
}
