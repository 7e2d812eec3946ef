/* SPDX-License-Identifier: MIT */
/*
 * How a contraction that was simulated or filmed swings: the frequency and damping whose response
 * to the same pull is nearest to it. The response is the run time's own recursion, at 240 steps a
 * second; a grid finds the neighbourhood, halving steps the place.
 */
#include <math.h>

#include "supple/train/popping.h"

#define STEPS 240.0 /* a second */
#define ROUNDS 40

double sup_popping_fraction(uint32_t vertex_count, const SupVec3 *relaxed, const SupVec3 *clenched,
                            const SupVec3 *positions) {
  double along = 0, square = 0;
  for (uint32_t v = 0; v < vertex_count; v++) {
    const SupVec3d way =
        sup_vec3d_sub(sup_vec3_to_double(clenched[v]), sup_vec3_to_double(relaxed[v]));
    const SupVec3d now =
        sup_vec3d_sub(sup_vec3_to_double(positions[v]), sup_vec3_to_double(relaxed[v]));
    along += sup_vec3d_dot(way, now);
    square += sup_vec3d_dot(way, way);
  }
  return square > 0 ? along / square : 0;
}

/* RMS between what was seen and the response of `swing` in steps of h. */
static double left_of(const SupPoppingTwitch *twitch, SupPoppingSwing swing, double h) {
  double s = 0, way = 0, last = 0, time = 0, sum = 0;
  for (uint32_t i = 0; i < twitch->frame_count; i++) {
    const double now = i / twitch->fps;
    while (time < now - 1e-9) {
      time += h;
      const double goal = twitch->rise > 0 && time < twitch->rise ? time / twitch->rise : 1;
      last = s;
      way = swing.keep * way + swing.pull * (goal - s);
      s += way;
    }
    const double part = (time - now) / h, shown = s + (last - s) * part;
    sum += (shown - twitch->fractions[i]) * (shown - twitch->fractions[i]);
  }
  return sqrt(sum / twitch->frame_count);
}

static double left_hz(const SupPoppingTwitch *twitch, double frequency, double damping) {
  if (!(frequency > 0.1 && frequency < 0.4 * STEPS && damping > 0.001 && damping < 0.99)) {
    return INFINITY;
  }
  return left_of(twitch, sup_popping_swing_hz(frequency, damping, 1 / STEPS), 1 / STEPS);
}

static void fit_hz(const SupPoppingTwitch *twitch, SupPoppingFit *fit) {
  fit->left = INFINITY;
  for (double f = 0.5; f < 0.3 * twitch->fps && f < 60; f *= 1.1) {
    for (double z = 0.02; z < 0.9; z *= 1.4) {
      const double left = left_hz(twitch, f, z);
      if (left < fit->left) *fit = (SupPoppingFit){.frequency = f, .damping = z, .left = left};
    }
  }
  double step = 0.1;
  for (int round = 0; round < ROUNDS; round++, step *= 0.7) {
    for (int way = 0; way < 4; way++) {
      const double factor = way % 2 ? 1 + step : 1 / (1 + step);
      const double f = fit->frequency * (way < 2 ? factor : 1);
      const double z = fit->damping * (way < 2 ? 1 : factor);
      const double left = left_hz(twitch, f, z);
      if (left < fit->left) *fit = (SupPoppingFit){.frequency = f, .damping = z, .left = left};
    }
  }
}

/* alpha means steps of 1/60 s, whatever the rate of what was seen. */
static void fit_alpha(const SupPoppingTwitch *twitch, SupPoppingFit *fit) {
  fit->alpha_left = INFINITY;
  for (int k = 1; k <= 1000; k++) {
    const double alpha = k * 1e-3;
    const double left = left_of(twitch, sup_popping_swing_stiff(alpha), 1.0 / 60);
    if (left >= fit->alpha_left) continue;
    fit->alpha = alpha;
    fit->alpha_left = left;
  }
}

SupResult sup_popping_fit(const SupPoppingTwitch *twitch, SupPoppingFit *out_fit, SupError *error) {
  if (twitch->frame_count < 8 || !(twitch->fps > 0)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "a twitch of %u frames is too short to measure",
                    twitch->frame_count);
  }
  for (uint32_t i = 0; i < twitch->frame_count; i++) {
    if (isfinite(twitch->fractions[i])) continue;
    return sup_fail(error, SUP_ERROR_FORMAT, "the twitch's frame %u is not finite", i);
  }
  fit_hz(twitch, out_fit);
  fit_alpha(twitch, out_fit);
  return SUP_OK;
}
