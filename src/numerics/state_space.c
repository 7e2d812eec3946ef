/* SPDX-License-Identifier: MIT */
/*
 * Playing linear systems, making them stable, and what they can do.
 *
 * Stabilising works on the real Schur form A = Q T Q^T: a real eigenvalue t is a 1x1 block and
 * becomes sign(t) min(1 / |t|, 1 - margin); a complex pair of modulus m is a 2x2 block and is
 * multiplied by min(1 / m^2, (1 - margin) / m), which mirrors the pair in the unit circle. The
 * result is real (with the complex Schur form it is not) and one pass is enough, since a modulus of
 * exactly 1, which mirrors into itself, is caught by the margin.
 */
#include "numerics/state_space.h"

#include "base/scratch.h"
#include "numerics/dense.h"
#include "supple/math.h"

#define RESPONSE_MOST 100000u /* steps of an impulse response that are added up */

uint32_t sup_series_frames(const SupSeries *series) {
  uint32_t frames = 0;
  for (uint32_t s = 0; s < series->count; s++) frames += series->lengths[s];
  return frames;
}

bool sup_system_make(SupArena *arena, uint32_t states, uint32_t inputs, uint32_t outputs,
                     SupSystem *out_system) {
  SupSystem s = {states,
                 inputs,
                 outputs,
                 SUP_ALLOC(arena, double, (size_t)states *states),
                 SUP_ALLOC(arena, double, (size_t)states *inputs),
                 SUP_ALLOC(arena, double, (size_t)outputs *states),
                 SUP_ALLOC(arena, double, (size_t)outputs *inputs)};
  *out_system = s;
  return s.a && s.b && s.c && s.d;
}

/* out = m x (+ out where `add`), m[rows * columns]. */
static void apply(const double *m, uint32_t rows, uint32_t columns, const double *x, bool add,
                  double *out) {
  for (uint32_t r = 0; r < rows; r++) {
    double sum = add ? out[r] : 0;
    for (uint32_t c = 0; c < columns; c++) sum += m[(size_t)columns * r + c] * x[c];
    out[r] = sum;
  }
}

void sup_system_run(const SupSystem *s, uint32_t frames, const double *u, double *io_z,
                    double *scratch, double *out_y) {
  for (uint32_t t = 0; t < frames; t++, u += s->inputs, out_y += s->outputs) {
    apply(s->c, s->outputs, s->states, io_z, false, out_y);
    apply(s->d, s->outputs, s->inputs, u, true, out_y);
    apply(s->a, s->states, s->states, io_z, false, scratch);
    apply(s->b, s->states, s->inputs, u, true, scratch);
    for (uint32_t k = 0; k < s->states; k++) io_z[k] = scratch[k];
  }
}

SupResult sup_system_settle(SupArena *arena, const SupSystem *s, const double *u, double *out_z,
                            SupError *error) {
  const uint32_t n = s->states;
  double *m = SUP_ALLOC(arena, double, (size_t)n *n);
  if (!m) return sup_fail_memory(error, "state-space system");
  for (uint32_t r = 0; r < n; r++) {
    for (uint32_t c = 0; c < n; c++) m[(size_t)n * c + r] = (r == c) - s->a[(size_t)n * r + c];
  }
  apply(s->b, n, s->inputs, u, false, out_z);
  return n ? sup_dense_solve(arena, (int)n, 1, m, out_z, error) : SUP_OK;
}

SupResult sup_system_predict(SupArena *arena, const SupSystem *s, const SupSeries *series,
                             double *out_y, double *out_square, SupError *error) {
  double *z = SUP_ALLOC(arena, double, s->states), *scratch = SUP_ALLOC(arena, double, s->states);
  if (!z || !scratch) return sup_fail_memory(error, "state-space system");
  size_t at = 0;
  *out_square = 0;
  for (uint32_t q = 0; q < series->count; at += series->lengths[q++]) {
    const double *u = series->u + at * s->inputs;
    SupResult result = sup_system_settle(arena, s, u, z, error);
    if (result != SUP_OK) return result;
    sup_system_run(s, series->lengths[q], u, z, scratch, out_y + at * s->outputs);
  }
  for (size_t k = 0; k < at * s->outputs; k++) {
    const double off = out_y[k] - series->y[k];
    *out_square += off * off;
  }
  return SUP_OK;
}

/* ---- Stability ------------------------------------------------------------------------------- */

/* Changes one block at k of the quasi-triangular t (column-major); returns its size. */
static uint32_t tame_block(uint32_t n, double *t, const double *real, const double *imaginary,
                           uint32_t k, double margin, double least_real, bool *out_changed) {
  const double most = 1 - margin;
  const double m = sup_sqrt(real[k] * real[k] + imaginary[k] * imaginary[k]);
  *out_changed = false;
  if (imaginary[k] != 0) {
    if (m > most) {
      const double inverse = 1 / (m * m), limit = most / m, f = inverse < limit ? inverse : limit;
      for (uint32_t c = k; c < k + 2; c++) {
        for (uint32_t r = k; r < k + 2; r++) t[(size_t)n * c + r] *= f;
      }
      *out_changed = true;
    }
    return 2;
  }
  double value = real[k];
  if (m > most) {
    value = 1 / m < most ? 1 / m : most;
    if (real[k] < 0) value = -value;
  }
  if (least_real > 0 && value < least_real) value = least_real;
  if (value != real[k]) {
    t[(size_t)n * k + k] = value;
    *out_changed = true;
  }
  return 1;
}

static void transpose(uint32_t n, const double *from, double *to) {
  for (uint32_t r = 0; r < n; r++) {
    for (uint32_t c = 0; c < n; c++) to[(size_t)n * c + r] = from[(size_t)n * r + c];
  }
}

SupResult sup_stabilise(SupArena *arena, uint32_t n, double *a, double margin, double least_real,
                        uint32_t *out_changed, SupError *error) {
  double *t = SUP_ALLOC(arena, double, (size_t)n *n), *q = SUP_ALLOC(arena, double, (size_t)n *n);
  double *half = SUP_ALLOC(arena, double, (size_t)n *n);
  double *real = SUP_ALLOC(arena, double, 2 * (size_t)n);
  *out_changed = 0;
  if (!t || !q || !half || !real) return sup_fail_memory(error, "state-space system");
  if (n == 0) return SUP_OK;
  transpose(n, a, t);
  SupResult result = sup_dense_schur((int)n, t, q, real, real + n, error);
  if (result != SUP_OK) return result;
  for (uint32_t k = 0; k < n;) {
    bool changed;
    k += tame_block(n, t, real, real + n, k, margin, least_real, &changed);
    *out_changed += changed;
  }
  if (*out_changed == 0) return SUP_OK;
  /* A = Q T Q^T. In row-major eyes the column-major q is Q^T and t is T^T. */
  const int size = (int)n;
  SupProduct left = {true, true, size, size, size, size, size, size};
  SupProduct right = {false, false, size, size, size, size, size, size};
  sup_dense_product(&left, q, t, half);
  sup_dense_product(&right, half, q, a);
  return SUP_OK;
}

SupResult sup_spectral_radius(SupArena *arena, uint32_t n, const double *a, double *out_radius,
                              SupError *error) {
  double *t = SUP_ALLOC(arena, double, (size_t)n *n), *q = SUP_ALLOC(arena, double, (size_t)n *n);
  double *real = SUP_ALLOC(arena, double, 2 * (size_t)n);
  *out_radius = 0;
  if (!t || !q || !real) return sup_fail_memory(error, "state-space system");
  if (n == 0) return SUP_OK;
  transpose(n, a, t);
  SupResult result = sup_dense_schur((int)n, t, q, real, real + n, error);
  for (uint32_t k = 0; k < n && result == SUP_OK; k++) {
    const double m = sup_sqrt(real[k] * real[k] + real[n + k] * real[n + k]);
    if (m > *out_radius) *out_radius = m;
  }
  return result;
}

/* ---- Gains ----------------------------------------------------------------------------------- */

/* Largest singular value of C (e^{iw} I - A)^-1 B + D, as a real matrix of twice the size. */
static SupResult gain_at(SupArena *arena, const SupSystem *s, double w, double *out_gain,
                         SupError *error) {
  const uint32_t n = s->states, n2 = 2 * n, ny = s->outputs, nu = s->inputs;
  double *m = SUP_ALLOC(arena, double, (size_t)n2 *n2);
  double *x = SUP_ALLOC(arena, double, (size_t)n2 * 2 * nu);
  double *h = SUP_ALLOC(arena, double, (size_t)2 * ny * 2 * nu);
  double *singular = SUP_ALLOC(arena, double, 2 * (size_t)(ny < nu ? ny : nu));
  if (!m || !x || !h || !singular) return sup_fail_memory(error, "state-space system");
  const double c = sup_cos(w), q = sup_sin(w);
  for (uint32_t r = 0; r < n; r++) {
    for (uint32_t k = 0; k < n; k++) {
      const double value = (r == k ? c : 0) - s->a[(size_t)n * r + k];
      m[(size_t)n2 * k + r] = m[(size_t)n2 * (n + k) + n + r] = value;
    }
    m[(size_t)n2 * r + n + r] = q;
    m[(size_t)n2 * (n + r) + r] = -q;
    for (uint32_t j = 0; j < nu; j++) {
      x[(size_t)n2 * j + r] = x[(size_t)n2 * (nu + j) + n + r] = s->b[(size_t)nu * r + j];
    }
  }
  SupResult result = n ? sup_dense_solve(arena, (int)n2, (int)(2 * nu), m, x, error) : SUP_OK;
  if (result != SUP_OK) return result;
  for (uint32_t j = 0; j < 2 * nu; j++) {
    for (uint32_t o = 0; o < 2 * ny; o++) {
      double sum = o / ny == j / nu ? s->d[(size_t)nu * (o % ny) + j % nu] : 0;
      for (uint32_t k = 0; k < n; k++) {
        sum += s->c[(size_t)n * (o % ny) + k] * x[(size_t)n2 * j + o / ny * n + k];
      }
      h[(size_t)2 * ny * j + o] = sum;
    }
  }
  result = sup_dense_svd(arena, (int)(2 * ny), (int)(2 * nu), h, singular, NULL, NULL, error);
  *out_gain = singular[0];
  return result;
}

SupResult sup_system_gain(SupArena *arena, const SupSystem *s, SupGain *out_gain, SupError *error) {
  enum { FREQUENCIES = 512 };
  const uint32_t n = s->states;
  *out_gain = (SupGain){0};
  SupResult result = sup_spectral_radius(arena, n, s->a, &out_gain->radius, error);
  for (uint32_t k = 0; k <= FREQUENCIES && result == SUP_OK; k++) {
    double gain = 0;
    SupArena own = sup_scratch(arena);
    result = gain_at(&own, s, SUP_PI * k / FREQUENCIES, &gain, error);
    sup_arena_free(&own);
    if (gain > out_gain->peak) out_gain->peak = gain;
  }
  double *power = SUP_ALLOC(arena, double, (size_t)n *n);
  double *next = SUP_ALLOC(arena, double, (size_t)n *n);
  if (!power || !next) return sup_fail_memory(error, "state-space system");
  for (uint32_t k = 0; k < n; k++) power[(size_t)n * k + k] = 1;
  const SupProduct square = {false, false, (int)n, (int)n, (int)n, (int)n, (int)n, (int)n};
  for (uint32_t k = 0; k < 1000 && n > 0 && result == SUP_OK; k++) {
    double sum = 0;
    for (size_t i = 0; i < (size_t)n * n; i++) sum += power[i] * power[i];
    if (sup_sqrt(sum) > out_gain->transient) out_gain->transient = sup_sqrt(sum);
    sup_dense_product(&square, power, s->a, next);
    sup_copy(power, next, (size_t)n * n * sizeof *power);
  }
  return result;
}

SupResult sup_system_bound(SupArena *arena, const SupSystem *s, const double *most,
                           double *out_bound, SupError *error) {
  const uint32_t n = s->states, nu = s->inputs, ny = s->outputs;
  double *x = SUP_ALLOC(arena, double, (size_t)n *nu);
  double *next = SUP_ALLOC(arena, double, (size_t)n *nu), radius;
  if (!x || !next) return sup_fail_memory(error, "state-space system");
  SupResult result = sup_spectral_radius(arena, n, s->a, &radius, error);
  if (result != SUP_OK) return result;
  if (!(radius < 1)) {
    return sup_fail(error, SUP_ERROR_NUMERIC, "a system of spectral radius %g has no bound",
                    radius);
  }
  for (uint32_t o = 0; o < ny; o++) {
    out_bound[o] = 0;
    for (uint32_t j = 0; j < nu; j++) {
      const double d = s->d[(size_t)nu * o + j];
      out_bound[o] += (d < 0 ? -d : d) * most[j];
    }
  }
  sup_copy(x, s->b, (size_t)n * nu * sizeof *x);
  const SupProduct product = {false, false, (int)n, (int)nu, (int)n, (int)n, (int)nu, (int)nu};
  for (uint32_t step = 0; step < RESPONSE_MOST && n > 0; step++) {
    double added = 0, all = 0;
    for (uint32_t o = 0; o < ny; o++) {
      double sum = 0;
      for (uint32_t j = 0; j < nu; j++) {
        double response = 0;
        for (uint32_t k = 0; k < n; k++) {
          response += s->c[(size_t)n * o + k] * x[(size_t)nu * k + j];
        }
        sum += (response < 0 ? -response : response) * most[j];
      }
      out_bound[o] += sum;
      added += sum;
      all += out_bound[o];
    }
    /* What is left after this is a geometric series of the radius. */
    if (added <= 1e-12 * (1 - radius) * all && step > n) break;
    sup_dense_product(&product, s->a, x, next);
    sup_copy(x, next, (size_t)n * nu * sizeof *x);
  }
  return SUP_OK;
}
