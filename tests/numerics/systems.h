/* SPDX-License-Identifier: MIT */
/* A planted system and series made with it. */
#ifndef SUP_TESTS_NUMERICS_SYSTEMS_H
#define SUP_TESTS_NUMERICS_SYSTEMS_H

#include <math.h>

#include "numerics/state_space.h"

/* Two oscillators that do not see each other but share inputs and outputs; 4 states. */
static inline SupSystem planted_system(SupArena *arena, uint32_t inputs, uint32_t outputs) {
  SupSystem s;
  if (!sup_system_make(arena, 4, inputs, outputs, &s)) abort();
  SupRng rng = sup_rng(3, 1);
  const double modulus[2] = {0.97, 0.9}, angle[2] = {0.3, 1.1};
  for (uint32_t k = 0; k < 2; k++) {
    const double c = modulus[k] * cos(angle[k]), q = modulus[k] * sin(angle[k]);
    s.a[4 * (2 * k) + 2 * k] = s.a[4 * (2 * k + 1) + 2 * k + 1] = c;
    s.a[4 * (2 * k) + 2 * k + 1] = q;
    s.a[4 * (2 * k + 1) + 2 * k] = -q;
  }
  for (uint32_t k = 0; k < 4 * inputs; k++) s.b[k] = sup_rng_double(&rng) - 0.5;
  for (uint32_t k = 0; k < 4 * outputs; k++) s.c[k] = sup_rng_double(&rng) - 0.5;
  for (uint32_t k = 0; k < outputs * inputs; k++) s.d[k] = 0.3 * (sup_rng_double(&rng) - 0.5);
  return s;
}

/* White inputs, outputs from rest; `noise` is the amplitude of what is added to them. */
static inline SupSeries planted_series(SupArena *arena, const SupSystem *s, uint32_t count,
                                       const uint32_t *lengths, double noise, uint64_t seed) {
  SupSeries series = {count, lengths, s->inputs, s->outputs, NULL, NULL};
  const uint32_t frames = sup_series_frames(&series);
  double *u = SUP_ALLOC(arena, double, (size_t)frames * s->inputs);
  double *y = SUP_ALLOC(arena, double, (size_t)frames * s->outputs);
  double *z = SUP_ALLOC(arena, double, s->states), *scratch = SUP_ALLOC(arena, double, s->states);
  SupRng rng = sup_rng(seed, 2);
  for (uint32_t k = 0; k < frames * s->inputs; k++) u[k] = 2 * sup_rng_double(&rng) - 1;
  size_t at = 0;
  for (uint32_t q = 0; q < count; at += lengths[q++]) {
    for (uint32_t k = 0; k < s->states; k++) z[k] = 0;
    sup_system_run(s, lengths[q], u + at * s->inputs, z, scratch, y + at * s->outputs);
  }
  for (uint32_t k = 0; k < frames * s->outputs; k++) {
    y[k] += noise * (2 * sup_rng_double(&rng) - 1);
  }
  series.u = u;
  series.y = y;
  return series;
}

/* The largest difference of C A^n B (n < 30) and D, relative to the largest of the first. */
static inline double markov_distance(SupArena *arena, const SupSystem *a, const SupSystem *b) {
  double worst = 0, most = 0;
  for (uint32_t j = 0; j < a->inputs; j++) {
    double u[32] = {0}, ya[32], yb[32];
    double *za = SUP_ALLOC(arena, double, a->states), *sa = SUP_ALLOC(arena, double, a->states);
    double *zb = SUP_ALLOC(arena, double, b->states), *sb = SUP_ALLOC(arena, double, b->states);
    for (uint32_t t = 0; t < 30; t++) {
      u[j] = t == 0;
      sup_system_run(a, 1, u, za, sa, ya);
      sup_system_run(b, 1, u, zb, sb, yb);
      for (uint32_t o = 0; o < a->outputs; o++) {
        worst = fmax(worst, fabs(ya[o] - yb[o]));
        most = fmax(most, fabs(ya[o]));
      }
    }
  }
  return worst / most;
}

#endif
