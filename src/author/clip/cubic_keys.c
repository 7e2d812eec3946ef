/* SPDX-License-Identifier: MIT */
/*
 * Cubic keys of a sampled curve.
 *
 * Values at keys are those of the samples. With the keys given, the curve is linear in the tangents
 * m_k, and a sample between keys k and k + 1 depends on m_k and m_(k+1) alone: their least squares
 * are a tridiagonal system for each component. Where samples do not determine a tangent, a small
 * weight on the slope of the neighbouring samples does.
 */
#include "supple/author/cubic_keys.h"

#define SLOPE_WEIGHT 1e-3 /* beside samples, whose weights are up to 0.02 */

typedef struct Fit {
  const SupSampledCurve *curve;
  uint32_t count;          /* keys */
  uint32_t *keys, *next;   /* [samples] which of them; the keys after this round */
  double *tangents;        /* [samples * width] */
  double *diagonal, *side; /* [samples] of the system */
  double *right;           /* [samples] */
} Fit;

/* Weights of both values and both tangents at u of a stretch of dt seconds. */
typedef struct Hermite {
  double v0, m0, v1, m1;
} Hermite;

static Hermite hermite(double u, double dt) {
  const double a = 1 - u;
  return (Hermite){(1 + 2 * u) * a * a, dt * u * a * a, u * u * (3 - 2 * u), -dt * u * u * a};
}

static double value_at(const Fit *fit, uint32_t sample, uint32_t c) {
  return fit->curve->values[(size_t)sample * fit->curve->width + c];
}

/* The slope of the samples around one. */
static double slope_at(const Fit *fit, uint32_t sample, uint32_t c) {
  const uint32_t last = fit->curve->count - 1;
  const uint32_t a = sample > 0 ? sample - 1 : 0, b = sample < last ? sample + 1 : last;
  return (value_at(fit, b, c) - value_at(fit, a, c)) /
         (fit->curve->times[b] - fit->curve->times[a]);
}

/* The equations of the tangents of component c. */
static void assemble(Fit *fit, uint32_t c) {
  const double *t = fit->curve->times;
  for (uint32_t k = 0; k < fit->count; k++) {
    const uint32_t from = fit->keys[k > 0 ? k - 1 : 0];
    const uint32_t to = fit->keys[k + 1 < fit->count ? k + 1 : k];
    const double reach = t[to] - t[from], weight = SLOPE_WEIGHT * reach * reach;
    fit->diagonal[k] = weight;
    fit->right[k] = weight * slope_at(fit, fit->keys[k], c);
    fit->side[k] = 0;
  }
  for (uint32_t k = 0; k + 1 < fit->count; k++) {
    const uint32_t a = fit->keys[k], b = fit->keys[k + 1];
    const double dt = t[b] - t[a];
    for (uint32_t i = a + 1; i < b; i++) {
      const Hermite w = hermite((t[i] - t[a]) / dt, dt);
      const double rest =
          value_at(fit, i, c) - w.v0 * value_at(fit, a, c) - w.v1 * value_at(fit, b, c);
      fit->diagonal[k] += w.m0 * w.m0;
      fit->side[k] += w.m0 * w.m1;
      fit->diagonal[k + 1] += w.m1 * w.m1;
      fit->right[k] += w.m0 * rest;
      fit->right[k + 1] += w.m1 * rest;
    }
  }
}

/* Solves them: positive definite, so without pivoting. */
static void solve(Fit *fit, uint32_t c) {
  const size_t width = fit->curve->width;
  for (uint32_t k = 1; k < fit->count; k++) {
    const double factor = fit->side[k - 1] / fit->diagonal[k - 1];
    fit->diagonal[k] -= factor * fit->side[k - 1];
    fit->right[k] -= factor * fit->right[k - 1];
  }
  for (uint32_t k = fit->count; k-- > 0;) {
    const double after = k + 1 < fit->count ? fit->side[k] * fit->tangents[(k + 1) * width + c] : 0;
    fit->tangents[k * width + c] = (fit->right[k] - after) / fit->diagonal[k];
  }
}

/* Of a stretch the sample that is farthest off, in tolerances; 0: all are within them. */
static uint32_t worst_of(const Fit *fit, uint32_t k) {
  const SupSampledCurve *curve = fit->curve;
  const uint32_t a = fit->keys[k], b = fit->keys[k + 1];
  const double dt = curve->times[b] - curve->times[a];
  const double *m = &fit->tangents[(size_t)k * curve->width];
  uint32_t worst = 0;
  double most = 1;
  for (uint32_t i = a + 1; i < b; i++) {
    const Hermite w = hermite((curve->times[i] - curve->times[a]) / dt, dt);
    for (uint32_t c = 0; c < curve->width; c++) {
      const double x = w.v0 * value_at(fit, a, c) + w.v1 * value_at(fit, b, c) + w.m0 * m[c] +
                       w.m1 * m[curve->width + c];
      const double off =
          x > value_at(fit, i, c) ? x - value_at(fit, i, c) : value_at(fit, i, c) - x;
      if (!(off > curve->tolerances[c])) continue;
      const double ratio = curve->tolerances[c] > 0 ? off / curve->tolerances[c] : 1e300;
      if (ratio > most || !worst) worst = i, most = ratio;
    }
  }
  return worst;
}

/* Adds a key in every stretch that needs one; false: none does. */
static bool refine(Fit *fit) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < fit->count; k++) {
    fit->next[count++] = fit->keys[k];
    if (k + 1 == fit->count) break;
    const uint32_t worst = worst_of(fit, k);
    if (worst) fit->next[count++] = worst;
  }
  const bool more = count > fit->count;
  uint32_t *swap = fit->keys;
  fit->keys = fit->next;
  fit->next = swap;
  fit->count = count;
  return more;
}

static bool rests(const SupSampledCurve *curve) {
  for (size_t i = curve->width; i < (size_t)curve->count * curve->width; i++) {
    if (curve->values[i] != curve->values[i % curve->width]) return false;
  }
  return true;
}

static SupResult finish(SupArena *arena, const Fit *fit, SupCubicKeys *out, SupError *error) {
  const uint32_t width = fit->curve->width;
  double *times = SUP_ALLOC(arena, double, fit->count);
  double *values = SUP_ALLOC(arena, double, (size_t)fit->count *width);
  double *tangents = SUP_COPY(arena, double, fit->tangents, (size_t)fit->count *width);
  if (!times || !values || !tangents) return sup_fail_memory(error, "keys");
  for (uint32_t k = 0; k < fit->count; k++) {
    times[k] = fit->curve->times[fit->keys[k]];
    for (uint32_t c = 0; c < width; c++) {
      values[(size_t)k * width + c] = value_at(fit, fit->keys[k], c);
    }
  }
  *out = (SupCubicKeys){width, fit->count, times, values, tangents};
  return SUP_OK;
}

SupResult sup_cubic_keys_fit(SupArena *arena, const SupSampledCurve *curve, SupCubicKeys *out_keys,
                             SupError *error) {
  const size_t n = curve->count;
  Fit fit = {.curve = curve,
             .keys = SUP_ALLOC(arena, uint32_t, n),
             .next = SUP_ALLOC(arena, uint32_t, n),
             .tangents = SUP_ALLOC(arena, double, n * curve->width),
             .diagonal = SUP_ALLOC(arena, double, n),
             .side = SUP_ALLOC(arena, double, n),
             .right = SUP_ALLOC(arena, double, n)};
  if (!fit.keys || !fit.next || !fit.tangents || !fit.diagonal || !fit.side || !fit.right) {
    return sup_fail_memory(error, "keys");
  }
  fit.keys[fit.count++] = 0;
  if (rests(curve)) return finish(arena, &fit, out_keys, error); /* tangents are zeroed */
  fit.keys[fit.count++] = curve->count - 1;
  do {
    for (uint32_t c = 0; c < curve->width; c++) {
      assemble(&fit, c);
      solve(&fit, c);
    }
  } while (refine(&fit));
  return finish(arena, &fit, out_keys, error);
}

void sup_cubic_keys_sample(const SupCubicKeys *keys, double time, double *out_values) {
  const uint32_t width = keys->width, last = keys->count - 1;
  uint32_t low = 0, high = last;
  if (!(time > keys->times[0])) high = 0;
  if (time >= keys->times[last]) low = high = last;
  while (high > low + 1) {
    const uint32_t middle = low + (high - low) / 2;
    if (keys->times[middle] <= time) {
      low = middle;
    } else {
      high = middle;
    }
  }
  const double dt = keys->times[high] - keys->times[low];
  const Hermite w = dt > 0 ? hermite((time - keys->times[low]) / dt, dt) : (Hermite){1, 0, 0, 0};
  const double *a = &keys->values[(size_t)low * width], *b = &keys->values[(size_t)high * width];
  const double *m = &keys->tangents[(size_t)low * width];
  const double *n = &keys->tangents[(size_t)high * width];
  for (uint32_t c = 0; c < width; c++) {
    out_values[c] = w.v0 * a[c] + w.m0 * m[c] + w.v1 * b[c] + w.m1 * n[c];
  }
}
