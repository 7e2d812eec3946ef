/* SPDX-License-Identifier: MIT */
/*
 * Ridge regression of offsets on features, in its dual form: there are fewer postures than
 * features.
 *
 *   K_g = sum over features of scale^2 x x^T,   alpha = (K_g + ridge I)^-1 y,   y^ = K_g alpha
 *
 * g runs over groups of vertices that hang on the same bones. A joint counts for a group by
 * falloff^(joints in between): a prior, not a limit, so that few postures suffice and flesh that is
 * pushed from afar is still seen. The residual of posture i if it had been left out is
 * alpha_i / ((K + ridge I)^-1)_ii; ridge is the one for which these are smallest.
 */
#include "train/correctives/correctives_fit.h"

#include <math.h>
#include <stdlib.h>

#include "numerics/dense.h"

#define PROBE_GROUPS 12   /* for choosing the ridge: the largest groups, ... */
#define PROBE_VERTICES 48 /* ... so many vertices of each */
#define CENTRE_SCALE 0.5

static SupResult no_memory(SupError *error) { return sup_fail_memory(error, "correctives"); }

/* ---- Groups -----------------------------------------------------------------------------------
 */

typedef struct Place {
  uint32_t bones[2]; /* the two heaviest, rising; the same one twice if there is one */
  uint32_t vertex;
} Place;

static int compare_places(const void *a, const void *b) {
  const Place *p = a, *q = b;
  for (int k = 0; k < 2; k++) {
    if (p->bones[k] != q->bones[k]) return p->bones[k] < q->bones[k] ? -1 : 1;
  }
  return p->vertex < q->vertex ? -1 : p->vertex > q->vertex;
}

static Place place_of(const SupSkin *skin, uint32_t v) {
  uint32_t best[2] = {SUP_NONE, SUP_NONE};
  float most[2] = {0, 0};
  for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
    const float w = skin->weights[k];
    if (w > most[0]) {
      best[1] = best[0], most[1] = most[0];
      best[0] = skin->bones[k], most[0] = w;
    } else if (w > most[1]) {
      best[1] = skin->bones[k], most[1] = w;
    }
  }
  if (most[1] < 0.1f) best[1] = best[0];
  const bool swap = best[1] < best[0];
  return (Place){{best[swap], best[!swap]}, v};
}

/* Joints on the way from one to the other. */
static uint32_t joints_between(const SupSkeleton *skeleton, uint32_t a, uint32_t b) {
  uint32_t steps = 0;
  while (a != b) {
    /* Parents have smaller numbers: the larger of the two is never above the other. */
    uint32_t *later = a > b ? &a : &b;
    if (skeleton->parents[*later] < 0) return steps + 1 + (a < b ? a : b);
    *later = (uint32_t)skeleton->parents[*later];
    steps++;
  }
  return steps;
}

static double nearness(const CorrectivesRows *rows, const Place *place, uint32_t joint) {
  const SupSkeleton *skeleton = &rows->def->character->skeleton;
  uint32_t least = UINT32_MAX;
  for (int k = 0; k < 2; k++) {
    const uint32_t steps = joints_between(skeleton, joint, skeleton->bone_joints[place->bones[k]]);
    if (steps < least) least = steps;
  }
  return pow(rows->def->falloff, 2.0 * least);
}

static void fill_scales(const CorrectivesRows *rows, const Place *place, double *scales) {
  const SupCorrectivesTrainDef *def = rows->def;
  const SupCorrectivesView *reader = &rows->reader;
  const SupSkeleton *skeleton = &def->character->skeleton;
  double *at = scales;
  *at++ = def->constant || reader->heavy_count ? 1 : 0;
  for (uint32_t k = 0; k < reader->driver_count; k++) {
    const double near = nearness(rows, place, reader->drivers[k]);
    for (int i = 0; i < CORRECTIVES_ENTRIES; i++) *at++ = near;
  }
  for (uint32_t k = 0; k < reader->heavy_count; k++) {
    const double near = nearness(rows, place, skeleton->bone_joints[reader->heavy[k]]);
    for (int i = 0; i < 3; i++) *at++ = near;
  }
  for (uint32_t k = 0; k < reader->centre_count; k++) *at++ = CENTRE_SCALE * CENTRE_SCALE;
}

static SupResult make_groups(SupArena *arena, const CorrectivesRows *rows, CorrectivesFit *fit,
                             SupError *error) {
  const SupSkin *skin = &rows->def->character->skin;
  Place *places = SUP_ALLOC(arena, Place, skin->vertex_count);
  uint32_t *vertices = SUP_ALLOC(arena, uint32_t, skin->vertex_count);
  if (!places || !vertices) return no_memory(error);
  for (uint32_t v = 0; v < skin->vertex_count; v++) places[v] = place_of(skin, v);
  qsort(places, skin->vertex_count, sizeof *places, compare_places);
  for (uint32_t pass = 0; pass < 2; pass++) {
    fit->group_count = 0;
    for (uint32_t v = 0; v < skin->vertex_count; v++) {
      const bool begins = v == 0 || places[v].bones[0] != places[v - 1].bones[0] ||
                          places[v].bones[1] != places[v - 1].bones[1];
      fit->group_count += begins;
      if (!pass) continue;
      CorrectivesGroup *group = &fit->groups[fit->group_count - 1];
      vertices[v] = places[v].vertex;
      if (begins) {
        *group = (CorrectivesGroup){.vertices = vertices + v,
                                    .scales = SUP_ALLOC(arena, double, rows->feature_count)};
        if (!group->scales) return no_memory(error);
        fill_scales(rows, &places[v], group->scales);
      }
      group->vertex_count++;
    }
    if (!pass) fit->groups = SUP_ALLOC(arena, CorrectivesGroup, fit->group_count);
    if (!fit->groups) return no_memory(error);
  }
  return SUP_OK;
}

/* ---- Kernels ----------------------------------------------------------------------------------
 */

/* out[count * count] = sum of scale x x^T over the features. */
static void kernel_of(const CorrectivesRows *rows, const CorrectivesGroup *group, double *scaled,
                      double *out) {
  const uint32_t n = rows->count, features = rows->feature_count;
  for (size_t i = 0; i < (size_t)n * features; i++) {
    scaled[i] = rows->features[i] * group->scales[i % features];
  }
  for (uint32_t i = 0; i < n; i++) {
    const double *a = rows->features + (size_t)i * features;
    for (uint32_t k = 0; k <= i; k++) {
      const double *b = scaled + (size_t)k * features;
      double sum[4] = {0, 0, 0, 0};
      uint32_t f = 0;
      for (; f + 4 <= features; f += 4) {
        for (int u = 0; u < 4; u++) sum[u] += a[f + (uint32_t)u] * b[f + (uint32_t)u];
      }
      for (; f < features; f++) sum[0] += a[f] * b[f];
      out[(size_t)i * n + k] = out[(size_t)k * n + i] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
  }
}

static double mean_diagonal(const double *kernel, uint32_t n) {
  double sum = 0;
  for (uint32_t i = 0; i < n; i++) sum += kernel[(size_t)i * n + i];
  return sum / n;
}

/* ---- The ridge --------------------------------------------------------------------------------
 */

/* Adds the squares of what the group's vertices are wrong by when postures are left out. */
static SupResult leave_out(SupArena *arena, const CorrectivesRows *rows,
                           const CorrectivesGroup *group, const double *kernel, double ridge,
                           double *io_error, double *io_size, SupError *error) {
  const uint32_t n = rows->count;
  const size_t numbers = 3 * (size_t)rows->def->character->body.vertex_count;
  const uint32_t step = group->vertex_count / PROBE_VERTICES + 1;
  const uint32_t probes = (group->vertex_count - 1) / step + 1, columns = n + 3 * probes;
  double *a = SUP_COPY(arena, double, kernel, (size_t)n *n);
  double *b = SUP_ALLOC(arena, double, (size_t)n *columns);
  if (!a || !b) return no_memory(error);
  for (uint32_t i = 0; i < n; i++) {
    a[(size_t)i * n + i] += ridge;
    b[(size_t)i * n + i] = 1;
    for (uint32_t p = 0; p < 3 * probes; p++) {
      const size_t at = 3 * (size_t)group->vertices[p / 3 * step] + p % 3;
      b[(size_t)(n + p) * n + i] = (double)rows->offsets[(size_t)i * numbers + at];
      *io_size += b[(size_t)(n + p) * n + i] * b[(size_t)(n + p) * n + i] * step;
    }
  }
  SupResult result = sup_dense_solve(arena, (int)n, (int)columns, a, b, error);
  if (result) return result;
  for (uint32_t p = 0; p < 3 * probes; p++) {
    for (uint32_t i = 0; i < n; i++) {
      const double wrong = b[(size_t)(n + p) * n + i] / b[(size_t)i * n + i];
      *io_error += wrong * wrong * step;
    }
  }
  return SUP_OK;
}

static int compare_groups(const void *a, const void *b) {
  const CorrectivesGroup *const *p = a, *const *q = b;
  if ((*p)->vertex_count != (*q)->vertex_count) {
    return (*p)->vertex_count > (*q)->vertex_count ? -1 : 1;
  }
  return *p < *q ? -1 : *p > *q;
}

/* Tries ridges on the largest groups. */
static SupResult choose_ridge(SupArena *parent, const CorrectivesRows *rows,
                              const CorrectivesFit *fit, SupCorrectivesTrainReport *report,
                              SupError *error) {
  static const double ridges[] = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1};
  enum { RIDGES = sizeof ridges / sizeof *ridges };
  const double given[1] = {rows->def->ridge};
  const double *tried = rows->def->ridge > 0 ? given : ridges;
  const uint32_t tries = rows->def->ridge > 0 ? 1 : RIDGES;
  const uint32_t n = rows->count;
  double wrong[RIDGES] = {0}, size[RIDGES] = {0};
  SupArena arena = sup_scratch(parent);
  const CorrectivesGroup **order = SUP_ALLOC(&arena, const CorrectivesGroup *, fit->group_count);
  double *kernel = SUP_ALLOC(&arena, double, (size_t)n *n);
  double *scaled = SUP_ALLOC(&arena, double, (size_t)n * rows->feature_count);
  SupResult result = order && kernel && scaled ? SUP_OK : no_memory(error);
  for (uint32_t g = 0; !result && g < fit->group_count; g++) order[g] = &fit->groups[g];
  if (!result) qsort(order, fit->group_count, sizeof *order, compare_groups);
  for (uint32_t g = 0; !result && g < fit->group_count && g < PROBE_GROUPS; g++) {
    kernel_of(rows, order[g], scaled, kernel);
    const double unit = mean_diagonal(kernel, n);
    for (uint32_t r = 0; !result && r < tries; r++) {
      SupArena scratch = sup_scratch(parent);
      result = leave_out(&scratch, rows, order[g], kernel, tried[r] * unit + 1e-12, &wrong[r],
                         &size[r], error);
      sup_arena_free(&scratch);
    }
  }
  uint32_t best = 0;
  for (uint32_t r = 1; r < tries; r++) {
    if (wrong[r] < wrong[best]) best = r;
  }
  report->ridge = tried[best];
  report->left_out = size[best] > 0 ? sqrt(wrong[best] / size[best]) : 0;
  sup_arena_free(&arena);
  return result;
}

/* ---- Fitting ----------------------------------------------------------------------------------
 */

static SupResult fit_group(SupArena *parent, CorrectivesRows *rows, const CorrectivesGroup *group,
                           double ridge, float *predictions, SupError *error) {
  const uint32_t n = rows->count, columns = 3 * group->vertex_count;
  const size_t numbers = 3 * (size_t)rows->def->character->body.vertex_count;
  SupArena arena = sup_scratch(parent);
  double *kernel = SUP_ALLOC(&arena, double, (size_t)n *n);
  double *scaled = SUP_ALLOC(&arena, double, (size_t)n * rows->feature_count);
  double *b = SUP_ALLOC(&arena, double, (size_t)n *columns);
  SupResult result = kernel && scaled && b ? SUP_OK : no_memory(error);
  double damp = 0;
  if (!result) {
    kernel_of(rows, group, scaled, kernel);
    damp = ridge * mean_diagonal(kernel, n) + 1e-12;
    for (uint32_t c = 0; c < columns; c++) {
      const size_t at = 3 * (size_t)group->vertices[c / 3] + c % 3;
      for (uint32_t i = 0; i < n; i++) {
        b[(size_t)c * n + i] = (double)rows->offsets[(size_t)i * numbers + at];
      }
    }
    for (uint32_t i = 0; i < n; i++) kernel[(size_t)i * n + i] += damp;
    result = sup_dense_solve(&arena, (int)n, (int)columns, kernel, b, error);
  }
  /* What is fitted is what was asked for less the ridge's share: K alpha = y - ridge alpha. */
  for (uint32_t c = 0; !result && c < columns; c++) {
    const size_t at = 3 * (size_t)group->vertices[c / 3] + c % 3;
    for (uint32_t i = 0; i < n; i++) {
      const double alpha = b[(size_t)c * n + i];
      float *y = &rows->offsets[(size_t)i * numbers + at];
      predictions[(size_t)i * numbers + at] = (float)((double)*y - damp * alpha);
      *y = (float)alpha;
    }
  }
  sup_arena_free(&arena);
  return result;
}

SupResult sup_correctives_fit(SupArena *arena, CorrectivesRows *rows, CorrectivesFit *out_fit,
                              SupCorrectivesTrainReport *report, SupError *error) {
  CorrectivesFit fit = {0};
  const size_t numbers = 3 * (size_t)rows->def->character->body.vertex_count;
  SupResult result = make_groups(arena, rows, &fit, error);
  if (!result) result = choose_ridge(arena, rows, &fit, report, error);
  fit.predictions = SUP_ALLOC(arena, float, rows->count *numbers);
  if (!result && !fit.predictions) result = no_memory(error);
  for (uint32_t g = 0; !result && g < fit.group_count; g++) {
    result = fit_group(arena, rows, &fit.groups[g], report->ridge, fit.predictions, error);
  }
  report->group_count = fit.group_count;
  if (!result) *out_fit = fit;
  return result;
}
