/* SPDX-License-Identifier: MIT */
/*
 * Ridge regression of offsets on features, in its dual form: there are fewer poses than
 * features.
 *
 *   K_g = sum over features of scale^2 x x^T,   alpha = (K_g + ridge I)^-1 y,   y^ = K_g alpha
 *
 * g runs over groups of vertices that hang on the same bones. A joint counts for a group by
 * falloff^(joints in between): a prior, not a limit, so that few poses suffice and flesh that is
 * pushed from afar is still seen. The residual of pose i if it had been left out is
 * alpha_i / ((K + ridge I)^-1)_ii; a group's ridge is the one for which these are smallest.
 */
#include "train/correctives/correctives_fit.h"

#include <math.h>
#include <stdlib.h>

#include "base/scratch.h"
#include "numerics/dense.h"

#define PROBE_VERTICES 16 /* of a group, at most twice as many, for choosing its ridge */
#define CENTRE_SCALE 0.5

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

/* A product counts by both its joints; that of two axes twice, as in a square of a sum. */
static void fill_products(const CorrectivesRows *rows, const Place *place, double *at) {
  const SupCorrectivesView *reader = &rows->reader;
  double *squares = at + reader->pair_count;
  for (uint32_t a = 0; a < reader->axis_count; a++) {
    squares[a] = nearness(rows, place, reader->drivers[reader->axis_drivers[a]]);
  }
  for (uint32_t k = 0; k < reader->pair_count; k++) {
    at[k] = 2 * squares[reader->pairs[2 * (size_t)k]] * squares[reader->pairs[2 * (size_t)k + 1]];
  }
  for (uint32_t a = 0; a < reader->axis_count; a++) squares[a] *= squares[a];
}

/* What some features add to the kernel's diagonal in all rows. */
static double weight_of(const CorrectivesRows *rows, const double *scales, uint32_t first,
                        uint32_t count) {
  double sum = 0;
  for (uint32_t i = 0; i < rows->count; i++) {
    const double *x = rows->features + (size_t)i * rows->feature_count;
    for (uint32_t f = first; f < first + count; f++) sum += scales[f] * x[f] * x[f];
  }
  return sum;
}

/* All products together count a fixed fraction of all rotations. */
static void balance_products(const CorrectivesRows *rows, double *scales) {
  const SupCorrectivesView *reader = &rows->reader;
  const uint32_t joints = CORRECTIVES_ENTRIES * reader->driver_count;
  const uint32_t first = 1 + joints + 3 * reader->heavy_count;
  const uint32_t count = reader->pair_count + reader->axis_count;
  const double products = weight_of(rows, scales, first, count);
  const double fraction =
      products > 0 ? rows->def->products * weight_of(rows, scales, 1, joints) / products : 0;
  for (uint32_t f = first; f < first + count; f++) scales[f] *= fraction;
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
  fill_products(rows, place, at);
  at += reader->pair_count + reader->axis_count;
  for (uint32_t k = 0; k < reader->centre_count; k++) *at++ = CENTRE_SCALE * CENTRE_SCALE;
  balance_products(rows, scales);
}

static SupResult make_groups(SupArena *arena, const CorrectivesRows *rows, CorrectivesFit *fit,
                             SupError *error) {
  const SupSkin *skin = &rows->def->character->skin;
  Place *places = SUP_ALLOC(arena, Place, skin->vertex_count);
  uint32_t *vertices = SUP_ALLOC(arena, uint32_t, skin->vertex_count);
  if (!places || !vertices) return sup_fail_memory(error, "correctives");
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
        if (!group->scales) return sup_fail_memory(error, "correctives");
        fill_scales(rows, &places[v], group->scales);
      }
      group->vertex_count++;
    }
    if (!pass) fit->groups = SUP_ALLOC(arena, CorrectivesGroup, fit->group_count);
    if (!fit->groups) return sup_fail_memory(error, "correctives");
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

static const double ridges[] = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1};
enum { RIDGES = sizeof ridges / sizeof *ridges };

/* A group's kernel by its eigenvectors: every ridge costs one product. */
typedef struct Spectrum {
  uint32_t n;
  double unit;      /* the kernel's mean diagonal: what ridges are fractions of */
  double *vectors;  /* [n * n] one after the other */
  double *values;   /* [n] */
  double *inverses; /* [RIDGES * n] diagonals of (K + ridge)^-1 */
  double *within;   /* [n] scratch */
} Spectrum;

static double damped(const Spectrum *s, uint32_t k, double ridge) {
  return 1 / (fmax(s->values[k], 0) + ridge * s->unit + 1e-12);
}

static SupResult spectrum_of(SupArena *arena, const double *kernel, uint32_t n, Spectrum *out,
                             SupError *error) {
  Spectrum s = {.n = n,
                .unit = mean_diagonal(kernel, n),
                .vectors = SUP_COPY(arena, double, kernel, (size_t)n *n),
                .values = SUP_ALLOC(arena, double, n),
                .inverses = SUP_ALLOC(arena, double, (size_t)RIDGES *n),
                .within = SUP_ALLOC(arena, double, n)};
  if (!s.vectors || !s.values || !s.inverses || !s.within) {
    return sup_fail_memory(error, "correctives");
  }
  SupResult result = sup_dense_eig_symmetric((int)n, s.vectors, s.values, error);
  if (result) return result;
  for (uint32_t r = 0; r < RIDGES; r++) {
    for (uint32_t k = 0; k < n; k++) {
      const double fraction = damped(&s, k, ridges[r]), *vector = s.vectors + (size_t)k * n;
      for (uint32_t i = 0; i < n; i++) {
        s.inverses[(size_t)r * n + i] += fraction * vector[i] * vector[i];
      }
    }
  }
  *out = s;
  return SUP_OK;
}

/* The square of what one number of all poses is wrong by where each is left out. */
static double left_out(const Spectrum *s, uint32_t ridge, const double *along) {
  double sum = 0;
  for (uint32_t i = 0; i < s->n; i++) s->within[i] = 0;
  for (uint32_t k = 0; k < s->n; k++) {
    const double fraction = damped(s, k, ridges[ridge]) * along[k];
    const double *vector = s->vectors + (size_t)k * s->n;
    for (uint32_t i = 0; i < s->n; i++) s->within[i] += fraction * vector[i];
  }
  for (uint32_t i = 0; i < s->n; i++) {
    const double wrong = s->within[i] / s->inverses[(size_t)ridge * s->n + i];
    sum += wrong * wrong;
  }
  return sum;
}

/* The ridge under which the group's vertices are wrong by least where poses are left out. */
static SupResult choose_ridge(SupArena *arena, const CorrectivesRows *rows,
                              const CorrectivesGroup *group, const Spectrum *s, double *out_ridge,
                              double *io_error, double *io_size, SupError *error) {
  const size_t numbers = 3 * (size_t)rows->def->character->body.vertex_count;
  const uint32_t step = group->vertex_count / PROBE_VERTICES + 1;
  double *along = SUP_ALLOC(arena, double, s->n), wrong[RIDGES] = {0};
  if (!along) return sup_fail_memory(error, "correctives");
  for (uint32_t p = 0; p < 3 * group->vertex_count; p++) {
    if (p / 3 % step) continue;
    const size_t at = 3 * (size_t)group->vertices[p / 3] + p % 3;
    for (uint32_t k = 0; k < s->n; k++) {
      const double *vector = s->vectors + (size_t)k * s->n;
      along[k] = 0;
      for (uint32_t i = 0; i < s->n; i++) {
        along[k] += vector[i] * (double)rows->offsets[(size_t)i * numbers + at];
      }
      *io_size += along[k] * along[k] * step;
    }
    for (uint32_t r = 0; r < RIDGES; r++) wrong[r] += left_out(s, r, along) * step;
  }
  uint32_t best = 0;
  for (uint32_t r = 1; r < RIDGES; r++) {
    if (wrong[r] < wrong[best]) best = r;
  }
  *out_ridge = ridges[best];
  *io_error += wrong[best];
  return SUP_OK;
}

/* ---- Fitting ----------------------------------------------------------------------------------
 */

/* What choosing ridges has seen. */
typedef struct Choice {
  double wrong, size; /* squares, over all groups */
  uint32_t largest;   /* vertices of the largest group so far */
} Choice;

/* What is added to the kernel's diagonal. */
static SupResult damp_of(SupArena *arena, const CorrectivesRows *rows,
                         const CorrectivesGroup *group, const double *kernel, Choice *io_choice,
                         SupCorrectivesTrainReport *report, double *out_damp, SupError *error) {
  Spectrum spectrum = {0};
  double ridge = 0;
  SupResult result = spectrum_of(arena, kernel, rows->count, &spectrum, error);
  if (!result) {
    result = choose_ridge(arena, rows, group, &spectrum, &ridge, &io_choice->wrong,
                          &io_choice->size, error);
  }
  if (result) return result;
  if (rows->def->ridge > 0) ridge = rows->def->ridge;
  *out_damp = ridge * spectrum.unit + 1e-12;
  if (group->vertex_count > io_choice->largest) {
    io_choice->largest = group->vertex_count;
    report->ridge = ridge;
  }
  return SUP_OK;
}

static SupResult fit_group(SupArena *parent, CorrectivesRows *rows, const CorrectivesGroup *group,
                           float *predictions, Choice *io_choice, SupCorrectivesTrainReport *report,
                           SupError *error) {
  const uint32_t n = rows->count, columns = 3 * group->vertex_count;
  const size_t numbers = 3 * (size_t)rows->def->character->body.vertex_count;
  SupArena arena = sup_scratch(parent);
  double *kernel = SUP_ALLOC(&arena, double, (size_t)n *n);
  double *scaled = SUP_ALLOC(&arena, double, (size_t)n * rows->feature_count);
  double *b = SUP_ALLOC(&arena, double, (size_t)n *columns);
  SupResult result = kernel && scaled && b ? SUP_OK : sup_fail_memory(error, "correctives");
  double damp = 0;
  if (!result) {
    kernel_of(rows, group, scaled, kernel);
    result = damp_of(&arena, rows, group, kernel, io_choice, report, &damp, error);
  }
  if (!result) {
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
  Choice choice = {0};
  const size_t numbers = 3 * (size_t)rows->def->character->body.vertex_count;
  SupResult result = make_groups(arena, rows, &fit, error);
  fit.predictions = SUP_ALLOC(arena, float, rows->count *numbers);
  if (!result && !fit.predictions) result = sup_fail_memory(error, "correctives");
  for (uint32_t g = 0; !result && g < fit.group_count; g++) {
    result = fit_group(arena, rows, &fit.groups[g], fit.predictions, &choice, report, error);
  }
  report->left_out = choice.size > 0 ? sqrt(choice.wrong / choice.size) : 0;
  report->group_count = fit.group_count;
  if (!result) *out_fit = fit;
  return result;
}
