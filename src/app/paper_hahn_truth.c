/* SPDX-License-Identifier: MIT */
/*
 * Motion in the space of a rig against the full simulation of the same flesh.
 *
 * The same tetrahedra, masses, material, script and implicit Euler steps; every node is free that a
 * free parameter of the rig moves, or that is inside, and the others are where the script has them.
 * What the rig cannot follow is its own limit: in every frame the parameters within their bounds
 * whose surface is nearest, by Gauss-Newton with an active set.
 */
#include <math.h>
#include <string.h>

#include "app/paper_hahn_parts.h"
#include "base/scratch.h"
#include "numerics/dense.h"
#include "sim/stepper.h"
#include "supple/author/metrics.h"
#include "supple/rig/rig.h"

#define TOLERANCE 1e-7 /* of the height */
#define FIT_MOVES 30u
#define HERTZ 4.0

#define HELD 0.2

typedef struct Truth {
  SupHahnLab *lab;
  const SupRig *rig;
  SupArena *arena;
  uint32_t n, steps, surface, nodes;
  uint32_t *free;                      /* [n] */
  uint8_t *held;                       /* [nodes] */
  SupElastic body;                     /* held nodes prescribed */
  SupVec3d *skin;                      /* [rig's vertices] */
  SupVec3d *columns;                   /* [n * rig's vertices] */
  SupVec3d *target;                    /* [nodes] surface of the script, nodes inside anywhere */
  SupVec3d *guess;                     /* [nodes] */
  double *p;                           /* [parameter_count] */
  SupVec3 *full, *still, *plain, *row; /* [steps * surface] */
  double *jacobian, *gram;             /* [n * 3 surface], [n * n] */
  double *slope, *small, *step, *trial;
  double *residual; /* [3 surface] */
  float *weights;   /* [surface] */
} Truth;

static SupResult surface_at(Truth *t, const double *p, SupVec3d *out, SupError *error) {
  SupResult result = sup_rig_evaluate(t->rig, 1, p, t->skin, error);
  if (result == SUP_OK) sup_driven_surface(&t->lab->volume, t->skin, out);
  return result;
}

/* t->p: the script of a time, free parameters at rest. */
static void script_at(Truth *t, double time) {
  sup_rig_rest(t->rig, t->p);
  sup_hahn_script(t->lab, time, t->p);
}

/* t->jacobian[k * 3 surface] at parameters, per scale. */
static SupResult jacobian_at(Truth *t, const double *p, SupError *error) {
  const size_t rows = 3 * (size_t)t->surface;
  SupResult result = sup_rig_jacobian(t->arena, t->rig, p, t->n, t->free, t->columns, error);
  for (uint32_t k = 0; result == SUP_OK && k < t->n; k++) {
    const double scale = t->rig->parameters[t->free[k]].scale;
    SupVec3d *column = t->guess;
    sup_driven_surface(&t->lab->volume, &t->columns[k * (size_t)t->rig->vertex_count], column);
    for (size_t r = 0; r < rows; r++) t->jacobian[k * rows + r] = scale * (&column[0].x)[r];
  }
  return result;
}

/* ---- Set-up --------------------------------------------------------------------------------- */

static bool allocate(Truth *t) {
  const size_t n = t->n, s = t->surface, all = t->rig->parameter_count;
  SupVec3 **const frames[] = {&t->full, &t->still, &t->plain, &t->row};
  double **const numbers[] = {&t->slope, &t->step};
  bool good = true;
  for (int k = 0; k < 4; k++) {
    *frames[k] = SUP_ALLOC(t->arena, SupVec3, t->steps * s);
    good &= *frames[k] != NULL;
  }
  for (int k = 0; k < 2; k++) {
    *numbers[k] = SUP_ALLOC(t->arena, double, n);
    good &= *numbers[k] != NULL;
  }
  t->free = SUP_ALLOC(t->arena, uint32_t, n);
  t->held = SUP_ALLOC(t->arena, uint8_t, t->nodes);
  t->skin = SUP_ALLOC(t->arena, SupVec3d, t->rig->vertex_count);
  t->columns = SUP_ALLOC(t->arena, SupVec3d, n * t->rig->vertex_count);
  t->target = SUP_ALLOC(t->arena, SupVec3d, t->nodes);
  t->guess = SUP_ALLOC(t->arena, SupVec3d, t->nodes);
  t->p = SUP_ALLOC(t->arena, double, all);
  t->trial = SUP_ALLOC(t->arena, double, all);
  t->jacobian = SUP_ALLOC(t->arena, double, n * 3 * s);
  t->gram = SUP_ALLOC(t->arena, double, n *n);
  t->small = SUP_ALLOC(t->arena, double, n *n);
  t->residual = SUP_ALLOC(t->arena, double, 3 * s);
  t->weights = SUP_ALLOC(t->arena, float, s);
  return good && t->free && t->held && t->skin && t->columns && t->target && t->guess && t->p &&
         t->trial && t->jacobian && t->gram && t->small && t->residual && t->weights;
}

/* Surface nodes are held where free parameters move them by less than HELD of what they move most,
 * at rest and where the clip begins. */
static SupResult find_held(Truth *t, SupHahnTruth *out, SupError *error) {
  const size_t rows = 3 * (size_t)t->surface;
  SupResult result = SUP_OK;
  memset(t->held, 1, t->surface);
  for (int pose = 0; pose < 2 && result == SUP_OK; pose++) {
    sup_rig_rest(t->rig, t->p);
    if (pose == 1) script_at(t, SUP_HAHN_BEGIN);
    result = jacobian_at(t, t->p, error);
    double most = 0;
    memset(t->residual, 0, rows * sizeof *t->residual);
    for (size_t k = 0; k < t->n * rows; k++) {
      t->residual[k % rows / 3] += t->jacobian[k] * t->jacobian[k];
    }
    for (uint32_t v = 0; v < t->surface; v++) most = fmax(most, t->residual[v]);
    for (uint32_t v = 0; result == SUP_OK && v < t->surface; v++) {
      if (t->residual[v] > HELD * HELD * most) t->held[v] = 0;
    }
  }
  for (uint32_t v = 0; v < t->surface; v++) out->held_count += t->held[v];
  out->free_count = t->nodes - out->held_count;
  return result;
}

/* Flesh of a skin without bones is soft: its stiffness is what gives IV1 this lowest natural
 * frequency at rest, unless it is higher. */
static SupResult stiffen(Truth *t, SupHahnTruth *out, SupError *error) {
  SupRigspace *rigspace;
  uint32_t count = 0;
  SupResult result = sup_hahn_create(t->lab, 1, false, &rigspace, error);
  if (result != SUP_OK) return result;
  sup_rig_rest(t->rig, t->p);
  result = sup_rigspace_frequencies(rigspace, t->p, &count, t->slope, error);
  sup_rigspace_free(rigspace);
  if (result == SUP_OK && count > 0 && t->slope[0] > 0 && t->slope[0] < HERTZ) {
    const double ratio = HERTZ / t->slope[0];
    t->lab->material.young *= ratio * ratio;
  }
  out->young = t->lab->material.young;
  return result;
}

static SupResult create(Truth *t, SupHahnTruth *out, SupError *error) {
  const SupDrivenVolume *volume = &t->lab->volume;
  t->rig = sup_character_rig(t->lab->rig);
  t->n = sup_rig_parameters(t->rig, SUP_RIG_FREE, NULL);
  t->surface = volume->surface_count;
  t->nodes = volume->mesh.node_count;
  if (!allocate(t)) return sup_fail_memory(error, NULL);
  sup_rig_parameters(t->rig, SUP_RIG_FREE, t->free);
  SupResult result = stiffen(t, out, error);
  if (result == SUP_OK) result = find_held(t, out, error);
  const SupElasticDef def = {.mesh = volume->mesh,
                             .materials = &t->lab->material,
                             .material_count = 1,
                             .fractions = volume->fractions,
                             .prescribed = t->held,
                             .jobs = t->lab->app->jobs};
  if (result == SUP_OK) result = sup_elastic_create(t->arena, &def, &t->body, error);
  for (uint32_t v = 0; result == SUP_OK && v < t->surface; v++) {
    t->weights[v] = (float)t->body.masses[v];
  }
  return result;
}

/* ---- The full simulation -------------------------------------------------------------------- */

static SupStepDef step_def(const Truth *t, SupIntegrator integrator) {
  return (SupStepDef){.integrator = integrator,
                      .h = SUP_HAHN_STEP,
                      .prescribed = t->target,
                      .farthest = 0.2 * t->lab->height,
                      .tolerance = TOLERANCE * t->lab->height,
                      .iteration_max = 100};
}

/* Held nodes where the script has them at a time. */
static SupResult aim(Truth *t, double time, SupError *error) {
  script_at(t, time);
  return surface_at(t, t->p, t->target, error);
}

static SupResult balance(Truth *t, SupStepper *stepper, double time, const SupVec3d *guess,
                         SupError *error) {
  SupStepDef def = step_def(t, SUP_INTEGRATE_STATIC);
  SupStepReport report;
  def.guess = guess;
  SupResult result = aim(t, time, error);
  if (result == SUP_OK) result = sup_stepper_step(stepper, &def, &report, error);
  if (result != SUP_OK || report.converged) return result;
  return sup_fail(error, SUP_ERROR_NUMERIC, "%s: the flesh finds no balance at %g s",
                  t->lab->scene->rig, time);
}

static void store(const Truth *t, const SupVec3d *nodes, uint32_t i, SupVec3 *out) {
  for (uint32_t v = 0; v < t->surface; v++) {
    out[(size_t)i * t->surface + v] = sup_vec3d_to_float(nodes[v]);
  }
}

/* Begins in balance, with the velocity of balance, where IV1 begins in the space of the rig. */
static SupResult begin(Truth *t, SupStepper *stepper, SupError *error) {
  SupRigspace *rigspace;
  SupResult result = sup_hahn_create(t->lab, 1, false, &rigspace, error);
  if (result != SUP_OK) return result;
  result = sup_hahn_start(t->lab, rigspace, 1, false, error);
  if (result == SUP_OK) {
    memcpy(t->guess, sup_rigspace_nodes(rigspace), t->nodes * sizeof *t->guess);
    result = balance(t, stepper, SUP_HAHN_BEGIN - SUP_HAHN_STEP, t->guess, error);
  }
  sup_rigspace_free(rigspace);
  if (result != SUP_OK) return result;
  memcpy(t->guess, sup_stepper_positions(stepper), t->nodes * sizeof *t->guess);
  result = balance(t, stepper, SUP_HAHN_BEGIN, NULL, error);
  if (result != SUP_OK) return result;
  const SupVec3d *x = sup_stepper_positions(stepper);
  for (uint32_t v = 0; v < t->nodes; v++) {
    t->guess[v] = sup_vec3d_scale(sup_vec3d_sub(x[v], t->guess[v]), 1 / SUP_HAHN_STEP);
  }
  memcpy(t->target, x, t->nodes * sizeof *x);
  sup_stepper_place(stepper, t->target, t->guess);
  return SUP_OK;
}

/* The motion, and the balance of every frame. */
static SupResult simulate(Truth *t, SupHahnTruth *out, SupError *error) {
  SupStepper *moving = NULL, *still = NULL;
  SupResult result = sup_stepper_create(t->arena, &t->body, &moving, error);
  if (result == SUP_OK) result = sup_stepper_create(t->arena, &t->body, &still, error);
  if (result == SUP_OK) result = begin(t, moving, error);
  if (result == SUP_OK) {
    memcpy(t->guess, sup_stepper_positions(moving), t->nodes * sizeof *t->guess);
    sup_stepper_place(still, t->guess, NULL);
  }
  out->determinant_least = 1;
  for (uint32_t i = 0; i < t->steps && result == SUP_OK; i++) {
    const double time = SUP_HAHN_BEGIN + SUP_HAHN_STEP * (i + 1);
    const SupStepDef def = step_def(t, SUP_INTEGRATE_EULER);
    SupStepReport report;
    result = aim(t, time, error);
    if (result != SUP_OK) break;
    store(t, t->target, i, t->plain);
    result = sup_stepper_step(moving, &def, &report, error);
    if (result == SUP_OK && !report.converged) {
      result = sup_fail(error, SUP_ERROR_NUMERIC, "%s: full step %u does not converge",
                        t->lab->scene->rig, i);
    }
    if (result == SUP_OK) result = balance(t, still, time, NULL, error);
    if (result != SUP_OK) break;
    const SupVec3d *x = sup_stepper_positions(moving);
    out->determinant_least =
        fmin(out->determinant_least, sup_elastic_worst(&t->body, x, NULL, NULL));
    store(t, x, i, t->full);
    store(t, sup_stepper_positions(still), i, t->still);
    sup_app_progress(t->lab->app, "full simulation", i + 1, t->steps);
  }
  sup_stepper_free(moving);
  sup_stepper_free(still);
  return result;
}

/* ---- The rig's own limit -------------------------------------------------------------------- */

/* t->residual = surface(p) - full, and the weighted sum of its squares. */
static SupResult miss(Truth *t, const double *p, uint32_t i, double *out_sum, SupError *error) {
  const SupVec3 *full = &t->full[(size_t)i * t->surface];
  SupResult result = surface_at(t, p, t->target, error);
  *out_sum = 0;
  for (uint32_t v = 0; result == SUP_OK && v < t->surface; v++) {
    const SupVec3d d = {t->target[v].x - (double)full[v].x, t->target[v].y - (double)full[v].y,
                        t->target[v].z - (double)full[v].z};
    const double *c = &d.x;
    for (size_t a = 0; a < 3; a++) t->residual[3 * (size_t)v + a] = c[a];
    *out_sum += (double)t->weights[v] * sup_vec3d_dot(d, d);
  }
  return result;
}

/* t->slope = J^T M r and t->gram = J^T M J. */
static void normal_equations(Truth *t) {
  const size_t rows = 3 * (size_t)t->surface;
  const int n = (int)t->n, r = (int)rows;
  for (uint32_t k = 0; k < t->n; k++) {
    double sum = 0, *column = &t->jacobian[k * rows];
    for (size_t i = 0; i < rows; i++) {
      sum += (double)t->weights[i / 3] * column[i] * t->residual[i];
      column[i] *= sqrt((double)t->weights[i / 3]);
    }
    t->slope[k] = sum;
  }
  const SupProduct square = {false, true, n, n, r, r, r, n};
  sup_dense_product(&square, t->jacobian, t->jacobian, t->gram);
}

/* t->step: Gauss-Newton over the parameters that no bound holds. */
static bool fit_direction(Truth *t) {
  uint32_t count = 0, *open = (uint32_t *)t->columns; /* free by now */
  double trace = 0, *right = t->residual;
  for (uint32_t k = 0; k < t->n; k++) {
    const SupRigParameter *p = &t->rig->parameters[t->free[k]];
    const double at = t->p[t->free[k]];
    const bool stuck = (at <= p->low && t->slope[k] > 0) || (at >= p->high && t->slope[k] < 0);
    t->step[k] = 0;
    trace += t->gram[k * t->n + k];
    if (!stuck) open[count++] = k;
  }
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t j = 0; j < count; j++) {
      t->small[i * count + j] = t->gram[open[i] * t->n + open[j]];
    }
    t->small[i * count + i] += 1e-10 * trace / t->n;
    right[i] = -t->slope[open[i]];
  }
  if (count == 0 || sup_dense_solve_definite((int)count, 1, t->small, right, NULL) != SUP_OK) {
    return false;
  }
  for (uint32_t i = 0; i < count; i++) t->step[open[i]] = right[i];
  return true;
}

/* Goes on from t->p; *io_sum falls. */
static SupResult fit_search(Truth *t, uint32_t i, double *io_sum, bool *out_done, SupError *error) {
  double fraction = 1;
  *out_done = true;
  for (int halving = 0; halving < 12; halving++, fraction *= 0.5) {
    double sum;
    memcpy(t->trial, t->p, t->rig->parameter_count * sizeof *t->p);
    for (uint32_t k = 0; k < t->n; k++) {
      const SupRigParameter *p = &t->rig->parameters[t->free[k]];
      double *at = &t->trial[t->free[k]];
      *at = fmin(fmax(*at + fraction * p->scale * t->step[k], p->low), p->high);
    }
    SupResult result = miss(t, t->trial, i, &sum, error);
    if (result != SUP_OK) return result;
    if (!(sum < *io_sum)) continue;
    *out_done = *io_sum - sum <= 1e-9 * *io_sum;
    *io_sum = sum;
    memcpy(t->p, t->trial, t->rig->parameter_count * sizeof *t->p);
    return SUP_OK;
  }
  return SUP_OK;
}

/* The best parameters of every frame, each from those of the frame before; t->row the surfaces. */
static SupResult fit(Truth *t, SupHahnNear *near, SupError *error) {
  double *last = SUP_ALLOC(t->arena, double, t->rig->parameter_count);
  if (!last) return sup_fail_memory(error, NULL);
  sup_rig_rest(t->rig, last);
  for (uint32_t i = 0; i < t->steps; i++) {
    bool done = false;
    double sum;
    script_at(t, SUP_HAHN_BEGIN + SUP_HAHN_STEP * (i + 1));
    for (uint32_t k = 0; k < t->n; k++) t->p[t->free[k]] = last[t->free[k]];
    SupResult result = miss(t, t->p, i, &sum, error);
    for (uint32_t move = 0; move < FIT_MOVES && !done && result == SUP_OK; move++) {
      result = jacobian_at(t, t->p, error);
      if (result == SUP_OK) result = miss(t, t->p, i, &sum, error);
      if (result != SUP_OK) break;
      normal_equations(t);
      if (!fit_direction(t)) break;
      result = fit_search(t, i, &sum, &done, error);
    }
    if (result == SUP_OK) result = surface_at(t, t->p, t->target, error);
    if (result != SUP_OK) return result;
    store(t, t->target, i, t->row);
    memcpy(last, t->p, t->rig->parameter_count * sizeof *last);
    uint32_t count = 0;
    for (uint32_t k = 0; k < t->n; k++) {
      const SupRigParameter *p = &t->rig->parameters[t->free[k]];
      count += last[t->free[k]] <= p->low || last[t->free[k]] >= p->high;
    }
    if (count > near->at_bound) near->at_bound = count;
    sup_app_progress(t->lab->app, "fit of the rig", i + 1, t->steps);
  }
  return SUP_OK;
}

/* ---- Motions in the space of the rig -------------------------------------------------------- */

static SupResult run_row(Truth *t, uint32_t row, SupHahnNear *near, SupError *error) {
  SupRigspace *rigspace;
  uint32_t count = 0;
  SupHahnRun run = {.sum = {.determinant_least = 1}};
  SupResult result = sup_hahn_create(t->lab, row, false, &rigspace, error);
  if (result != SUP_OK) return result;
  sup_rig_rest(t->rig, t->p);
  result = sup_rigspace_frequencies(rigspace, t->p, &count, t->slope, error);
  if (result == SUP_OK && count > 0) near->first_hz = t->slope[0];
  if (result == SUP_OK) result = sup_hahn_start(t->lab, rigspace, row, false, error);
  for (uint32_t i = 0; i < t->steps && result == SUP_OK; i++) {
    result = sup_hahn_step(t->lab, rigspace, i, &run, error);
    store(t, sup_rigspace_nodes(rigspace), i, t->row);
    count = 0;
    for (uint32_t k = 0; k < t->n; k++) {
      const SupRigParameter *p = &t->rig->parameters[t->free[k]];
      const double at = sup_rigspace_parameters(rigspace)[t->free[k]];
      count += at <= p->low || at >= p->high;
    }
    if (count > near->at_bound) near->at_bound = count;
    sup_app_progress(t->lab->app, "in the space of the rig", i + 1, t->steps);
  }
  sup_rigspace_free(rigspace);
  return result;
}

static SupResult compare(Truth *t, const SupVec3 *motion, SupCompareReport *out, SupError *error) {
  const SupCompareDef def = {.frame_count = t->steps,
                             .vertex_count = t->surface,
                             .fps = (float)(1 / SUP_HAHN_STEP),
                             .height = (float)t->lab->height,
                             .a = motion,
                             .b = t->full,
                             .skinning = t->plain,
                             .quasistatic = t->still,
                             .vertex_weights = t->weights,
                             .jobs = t->lab->app->jobs};
  return sup_compare(t->arena, &def, out, NULL, NULL, error);
}

static SupResult judge(Truth *t, SupHahnNear *near, SupError *error) {
  SupCompareReport found;
  SupResult result = compare(t, t->row, &found, error);
  if (result != SUP_OK) return result;
  near->rms = (double)found.rms_percent / 100;
  near->largest = (double)found.worst_percent / 100;
  near->relative_error = (double)found.relative_error;
  near->dynamic_error = (double)found.dynamic_error;
  near->amplitude_ratio = (double)found.vibration.amplitude_ratio;
  return SUP_OK;
}

SupResult sup_hahn_truth(SupHahnLab *lab, uint32_t steps, SupHahnTruth *out_truth,
                         SupHahnNear *out_rows, SupError *error) {
  static const uint32_t rows[SUP_HAHN_TRUTH_ROWS] = {0, 0, 1, 3};
  SupArena scratch = sup_scratch(lab->app->arena);
  SupCompareReport plain, still;
  Truth t = {.lab = lab, .arena = &scratch, .steps = steps};
  *out_truth = (SupHahnTruth){.held_count = 0};
  memset(out_rows, 0, SUP_HAHN_TRUTH_ROWS * sizeof *out_rows);
  SupResult result = create(&t, out_truth, error);
  if (result == SUP_OK) result = simulate(&t, out_truth, error);
  if (result == SUP_OK) result = compare(&t, t.plain, &plain, error);
  if (result == SUP_OK) result = compare(&t, t.still, &still, error);
  if (result == SUP_OK) {
    out_truth->moved = (double)plain.rms_percent / 100;
    out_truth->largest = (double)plain.worst_percent / 100;
    out_truth->swing = (double)still.rms_percent / 100;
    out_truth->frequency = (double)plain.vibration.frequency;
    out_truth->clarity = (double)plain.vibration.clarity;
  }
  for (int k = 0; k < SUP_HAHN_TRUTH_ROWS && result == SUP_OK; k++) {
    result = k == SUP_HAHN_FIT ? fit(&t, &out_rows[k], error)
                               : run_row(&t, rows[k], &out_rows[k], error);
    if (result == SUP_OK) result = judge(&t, &out_rows[k], error);
  }
  sup_arena_free(&scratch);
  return result;
}
