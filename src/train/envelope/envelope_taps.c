/* SPDX-License-Identifier: MIT */
/* Which samples of a table stand around some angles, with their factors. */
#include "train/envelope/envelope_work.h"

#define SPREAD 1e-12 /* added to squares: examples nearer to each other share what they need */

/* As sup_envelope_read (src/runtime/envelope) reads tables: Catmull-Rom, beyond an end stands
 * 3 f0 - 3 f1 + f2. */
static uint32_t find_taps(uint32_t samples, double at, double out_weights[4]) {
  uint32_t i = at > 0 ? (uint32_t)at : 0;
  if (i > samples - 2) i = samples - 2;
  const double u = at - i, v = 1 - u;
  const double w[4] = {-0.5 * u * v * v, v * (1 + u - 1.5 * u * u), u * (1 + v - 1.5 * v * v),
                       -0.5 * v * u * u};
  const double first[4] = {w[1] + 3 * w[0], w[2] - 3 * w[0], w[3] + w[0], 0};
  const double last[4] = {0, w[0] + w[3], w[1] - 3 * w[3], w[2] + 3 * w[3]};
  const double *taken = i == 0 ? first : i == samples - 2 ? last : w;
  for (uint32_t k = 0; k < 4; k++) out_weights[k] = taken[k];
  return i == 0 ? 0 : i == samples - 2 ? samples - 4 : i - 1;
}

void sup_envelope_find_taps(const EnvelopeAngles *driving, const EnvelopeResidual *r,
                            const uint32_t *samples, const double *angles, EnvelopeTaps *out) {
  double weights[3][4] = {{1}, {1}, {1}};
  uint32_t first[3] = {0, 0, 0}, counts[3] = {1, 1, 1}, n[3] = {1, 1, 1};
  for (uint32_t a = 0; a < r->angle_count; a++) {
    const EnvelopeAngle *angle = &driving->angles[r->angles[a]];
    const double part = (angles[a] - angle->low) / (angle->high - angle->low);
    n[a] = samples[a], counts[a] = 4;
    first[a] = find_taps(n[a], part * (n[a] - 1), weights[a]);
  }
  out->count = counts[0] * counts[1] * counts[2];
  for (uint32_t k = 0; k < out->count; k++) {
    const uint32_t i = k % counts[0], j = k / counts[0] % counts[1],
                   l = k / (counts[0] * counts[1]);
    out->samples[k] = ((size_t)(first[2] + l) * n[1] + first[1] + j) * n[0] + first[0] + i;
    out->weights[k] = weights[0][i] * weights[1][j] * weights[2][l];
  }
}

SupResult sup_envelope_multiply_taps(EnvelopeWork *w, uint32_t n, const EnvelopeTaps *taps,
                                     uint32_t sample_count, double *io) {
  double *row = SUP_ALLOC(w->scratch, double, sample_count);
  if (!row) return sup_fail_memory(w->error, "envelope");
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t k = 0; k < taps[i].count; k++) row[taps[i].samples[k]] = taps[i].weights[k];
    for (uint32_t j = 0; j < n; j++) {
      for (uint32_t k = 0; k < taps[j].count; k++) {
        io[(size_t)i * n + j] += taps[j].weights[k] * row[taps[j].samples[k]];
      }
    }
    io[(size_t)i * n + i] += SPREAD;
    for (uint32_t k = 0; k < taps[i].count; k++) row[taps[i].samples[k]] = 0;
  }
  return SUP_OK;
}
