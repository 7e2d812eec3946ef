/* SPDX-License-Identifier: MIT */
/*
 * Which products of turns are features. The nine numbers of a joint vary in few ways: an elbow in
 * one, a shoulder in three. Those are found as principal components of the examples (axes); the
 * products of a joint's axes with each other and with those of the joint above are what a bulge
 * needs that two joints make together. A turn stays near what the examples show, so that products
 * are bounded in any pose.
 */
#include <math.h>

#include "base/scratch.h"
#include "numerics/dense.h"
#include "train/correctives/correctives_fit.h"

#define ENTRIES CORRECTIVES_ENTRIES
#define AXES 3              /* of one joint, at most */
#define LEAST_FRACTION 0.05 /* of the variance along a joint's first axis */
#define LEAST_SPREAD 1e-4   /* variance: joints that turn by less than half a degree have no axis */
#define MARGIN 0.25         /* turns may go so much beyond what the examples show */

typedef struct Turning {
  const CorrectivesRows *rows;
  uint32_t count;  /* poses looked at */
  float *features; /* [count * features of the linear reader] */
  uint32_t width;
} Turning;

static SupResult read_turns(SupArena *arena, Turning *t, SupError *error) {
  const SupCorrectivesTrainDef *def = t->rows->def;
  SupCorrectivesView reader = t->rows->reader;
  reader.heavy_count = 0;
  t->width = sup_correctives_features(&reader);
  t->features = SUP_ALLOC(arena, float, (size_t)t->rows->count * t->width);
  if (!t->features) return sup_fail_memory(error, "correctives");
  for (uint32_t e = 0; e < def->example_count; e++) {
    const SupSamples *s = &def->examples[e].samples;
    const uint32_t stride = sup_correctives_stride(def, &def->examples[e]);
    for (uint32_t i = 0; i < s->frame_count; i += stride) {
      const SupPose pose = {s->joint_count, sup_transform_identity(),
                            (SupTransform *)(uintptr_t)(s->poses + (size_t)i * s->joint_count)};
      sup_correctives_read(&reader, &pose, NULL, (SupVec3){0, 0, 0},
                           t->features + (size_t)t->count++ * t->width);
    }
  }
  return SUP_OK;
}

static const float *entries(const Turning *t, uint32_t row, uint32_t driver) {
  return t->features + (size_t)row * t->width + 1 + (size_t)ENTRIES * driver;
}

/* Mean and covariance of a joint's numbers. */
static void moments(const Turning *t, uint32_t driver, double *mean, double *covariance) {
  for (int a = 0; a < ENTRIES; a++) {
    mean[a] = 0;
    for (uint32_t i = 0; i < t->count; i++) mean[a] += (double)entries(t, i, driver)[a] / t->count;
  }
  for (int a = 0; a < ENTRIES * ENTRIES; a++) covariance[a] = 0;
  for (uint32_t i = 0; i < t->count; i++) {
    const float *x = entries(t, i, driver);
    for (int a = 0; a < ENTRIES; a++) {
      for (int b = 0; b < ENTRIES; b++) {
        covariance[ENTRIES * a + b] +=
            ((double)x[a] - mean[a]) * ((double)x[b] - mean[b]) / t->count;
      }
    }
  }
}

static SupCorrectivesAxis make_axis(const Turning *t, uint32_t driver, const double *mean,
                                    const double *along) {
  SupCorrectivesAxis axis = {0};
  double rest = 0, low, high;
  for (int a = 0; a < ENTRIES; a++) {
    axis.factors[a] = (float)along[a];
    rest -= along[a] * mean[a];
  }
  low = high = rest;
  for (uint32_t i = 0; i < t->count; i++) {
    double turn = rest;
    for (int a = 0; a < ENTRIES; a++) turn += along[a] * (double)entries(t, i, driver)[a];
    low = fmin(low, turn);
    high = fmax(high, turn);
  }
  const double room = MARGIN * (high - low);
  axis.rest = (float)rest;
  axis.low = (float)(low - room);
  axis.high = (float)(high + room);
  return axis;
}

/* The axes of one joint, out_axes[AXES]; returns how many. */
static SupResult find_axes(const Turning *t, uint32_t driver, SupCorrectivesAxis *out_axes,
                           uint32_t *out_count, SupError *error) {
  double mean[ENTRIES], vectors[ENTRIES * ENTRIES], values[ENTRIES];
  moments(t, driver, mean, vectors);
  SupResult result = sup_dense_eig_symmetric(ENTRIES, vectors, values, error);
  if (result) return result;
  const double least = fmax(LEAST_SPREAD, LEAST_FRACTION * values[ENTRIES - 1]);
  *out_count = 0;
  for (int k = ENTRIES - 1; k >= ENTRIES - AXES && values[k] > least; k--) {
    out_axes[(*out_count)++] = make_axis(t, driver, mean, vectors + (size_t)ENTRIES * (size_t)k);
  }
  return SUP_OK;
}

/* The nearest joint above that is a driver too: its index among them, or SUP_NONE. */
static uint32_t driver_above(const CorrectivesRows *rows, uint32_t driver) {
  const SupCorrectivesView *reader = &rows->reader;
  const int32_t *parents = rows->def->character->skeleton.parents;
  for (int32_t j = parents[reader->drivers[driver]]; j >= 0; j = parents[j]) {
    for (uint32_t k = 0; k < driver; k++) {
      if (reader->drivers[k] == (uint32_t)j) return k;
    }
  }
  return SUP_NONE;
}

/* Axes of the same joint, and of a joint and the one above: parents have smaller numbers. */
static uint32_t list_pairs(const CorrectivesRows *rows, uint32_t axis_count,
                           const uint32_t *axis_drivers, uint32_t *out_pairs) {
  uint32_t count = 0;
  for (uint32_t b = 0; b < axis_count; b++) {
    const uint32_t above = driver_above(rows, axis_drivers[b]);
    for (uint32_t a = 0; a < b; a++) {
      if (axis_drivers[a] != axis_drivers[b] && axis_drivers[a] != above) continue;
      out_pairs[2 * (size_t)count] = a;
      out_pairs[2 * (size_t)count++ + 1] = b;
    }
  }
  return count;
}

SupResult sup_correctives_axes(SupArena *arena, CorrectivesRows *rows, SupError *error) {
  SupCorrectivesView *reader = &rows->reader;
  const size_t most = (size_t)AXES * reader->driver_count;
  SupCorrectivesAxis *axes = SUP_ALLOC(arena, SupCorrectivesAxis, most);
  uint32_t *drivers = SUP_ALLOC(arena, uint32_t, most);
  uint32_t *pairs = SUP_ALLOC(arena, uint32_t, 2 * most * (2 * AXES)), count = 0;
  if (!axes || !drivers || !pairs) return sup_fail_memory(error, "correctives");
  SupArena scratch = sup_scratch(arena);
  Turning turning = {.rows = rows};
  SupResult result = read_turns(&scratch, &turning, error);
  for (uint32_t k = 0; !result && k < reader->driver_count; k++) {
    uint32_t found = 0;
    result = find_axes(&turning, k, axes + count, &found, error);
    for (uint32_t a = 0; a < found; a++) drivers[count++] = k;
  }
  sup_arena_free(&scratch);
  if (result) return result;
  reader->pair_count = list_pairs(rows, count, drivers, pairs);
  reader->axis_count = count;
  reader->axis_drivers = drivers;
  reader->axes = axes;
  reader->pairs = pairs;
  return SUP_OK;
}
