/* SPDX-License-Identifier: MIT */
/*
 * Supple: few cubic keys for a sampled curve, as an animator edits them: values and tangents.
 */
#ifndef SUPPLE_AUTHOR_CUBIC_KEYS_H
#define SUPPLE_AUTHOR_CUBIC_KEYS_H

#include "supple/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A sampled curve of one or several components that share their keys. */
typedef struct SupSampledCurve {
  uint32_t width;           /* components, at least 1 */
  uint32_t count;           /* samples, at least 1 */
  const double *times;      /* [count] seconds, strictly rising */
  const double *values;     /* [count * width] finite */
  const double *tolerances; /* [width] >= 0: how far the keys may be from a sample */
} SupSampledCurve;

/* Keys of a curve: cubic Hermite, as CUBICSPLINE of glTF with equal tangents on both sides. */
typedef struct SupCubicKeys {
  uint32_t width, count;
  const double *times;    /* [count] */
  const double *values;   /* [count * width] those of the samples there */
  const double *tangents; /* [count * width] per second */
} SupCubicKeys;

/* Chooses keys among the samples, the first and the last always, and tangents by least squares,
 * until every sample is within the tolerances: the worst one of a stretch becomes a key. A curve
 * that never leaves its first value has one key. In `arena`. */
SupResult sup_cubic_keys_fit(SupArena *arena, const SupSampledCurve *curve, SupCubicKeys *out_keys,
                             SupError *error);

/* The value at a time: out_values[width]; before the first key and after the last their values.
 * Between two keys nothing but these two counts, so that a moved key changes what is beside it. */
void sup_cubic_keys_sample(const SupCubicKeys *keys, double time, double *out_values);

#ifdef __cplusplus
}
#endif
#endif
