/* SPDX-License-Identifier: MIT */
/*
 * Motion in the space of a rig against the full simulation of the same flesh.
 *
 * The same tetrahedra, masses, material, script and implicit Euler steps; every node is free that a
 * free parameter of the rig moves, or that is inside, and the others are where the script has them.
 * The rig is then the same flesh with constraints, and can only be stiffer (Rayleigh): so its
 * motion is also looked at with flesh that is softer by as much, as `play --as curves` tunes it.
 */
#include <math.h>
#include <string.h>

#include "app/paper_hahn_truth_parts.h"
#include "base/scratch.h"
#include "numerics/eigen.h"
#include "sim/stepper.h"
#include "supple/author/metrics.h"
#include "supple/rig/rig.h"

#define HERTZ 4.0
#define MOVES 1e-9 /* of the largest derivative */

SupResult sup_hahn_truth_surface(Truth *t, const double *p, SupVec3d *out, SupError *error) {
  SupResult result = sup_rig_evaluate(t->rig, 1, p, t->skin, error);
  if (result == SUP_OK) sup_driven_surface(&t->lab->volume, t->skin, out);
  return result;
}

/* t->p: the script of a time, free parameters at rest. */
void sup_hahn_truth_script(Truth *t, double time) {
  sup_rig_rest(t->rig, t->p);
  sup_hahn_script(t->lab, time, t->p);
}

/* t->jacobian[k * 3 surface] at parameters, per scale. */
SupResult sup_hahn_truth_jacobian(Truth *t, const double *p, SupError *error) {
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
  double **const numbers[] = {&t->slope, &t->step, &t->energy};
  bool good = true;
  for (int k = 0; k < 4; k++) {
    *frames[k] = SUP_ALLOC(t->arena, SupVec3, t->steps * s);
    good &= *frames[k] != NULL;
  }
  for (int k = 0; k < 3; k++) {
    *numbers[k] = SUP_ALLOC(t->arena, double, k < 2 ? n : t->steps);
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

/* Surface nodes are held that no free parameter moves, at rest and where the clip begins: what the
 * full simulation may move, and no node more, is what the rig can move. */
static SupResult find_held(Truth *t, SupHahnTruth *out, SupError *error) {
  const size_t rows = 3 * (size_t)t->surface;
  SupResult result = SUP_OK;
  memset(t->held, 1, t->surface);
  for (int pose = 0; pose < 2 && result == SUP_OK; pose++) {
    sup_rig_rest(t->rig, t->p);
    if (pose == 1) sup_hahn_truth_script(t, SUP_HAHN_BEGIN);
    result = sup_hahn_truth_jacobian(t, t->p, error);
    double most = 0;
    for (size_t k = 0; k < t->n * rows; k++) most = fmax(most, fabs(t->jacobian[k]));
    for (size_t k = 0; result == SUP_OK && k < t->n * rows; k++) {
      if (fabs(t->jacobian[k]) > MOVES * most) t->held[k % rows / 3] = 0;
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

/* The lowest natural frequency of the full simulation at rest. */
static SupResult find_frequency(Truth *t, SupHahnTruth *out, SupError *error) {
  SupArena scratch = sup_scratch(t->arena);
  SupElastic *body = &t->body;
  const uint32_t size = 3 * body->free_count;
  double square = 0, *masses = SUP_ALLOC(&scratch, double, size);
  double *shape = SUP_ALLOC(&scratch, double, size);
  SupResult result = masses && shape ? SUP_OK : sup_fail_memory(error, NULL);
  if (result == SUP_OK) {
    for (uint32_t k = 0; k < size; k++) masses[k] = body->masses[body->free_nodes[k / 3]];
    sup_elastic_linearise(body, body->mesh.nodes, NULL, SUP_HESSIAN_PROJECTED, NULL);
    sup_elastic_assemble(body, NULL, NULL);
    result = sup_eigen_lowest(&scratch, &body->matrix, masses, 1, &square, shape, error);
  }
  sup_arena_free(&scratch);
  out->first_hz = sqrt(fmax(square, 0)) / (2 * SUP_PI);
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
  if (result == SUP_OK) result = find_frequency(t, out, error);
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
                      .tolerance = SUP_HAHN_TOLERANCE * t->lab->height,
                      .iteration_max = 100};
}

/* Held nodes where the script has them at a time. */
static SupResult aim(Truth *t, double time, SupError *error) {
  sup_hahn_truth_script(t, time);
  return sup_hahn_truth_surface(t, t->p, t->target, error);
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

void sup_hahn_truth_store(const Truth *t, const SupVec3d *nodes, uint32_t i, SupVec3 *out) {
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
    sup_hahn_truth_store(t, t->target, i, t->plain);
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
    t->energy[i] = sup_elastic_energy(&t->body, x, NULL, NULL);
    sup_hahn_truth_store(t, x, i, t->full);
    sup_hahn_truth_store(t, sup_stepper_positions(still), i, t->still);
    sup_app_progress(t->lab->app, "full simulation", i + 1, t->steps);
  }
  sup_stepper_free(moving);
  sup_stepper_free(still);
  return result;
}

/* ---- Motions in the space of the rig -------------------------------------------------------- */

uint32_t sup_hahn_truth_at_bounds(const Truth *t, const double *parameters) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < t->n; k++) {
    const SupRigParameter *p = &t->rig->parameters[t->free[k]];
    const double at = parameters[t->free[k]];
    count += at <= p->low || at >= p->high;
  }
  return count;
}

/* The solver of a row with flesh of the lab's stiffness; *out_hz is its lowest frequency at rest.
 */
static SupResult create_row(Truth *t, uint32_t row, SupRigspace **out, double *out_hz,
                            SupError *error) {
  uint32_t count = 0;
  SupResult result = sup_hahn_create(t->lab, row, false, out, error);
  *out_hz = 0;
  if (result != SUP_OK) return result;
  sup_rig_rest(t->rig, t->p);
  result = sup_rigspace_frequencies(*out, t->p, &count, t->slope, error);
  if (result == SUP_OK && count > 0) *out_hz = t->slope[0];
  if (result != SUP_OK) sup_rigspace_free(*out);
  return result;
}

/* A rig cannot move as freely as its flesh, which makes it stiffer: softer flesh by as much, in
 * which the lowest frequency is `wanted`. */
static SupResult create_tuned(Truth *t, uint32_t row, double wanted, SupRigspace **out,
                              double *out_hz, SupError *error) {
  SupResult result = create_row(t, row, out, out_hz, error);
  if (result != SUP_OK || !(wanted > 0) || !(*out_hz > 0)) return result;
  sup_rigspace_free(*out);
  t->lab->material.young *= (wanted / *out_hz) * (wanted / *out_hz);
  return create_row(t, row, out, out_hz, error);
}

static SupResult run_steps(Truth *t, SupRigspace *rigspace, SupHahnNear *near, SupError *error) {
  SupHahnRun run = {.sum = {.determinant_least = 1}};
  SupResult result = SUP_OK;
  double energy = 0, full = 0;
  for (uint32_t i = 0; i < t->steps && result == SUP_OK; i++) {
    result = sup_hahn_step(t->lab, rigspace, i, &run, error);
    const SupVec3d *x = sup_rigspace_nodes(rigspace);
    sup_hahn_truth_store(t, x, i, t->row);
    energy += sup_elastic_energy(&t->body, x, NULL, NULL);
    full += t->energy[i];
    const uint32_t count = sup_hahn_truth_at_bounds(t, sup_rigspace_parameters(rigspace));
    if (count > near->at_bound) near->at_bound = count;
    sup_app_progress(t->lab->app, "in the space of the rig", i + 1, t->steps);
  }
  near->energy = full > 0 ? energy / full : 0;
  near->halved = run.halved;
  near->carried = run.carried;
  return result;
}

/* `wanted` is the lowest frequency that flesh is tuned to; 0: flesh as it is. */
static SupResult run_row(Truth *t, uint32_t row, double wanted, SupHahnNear *near,
                         SupError *error) {
  const double young = t->lab->material.young;
  SupRigspace *rigspace;
  SupResult result = create_tuned(t, row, wanted, &rigspace, &near->first_hz, error);
  if (result == SUP_OK) {
    result = sup_hahn_start(t->lab, rigspace, row, false, error);
    if (result == SUP_OK) result = run_steps(t, rigspace, near, error);
    sup_rigspace_free(rigspace);
  }
  t->lab->material.young = young;
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
  static const uint32_t rows[SUP_HAHN_TRUTH_ROWS] = {0, 0, 1, 3, 0, 1, 3};
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
    const double wanted = k >= SUP_HAHN_TUNED_REFERENCE ? out_truth->first_hz : 0;
    result = k == SUP_HAHN_FIT ? sup_hahn_truth_fit(&t, &out_rows[k], error)
                               : run_row(&t, rows[k], wanted, &out_rows[k], error);
    if (result == SUP_OK) result = judge(&t, &out_rows[k], error);
  }
  sup_arena_free(&scratch);
  return result;
}
