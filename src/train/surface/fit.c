/* SPDX-License-Identifier: MIT */
/*
 * From normal equations to numbers: a quadratic program in a box for every vertex, with a pull to
 * the mean of its neighbours where smoothness is asked for.
 */
#include "numerics/box_qp.h"
#include "train/surface/problem.h"

#define GRAIN 8
#define RIDGE 1e-12 /* least pull to the neighbours, of the mean diagonal: nothing is singular */

typedef struct FitTask {
  SurfaceProblem *p;
  double pull[MOST_TERMS];
  double rate;
  double *next; /* [blocks of terms] */
} FitTask;

static double *pair_of(const SurfaceProblem *p, uint32_t lane, uint32_t k, uint32_t l) {
  return surface_at(p->sums, p->sum_count, lane,
                    k >= l ? k * (k + 1) / 2 + l : l * (l + 1) / 2 + k);
}

/* Smoothness in the units of each number: the mean curvature over what is seen. */
void sup_surface_pull(SurfaceProblem *p, double *out_pull) {
  for (uint32_t k = 0; k < p->terms; k++) {
    double sum = 0;
    for (uint32_t lane = 0; lane < p->vertices; lane++) sum += *pair_of(p, lane, k, k);
    out_pull[k] = (p->smooth + RIDGE) * (p->seen ? sum / p->seen : 1);
    if (!(out_pull[k] > 0)) out_pull[k] = 1e-30;
  }
}

void sup_surface_ring_mean(const SurfaceProblem *p, uint32_t lane, double *out) {
  const uint32_t block = lane / BLOCK;
  uint32_t count = 0;
  for (uint32_t k = 0; k < p->terms; k++) out[k] = 0;
  for (uint32_t s = p->view.slot_first[block]; s < p->view.slot_first[block + 1]; s++) {
    const uint32_t other = p->view.slots[(size_t)BLOCK * s + lane % BLOCK];
    if (other == lane) continue;
    count++;
    for (uint32_t k = 0; k < p->terms; k++) out[k] += surface_get(p->numbers, p->terms, other, k);
  }
  for (uint32_t k = 0; k < p->terms; k++) {
    out[k] = count ? out[k] / count : surface_get(p->numbers, p->terms, lane, k);
  }
}

/* One over the root of the curvature, floored by its mean so that quiet vertices do not race. */
void sup_surface_units(SurfaceProblem *p, double *out_units) {
  double pull[MOST_TERMS];
  sup_surface_pull(p, pull);
  for (uint32_t k = 0; k < p->terms; k++) {
    const uint32_t diagonal = k * (k + 1) / 2 + k;
    double mean = 0;
    for (uint32_t lane = 0; lane < p->vertices; lane++) {
      mean += surface_get(p->sums, p->sum_count, lane, diagonal) / p->vertices;
    }
    for (uint32_t lane = 0; lane < p->vertices; lane++) {
      const double curve =
          surface_get(p->sums, p->sum_count, lane, diagonal) + 0.1 * mean + pull[k];
      const bool fitted = p->free_rows >> k & 1 && curve > 0;
      *surface_at(out_units, p->terms, lane, k) = fitted ? 1 / sup_sqrt(curve) : 0;
    }
  }
}

/* Brings the numbers to what the patterns can make. */
static void to_basis(SurfaceProblem *p) {
  double *units = p->spare;
  sup_surface_units(p, units);
  for (size_t i = 0; i < (size_t)p->terms * p->lanes; i++) {
    if (units[i] > 0) p->numbers[i] /= units[i];
  }
  sup_surface_basis_project(p, units, p->numbers);
  for (uint32_t lane = 0; lane < p->vertices; lane++) {
    for (uint32_t k = 0; k < p->terms; k++) {
      double *x = surface_at(p->numbers, p->terms, lane, k);
      const double unit = surface_get(units, p->terms, lane, k), most = surface_most_of(k);
      if (!(unit > 0)) continue;
      *x *= unit;
      *x = *x < 0 ? 0 : *x > most ? most : *x;
    }
  }
}

/* The numbers that are not fitted go to the right side. */
static void fit_lane(const FitTask *task, uint32_t lane) {
  SurfaceProblem *p = task->p;
  uint32_t list[MOST_TERMS];
  int n = 0;
  double q[MOST_TERMS * MOST_TERMS], g[MOST_TERMS], most[MOST_TERMS], best[MOST_TERMS],
      ring[MOST_TERMS];
  for (uint32_t k = 0; k < p->terms; k++) {
    if (p->free_rows >> k & 1) list[n++] = k;
  }
  sup_surface_ring_mean(p, lane, ring);
  for (int i = 0; i < n; i++) {
    const uint32_t k = list[i];
    most[i] = sup_surface_most[k];
    for (int j = 0; j < n; j++) q[i * n + j] = *pair_of(p, lane, k, list[j]);
    q[i * n + i] += task->pull[k];
    g[i] = *surface_at(p->sums, p->sum_count, lane, p->pairs + k) + task->pull[k] * ring[k];
    for (uint32_t l = 0; l < p->terms; l++) {
      if (p->free_rows >> l & 1) continue;
      g[i] -= *pair_of(p, lane, k, l) * surface_get(p->numbers, p->terms, lane, l);
    }
  }
  for (uint32_t k = 0; k < p->terms; k++) {
    *surface_at(task->next, p->terms, lane, k) = surface_get(p->numbers, p->terms, lane, k);
  }
  if (n == 0) return;
  sup_box_qp(n, q, g, most, best);
  for (int i = 0; i < n; i++) {
    double *to = surface_at(task->next, p->terms, lane, list[i]);
    *to += task->rate * (best[i] - *to);
  }
}

static void fit_task(void *context, SupRange range) {
  const FitTask *task = (const FitTask *)context;
  for (uint32_t lane = BLOCK * range.first; lane < BLOCK * (range.first + range.count); lane++) {
    if (lane < task->p->vertices) fit_lane(task, lane);
  }
}

void sup_surface_fit(SurfaceProblem *p, double rate, uint32_t sweeps) {
  FitTask task = {.p = p, .rate = rate, .next = p->spare};
  sup_surface_pull(p, task.pull);
  for (uint32_t k = 0; k < sweeps; k++) {
    sup_parallel_for(p->jobs, p->blocks, GRAIN, fit_task, &task);
    sup_copy(p->numbers, task.next, (size_t)p->terms * p->lanes * sizeof(double));
  }
  if (p->basis.count) to_basis(p);
}

/* ---- Limiter ----------------------------------------------------------------------------------
 */

static void stop_creeping(SurfaceProblem *p) {
  static const uint32_t alphas[2] = {SUP_SURFACE_ALPHA, SUP_SURFACE_TERM_NORMAL_ALPHA};
  static const uint32_t deltas[2] = {SUP_SURFACE_DELTA, SUP_SURFACE_TERM_NORMAL_DELTA};
  const uint32_t ways = p->normal_rows ? 2 : 1;
  const double rate = 60 * (double)p->def->h;
  if (p->def->literal) return;
  for (uint32_t k = 0; k < ways; k++) {
    if (!(p->free_rows >> alphas[k] & 1)) continue;
    for (uint32_t lane = 0; lane < p->vertices; lane++) {
      double *alpha = surface_at(p->numbers, p->terms, lane, alphas[k]);
      const double delta = surface_get(p->numbers, p->terms, lane, deltas[k]);
      const double least = SURFACE_SOFTEST * rate * rate + SURFACE_CREEP * rate * delta;
      if (*alpha < least * (1 - 1e-6)) *alpha = least < 1 ? least : 1;
    }
  }
}

void sup_surface_limit_numbers(SurfaceProblem *p) {
  stop_creeping(p);
  SupSurfaceMaps maps = {.vertex_count = p->vertices, .normal = p->normal_rows != NULL};
  for (uint32_t row = 0; row < p->terms; row++) {
    float *map = p->maps + (size_t)row * p->vertices;
    maps.rows[surface_map_of(row)] = map;
    for (uint32_t lane = 0; lane < p->vertices; lane++) {
      map[lane] = (float)surface_get(p->numbers, p->terms, lane, row);
    }
  }
  sup_surface_limit(&maps, p->def->h);
  for (uint32_t row = 0; row < p->terms; row++) {
    for (uint32_t lane = 0; lane < p->vertices; lane++) {
      double *to = surface_at(p->numbers, p->terms, lane, row);
      const float limited = maps.rows[surface_map_of(row)][lane];
      if (limited != (float)*to) *to = (double)limited;
    }
  }
}

/* ---- Vertices that no example shows ------------------------------------------------------------
 */

SupResult sup_surface_spread(SurfaceProblem *p, SupError *error) {
  if (p->seen == p->vertices) return SUP_OK;
  uint32_t *queue = SUP_ALLOC(p->arena, uint32_t, p->vertices), first = 0, end = 0;
  uint8_t *done = SUP_ALLOC(p->arena, uint8_t, p->lanes);
  if (!queue || !done) return sup_fail_memory(error, "what is not seen");
  for (uint32_t lane = 0; lane < p->vertices; lane++) {
    if (!(p->weights[lane] > 0)) continue;
    done[lane] = 1;
    queue[end++] = lane;
  }
  for (; first < end; first++) {
    const uint32_t lane = queue[first], block = lane / BLOCK;
    for (uint32_t s = p->view.slot_first[block]; s < p->view.slot_first[block + 1]; s++) {
      const uint32_t other = p->view.slots[(size_t)BLOCK * s + lane % BLOCK];
      if (done[other]) continue;
      done[other] = 1;
      queue[end++] = other;
      for (uint32_t k = 0; k < p->terms; k++) {
        *surface_at(p->numbers, p->terms, other, k) = surface_get(p->numbers, p->terms, lane, k);
      }
    }
  }
  return SUP_OK;
}
