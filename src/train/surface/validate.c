/* SPDX-License-Identifier: MIT */
/*
 * Choosing smoothness and terms by what was left out: clips, or halves of a single one. First the
 * smoothness with all terms, then whether one term less does better. With each of them, how much of
 * the goal's acceleration had better be felt: what was learned from other motion may be worth less
 * than it claims, and an oscillator that is driven less is wrong by less.
 */
#include <math.h>

#include "train/surface/problem.h"

enum { MOST_FOLDS = 4, INERTIA_GAINS = 4 };

static const double inertia_gains[INERTIA_GAINS] = {1, 0.7, 0.45, 0.25};

/* The frames that a fold does not learn from: weights taken away, to be put back. */
typedef struct Folds {
  SurfaceProblem *p;
  uint32_t count;
  double **weights; /* [clip_count] of the clips as they were */
} Folds;

static bool left_out(const Folds *f, uint32_t fold, uint32_t clip, uint32_t t) {
  if (f->p->clip_count > 1) return clip % f->count == fold;
  const uint32_t frames = f->p->clips[0].frame_count;
  return fold ? t >= frames / 2 : t < frames / 2;
}

/* Leaves in what is learned from, or what is not. */
static void show(const Folds *f, uint32_t fold, bool learning) {
  for (uint32_t k = 0; k < f->p->clip_count; k++) {
    SurfaceClip *clip = &f->p->clips[k];
    bool any = false;
    for (uint32_t t = 0; t < clip->frame_count; t++) {
      const bool in = left_out(f, fold, k, t) != learning;
      clip->weights[t] = in ? f->weights[k][t] : 0;
      any |= clip->weights[t] > 0;
    }
    clip->used = any;
  }
}

static void show_all(const Folds *f) {
  for (uint32_t k = 0; k < f->p->clip_count; k++) {
    SurfaceClip *clip = &f->p->clips[k];
    sup_copy(clip->weights, f->weights[k], clip->frame_count * sizeof(double));
    clip->used = true;
  }
}

void sup_surface_scale_inertia(SurfaceProblem *p, double fraction) {
  for (uint32_t lane = 0; lane < p->lanes; lane++) {
    double *eta = surface_at(p->numbers, p->terms, lane, SUP_SURFACE_ETA);
    *eta = 1 - fraction * (1 - *eta);
  }
}

/* Adds the errors of what was learned, with less and less inertia. */
static void add_errors(SurfaceProblem *p, double *io_sums) {
  const bool felt = p->free_rows >> SUP_SURFACE_ETA & 1;
  for (uint32_t k = 0; k < (felt ? INERTIA_GAINS : 1u); k++) {
    if (k) sup_surface_scale_inertia(p, inertia_gains[k] / inertia_gains[k - 1]);
    io_sums[k] += sup_surface_pass(p, &(SurfacePass){0}, NULL);
  }
}

/* The error on what was left out, over all folds. */
static SupResult try_choice(const Folds *f, SurfaceLearn *learn, SupSurfaceChoice *io_choice,
                            SupError *error) {
  SurfaceProblem *p = f->p;
  double sums[INERTIA_GAINS] = {0}, goals = 0;
  p->smooth = io_choice->smooth;
  p->free_rows = io_choice->rows;
  for (uint32_t fold = 0; fold < f->count; fold++) {
    show(f, fold, true);
    SupResult result = learn(p, error);
    if (result != SUP_OK) return result;
    show(f, fold, false);
    add_errors(p, sums);
    goals += sup_surface_goal_error(p, NULL);
  }
  uint32_t best = 0;
  for (uint32_t k = 1; k < INERTIA_GAINS; k++) {
    if (sums[k] > 0 && sums[k] < sums[best]) best = k;
  }
  io_choice->inertia_gain = inertia_gains[best];
  io_choice->error = goals > 0 ? sqrt(sums[best] / goals) : NAN;
  return SUP_OK;
}

static SupResult open_folds(SurfaceProblem *p, Folds *out, SupError *error) {
  *out = (Folds){.p = p, .count = p->clip_count > 1 ? p->clip_count : 2};
  if (out->count > MOST_FOLDS) out->count = MOST_FOLDS;
  out->weights = SUP_ALLOC(p->arena, double *, p->clip_count);
  if (!out->weights) return sup_fail_memory(error, "learning");
  for (uint32_t k = 0; k < p->clip_count; k++) {
    out->weights[k] = SUP_COPY(p->arena, double, p->clips[k].weights, p->clips[k].frame_count);
    if (!out->weights[k]) return sup_fail_memory(error, "learning");
  }
  return SUP_OK;
}

static uint32_t best_of(const SupSurfaceTrainReport *r) {
  uint32_t best = 0;
  for (uint32_t k = 1; k < r->choice_count; k++) {
    if (r->choices[k].error < r->choices[best].error) best = k;
  }
  return best;
}

SupResult sup_surface_validate(SurfaceProblem *p, SurfaceLearn *learn,
                               SupSurfaceTrainReport *report, SupError *error) {
  static const double smooths[] = {0.001, 0.01, 0.1, 1};
  static const uint32_t without[] = {SUP_SURFACE_GAMMA, SUP_SURFACE_LAMBDA};
  const uint32_t rows = p->free_rows;
  Folds f;
  SupResult result = open_folds(p, &f, error);
  for (uint32_t k = 0; k < 6 && result == SUP_OK; k++) {
    SupSurfaceChoice choice = {.rows = rows};
    if (k < 4) {
      choice.smooth = smooths[k];
    } else {
      choice.smooth = report->choices[best_of(report)].smooth;
      choice.rows &= ~(1u << without[k - 4]);
      if (choice.rows == rows) continue;
    }
    sup_surface_progress(p, "cross-validation", k, 6);
    result = try_choice(&f, learn, &choice, error);
    report->choices[report->choice_count++] = choice;
  }
  if (result != SUP_OK) return result;
  show_all(&f);
  const SupSurfaceChoice *best = &report->choices[best_of(report)];
  p->smooth = best->smooth;
  p->free_rows = best->rows;
  p->inertia_gain = best->inertia_gain;
  return SUP_OK;
}
