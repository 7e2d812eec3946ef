/* SPDX-License-Identifier: MIT */
/*
 * What a rig cannot follow: in every frame of the full simulation the parameters within their
 * bounds whose surface is nearest, by Gauss-Newton with an active set; and the elastic energy of
 * that surface, with the nodes inside in balance.
 */
#include <math.h>
#include <string.h>

#include "app/paper_hahn_truth_parts.h"
#include "base/scratch.h"
#include "numerics/dense.h"
#include "sim/stepper.h"
#include "supple/rig/rig.h"

#define MOVES 30u

/* t->residual = surface(p) - full, and the weighted sum of its squares. */
static SupResult miss(Truth *t, const double *p, uint32_t i, double *out_sum, SupError *error) {
  const SupVec3 *full = &t->full[(size_t)i * t->surface];
  SupResult result = sup_hahn_truth_surface(t, p, t->target, error);
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

/* The best parameters of frame i, in t->p from those of the frame before; t->target the surface. */
static SupResult fit_frame(Truth *t, uint32_t i, SupError *error) {
  bool done = false;
  double sum;
  SupResult result = miss(t, t->p, i, &sum, error);
  for (uint32_t move = 0; move < MOVES && !done && result == SUP_OK; move++) {
    result = sup_hahn_truth_jacobian(t, t->p, error);
    if (result == SUP_OK) result = miss(t, t->p, i, &sum, error);
    if (result != SUP_OK) return result;
    normal_equations(t);
    if (!fit_direction(t)) break;
    result = fit_search(t, i, &sum, &done, error);
  }
  return result == SUP_OK ? sup_hahn_truth_surface(t, t->p, t->target, error) : result;
}

/* ---- What the nearest surface costs --------------------------------------------------------- */

/* Flesh whose whole surface is given. */
typedef struct Covered {
  SupElastic body;
  SupStepper *stepper;
  double energy, full; /* J, sums over frames in which the nodes inside find their balance */
} Covered;

static SupResult cover(Truth *t, Covered *c, SupError *error) {
  const SupDrivenVolume *volume = &t->lab->volume;
  uint8_t *given = SUP_ALLOC(t->arena, uint8_t, t->nodes);
  if (!given) return sup_fail_memory(error, NULL);
  memset(given, 1, t->surface);
  const SupElasticDef def = {.mesh = volume->mesh,
                             .materials = &t->lab->material,
                             .material_count = 1,
                             .fractions = volume->fractions,
                             .prescribed = given,
                             .jobs = t->lab->app->jobs};
  SupResult result = sup_elastic_create(t->arena, &def, &c->body, error);
  return result == SUP_OK ? sup_stepper_create(t->arena, &c->body, &c->stepper, error) : result;
}

static SupResult add_energy(Truth *t, Covered *c, uint32_t i, SupError *error) {
  SupStepReport report;
  const SupStepDef def = {.integrator = SUP_INTEGRATE_STATIC,
                          .prescribed = t->target,
                          .farthest = 0.2 * t->lab->height,
                          .tolerance = SUP_HAHN_TOLERANCE * t->lab->height,
                          .iteration_max = 100};
  SupResult result = sup_stepper_step(c->stepper, &def, &report, error);
  if (result != SUP_OK || !report.converged) return result;
  c->energy += sup_elastic_energy(&t->body, sup_stepper_positions(c->stepper), NULL, NULL);
  c->full += t->energy[i];
  return SUP_OK;
}

/* ---- All frames ----------------------------------------------------------------------------- */

static SupResult fit_all(Truth *t, Covered *covered, double *last, SupHahnNear *near,
                         SupError *error) {
  sup_rig_rest(t->rig, last);
  for (uint32_t i = 0; i < t->steps; i++) {
    sup_hahn_truth_script(t, SUP_HAHN_BEGIN + SUP_HAHN_STEP * (i + 1));
    for (uint32_t k = 0; k < t->n; k++) t->p[t->free[k]] = last[t->free[k]];
    SupResult result = fit_frame(t, i, error);
    if (result == SUP_OK) result = add_energy(t, covered, i, error);
    if (result != SUP_OK) return result;
    sup_hahn_truth_store(t, t->target, i, t->row);
    memcpy(last, t->p, t->rig->parameter_count * sizeof *last);
    const uint32_t count = sup_hahn_truth_at_bounds(t, last);
    if (count > near->at_bound) near->at_bound = count;
    sup_app_progress(t->lab->app, "fit of the rig", i + 1, t->steps);
  }
  return SUP_OK;
}

SupResult sup_hahn_truth_fit(Truth *t, SupHahnNear *near, SupError *error) {
  double *last = SUP_ALLOC(t->arena, double, t->rig->parameter_count);
  Covered covered = {.energy = 0};
  if (!last) return sup_fail_memory(error, NULL);
  SupResult result = cover(t, &covered, error);
  if (result == SUP_OK) result = fit_all(t, &covered, last, near, error);
  sup_stepper_free(covered.stepper);
  near->energy = covered.full > 0 ? covered.energy / covered.full : 0;
  return result;
}
