/* SPDX-License-Identifier: MIT */
/* Time: the closed-form step (SHI-T14 by its name), any step length, seeking, loops. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "wobble.h"

/* ---- SHI-T14: one oscillator ------------------------------------------------------------------
 */

/* The textbook's impulse response and its derivative; all three cases. */
static void impulse(double stiffness, double decay, double t, double *out_h, double *out_dh) {
  const double over = decay * decay - stiffness, e = exp(-decay * t);
  if (over < 0) {
    const double w = sqrt(-over);
    *out_h = e * sin(w * t) / w;
    *out_dh = e * (cos(w * t) - decay / w * sin(w * t));
  } else if (over > 0) {
    const double w = sqrt(over);
    *out_h = e * sinh(w * t) / w;
    *out_dh = e * (cosh(w * t) - decay / w * sinh(w * t));
  } else {
    *out_h = t * e;
    *out_dh = (1 - decay * t) * e;
  }
}

/* integral over [0, dt] of h(dt - s) (s / dt)^power ds by Gauss-Legendre of 5 points in pieces. */
static void convolve(double stiffness, double decay, double dt, int power, double *out_q,
                     double *out_v) {
  static const double at[5] = {-0.906179845938664, -0.5384693101056831, 0, 0.5384693101056831,
                               0.906179845938664};
  static const double fraction[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                     0.4786286704993665, 0.2369268850561891};
  enum { PIECES = 400 };
  *out_q = *out_v = 0;
  for (int i = 0; i < PIECES; i++) {
    for (int g = 0; g < 5; g++) {
      const double s = dt * (i + 0.5 + 0.5 * at[g]) / PIECES;
      double h, dh;
      impulse(stiffness, decay, dt - s, &h, &dh);
      const double f = pow(s / dt, power) * fraction[g] * dt / (2 * PIECES);
      *out_q += h * f;
      *out_v += dh * f;
    }
  }
}

static double relative(double a, double b, double size) { return fabs(a - b) / size; }

static double transition_error(double stiffness, double decay, double dt) {
  const SupModesTransition t = sup_modes_transition(stiffness, decay, dt);
  double h, dh, worst = 0;
  impulse(stiffness, decay, dt, &h, &dh);
  const double omega = sqrt(stiffness);
  worst = fmax(worst, relative(t.q[1], h, 1 / omega));
  worst = fmax(worst, relative(t.v[1], dh, 1));
  worst = fmax(worst, relative(t.q[0], dh + 2 * decay * h, 1));
  worst = fmax(worst, relative(t.v[0], -stiffness * h, omega));
  for (int j = 0; j < 4; j++) {
    double q, v;
    convolve(stiffness, decay, dt, j, &q, &v);
    worst = fmax(worst, relative(t.force_q[j], q, 1 / stiffness));
    worst = fmax(worst, relative(t.force_v[j], v, 1 / omega));
  }
  return worst;
}

static void shi_t14_matrix_exponential(void **state) {
  (void)state;
  double worst = 0;
  for (double hertz = 0.5; hertz < 50; hertz *= 1.7) {
    const double omega = 2 * SUP_PI * hertz;
    for (double ratio = 0; ratio < 3; ratio += 0.25) { /* 1: exactly critical */
      for (double dt = 1e-3; dt < 0.3; dt *= 2.3) {
        worst = fmax(worst, transition_error(omega * omega, ratio * omega, dt));
      }
    }
  }
  printf("closed-form step against the textbook: %.1e\n", worst);
  assert_true(worst < 1e-12);
}

static void shi_t14_free_frequency(void **state) {
  (void)state;
  const double omega = 2 * SUP_PI * 2.5, decay = 0.05 * omega, dt = 1.0 / 60;
  const SupModesTransition t = sup_modes_transition(omega * omega, decay, dt);
  /* Zero crossings of a long free response, by the step itself and a line in between. */
  double q = 1, v = -decay, first = 0, last = 0;
  int crossings = 0;
  for (int i = 0; i < 2000; i++) {
    /* Between steps the response is followed exactly as well: bisect. */
    const double q1 = t.q[0] * q + t.q[1] * v, v1 = t.v[0] * q + t.v[1] * v;
    if ((q < 0) != (q1 < 0)) {
      double low = 0, high = dt;
      for (int k = 0; k < 60; k++) {
        const double middle = (low + high) / 2;
        const SupModesTransition part = sup_modes_transition(omega * omega, decay, middle);
        if ((q < 0) == (part.q[0] * q + part.q[1] * v < 0)) {
          low = middle;
        } else {
          high = middle;
        }
      }
      last = i * dt + low;
      if (crossings++ == 0) first = last;
    }
    q = q1, v = v1;
  }
  const double found = SUP_PI * (crossings - 1) / (last - first);
  const double expected = sqrt(omega * omega - decay * decay);
  printf("free frequency: %.3e off\n", fabs(found / expected - 1));
  assert_true(crossings > 100);
  assert_true(fabs(found / expected - 1) < 1e-6);
}

/* Nothing special happens at critical damping. */
static void smooth_through_critical(void **state) {
  (void)state;
  const double omega = 20;
  for (int k = -8; k <= 8; k++) {
    const double a = omega * (1 + 1e-9 * k), b = omega * (1 + 1e-9 * (k + 1));
    const SupModesTransition s = sup_modes_transition(omega * omega, a, 0.05);
    const SupModesTransition t = sup_modes_transition(omega * omega, b, 0.05);
    assert_true(fabs(s.q[0] - t.q[0]) < 1e-8 && fabs(s.q[1] - t.q[1]) < 1e-9);
  }
}

/* Undamped, unforced, and no time at all. */
static void extremes(void **state) {
  (void)state;
  const SupModesTransition none = sup_modes_transition(100, 3, 0);
  assert_true(none.q[0] == 1 && none.q[1] == 0 && none.v[0] == 0 && none.v[1] == 1);
  const SupModesTransition free = sup_modes_transition(0, 0, 2);
  assert_true(fabs(free.q[1] - 2) < 1e-14 && fabs(free.force_q[0] - 2) < 1e-14);
  const SupModesTransition fast = sup_modes_transition(1e12, 1e9, 1);
  assert_true(isfinite(fast.q[0]) && fabs(fast.q[0]) <= 1 + 1e-9);
}

/* ---- Any step length --------------------------------------------------------------------------
 */

/* Forces that are cubic in each fifth of a second: coefficients in (time / 0.2). */
static void cubic(uint32_t mode, uint32_t piece, double out[4]) {
  SupRng rng = sup_rng(100 * mode + piece, 5);
  for (int j = 0; j < 4; j++) out[j] = 2 * sup_rng_double(&rng) - 1;
}

/* The same polynomial on [at, at + length] of [0, 1], in its own time. */
static void part_of(const double c[4], double at, double length, double out[4]) {
  const double a = at, l = length;
  out[0] = c[0] + a * (c[1] + a * (c[2] + a * c[3]));
  out[1] = l * (c[1] + a * (2 * c[2] + a * 3 * c[3]));
  out[2] = l * l * (c[2] + 3 * a * c[3]);
  out[3] = l * l * l * c[3];
}

static void play_cubic(Wobble *w, uint32_t steps_per_piece, uint32_t pieces, float *out_q) {
  const uint32_t lanes = 16 * w->view.block_count;
  float *forces = calloc(4 * lanes, sizeof *forces);
  float *q = sup_modes_amplitudes(w->state), *v = sup_modes_velocities(w->state);
  assert_non_null(forces);
  memset(q, 0, lanes * sizeof *q);
  memset(v, 0, lanes * sizeof *v);
  for (uint32_t piece = 0; piece < pieces; piece++) {
    for (uint32_t i = 0; i < steps_per_piece; i++) {
      for (uint32_t k = 0; k < w->view.mode_count; k++) {
        double whole[4], part[4];
        cubic(k, piece, whole);
        part_of(whole, (double)i / steps_per_piece, 1.0 / steps_per_piece, part);
        for (uint32_t j = 0; j < 4; j++) forces[j * lanes + k] = (float)part[j];
      }
      sup_modes_advance(&w->view, w->state, w->backend, 0.2f / (float)steps_per_piece, forces);
    }
    memcpy(out_q + (size_t)piece * lanes, q, lanes * sizeof *q);
  }
  free(forces);
}

/* Steps of 1/15 and 1/1000 s agree at common times. */
static void any_step_length(void **state) {
  Wobble *w = *state;
  enum { PIECES = 50 };
  const uint32_t lanes = 16 * w->view.block_count;
  float *coarse = calloc(PIECES * lanes, sizeof *coarse), *fine = calloc(PIECES * lanes, 4);
  assert_true(coarse && fine);
  play_cubic(w, 3, PIECES, coarse);
  play_cubic(w, 200, PIECES, fine);
  float peak = 0, gap = 0;
  for (uint32_t p = 0; p < PIECES; p++) {
    peak = fmaxf(peak, wobble_peak(w, fine + p * lanes));
    gap = fmaxf(gap, wobble_gap(w, coarse + p * lanes, fine + p * lanes));
  }
  printf("1/15 against 1/1000 s: %.1e of the peak\n", (double)(gap / peak));
  assert_true(gap < 1e-3f * peak);
  assert_true(peak > 0);
  free(coarse);
  free(fine);
}

/* Bones that are looked at often enough: what their path between the looks is does not matter. */
static void bones_at_any_rate(void **state) {
  Wobble *w = *state;
  const uint32_t lanes = 16 * w->view.block_count;
  const int rates[4] = {30, 60, 120, 240};
  float *exact = calloc(lanes, sizeof *exact);
  float gaps[4], peak = 0;
  assert_non_null(exact);
  for (int r = 0; r < 4; r++) gaps[r] = 0;
  for (int moment = 0; moment < 6; moment++) {
    const double time = 5 + 0.7 * moment;
    SupModesMotion motion = {wobble_palette, w, 0, 1e-3, NULL};
    sup_modes_seek(&w->view, w->state, w->backend, &motion, time, 1e-6);
    memcpy(exact, sup_modes_amplitudes(w->state), lanes * sizeof *exact);
    peak = fmaxf(peak, wobble_peak(w, exact));
    for (int r = 0; r < 4; r++) {
      motion.step = 1.0 / rates[r];
      sup_modes_seek(&w->view, w->state, w->backend, &motion, time, 1e-6);
      gaps[r] = fmaxf(gaps[r], wobble_gap(w, exact, sup_modes_amplitudes(w->state)));
    }
  }
  for (int r = 0; r < 4; r++) {
    printf("bones at %d Hz against 1000: %.2f %% of the peak\n", rates[r],
           100 * (double)(gaps[r] / peak));
  }
  /* Second order: each doubling leaves a quarter. */
  assert_true(gaps[3] < 0.01f * peak);
  assert_true(gaps[3] < 0.5f * gaps[2] && gaps[2] < 0.5f * gaps[1]);
  free(exact);
}

/* ---- Seeking and loops ------------------------------------------------------------------------
 */

typedef struct Counted {
  Wobble *w;
  uint32_t looks;
} Counted;

static void counted_palette(void *user, double time, SupAffine *out_palette) {
  Counted *counted = user;
  counted->looks++;
  wobble_palette(counted->w, time, out_palette);
}

/* Ten minutes: seek equals play, and costs the same wherever it goes. */
static void seek_equals_play(void **state) {
  Wobble *w = *state;
  enum { STEPS = 36000, MOMENTS = 8 };
  const double h = 1.0 / 60;
  float *played = calloc(MOMENTS * 16, sizeof *played);
  assert_non_null(played);
  assert_true(w->view.block_count == 1);
  sup_modes_reset(w->state);
  float peak = 0;
  for (uint32_t i = 0; i <= STEPS; i++) {
    wobble_palette(w, i * h, w->palette);
    sup_modes_step(&w->view, w->state, w->backend, (float)h, w->palette, NULL);
    const float *q = sup_modes_amplitudes(w->state);
    peak = fmaxf(peak, wobble_peak(w, q));
    if (i % (STEPS / MOMENTS) == 0 && i > 0) {
      memcpy(played + 16 * (i / (STEPS / MOMENTS) - 1), q, 16 * sizeof *q);
    }
  }
  uint32_t looks[MOMENTS];
  float gap = 0;
  for (uint32_t m = 0; m < MOMENTS; m++) {
    Counted counted = {w, 0};
    const SupModesMotion motion = {counted_palette, &counted, 0, h, NULL};
    sup_modes_seek(&w->view, w->state, w->backend, &motion, h * (m + 1) * (STEPS / MOMENTS), 1e-6);
    gap = fmaxf(gap, wobble_gap(w, played + 16 * m, sup_modes_amplitudes(w->state)));
    looks[m] = counted.looks;
  }
  printf("seek against play: %.1e of the peak, %u looks at the bones\n", (double)(gap / peak),
         looks[0]);
  assert_true(gap < 1e-4f * peak);
  for (uint32_t m = 0; m < MOMENTS; m++) {
    assert_true(looks[m] < STEPS / MOMENTS && looks[m] + 2 >= looks[0] && looks[m] <= looks[0] + 2);
  }
  free(played);
}

/* One solve equals a hundred rounds. */
static void loop_steady_state(void **state) {
  Wobble *w = *state;
  const double period = 1.7, step = period / 102;
  w->period = period;
  const SupModesForces forces = {.gravity = {0, -9.81f, 0}};
  for (int with = 0; with < 2; with++) {
    const SupModesMotion motion = {wobble_palette, w, 0, step, with ? &forces : NULL};
    float solved[16], peak = 0;
    sup_modes_loop(&w->view, w->state, w->backend, &motion, period);
    memcpy(solved, sup_modes_amplitudes(w->state), sizeof solved);
    sup_modes_reset(w->state);
    for (int i = 0; i <= 100 * 102; i++) {
      wobble_palette(w, step * (i % 102), w->palette);
      sup_modes_step(&w->view, w->state, w->backend, (float)step, w->palette, motion.forces);
      peak = fmaxf(peak, wobble_peak(w, sup_modes_amplitudes(w->state)));
    }
    const float gap = wobble_gap(w, solved, sup_modes_amplitudes(w->state));
    printf("loop against 100 rounds: %.1e of the peak\n", (double)(gap / peak));
    assert_true(gap < 1e-4f * peak && peak > 0);
    /* And it goes on from there as if it had always been so. */
    sup_modes_loop(&w->view, w->state, w->backend, &motion, period);
    for (int i = 1; i <= 102; i++) {
      wobble_palette(w, step * (i % 102), w->palette);
      sup_modes_step(&w->view, w->state, w->backend, (float)step, w->palette, motion.forces);
    }
    assert_true(wobble_gap(w, solved, sup_modes_amplitudes(w->state)) < 1e-4f * peak);
  }
  w->period = 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(shi_t14_matrix_exponential),
                                     cmocka_unit_test(shi_t14_free_frequency),
                                     cmocka_unit_test(smooth_through_critical),
                                     cmocka_unit_test(extremes),
                                     cmocka_unit_test(any_step_length),
                                     cmocka_unit_test(bones_at_any_rate),
                                     cmocka_unit_test(seek_equals_play),
                                     cmocka_unit_test(loop_steady_state)};
  return cmocka_run_group_tests(tests, wobble_make, wobble_unmake);
}
