/* SPDX-License-Identifier: MIT */
/*
 * One damped oscillator under a cubic force, over one step, exactly.
 *
 * The step is halved until it is short against period and decay; there the Taylor series of the
 * solution (whose coefficients follow from the differential equation, one from the two before) is
 * exact to the last digit after a score of terms, whatever the damping: no square root, no case for
 * critical damping. Then it is doubled back: the map over 2 L is the map over L after itself, and a
 * force t^j looks on the second half like (1 + t)^j.
 */
#include "supple/modes.h"

#define TERMS 20
#define SHORT 0.5   /* of a step against 1 / angular frequency and 1 / (2 decay) */
#define HALVINGS 60 /* more never happen with finite numbers of sensible size */
#define FORCES 4

/* The solution of y'' + 2 z y' + w y = s^force (none: force < 0) from y(0), y'(0), at s = 1. */
static void series(double z, double w, int force, double y0, double v0, double *out_y,
                   double *out_v) {
  double before = y0, last = v0, y = y0 + v0, v = v0;
  for (int n = 0; n < TERMS; n++) {
    const double source = (n == force ? 1 : 0) - 2 * z * (n + 1) * last - w * before;
    const double next = source / ((n + 2) * (n + 1));
    y += next;
    v += (n + 2) * next;
    before = last;
    last = next;
  }
  *out_y = y;
  *out_v = v;
}

static SupModesTransition short_step(double stiffness, double decay, double dt) {
  const double z = decay * dt, w = stiffness * dt * dt;
  SupModesTransition t;
  series(z, w, -1, 1, 0, &t.q[0], &t.v[0]);
  series(z, w, -1, 0, 1, &t.q[1], &t.v[1]);
  for (int j = 0; j < FORCES; j++) series(z, w, j, 0, 0, &t.force_q[j], &t.force_v[j]);
  /* From units of the step to seconds. */
  t.q[1] *= dt;
  t.v[0] = dt > 0 ? t.v[0] / dt : 0;
  for (int j = 0; j < FORCES; j++) {
    t.force_q[j] *= dt * dt;
    t.force_v[j] *= dt;
  }
  return t;
}

static SupModesTransition doubled(const SupModesTransition *a) {
  static const double choose[FORCES][FORCES] = {
      {1, 0, 0, 0}, {1, 1, 0, 0}, {1, 2, 1, 0}, {1, 3, 3, 1}};
  SupModesTransition t;
  for (int k = 0; k < 2; k++) {
    t.q[k] = a->q[0] * a->q[k] + a->q[1] * a->v[k];
    t.v[k] = a->v[0] * a->q[k] + a->v[1] * a->v[k];
  }
  double fraction = 1;
  for (int j = 0; j < FORCES; j++, fraction /= 2) {
    double q = a->q[0] * a->force_q[j] + a->q[1] * a->force_v[j];
    double v = a->v[0] * a->force_q[j] + a->v[1] * a->force_v[j];
    for (int i = 0; i <= j; i++) {
      q += choose[j][i] * a->force_q[i];
      v += choose[j][i] * a->force_v[i];
    }
    t.force_q[j] = fraction * q;
    t.force_v[j] = fraction * v;
  }
  return t;
}

SupModesTransition sup_modes_transition(double stiffness, double decay, double dt) {
  int halvings = 0;
  double part = dt;
  while (halvings < HALVINGS &&
         (2 * decay * part > SHORT || stiffness * part * part > SHORT * SHORT)) {
    part /= 2;
    halvings++;
  }
  SupModesTransition t = short_step(stiffness, decay, part);
  for (int k = 0; k < halvings; k++) t = doubled(&t);
  return t;
}
