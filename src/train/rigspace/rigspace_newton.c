/* SPDX-License-Identifier: MIT */
/*
 * A step with the linearised rig: x_s = at + J y, and nodes inside that follow from x_s.
 *
 *   gradient  g = T^T G                 G = dH/dx of the potential, T = [J; dq/dy]
 *   matrix    A = T^T (M/h^2 + K) T     projected first, exact once whole steps are good
 *
 * With q in balance dW/dq is 0, so T^T G is the gradient of H(s(y), q(s(y))): forces and inertia of
 * the nodes inside act through dq/dy. Bounds are held by an active set and by projection.
 *
 * With skinned nodes T is fixed during the step, and a gradient costs an energy: after a whole
 * step the matrix is kept for further moves, also into the next step, as long as each is at most
 * SHRINKS times the one before (a simplified Newton method: the same minimum, to the same
 * tolerance). For nodes in balance T changes with every move, and the reference is Newton's method
 * as it was published.
 */
#include <math.h>
#include <string.h>

#include "numerics/dense.h"
#include "supple/rig/rig.h"
#include "train/rigspace/rigspace_parts.h"

#define SHRINKS 0.25
#define DEPENDENT 1e-11 /* of a diagonal entry: parameters with the same effect share it */
#define STRONGEST 20.0  /* of a pull per step: what is left is 2e-9 */

/* ---- Small systems -------------------------------------------------------------------------- */

void sup_rigspace_no_springs(SupRigspace *rs) {
  memset(rs->held_stiffness, 0, rs->n * sizeof *rs->held_stiffness);
  rs->held_known = true;
}

void sup_rigspace_set_springs(SupRigspace *rs) {
  for (uint32_t k = 0; k < rs->n && !rs->held_known; k++) {
    /* (1 + e^a - 1)^-1 = e^-a of the way is left where the parameter resists alone. */
    const double a = fmin(rs->held[k] * rs->step_seconds, STRONGEST);
    rs->held_stiffness[k] = isinf(rs->held[k]) ? 0 : expm1(a) * rs->hessian[k * (rs->n + 1)];
  }
  rs->held_known = true;
}

/* 1/2 stiffness far^2, and its derivatives by y, where far = ... + scale y. */
static double add_spring(const SupRigspace *rs, uint32_t k, double stiffness, double far,
                         double scale, double *io_slope, double *io_hessian) {
  if (io_slope) io_slope[k] += stiffness * far * scale;
  if (io_hessian) io_hessian[k * rs->n + k] += stiffness * scale * scale;
  return 0.5 * stiffness * far * far;
}

double sup_rigspace_springs(const SupRigspace *rs, const double *y, double *io_slope,
                            double *io_hessian) {
  double energy = 0;
  for (uint32_t k = 0; k < rs->n; k++) {
    const double at = rs->base[rs->free[k]], scale = rs->scales[k];
    if (rs->def.parameter_stiffness) {
      const double far = at + scale * y[k] - rs->def.rig->parameters[rs->free[k]].rest;
      energy += add_spring(rs, k, rs->def.parameter_stiffness[k], far, scale, io_slope, io_hessian);
    }
    if (rs->held_stiffness[k] > 0) {
      const double far = y[k] - (rs->held_at[k] - at) / scale;
      energy += add_spring(rs, k, rs->held_stiffness[k], far, 1, io_slope, io_hessian);
    }
  }
  return energy;
}

/* Bounds of y. */
static double low_of(const SupRigspace *rs, uint32_t k) {
  const uint32_t p = rs->free[k];
  return (rs->def.rig->parameters[p].low - rs->base[p]) / rs->scales[k];
}

static double high_of(const SupRigspace *rs, uint32_t k) {
  const uint32_t p = rs->free[k];
  return (rs->def.rig->parameters[p].high - rs->base[p]) / rs->scales[k];
}

uint32_t sup_rigspace_open(SupRigspace *rs, const double *y) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < rs->n; k++) {
    const bool held = isinf(rs->held[k]) || (y[k] <= low_of(rs, k) && rs->slope[k] > 0) ||
                      (y[k] >= high_of(rs, k) && rs->slope[k] < 0);
    if (!held) rs->open[count++] = k;
  }
  return count;
}

void sup_rigspace_clip(const SupRigspace *rs, const double *y, double fraction, double *out_y) {
  for (uint32_t k = 0; k < rs->n; k++) {
    out_y[k] = fmin(fmax(y[k] + fraction * rs->step[k], low_of(rs, k)), high_of(rs, k));
  }
}

/* Whether the factor in rs->small is of parameters that all do something of their own: what is left
 * of a diagonal entry when those before it are taken out. */
static bool independent(const SupRigspace *rs, uint32_t open_count) {
  for (uint32_t i = 0; i < open_count; i++) {
    const double left = rs->small[i * (size_t)(open_count + 1)];
    if (left * left < DEPENDENT * rs->hessian[rs->open[i] * (size_t)(rs->n + 1)]) return false;
  }
  return true;
}

bool sup_rigspace_solve(SupRigspace *rs, uint32_t open_count) {
  double trace = 0, shift = 0;
  memset(rs->step, 0, rs->n * sizeof *rs->step);
  for (uint32_t i = 0; i < open_count; i++) trace += fabs(rs->hessian[rs->open[i] * (rs->n + 1)]);
  for (int attempt = 0; attempt < 14; attempt++) {
    double right[1024];
    double *b = open_count <= 1024 ? right : rs->product; /* which is free by now */
    for (uint32_t i = 0; i < open_count; i++) {
      for (uint32_t j = 0; j < open_count; j++) {
        rs->small[i * open_count + j] = rs->hessian[rs->open[i] * rs->n + rs->open[j]];
      }
      rs->small[i * open_count + i] += shift;
      b[i] = -rs->slope[rs->open[i]];
    }
    const bool solved = open_count == 0 ||
                        sup_dense_solve_definite((int)open_count, 1, rs->small, b, NULL) == SUP_OK;
    if (solved && (shift > 0 || independent(rs, open_count))) {
      for (uint32_t i = 0; i < open_count; i++) rs->step[rs->open[i]] = b[i];
      return true;
    }
    shift = shift > 0 ? 10 * shift : 1e-8 * trace / open_count;
  }
  return false;
}

/* ---- Columns -------------------------------------------------------------------------------- */

/* out += A in, of a lower triangle; entries above the diagonal are ignored. Nodes that do not move
 * have zeros in `in`, and nobody looks at their rows of `out`. */
static void multiply_symmetric(const SupSparse *a, const bool *moves, const double *in,
                               double *out) {
  for (uint32_t c = 0; c < a->size; c++) {
    double sum = 0;
    if (!moves[c / 3]) continue;
    for (int64_t k = a->columns[c]; k < a->columns[c + 1]; k++) {
      const int64_t r = a->rows[k];
      if (r < (int64_t)c) continue;
      sum += a->values[k] * in[r];
      if (r > (int64_t)c) out[r] += a->values[k] * in[c];
    }
    out[c] += sum;
  }
}

typedef struct Columns {
  SupRigspace *rs;
  const double *inside;
} Columns;

static void multiply_column(void *user, SupRange range) {
  const Columns *job = user;
  SupRigspace *rs = job->rs;
  const size_t all = 3 * (size_t)rs->node_count, s = 3 * (size_t)rs->surface_count, q = all - s;
  double *out = &rs->product[range.first * all], *in = &rs->column_scratch[range.first * all];
  memcpy(in, &rs->surface[range.first * s], s * sizeof *in);
  if (job->inside) {
    memcpy(in + s, &job->inside[range.first * q], q * sizeof *in);
  } else {
    memset(in + s, 0, q * sizeof *in);
  }
  memset(out, 0, all * sizeof *out);
  multiply_symmetric(&rs->body.matrix, rs->moves, in, out);
}

void sup_rigspace_multiply(SupRigspace *rs, const double *inside) {
  Columns job = {rs, inside};
  sup_parallel_for(rs->def.jobs, rs->n, 1, multiply_column, &job);
}

void sup_rigspace_reduce(SupRigspace *rs) {
  const int all = (int)(3 * rs->node_count), n = (int)rs->n;
  const double *gradient = &rs->potential.gradient[0].x;
  sup_potential_assemble(&rs->potential);
  sup_rigspace_multiply(rs, rs->inside);
  const SupProduct square = {false, true, n, n, all, all, all, n};
  sup_dense_product(&square, rs->column_scratch, rs->product, rs->hessian);
  const SupProduct slope = {false, true, n, 1, all, all, all, 1};
  sup_dense_product(&slope, rs->column_scratch, gradient, rs->slope);
}

/* rs->slope = T^T G and the springs', for a gradient G alone. */
static void find_slope(SupRigspace *rs) {
  const int n = (int)rs->n, s = (int)(3 * rs->surface_count), q = (int)(3 * rs->inside_count);
  const double *gradient = &rs->potential.gradient[0].x;
  const SupProduct outside = {false, true, n, 1, s, s, s, 1},
                   inside = {false, true, n, 1, q, q, q, 1};
  sup_dense_product(&outside, rs->surface, gradient, rs->slope);
  if (q > 0) sup_dense_product(&inside, rs->inside, gradient + s, rs->full_slope);
  for (uint32_t k = 0; q > 0 && k < rs->n; k++) rs->slope[k] += rs->full_slope[k];
  sup_rigspace_springs(rs, rs->y, rs->slope, NULL);
}

/* How far the farthest node goes along rs->step; rs->move are the ways. */
static double longest(SupRigspace *rs) {
  const size_t q = 3 * (size_t)rs->inside_count;
  SupVec3d *inside = &rs->move[rs->surface_count];
  double most = 0;
  memset(rs->move, 0, rs->node_count * sizeof *rs->move);
  sup_rigspace_add_linear(rs, rs->step, rs->move);
  for (uint32_t k = 0; k < rs->n; k++) {
    const double *column = &rs->inside[k * q];
    for (uint32_t i = 0; rs->step[k] != 0 && i < rs->inside_count; i++) {
      const double *c = &column[3 * (size_t)i];
      inside[i] = sup_vec3d_add_scaled(inside[i], (SupVec3d){c[0], c[1], c[2]}, rs->step[k]);
    }
  }
  for (uint32_t i = 0; i < rs->node_count; i++) most = fmax(most, sup_vec3d_length(rs->move[i]));
  return most;
}

/* ---- Newton --------------------------------------------------------------------------------- */

/* Places x at y; nodes inside begin where x has them. */
static SupResult place(SupRigspace *rs, const double *y, SupVec3d *io_x, bool *out_good,
                       SupError *error) {
  *out_good = true;
  memcpy(io_x, rs->at, rs->surface_count * sizeof *io_x);
  sup_rigspace_add_linear(rs, y, io_x);
  if (rs->def.inside == SUP_RIGSPACE_STATIC) {
    return sup_rigspace_balance(rs, io_x, out_good, error);
  }
  sup_rigspace_skin_inside(rs, io_x);
  return SUP_OK;
}

/* From rs->y along rs->step; rs->y and rs->x are where it ends, *io_value is the potential there.
 * Returns the part taken in *out_fraction, 0 if none helps. */
static SupResult search(SupRigspace *rs, double *io_value, double *out_fraction, SupError *error) {
  const double start = *io_value;
  const size_t bytes = rs->node_count * sizeof *rs->x;
  const uint32_t s = rs->surface_count;
  double fraction = 1;
  for (int halving = 0; halving < 24; halving++, fraction *= 0.5) {
    bool good;
    double slope = 0;
    sup_rigspace_clip(rs, rs->y, fraction, rs->y_trial);
    memcpy(rs->trial, rs->x, bytes);
    for (uint32_t i = s; i < rs->node_count; i++) { /* where the nodes inside will be, about */
      rs->trial[i] = sup_vec3d_add_scaled(rs->trial[i], rs->ahead[i], fraction);
    }
    SupResult result = place(rs, rs->y_trial, rs->trial, &good, error);
    if (result != SUP_OK) return result;
    for (uint32_t k = 0; k < rs->n; k++) slope += rs->slope[k] * (rs->y_trial[k] - rs->y[k]);
    const double value =
        sup_potential_evaluate(&rs->potential, &rs->loads, rs->trial, SUP_HESSIAN_NONE) +
        sup_rigspace_springs(rs, rs->y_trial, NULL, NULL);
    if (good && value <= start + 1e-4 * slope + 1e-13 * fabs(start)) {
      memcpy(rs->x, rs->trial, bytes);
      memcpy(rs->y, rs->y_trial, rs->n * sizeof *rs->y);
      *out_fraction = fraction;
      *io_value = value;
      return SUP_OK;
    }
  }
  *out_fraction = 0;
  return SUP_OK;
}

/* Derivatives at rs->x and the Newton step; *out_value is the potential. */
static SupResult direction(SupRigspace *rs, SupHessian hessian, double *out_value, bool *out_solved,
                           SupError *error) {
  SupResult result = SUP_OK;
  if (rs->def.inside == SUP_RIGSPACE_STATIC) {
    result = sup_rigspace_sensitivity(rs, rs->x, error);
    if (result != SUP_OK) return result;
  }
  *out_value = sup_potential_evaluate(&rs->potential, &rs->loads, rs->x, hessian);
  sup_rigspace_reduce(rs);
  sup_rigspace_set_springs(rs);
  *out_value += sup_rigspace_springs(rs, rs->y, rs->slope, rs->hessian);
  *out_solved = isfinite(*out_value) && sup_rigspace_solve(rs, sup_rigspace_open(rs, rs->y));
  return result;
}

/* The way to go with the matrix of an earlier iteration, if there is one; false where it no longer
 * shrinks the ways. */
static bool kept_direction(SupRigspace *rs, double last, double *out_far) {
  if (!rs->kept) return false;
  find_slope(rs);
  if (!sup_rigspace_solve(rs, sup_rigspace_open(rs, rs->y))) return false;
  *out_far = longest(rs);
  return *out_far <= SHRINKS * last;
}

/* Takes a move that is shorter than the tolerance: nobody would look at the potential there. */
static SupResult take_last(SupRigspace *rs, SupError *error) {
  bool good;
  sup_rigspace_clip(rs, rs->y, 1, rs->y_trial);
  memcpy(rs->y, rs->y_trial, rs->n * sizeof *rs->y);
  return place(rs, rs->y, rs->x, &good, error);
}

/* Where a step with a kept matrix, and so of the same length, begins: the free parameters go on as
 * they did, but for those that are put somewhere: the base has them there. */
static void go_on(SupRigspace *rs) {
  for (uint32_t k = 0; k < rs->n; k++) {
    const uint32_t p = rs->free[k];
    const double way = rs->p[p] - rs->p_old[p];
    rs->y[k] =
        isinf(rs->held[k]) ? 0 : fmin(fmax(way / rs->scales[k], low_of(rs, k)), high_of(rs, k));
  }
}

/* One move; *io_last is its length. */
static SupResult iterate(SupRigspace *rs, SupHessian *io_hessian, double *io_value, double *io_last,
                         bool *out_stuck, SupError *error) {
  double far = 0, fraction = 0;
  bool solved = kept_direction(rs, *io_last, &far);
  const bool kept = solved;
  if (!kept) {
    SupResult result = direction(rs, *io_hessian, io_value, &solved, error);
    *out_stuck = !solved;
    if (result != SUP_OK || !solved) return result;
    far = longest(rs);
  }
  rs->report.iterations += !kept;
  rs->report.kept_moves += kept;
  if (kept && far <= rs->def.tolerance * rs->size) {
    rs->report.converged = true;
    return take_last(rs, error);
  }
  memcpy(rs->ahead, rs->move, rs->node_count * sizeof *rs->ahead);
  SupResult result = search(rs, io_value, &fraction, error);
  rs->report.converged = fraction > 0 || !kept ? far <= rs->def.tolerance * rs->size : false;
  rs->kept = rs->def.inside == SUP_RIGSPACE_SKINNED && fraction == 1;
  *io_last = far;
  *out_stuck = fraction == 0 && !kept;
  *io_hessian = fraction == 1 ? SUP_HESSIAN_ELASTIC : SUP_HESSIAN_PROJECTED;
  return result;
}

SupResult sup_rigspace_minimise(SupRigspace *rs, SupError *error) {
  SupHessian hessian = SUP_HESSIAN_PROJECTED;
  double value = 0, last = INFINITY;
  bool good, stuck = false;
  rs->report.converged = false;
  memset(rs->y, 0, rs->n * sizeof *rs->y);
  if (rs->kept) go_on(rs);
  SupResult result = place(rs, rs->y, rs->x, &good, error);
  if (result != SUP_OK || !good) return result;
  if (rs->kept) {
    value = sup_potential_evaluate(&rs->potential, &rs->loads, rs->x, SUP_HESSIAN_NONE) +
            sup_rigspace_springs(rs, rs->y, NULL, NULL);
  }
  const uint32_t begun = rs->report.iterations;
  while (result == SUP_OK && !stuck && !rs->report.converged &&
         rs->report.iterations - begun < rs->def.iteration_max) {
    result = iterate(rs, &hessian, &value, &last, &stuck, error);
  }
  return result;
}
