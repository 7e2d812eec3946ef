/* SPDX-License-Identifier: MIT */
/*
 * From a regression per vertex to few components: the principal components of what the regression
 * says in the examples, weighted by area. The map from features to a component's weight is the
 * regression itself, projected.
 */
#include "train/correctives/correctives_fit.h"

#include <math.h>

#include "numerics/dense.h"

#define GRAIN 1024      /* vertices that are summed together */
#define NEGLIGIBLE 1e-4 /* of a component's largest offset: left out, such blocks cost nothing */
#define MARGIN 0.25     /* weights may go so much beyond what the examples show */

typedef struct Job {
  const CorrectivesRows *rows;
  const CorrectivesFit *fit;
  SupArena *arena;
  uint32_t count;  /* components */
  double *vectors; /* [rows * rows] of the Gram matrix, smallest first */
  double *values;  /* [rows] */
  SupVec3 *shapes; /* [count * vertices] */
} Job;

static uint32_t vertices_of(const Job *job) { return job->rows->def->character->body.vertex_count; }

/* ---- Principal components ---------------------------------------------------------------------
 */

typedef struct GramJob {
  const Job *job;
  double *parts; /* [chunks * rows * rows] */
} GramJob;

static void gram_range(void *context, SupRange range) {
  const GramJob *g = context;
  const CorrectivesRows *rows = g->job->rows;
  const uint32_t n = rows->count;
  const size_t numbers = 3 * (size_t)vertices_of(g->job);
  double *out = g->parts + (size_t)range.chunk * n * n;
  for (uint32_t i = 0; i < n; i++) {
    const float *a = g->job->fit->predictions + i * numbers;
    for (uint32_t k = 0; k <= i; k++) {
      const float *b = g->job->fit->predictions + k * numbers;
      double sum = 0;
      for (uint32_t v = range.first; v < range.first + range.count; v++) {
        const size_t at = 3 * (size_t)v;
        sum += rows->areas[v] *
               (double)(a[at] * b[at] + a[at + 1] * b[at + 1] + a[at + 2] * b[at + 2]);
      }
      out[(size_t)i * n + k] = sum;
    }
  }
}

/* The examples' Gram matrix, in chunks that are added in order. */
static SupResult decompose(Job *job, SupError *error) {
  const uint32_t n = job->rows->count, chunks = sup_range_count(vertices_of(job), GRAIN);
  GramJob g = {job, SUP_ALLOC(job->arena, double, (size_t)chunks *n *n)};
  job->vectors = SUP_ALLOC(job->arena, double, (size_t)n *n);
  job->values = SUP_ALLOC(job->arena, double, n);
  if (!g.parts || !job->vectors || !job->values) return sup_fail_memory(error, "correctives");
  sup_parallel_for(job->rows->def->jobs, vertices_of(job), GRAIN, gram_range, &g);
  for (uint32_t c = 0; c < chunks; c++) {
    for (uint32_t i = 0; i < n; i++) {
      for (uint32_t k = 0; k <= i; k++) {
        job->vectors[(size_t)k * n + i] += g.parts[((size_t)c * n + i) * n + k];
      }
    }
  }
  return sup_dense_eig_symmetric((int)n, job->vectors, job->values, error);
}

/* As many as are needed and allowed. */
static void choose_count(Job *job, SupCorrectivesTrainReport *report) {
  const uint32_t n = job->rows->count;
  double all = 0, left;
  for (uint32_t k = 0; k < n; k++) all += fmax(job->values[k], 0);
  left = all;
  const double fraction = job->rows->def->fraction;
  while (job->count < n && job->count < job->rows->def->component_count &&
         (job->count == 0 || left > fraction * fraction * all)) {
    left -= fmax(job->values[n - 1 - job->count++], 0);
  }
  report->lost = all > 0 ? sqrt(fmax(left, 0) / all) : 0;
}

/* shape_k = sum over examples of vector_k prediction / sqrt(value_k): of area-weighted length 1. */
static SupResult make_shapes(Job *job, SupError *error) {
  const uint32_t n = job->rows->count;
  const size_t numbers = 3 * (size_t)vertices_of(job);
  job->shapes = SUP_ALLOC(job->arena, SupVec3, job->count * numbers / 3);
  double *sum = SUP_ALLOC(job->arena, double, numbers);
  if (!job->shapes || !sum) return sup_fail_memory(error, "correctives");
  for (uint32_t k = 0; k < job->count; k++) {
    const double *vector = job->vectors + (size_t)(n - 1 - k) * n;
    const double value = job->values[n - 1 - k], scale = value > 0 ? 1 / sqrt(value) : 0;
    for (size_t i = 0; i < numbers; i++) sum[i] = 0;
    for (uint32_t row = 0; row < n; row++) {
      const float *from = job->fit->predictions + row * numbers;
      for (size_t i = 0; i < numbers; i++) sum[i] += vector[row] * scale * (double)from[i];
    }
    float *to = (float *)(job->shapes + k * (numbers / 3));
    for (size_t i = 0; i < numbers; i++) to[i] = (float)sum[i];
  }
  return SUP_OK;
}

/* ---- The map ----------------------------------------------------------------------------------
 */

/* matrix[k][f] = sum_g scale_gf sum_rows x_f sum_{v in g} area alpha . shape_k. */
static SupResult make_matrix(const Job *job, double *out_matrix, SupError *error) {
  const CorrectivesRows *rows = job->rows;
  const uint32_t n = rows->count, features = rows->feature_count, vertices = vertices_of(job);
  double *beta = SUP_ALLOC(job->arena, double, n), *dual = SUP_ALLOC(job->arena, double, features);
  if (!beta || !dual) return sup_fail_memory(error, "correctives");
  for (uint32_t g = 0; g < job->fit->group_count; g++) {
    const CorrectivesGroup *group = &job->fit->groups[g];
    for (uint32_t k = 0; k < job->count; k++) {
      const SupVec3 *shape = job->shapes + (size_t)k * vertices;
      for (uint32_t f = 0; f < features; f++) dual[f] = 0;
      for (uint32_t i = 0; i < n; i++) {
        const float *alpha = rows->offsets + 3 * (size_t)i * vertices;
        beta[i] = 0;
        for (uint32_t m = 0; m < group->vertex_count; m++) {
          const uint32_t v = group->vertices[m];
          const float *a = alpha + 3 * (size_t)v;
          beta[i] +=
              rows->areas[v] * (double)(a[0] * shape[v].x + a[1] * shape[v].y + a[2] * shape[v].z);
        }
        const double *x = rows->features + (size_t)i * features;
        for (uint32_t f = 0; f < features; f++) dual[f] += beta[i] * x[f];
      }
      double *row = out_matrix + (size_t)k * features;
      for (uint32_t f = 0; f < features; f++) row[f] += group->scales[f] * dual[f];
    }
  }
  return SUP_OK;
}

/* Weights of size 1 in the examples, limits around those, no offsets that nobody would see. */
static void finish(const Job *job, double *matrix, float *limits) {
  const CorrectivesRows *rows = job->rows;
  const uint32_t features = rows->feature_count, vertices = vertices_of(job);
  for (uint32_t k = 0; k < job->count; k++) {
    double *row = matrix + (size_t)k * features, low = 0, high = 0;
    for (uint32_t i = 0; i < rows->count; i++) {
      double weight = 0;
      for (uint32_t f = 0; f < features; f++) {
        weight += row[f] * rows->features[(size_t)i * features + f];
      }
      weight /= rows->weights[i];
      low = fmin(low, weight);
      high = fmax(high, weight);
    }
    const double size = fmax(fmax(high, -low), 1e-12), room = MARGIN * (high - low) / size;
    for (uint32_t f = 0; f < features; f++) row[f] /= size;
    limits[2 * k] = (float)(low / size - room);
    limits[2 * k + 1] = (float)(high / size + room);
    SupVec3 *shape = job->shapes + (size_t)k * vertices;
    float longest = 0;
    for (uint32_t v = 0; v < vertices; v++) {
      shape[v] = sup_vec3_scale(shape[v], (float)size);
      longest = fmaxf(longest, sup_vec3_length(shape[v]));
    }
    for (uint32_t v = 0; v < vertices; v++) {
      if (sup_vec3_length(shape[v]) < (float)NEGLIGIBLE * longest) shape[v] = (SupVec3){0, 0, 0};
    }
  }
}

SupResult sup_correctives_compress(SupArena *arena, const CorrectivesRows *rows,
                                   const CorrectivesFit *fit, SupCorrectivesTrainReport *report,
                                   uint32_t *out_count, SupVec3 **out_shapes, double **out_matrix,
                                   float **out_limits, SupError *error) {
  Job job = {.rows = rows, .fit = fit, .arena = arena};
  SupResult result = decompose(&job, error);
  if (result) return result;
  choose_count(&job, report);
  result = make_shapes(&job, error);
  double *matrix = SUP_ALLOC(arena, double, (size_t)job.count * rows->feature_count);
  float *limits = SUP_ALLOC(arena, float, 2 * (size_t)job.count);
  if (!result && (!matrix || !limits)) result = sup_fail_memory(error, "correctives");
  if (!result) result = make_matrix(&job, matrix, error);
  if (result) return result;
  finish(&job, matrix, limits);
  *out_count = job.count;
  *out_shapes = job.shapes;
  *out_matrix = matrix;
  *out_limits = limits;
  return SUP_OK;
}
