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
 * region: its corner doubles in every step. All this is exact for uniform numbers only; the probe
 * looks at what they really do.
 */
#include "supple/author/surface_build.h"

#define MOST SUP_SURFACE_LIMIT_SUM
#define LEAST_DAMPING SUP_SURFACE_LIMIT_DAMPING
#define DAMPING_PER_DETAIL SUP_SURFACE_LIMIT_DETAIL
#define LEAST_STIFFNESS SUP_SURFACE_LIMIT_STIFFNESS
#define ROUNDS 32

enum { TERMS = 5 }; /* alpha, beta, gamma, lambda, delta are the first rows */

/* `rate` is 60 h. Detail is of second order in h; the damping that it needs is of first. */
static bool limit_once(double rate, double n[TERMS]) {
  const double damping = n[SUP_SURFACE_LAMBDA] + n[SUP_SURFACE_DELTA];
  const double wanted = LEAST_DAMPING * rate + DAMPING_PER_DETAIL / rate * n[SUP_SURFACE_BETA];
  const double stiffness = LEAST_STIFFNESS * rate * rate;
  bool changed = false;
  if (n[SUP_SURFACE_ALPHA] < stiffness * (1 - 1e-6)) {
    n[SUP_SURFACE_ALPHA] = stiffness;
    changed = true;
  }
  if (damping < wanted * (1 - 1e-6)) {
    n[SUP_SURFACE_DELTA] += wanted - damping;
    changed = true;
  }
  const double sum = n[SUP_SURFACE_ALPHA] + n[SUP_SURFACE_GAMMA] + 2 * n[SUP_SURFACE_BETA] +
                     4 * n[SUP_SURFACE_LAMBDA] + 2 * n[SUP_SURFACE_DELTA];
  if (sum > MOST * (1 + 1e-6)) {
    for (int k = 0; k < TERMS; k++) n[k] *= MOST / sum;
    changed = true;
  }
  return changed;
}

uint32_t sup_surface_limit(SupSurfaceMaps *io_maps, float h) {
  const double rate = 60 * (double)h;
  uint32_t count = 0;
  for (uint32_t v = 0; v < io_maps->vertex_count; v++) {
    double n[TERMS];
    bool changed = false;
    for (int k = 0; k < TERMS; k++) n[k] = (double)io_maps->rows[k][v];
    /* Scaling takes damping away again, less each time. */
    for (int round = 0; round < ROUNDS && limit_once(rate, n); round++) changed = true;
    if (!changed) continue;
    count++;
    for (int k = 0; k < TERMS; k++) io_maps->rows[k][v] = (float)n[k];
  }
  return count;
}
