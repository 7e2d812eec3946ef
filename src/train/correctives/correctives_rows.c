/* SPDX-License-Identifier: MIT */
/*
 * Examples as rows of a regression. Features are read by the run time's own function.
 *
 * Of a motion only the slow part belongs to the pose. Offsets are linear in the features, so
 * both are smoothed in time by the same window: what the pose explains stays explained, and what
 * swings about it is averaged away.
 */
#include "train/correctives/correctives_fit.h"

#include <math.h>
#include <stdlib.h>

#include "supple/pose.h"
#include "train/drivers.h"
#include "train/rest_offsets.h"

/* ---- What is looked at ------------------------------------------------------------------------
 */

static SupResult choose_drivers(SupArena *arena, CorrectivesRows *rows, SupError *error) {
  const SupCorrectivesTrainDef *def = rows->def;
  SupSamples *samples = SUP_ALLOC(arena, SupSamples, def->example_count);
  uint32_t *drivers, count;
  SupQuat *rest;
  if (!samples) return sup_fail_memory(error, "correctives");
  for (uint32_t e = 0; e < def->example_count; e++) samples[e] = def->examples[e].samples;
  SupResult result = sup_find_drivers(arena, def->character, def->example_count, samples, &drivers,
                                      &rest, &count, error);
  if (result) return result;
  rows->reader.driver_count = count;
  rows->reader.drivers = drivers;
  rows->reader.rest = rest;
  rows->reader.joint_count = def->character->skeleton.joint_count;
  if (count == 0) {
    return sup_fail(
        error, SUP_ERROR_ARGUMENT,
        "no joint that moves the skin rotates in the examples; there is nothing to learn");
  }
  return SUP_OK;
}

static SupResult choose_heavy(SupArena *arena, CorrectivesRows *rows, SupError *error) {
  const SupCorrectivesTrainDef *def = rows->def;
  const SupSkin *skin = &def->character->skin;
  const uint32_t bones = def->character->skeleton.bone_count;
  const SupVec3 g = def->gravity;
  if (g.x == 0 && g.y == 0 && g.z == 0) return SUP_OK;
  double *fractions = SUP_ALLOC(arena, double, bones);
  uint32_t *heavy = SUP_ALLOC(arena, uint32_t, bones);
  if (!fractions || !heavy) return sup_fail_memory(error, "correctives");
  for (uint32_t k = 0; k < skin->offsets[skin->vertex_count]; k++) {
    fractions[skin->bones[k]] += (double)skin->weights[k];
  }
  uint32_t count = 0;
  for (uint32_t b = 0; b < bones; b++) {
    if (!sup_own_joint(def->character, def->character->skeleton.bone_joints[b])) continue;
    if (fractions[b] > 1e-3 * skin->vertex_count) heavy[count++] = b;
  }
  rows->reader.heavy_count = count;
  rows->reader.heavy = heavy;
  return SUP_OK;
}

/* ---- Reading ----------------------------------------------------------------------------------
 */

typedef struct Reading {
  SupAffine *globals, *palette;
  float *features;  /* one row */
  SupVec3 *offsets; /* one row */
} Reading;

static void read_frame(const CorrectivesRows *rows, const Reading *reading,
                       const SupSamples *samples, uint32_t frame) {
  const SupCorrectivesTrainDef *def = rows->def;
  const SupSkeleton *skeleton = &def->character->skeleton;
  const SupTransform *joints = samples->poses + (size_t)frame * samples->joint_count;
  const SupPose pose = {skeleton->joint_count, sup_transform_identity(),
                        (SupTransform *)(uintptr_t)joints};
  sup_pose_evaluate(skeleton, &pose, reading->globals, reading->palette);
  sup_correctives_read(&rows->reader, &pose, reading->palette, def->gravity, reading->features);
  sup_rest_offsets(def->character, reading->palette,
                   samples->positions + (size_t)frame * samples->vertex_count, def->jobs,
                   reading->offsets);
}

uint32_t sup_correctives_stride(const SupCorrectivesTrainDef *def,
                                const SupCorrectivesExample *example) {
  const double frames = example->moving ? def->slow * (double)example->samples.fps : 1;
  return frames > 1 ? (uint32_t)frames : 1;
}

static void add_row(const CorrectivesRows *rows, const Reading *reading, uint32_t row,
                    double weight) {
  const size_t numbers = 3 * (size_t)rows->def->character->body.vertex_count;
  double *features = rows->features + (size_t)row * rows->feature_count;
  float *offsets = rows->offsets + (size_t)row * numbers;
  const float *from = (const float *)reading->offsets;
  for (uint32_t f = 0; f < rows->feature_count; f++) {
    features[f] += weight * (double)reading->features[f];
  }
  for (size_t i = 0; i < numbers; i++) offsets[i] += (float)weight * from[i];
}

/* The frames of one example into rows from `first` on; returns how many. Rows of a motion are
 * weighted means over three widths of the window to both sides. */
static uint32_t read_example(const CorrectivesRows *rows, const Reading *reading,
                             const SupCorrectivesExample *example, uint32_t first) {
  const SupSamples *samples = &example->samples;
  const uint32_t stride = sup_correctives_stride(rows->def, example);
  const uint32_t count = (samples->frame_count - 1) / stride + 1;
  const double width = rows->def->slow * (double)samples->fps;
  for (uint32_t i = 0; i < samples->frame_count; i++) {
    read_frame(rows, reading, samples, i);
    if (!example->moving) {
      add_row(rows, reading, first + i, 1);
      continue;
    }
    for (uint32_t k = 0; k < count; k++) {
      const double away = ((double)k * stride - i) / width;
      if (fabs(away) > 3) continue;
      double all = 0;
      for (uint32_t m = 0; m < samples->frame_count; m++) {
        const double x = ((double)k * stride - m) / width;
        if (fabs(x) <= 3) all += exp(-x * x / 2);
      }
      add_row(rows, reading, first + k, exp(-away * away / 2) / all);
    }
  }
  return count;
}

/* ---- Centres ----------------------------------------------------------------------------------
 */

static double distance(const CorrectivesRows *rows, const double *a, const double *b) {
  double sum = 0;
  for (uint32_t i = 1; i <= CORRECTIVES_ENTRIES * rows->reader.driver_count; i++) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return sqrt(sum);
}

/* The rows that are farthest from each other, each as wide as the way to its nearest neighbour, and
 * their features in all rows. */
static SupResult add_centres(SupArena *arena, CorrectivesRows *rows, SupError *error) {
  const uint32_t wanted = rows->def->centre_count, width = 9 * rows->reader.driver_count;
  const uint32_t count = wanted < rows->count ? wanted : rows->count;
  if (!count) return SUP_OK;
  const uint32_t before = rows->feature_count, after = before + count;
  float *centres = SUP_ALLOC(arena, float, (size_t)count *(1 + width));
  double *nearest = SUP_ALLOC(arena, double, rows->count);
  double *features = SUP_ALLOC(arena, double, (size_t)rows->count *after);
  uint32_t *chosen = SUP_ALLOC(arena, uint32_t, count);
  if (!centres || !nearest || !features || !chosen) return sup_fail_memory(error, "correctives");
  for (uint32_t i = 0; i < rows->count; i++) nearest[i] = INFINITY;
  for (uint32_t k = 0; k < count; k++) {
    for (uint32_t i = 0; k && i < rows->count; i++) {
      if (nearest[i] > nearest[chosen[k]]) chosen[k] = i;
    }
    const double *centre = rows->features + (size_t)chosen[k] * before;
    for (uint32_t i = 0; i < rows->count; i++) {
      nearest[i] = fmin(nearest[i], distance(rows, rows->features + (size_t)i * before, centre));
    }
  }
  for (uint32_t k = 0; k < count; k++) {
    const double *centre = rows->features + (size_t)chosen[k] * before;
    float *to = centres + (size_t)k * (1 + width);
    double near = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
      if (i == k) continue;
      near = fmin(near, distance(rows, rows->features + (size_t)chosen[i] * before, centre));
    }
    to[0] = near > 0 && isfinite(near) ? (float)(0.5 / near) : 1;
    for (uint32_t i = 0; i < width; i++) to[1 + i] = (float)centre[1 + i];
  }
  for (uint32_t i = 0; i < rows->count; i++) {
    const double *from = rows->features + (size_t)i * before;
    double *to = features + (size_t)i * after;
    for (uint32_t f = 0; f < before; f++) to[f] = from[f];
    for (uint32_t k = 0; k < count; k++) {
      const double d = distance(rows, from, rows->features + (size_t)chosen[k] * before) *
                       (double)centres[(size_t)k * (1 + width)];
      to[before + k] = 1 / (1 + d * d);
    }
  }
  rows->features = features;
  rows->feature_count = after;
  rows->reader.centre_count = count;
  rows->reader.centres = centres;
  return SUP_OK;
}

/* ---- Weights ----------------------------------------------------------------------------------
 */

static int compare_numbers(const void *a, const void *b) {
  const double *p = a, *q = b;
  return *p < *q ? -1 : *p > *q;
}

/* Poses whose offsets are larger than usual count less, as much as usual ones: what tangled
 * limbs do is the least linear and would otherwise decide. Features and offsets of a row are made
 * smaller together. */
static SupResult weigh_rows(SupArena *arena, const CorrectivesRows *rows, SupError *error) {
  const uint32_t vertices = rows->def->character->body.vertex_count;
  double *sizes = SUP_ALLOC(arena, double, 2 * (size_t)rows->count), *sorted = sizes + rows->count;
  if (!sizes) return sup_fail_memory(error, "correctives");
  for (uint32_t i = 0; i < rows->count; i++) {
    const float *row = rows->offsets + 3 * (size_t)i * vertices;
    for (uint32_t v = 0; v < vertices; v++) {
      for (size_t c = 3 * (size_t)v; c < 3 * (size_t)v + 3; c++) {
        sizes[i] += rows->areas[v] * (double)row[c] * (double)row[c];
      }
    }
    sizes[i] = sorted[i] = sqrt(sizes[i]);
  }
  qsort(sorted, rows->count, sizeof *sorted, compare_numbers);
  const double usual = sorted[rows->count / 2];
  for (uint32_t i = 0; i < rows->count; i++) {
    const double weight = rows->weights[i] = sizes[i] > usual && usual > 0 ? usual / sizes[i] : 1;
    for (uint32_t f = 0; f < rows->feature_count; f++) {
      rows->features[(size_t)i * rows->feature_count + f] *= weight;
    }
    for (size_t k = 3 * (size_t)i * vertices; k < 3 * ((size_t)i + 1) * vertices; k++) {
      rows->offsets[k] *= (float)weight;
    }
  }
  return SUP_OK;
}

/* ---- All together -----------------------------------------------------------------------------
 */

static SupResult make_room(SupArena *arena, CorrectivesRows *rows, Reading *reading,
                           SupError *error) {
  const SupCharacter *character = rows->def->character;
  const size_t vertices = character->body.vertex_count;
  rows->feature_count = sup_correctives_features(&rows->reader);
  rows->features = SUP_ALLOC(arena, double, (size_t)rows->count * rows->feature_count);
  rows->offsets = SUP_ALLOC(arena, float, 3 * vertices * rows->count);
  rows->weights = SUP_ALLOC(arena, double, rows->count);
  rows->areas = SUP_ALLOC(arena, double, vertices);
  reading->globals = SUP_ALLOC(arena, SupAffine, character->skeleton.joint_count);
  reading->palette = SUP_ALLOC(arena, SupAffine, character->skeleton.bone_count);
  reading->features = SUP_ALLOC(arena, float, rows->feature_count);
  reading->offsets = SUP_ALLOC(arena, SupVec3, vertices);
  return rows->features && rows->offsets && rows->weights && rows->areas && reading->globals &&
                 reading->palette && reading->features && reading->offsets
             ? SUP_OK
             : sup_fail_memory(error, "correctives");
}

SupResult sup_correctives_rows(SupArena *arena, const SupCorrectivesTrainDef *def,
                               CorrectivesRows *out_rows, SupError *error) {
  CorrectivesRows rows = {.def = def};
  Reading reading = {0};
  for (uint32_t e = 0; e < def->example_count; e++) {
    rows.count += (def->examples[e].samples.frame_count - 1) /
                      sup_correctives_stride(def, &def->examples[e]) +
                  1;
  }
  SupResult result = choose_drivers(arena, &rows, error);
  if (!result) result = choose_heavy(arena, &rows, error);
  if (!result && def->products > 0) result = sup_correctives_axes(arena, &rows, error);
  if (!result) result = make_room(arena, &rows, &reading, error);
  if (result) return result;
  sup_vertex_fractions(&def->character->body, rows.areas);
  for (uint32_t e = 0, first = 0; e < def->example_count; e++) {
    first += read_example(&rows, &reading, &def->examples[e], first);
  }
  result = add_centres(arena, &rows, error);
  if (!result) result = weigh_rows(arena, &rows, error);
  if (!result) *out_rows = rows;
  return result;
}
