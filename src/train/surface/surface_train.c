/* SPDX-License-Identifier: MIT */
/*
 * Learning a surface.
 *
 *   examples by lane, what is missing        problem.c, missing.c
 *   simulation and normal equations (eq. 15) passes.c
 *   numbers of a vertex in their box         fit.c
 *   the best uniform spring                  uniform.c
 *   teacher forcing, windows, fig. 5         windows.c
 *   the true error's gradient, descent       adjoint.c, descent.c
 *   a few smooth patterns                    basis.c
 *   cross-validation                         validate.c
 *   limited, packed, probed                  author/surface/surface_build.c
 */
#include <math.h>

#include "base/scratch.h"
#include "train/surface/problem.h"

#define COOKIE SUP_FOURCC('s', 'f', 't', 'r')
#define LEAST_INERTIA_GAIN 0.2
#define DOUBT 1.3 /* what is not explained counts a little more: docs/learning.md */

SupSurfaceTrainDef sup_surface_train_def(const SupCharacter *character) {
  return (SupSurfaceTrainDef){.cookie = COOKIE,
                              .character = character,
                              .h = 1.0f / 60,
                              .flags = SUP_SURFACE_UNDELAYED,
                              .rows = (1u << MOST_TERMS) - 1,
                              .rate = 0.1,
                              .tolerance = 1e-5,
                              .iterations = 200,

                              .descents = -1,
                              .smooth = 1,
                              .outlier = 20,
                              .rotation_steps = 1,
                              .seed = 1};
}

static SupResult check(const SupSurfaceTrainDef *def, SupError *error) {
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "surface: start from sup_surface_train_def()");
  }
  if (def->character->skeleton.bone_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "the character has no skin; bind it to a skeleton first");
  }
  if (def->example_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "surface: nothing to learn from");
  }
  if (!(def->h >= SUP_SURFACE_SHORTEST_STEP) || !(def->rows & ((1u << MOST_TERMS) - 1))) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "surface: nothing to learn, or steps too short");
  }
  return SUP_OK;
}

static double ratio(double error, double goal) { return goal > 0 ? sqrt(error / goal) : NAN; }

/* ---- Stages -----------------------------------------------------------------------------------
 */

static void take_if_better(const SurfaceProblem *p, double e, double *best, double *io_least) {
  if (!(e < *io_least)) return;
  *io_least = e;
  sup_copy(best, p->numbers, (size_t)p->terms * p->lanes * sizeof(double));
}

/* Errors by stage, as sums of squares. */
static SupResult learn_stages(SurfaceProblem *p, double *errors, SupError *error) {
  double *best = SUP_ALLOC(p->arena, double, (size_t)p->terms * p->lanes), least = INFINITY;
  if (!best) return sup_fail_memory(error, "learning");
  errors[SUP_SURFACE_UNIFORM] = sup_surface_uniform(p);
  take_if_better(p, errors[SUP_SURFACE_UNIFORM], best, &least);
  SupResult result = sup_surface_forced(p, error);
  if (result != SUP_OK) return result;
  errors[SUP_SURFACE_FORCED] = sup_surface_pass(p, &(SurfacePass){0}, NULL);
  take_if_better(p, errors[SUP_SURFACE_FORCED], best, &least);
  result = sup_surface_windows(p, best, &least, error);
  errors[SUP_SURFACE_WINDOWS] = least;
  if (result != SUP_OK || !p->descents) return result;
  result = sup_surface_descend(p, &least, error);
  errors[SUP_SURFACE_DESCENT] = least;
  return result;
}

/* For cross-validation. */
static SupResult learn_quickly(SurfaceProblem *p, SupError *error) {
  double errors[SUP_SURFACE_STAGES];
  SupArena *arena = p->arena, scratch = sup_scratch(arena);
  p->arena = &scratch;
  const uint32_t all = p->descents;
  p->descents = all / 4;
  SupResult result = learn_stages(p, errors, error);
  p->descents = all;
  p->arena = arena;
  sup_arena_free(&scratch);
  return result;
}

static SupResult learn(SurfaceProblem *p, double goal, SupSurfaceTrainReport *report,
                       SupError *error) {
  SupResult result = SUP_OK;
  if (p->def->literal) {
    report->errors[SUP_SURFACE_WINDOWS] = sup_surface_literal(p);
  } else {
    if (p->def->basis) result = sup_surface_basis_make(p, p->def->basis, error);
    if (result == SUP_OK && p->def->cross_validate) {
      result = sup_surface_validate(p, learn_quickly, report, error);
    }
    if (result == SUP_OK) result = learn_stages(p, report->errors, error);
  }
  for (int k = 0; k < SUP_SURFACE_STAGES; k++) report->errors[k] = ratio(report->errors[k], goal);
  return result;
}

/* ---- The model --------------------------------------------------------------------------------
 */

static void numbers_to_maps(const SurfaceProblem *p, const SupSurfaceMaps *maps) {
  for (uint32_t row = 0; row < p->terms; row++) {
    for (uint32_t lane = 0; lane < p->vertices; lane++) {
      maps->rows[surface_map_of(row)][p->view.skin.order[lane]] =
          (float)surface_get(p->numbers, p->terms, lane, row);
    }
  }
}

static void forget_feed(const SurfaceProblem *p, const SupSurfaceMaps *maps) {
  for (uint32_t v = 0; v < p->vertices && p->handed_on; v++) {
    maps->rows[SUP_SURFACE_ETA][v] = p->def->values[SUP_SURFACE_ETA];
  }
}

static void maps_to_numbers(SurfaceProblem *p, const SupSurfaceMaps *maps) {
  for (uint32_t row = 0; row < p->terms; row++) {
    for (uint32_t lane = 0; lane < p->lanes; lane++) {
      *surface_at(p->numbers, p->terms, lane, row) =
          (double)maps->rows[surface_map_of(row)][p->view.skin.order[lane]];
    }
  }
  for (uint32_t lane = 0; lane < p->lanes; lane++) { /* no farther than the run time lets it go */
    const uint32_t v = p->view.skin.order[lane];
    const double felt = fmax(1 - (double)maps->rows[SUP_SURFACE_ETA][v], 1e-7);
    const double own = (double)maps->rows[SUP_SURFACE_MAX_DISTANCE][v];
    *surface_at(p->rows, SUP_SURFACE_ROWS, lane, SUP_SURFACE_MAX_DISTANCE) =
        fmin(own, felt * p->wide.size);
  }
}

static SupResult build(SupArena *arena, SurfaceProblem *p, SupSurfaceMaps *out_maps,
                       SupModel **out_model, SupSurfaceTrainReport *report, SupError *error) {
  const SupSurfaceTrainDef *def = p->def;
  SupSurfaceBuildDef build_def = sup_surface_build_def();
  build_def.flags = p->wide.flags & (SUP_SURFACE_ABSOLUTE | SUP_SURFACE_BONE_ROTATION |
                                     SUP_SURFACE_UNDELAYED | SUP_SURFACE_OWN_INERTIA);
  build_def.h = def->h;
  build_def.seed = def->seed;
  build_def.jobs = def->jobs;
  SupResult result = sup_surface_maps_create(arena, p->vertices, out_maps, error);
  if (result != SUP_OK) return result;
  out_maps->normal = p->normal_rows != NULL;
  numbers_to_maps(p, out_maps);
  forget_feed(p, out_maps);
  if (def->lock) {
    out_maps->lock = SUP_COPY(arena, float, def->lock, p->vertices);
    if (!out_maps->lock) return sup_fail_memory(error, "a surface model");
  }
  return sup_surface_build(arena, def->character, &build_def, out_maps, out_model, &report->build,
                           error);
}

static SupResult fill_report(SupArena *arena, SurfaceProblem *p, const double *goals, double goal,
                             SupSurfaceTrainReport *report, SupError *error) {
  SupSurfaceTrainClip *clips = SUP_ALLOC(arena, SupSurfaceTrainClip, p->clip_count);
  double *errors = SUP_ALLOC(p->arena, double, p->clip_count);
  if (!clips || !errors) return sup_fail_memory(error, "learning");
  report->errors[SUP_SURFACE_SAVED] = ratio(sup_surface_pass(p, &(SurfacePass){0}, errors), goal);
  for (uint32_t k = 0; k < p->clip_count; k++) {
    const SurfaceClip *clip = &p->clips[k];
    clips[k] = (SupSurfaceTrainClip){clip->name, clip->frame_count, clip->dropped, clip->missing,
                                     ratio(errors[k], goals[k])};
  }
  report->clip_count = p->clip_count;
  report->clips = clips;
  report->iterations = p->passes;
  report->gradients = p->gradients;
  report->seen = p->seen;
  report->smooth = p->smooth;
  report->inertia_gain = p->inertia_gain;
  report->rows = p->free_rows;
  return SUP_OK;
}

/* Feels only as much of the goal's acceleration as the examples explain. */
static void keep_what_is_explained(SurfaceProblem *p, const double *goals) {
  const SupSurfaceTrainDef *def = p->def;
  if (!(p->free_rows >> SUP_SURFACE_ETA & 1)) return;
  if (def->inertia_gain > 0) {
    p->inertia_gain = def->inertia_gain < 1 ? def->inertia_gain : 1;
  } else if (!def->cross_validate) {
    double *errors = SUP_ALLOC(p->arena, double, p->clip_count), least = 1;
    if (!errors) return;
    sup_surface_pass(p, &(SurfacePass){0}, errors);
    for (uint32_t k = 0; k < p->clip_count; k++) {
      if (goals[k] > 0) least = fmin(least, errors[k] / goals[k]);
    }
    p->inertia_gain = fmax(1 - DOUBT * least, LEAST_INERTIA_GAIN);
  }
  sup_surface_scale_inertia(p, p->inertia_gain);
}

static SupResult train(SupArena *arena, SurfaceProblem *p, SupSurfaceMaps *out_maps,
                       SupModel **out_model, SupSurfaceTrainReport *report, SupError *error) {
  double *goals = SUP_ALLOC(p->arena, double, p->clip_count);
  if (!goals) return sup_fail_memory(error, "learning");
  sup_surface_balance(p, goals);
  const double goal = sup_surface_goal_error(p, goals);
  if (!(goal > 0)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "surface: the examples move exactly as skinning does; there is nothing to "
                    "learn");
  }
  SupResult result = learn(p, goal, report, error);
  if (result == SUP_OK) keep_what_is_explained(p, goals);
  if (result == SUP_OK) result = build(arena, p, out_maps, out_model, report, error);
  if (result != SUP_OK) return result;
  maps_to_numbers(p, out_maps);
  return fill_report(arena, p, goals, goal, report, error);
}

SupResult sup_surface_train(SupArena *arena, const SupSurfaceTrainDef *def,
                            SupSurfaceMaps *out_maps, SupModel **out_model,
                            SupSurfaceTrainReport *out_report, SupError *error) {
  SupResult result = check(def, error);
  if (result != SUP_OK) return result;
  SupArena scratch = sup_scratch(arena);
  SurfaceProblem problem;
  SupSurfaceTrainReport report = {0};
  for (int k = 0; k < SUP_SURFACE_STAGES; k++) report.errors[k] = NAN;
  *out_model = NULL;
  result = sup_surface_problem_make(&scratch, def, &problem, error);
  if (result == SUP_OK) result = train(arena, &problem, out_maps, out_model, &report, error);
  if (result == SUP_OK) *out_report = report;
  sup_arena_free(&scratch);
  return result;
}

double sup_surface_error(SupArena *arena, const SupSurfaceTrainDef *def, const SupModel *model,
                         double *out_clips) {
  SupArena scratch = sup_scratch(arena);
  SurfaceProblem p;
  SupSurfaceMaps maps;
  SupSurfaceTrainDef own = *def;
  double all = NAN;
  own.flags = sup_surface_view(model).flags & (SUP_SURFACE_ABSOLUTE | SUP_SURFACE_BONE_ROTATION |
                                               SUP_SURFACE_NORMAL | SUP_SURFACE_UNDELAYED);
  own.h = model->h;
  own.literal = false;
  if (sup_surface_problem_make(&scratch, &own, &p, NULL) == SUP_OK &&
      sup_surface_view(model).skin.vertex_count == p.vertices &&
      sup_surface_maps_create(&scratch, p.vertices, &maps, NULL) == SUP_OK) {
    double *errors = SUP_ALLOC(&scratch, double, 2 * p.clip_count);
    if (errors) {
      sup_surface_maps_of(model, &maps);
      maps_to_numbers(&p, &maps);
      sup_surface_balance(&p, errors);
      const double goal = sup_surface_goal_error(&p, errors + p.clip_count);
      all = ratio(sup_surface_pass(&p, &(SurfacePass){0}, errors), goal);
      for (uint32_t k = 0; k < p.clip_count && out_clips; k++) {
        out_clips[k] = ratio(errors[k], errors[p.clip_count + k]);
      }
    }
  }
  sup_arena_free(&scratch);
  return all;
}
