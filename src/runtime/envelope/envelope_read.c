/* SPDX-License-Identifier: MIT */
/*
 * What an envelope reads off a pose: angles, the blend of the example shapes, the residual's
 * tables.
 *
 *   theta, xi = 2 atan2(a . v, w), kept in the examples' box     sup_pose_angle
 *   omega_i = sum_j a_ij exp(-|theta - theta^j|^2 / sigma^2) + a_i    blend_shapes
 *   psi's K values, cubic between samples                         read_table
 */
#include "base/finite.h"
#include "runtime/envelope/envelope_parts.h"
#include "runtime/sewn/pose_angle.h"

#define MOST_MIX 16.0 /* of a shape in a blend; in the examples' box none comes near */
#define TAPS 4

static float clamp(float x, float low, float high) { return x > high ? high : x > low ? x : low; }

/* ---- Blends -----------------------------------------------------------------------------------
 */

static double square_distance(const SupEnvelopeView *model, const SupEnvelopeMix *mix,
                              const float *angles, uint32_t centre) {
  const uint32_t *chosen = model->blend_angles + mix->first_angle;
  const float *at = model->centres + mix->first_centre + (size_t)centre * mix->angle_count;
  double sum = 0;
  for (uint32_t a = 0; a < mix->angle_count; a++) {
    const double d = (double)angles[chosen[a]] - (double)at[a];
    sum += d * d;
  }
  return sum;
}

/* A Gaussian function of a squared distance, or a multiquadric. */
static double near_function(double near, double square) {
  const double d = square * (near * near);
  return near < 0 ? sup_sqrt(d + 1) : sup_exp(-d);
}

/* out_omegas[centre_count]: the cardinal functions. Doubles, since large factors cancel. */
static void cardinal(const SupEnvelopeView *model, const SupEnvelopeMix *mix, const float *angles,
                     double *out_omegas) {
  const uint32_t n = mix->centre_count;
  const double *factors = model->cardinal + mix->first_cardinal;
  const double near = (double)mix->inverse_sigma;
  for (uint32_t i = 0; i < n; i++) out_omegas[i] = factors[(size_t)i * (n + 1) + n];
  for (uint32_t j = 0; j < n; j++) {
    const double g = near_function(near, square_distance(model, mix, angles, j));
    for (uint32_t i = 0; i < n; i++) out_omegas[i] += factors[(size_t)i * (n + 1) + j] * g;
  }
}

/* Nearer to the mean of all shapes where one has too much: their sum stays what it is. */
static void calm(uint32_t count, double *io_omegas) {
  const double mean = 1.0 / count;
  double most = 0;
  for (uint32_t i = 0; i < count; i++) {
    const double off = io_omegas[i] > mean ? io_omegas[i] - mean : mean - io_omegas[i];
    if (off > most) most = off;
  }
  if (!(most > MOST_MIX)) return;
  for (uint32_t i = 0; i < count; i++) {
    io_omegas[i] = mean + MOST_MIX / most * (io_omegas[i] - mean);
  }
}

static void blend_shapes(const SupEnvelopeView *model, uint32_t blend, const float *angles,
                         double *omegas, float *out_mix) {
  const uint32_t *centres = model->shape_centres + (size_t)blend * model->shape_count;
  const float *shares = model->shape_shares + (size_t)blend * model->shape_count;
  cardinal(model, &model->blends[blend], angles, omegas);
  calm(model->blends[blend].centre_count, omegas);
  for (uint32_t s = 0; s < model->shape_count; s++) {
    out_mix[s] = shares[s] * (float)omegas[centres[s]];
  }
}

/* ---- Tables -----------------------------------------------------------------------------------
 */

/* Four samples in a row and their factors. */
typedef struct Taps {
  uint32_t first, count;
  float weights[TAPS];
} Taps;

/* Catmull-Rom; beyond an end stands 3 f0 - 3 f1 + f2, so that quadratics come out whole. */
static Taps find_taps(const SupEnvelopeAngle *angle, uint32_t samples, float radians) {
  const float way = angle->high - angle->low;
  const float at = way > 0 ? (radians - angle->low) / way * (float)(samples - 1) : 0;
  uint32_t i = at > 0 ? (uint32_t)at : 0;
  if (i > samples - 2) i = samples - 2;
  const float u = at - (float)i, v = 1 - u;
  const float w[TAPS] = {-0.5f * u * v * v, v * (1 + u - 1.5f * u * u), u * (1 + v - 1.5f * v * v),
                         -0.5f * v * u * u};
  if (i == 0) return (Taps){0, TAPS, {w[1] + 3 * w[0], w[2] - 3 * w[0], w[3] + w[0], 0}};
  if (i == samples - 2) {
    return (Taps){samples - TAPS, TAPS, {0, w[0] + w[3], w[1] - 3 * w[3], w[2] + 3 * w[3]}};
  }
  return (Taps){i - 1, TAPS, {w[0], w[1], w[2], w[3]}};
}

static void add_sample(const float *sample, uint32_t count, float weight, float *io_values) {
  for (uint32_t k = 0; k < count; k++) io_values[k] += weight * sample[k];
}

/* out_values[field_count]: the tables at the angles, times the strength. */
static void read_table(const SupEnvelopeView *model, const SupEnvelopeFace *face,
                       const float *angles, float strength, float *out_values) {
  Taps t[SUP_ENVELOPE_PATCH_ANGLES] = {{0, 1, {1}}, {0, 1, {1}}, {0, 1, {1}}};
  const float *table = model->tables + face->first_table;
  for (uint32_t k = 0; k < face->field_count; k++) out_values[k] = 0;
  for (uint32_t a = 0; a < face->angle_count; a++) {
    t[a] = find_taps(&model->angles[face->angles[a]], face->samples[a], angles[face->angles[a]]);
  }
  for (uint32_t c = 0; c < t[2].count; c++) {
    for (uint32_t b = 0; b < t[1].count; b++) {
      const float weight = strength * t[2].weights[c] * t[1].weights[b];
      const size_t row = (size_t)(t[2].first + c) * face->samples[1] + t[1].first + b;
      for (uint32_t a = 0; a < t[0].count; a++) {
        add_sample(table + (row * face->samples[0] + t[0].first + a) * face->field_count,
                   face->field_count, weight * t[0].weights[a], out_values);
      }
    }
  }
}

/* ---- All of it --------------------------------------------------------------------------------
 */

static float strength_of(const SupEnvelopeView *model, const float *given, uint32_t patch) {
  if (!given || !sup_finite_all(given + patch, 1)) return model->strengths[patch];
  return clamp(given[patch], 0, SUP_ENVELOPE_STRENGTH);
}

static bool same_angles(const SupEnvelopeFace *face, const float *now, const float *then) {
  for (uint32_t a = 0; a < face->angle_count; a++) {
    if (now[face->angles[a]] != then[face->angles[a]]) return false;
  }
  return true;
}

void sup_envelope_read(const SupEnvelopeView *model, SupEnvelopeState *state, const SupPose *pose,
                       const float *strengths) {
  float *angles = (float *)sup_envelope_at(state, state->angles);
  float *earlier = angles + model->angle_count;
  float *mixes = (float *)sup_envelope_at(state, state->mixes);
  float *values = (float *)sup_envelope_at(state, state->values);
  float *used = (float *)sup_envelope_at(state, state->strengths);
  uint32_t *changed = (uint32_t *)sup_envelope_at(state, state->changed);
  for (uint32_t a = 0; a < model->angle_count; a++) {
    earlier[a] = angles[a];
    angles[a] = sup_pose_angle(&model->angles[a], pose);
  }
  for (uint32_t b = 0; b < model->blend_count; b++) {
    blend_shapes(model, b, angles, (double *)sup_envelope_at(state, state->omegas),
                 mixes + (size_t)b * model->shape_count);
  }
  for (uint32_t p = 0; p < model->patch_count; p++) {
    const SupEnvelopeFace *face = &model->faces[p];
    const float strength = strength_of(model, strengths, p);
    changed[p] = !state->known || strength != used[p] || !same_angles(face, angles, earlier);
    used[p] = strength;
    if (changed[p]) read_table(model, face, angles, strength, values + face->first_value);
  }
  state->known = 1;
}
