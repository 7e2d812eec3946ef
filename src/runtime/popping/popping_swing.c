/* SPDX-License-Identifier: MIT */
/*
 * How one vertex swings about its goal, in closed form.
 *
 * With e = s - g a step is (e, way) <- M (e, way), M = [1 - b, a; -b, a] with keep a and pull b.
 * Its eigenvalues are rho exp(+-i theta), rho^2 = det M = a, 2 rho cos theta = 1 + a - b, and by
 * Cayley and Hamilton
 *
 *   M^r = rho^(r-1) sin(r theta) / sin(theta) M - rho^r sin((r-1) theta) / sin(theta) I
 *
 * for any r, not only whole numbers. Son and Han's scheme is a = 1 - alpha, b = alpha: rho is
 * sqrt(1 - alpha), not the 1 - alpha that is printed, and theta is asin(sqrt(alpha)).
 */
#include "runtime/popping/popping_swing.h"

#define PI 3.14159265358979323846
#define LEAST_ANGLE 1e-4
#define TIRED 1e3f /* time constants after which exp(-x) is 0 */

void sup_popping_swing_polar(SupPoppingSwing swing, double *out_fade, double *out_angle) {
  const double fade = swing.keep > 0 ? 0.5 * sup_log(swing.keep) : SUP_POPPING_FADE_LEAST;
  const double most = fade > SUP_POPPING_FADE_LEAST ? fade : SUP_POPPING_FADE_LEAST;
  double cosine = (1 + swing.keep - swing.pull) / (2 * sup_exp(most));
  cosine = cosine > 1 ? 1 : cosine > -1 ? cosine : -1;
  const double angle = sup_acos(cosine);
  *out_fade = most;
  *out_angle = angle < LEAST_ANGLE        ? LEAST_ANGLE
               : angle < PI - LEAST_ANGLE ? angle
                                          : PI - LEAST_ANGLE;
}

static SupPoppingSwing from_polar(double fade, double angle) {
  const double rho = sup_exp(fade);
  return (SupPoppingSwing){.keep = rho * rho, .pull = 1 + rho * rho - 2 * rho * sup_cos(angle)};
}

SupPoppingSwing sup_popping_swing_stiff(double alpha) {
  return (SupPoppingSwing){.keep = 1 - alpha, .pull = alpha};
}

SupPoppingSwing sup_popping_swing_hz(double frequency, double damping, double h) {
  const double way = 2 * PI * frequency * h;
  const double angle = way * sup_sqrt(1 - damping * damping);
  return from_polar(-damping * way, angle < PI - LEAST_ANGLE ? angle : PI - LEAST_ANGLE);
}

SupPoppingSwing sup_popping_swing_rate(SupPoppingSwing swing, double ratio) {
  double fade, angle;
  sup_popping_swing_polar(swing, &fade, &angle);
  return from_polar(ratio * fade, ratio * angle);
}

void sup_popping_swing_read(SupPoppingSwing swing, double h, double *out_frequency,
                            double *out_damping) {
  double fade, angle;
  sup_popping_swing_polar(swing, &fade, &angle);
  const double size = sup_sqrt(fade * fade + angle * angle);
  *out_frequency = size / (2 * PI * h);
  *out_damping = -fade / size;
}

void sup_popping_swing_power(SupPoppingSwing swing, double ratio, double out_gap[2],
                             double out_way[2]) {
  double fade, angle;
  sup_popping_swing_polar(swing, &fade, &angle);
  const double sine = sup_sin(angle);
  const double m = sup_exp((ratio - 1) * fade) * (sup_sin(ratio * angle) / sine);
  const double i = sup_exp(ratio * fade) * (sup_sin((1 - ratio) * angle) / sine);
  out_gap[0] = m * (1 - swing.pull) + i;
  out_gap[1] = m * swing.keep;
  out_way[0] = -m * swing.pull;
  out_way[1] = m * swing.keep + i;
}

double sup_popping_swing_way(SupPoppingSwing swing, double ratio, double gap, double way) {
  double before[2], unused[2];
  if (swing.keep < 1e-12) return way; /* it stands at its goal after one step, whatever its way */
  sup_popping_swing_power(swing, -ratio, before, unused);
  return gap - (before[0] * gap + before[1] * way);
}

float sup_popping_twitch(const SupPoppingTimes *times, float since, float from, float strength) {
  if (since < times->rise) {
    const float x = since > 0 ? since / times->rise : 0;
    return from + (strength - from) * x * sup_expf(1 - x);
  }
  if (!(times->fatigue > 0)) return strength;
  const float x = (since - times->rise) / times->fatigue;
  return x < TIRED ? strength * (1 + x) * sup_expf(-x) : 0;
}
