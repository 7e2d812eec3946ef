/* SPDX-License-Identifier: MIT */
/*
 * The best spring that is the same everywhere, from a grid of frequencies and damping ratios.
 *
 * The true error has many valleys along the frequency, and only one of them is deep: the grid finds
 * it. A spring alone couples no vertices, so some of them, spread over the body, speak for all.
 */
#include "train/surface/problem.h"

enum { FREQUENCIES = 24, RATIOS = 5, GRID = FREQUENCIES * RATIOS, SAMPLES = 200 };
#define LOWEST 0.5
#define HIGHEST 9.0

static const float ratios[RATIOS] = {0.03f, 0.08f, 0.18f, 0.35f, 0.7f};

typedef struct GridTask {
  SurfaceProblem *p;
  uint32_t samples;
  uint32_t lanes[SAMPLES];
  const double *goals, *targets; /* [frame_count * 3 * samples] of the clip */
  const SurfaceClip *clip;
  double errors[GRID];
} GridTask;

/* Whether a number is sought in one of its directions. */
static bool sought(const SurfaceProblem *p, uint32_t along_skin, uint32_t along_normal) {
  return (p->free_rows & (1u << along_skin | 1u << along_normal)) != 0;
}

static void candidate(const SurfaceProblem *p, uint32_t k, double *out_alpha, double *out_delta) {
  const double step = sup_log(HIGHEST / LOWEST) / (FREQUENCIES - 1);
  float alpha, delta;
  sup_surface_tune((float)(LOWEST * sup_exp(step * (k / RATIOS))), ratios[k % RATIOS], p->def->h,
                   &alpha, &delta);
  *out_alpha = sought(p, SUP_SURFACE_ALPHA, SUP_SURFACE_TERM_NORMAL_ALPHA)
                   ? (double)alpha
                   : p->fixed[SUP_SURFACE_ALPHA];
  *out_delta = sought(p, SUP_SURFACE_DELTA, SUP_SURFACE_TERM_NORMAL_DELTA)
                   ? (double)delta
                   : p->fixed[SUP_SURFACE_DELTA];
}

/* One coordinate of one vertex through the clip. */
static double follow(const GridTask *task, uint32_t i, double push, double alpha, double delta) {
  const size_t n = (size_t)3 * task->samples;
  const double *g = task->goals + i, *p = task->targets + i;
  const bool absolute = task->p->wide.flags & SUP_SURFACE_ABSOLUTE;
  const double eta = task->p->fixed[SUP_SURFACE_ETA];
  const bool handed_on = task->clip->handed_on, undelayed = task->p->state.bends != NULL;
  double x = 2 * g[n] - g[0], dx = g[n] - g[0], before = dx, error = 0;
  for (uint32_t t = FIRST_STEP; t + 1 < task->clip->frame_count; t++) {
    const double step = g[n * t] - g[n * (t - 1)];
    const double change = g[n * (t + 1)] - g[n * t] - step;
    const double bend = handed_on ? change : eta * (undelayed ? change : step - before);
    dx += push + alpha * (g[n * t] - x) - delta * (absolute ? dx : dx - step) + bend;
    x += dx;
    before = step;
    const double e = x - p[n * (t + 1)];
    error += task->clip->weights[t + 1] * e * e;
  }
  return error;
}

static void grid_task(void *context, SupRange range) {
  GridTask *task = (GridTask *)context;
  const double push[3] = {task->clip->push.x, task->clip->push.y, task->clip->push.z};
  for (uint32_t k = range.first; k < range.first + range.count; k++) {
    double alpha, delta;
    candidate(task->p, k, &alpha, &delta);
    for (uint32_t i = 0; i < 3 * task->samples; i++) {
      const double w = task->p->weights[task->lanes[i / 3]];
      task->errors[k] += w * follow(task, i, push[i % 3], alpha, delta);
    }
  }
}

static void choose_samples(const SurfaceProblem *p, GridTask *task) {
  const uint32_t wanted = p->seen < SAMPLES ? p->seen : SAMPLES;
  uint32_t seen = 0;
  for (uint32_t lane = 0; lane < p->vertices; lane++) {
    if (!(p->weights[lane] > 0)) continue;
    if ((uint64_t)seen * wanted / p->seen != (uint64_t)(seen + 1) * wanted / p->seen) {
      task->lanes[task->samples++] = lane;
    }
    seen++;
  }
}

static void gather(const GridTask *task, const SurfaceFrames *frames, double *out) {
  const SurfaceProblem *p = task->p;
  const size_t count = (size_t)3 * p->lanes;
  for (uint32_t t = 0; t < task->clip->frame_count; t++) {
    for (uint32_t i = 0; i < 3 * task->samples; i++) {
      const uint32_t lane = task->lanes[i / 3];
      const size_t at = t * count + ((size_t)3 * (lane / BLOCK) + i % 3) * BLOCK + lane % BLOCK;
      *out++ = frames->wide ? frames->wide[at] : (double)frames->narrow[at];
    }
  }
}

static double start_of(const SurfaceProblem *p, uint32_t row, double alpha, double delta) {
  if (!(p->free_rows >> row & 1)) return p->fixed[row];
  if (row == SUP_SURFACE_ALPHA || row == SUP_SURFACE_TERM_NORMAL_ALPHA) return alpha;
  return row == SUP_SURFACE_DELTA || row == SUP_SURFACE_TERM_NORMAL_DELTA ? delta : 0;
}

double sup_surface_uniform(SurfaceProblem *p) {
  GridTask task = {.p = p};
  choose_samples(p, &task);
  for (uint32_t k = 0; k < p->clip_count; k++) {
    task.clip = &p->clips[k];
    if (!task.clip->used) continue;
    const size_t count = (size_t)3 * task.samples * task.clip->frame_count;
    double *rows = SUP_ALLOC(p->arena, double, 2 * count);
    if (!rows) return 1e300;
    gather(&task, &task.clip->goals, rows);
    gather(&task, &task.clip->targets, rows + count);
    task.goals = rows;
    task.targets = rows + count;
    sup_parallel_for(p->jobs, GRID, 1, grid_task, &task);
  }
  uint32_t best = 0;
  for (uint32_t k = 1; k < GRID; k++) best = task.errors[k] < task.errors[best] ? k : best;
  double alpha, delta;
  candidate(p, best, &alpha, &delta);
  for (uint32_t lane = 0; lane < p->lanes; lane++) {
    for (uint32_t row = 0; row < p->terms; row++) {
      *surface_at(p->numbers, p->terms, lane, row) = start_of(p, row, alpha, delta);
    }
  }
  sup_surface_limit_numbers(p);
  return sup_surface_pass(p, &(SurfacePass){0}, NULL);
}
