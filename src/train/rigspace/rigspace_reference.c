/* SPDX-License-Identifier: MIT */
/*
 * The reference of 2012: parameters and nodes inside are unknowns, and the rig is asked itself.
 *
 *   matrix    [ J^T H_ss J + sum_i g_i d2s_i/dy2    J^T H_sq ]
 *             [ H_qs J                              H_qq     ]
 *
 * The nodes inside are eliminated by sparse Cholesky. J is computed in every iteration, second
 * derivatives by differences of g . s over all pairs of parameters: n (n + 1) / 2 + n calls.
 */
#include <math.h>
#include <string.h>

#include "numerics/dense.h"
#include "supple/rig/rig.h"
#include "train/rigspace/rigspace_parts.h"

#define SECOND_DOUBLE 1e-3
#define SECOND_SINGLE 1e-2

/* ---- Second derivatives --------------------------------------------------------------------- */

/* g . s at rs->base + scales (y + e), e in units of scales, two of them moved. */
static SupResult weighted(SupRigspace *rs, uint32_t k, double a, uint32_t l, double b,
                          double *out_sum, SupError *error) {
  memcpy(rs->y_trial, rs->y, rs->n * sizeof *rs->y);
  rs->y_trial[k] += a;
  rs->y_trial[l] += b;
  sup_rigspace_move(rs, rs->base, rs->y_trial);
  SupResult result = sup_rigspace_surface(rs, rs->vector, rs->trial, error);
  *out_sum = 0;
  for (uint32_t i = 0; result == SUP_OK && i < rs->surface_count; i++) {
    *out_sum += sup_vec3d_dot(rs->flesh_gradient[i], rs->trial[i]);
  }
  return result;
}

/* Adds sum_i g_i d2s_i/dy2 to io_hessian[n * n]; rs->flesh_gradient has g. One-sided inwards at
 * bounds, as the first derivatives. */
static SupResult add_curvature(SupRigspace *rs, double *io_hessian, SupError *error) {
  const double h = rs->def.rig->single_precision ? SECOND_SINGLE : SECOND_DOUBLE;
  const uint32_t n = rs->n;
  double here, *single = rs->step; /* [n] free by now */
  SupResult result = weighted(rs, 0, 0, 0, 0, &here, error);
  for (uint32_t k = 0; k < n; k++) {
    const SupRigParameter *p = &rs->def.rig->parameters[rs->free[k]];
    const double at = rs->base[rs->free[k]] + rs->scales[k] * rs->y[k];
    rs->sides[k] = at + 2 * h * rs->scales[k] <= p->high ? h : -h;
    if (result == SUP_OK) result = weighted(rs, k, rs->sides[k], k, 0, &single[k], error);
  }
  for (uint32_t k = 0; k < n; k++) {
    for (uint32_t l = 0; l <= k && result == SUP_OK; l++) {
      double both;
      result = weighted(rs, k, rs->sides[k], l, rs->sides[l], &both, error);
      const double second = (both - single[k] - single[l] + here) / (rs->sides[k] * rs->sides[l]);
      io_hessian[k * n + l] += second;
      if (l < k) io_hessian[l * n + k] += second;
    }
  }
  return result;
}

/* ---- Elimination ---------------------------------------------------------------------------- */

static void inside_gradient(const SupRigspace *rs, double *out) {
  for (uint32_t q = 0; q < rs->inside_count; q++) {
    const SupVec3d g = rs->potential.gradient[rs->surface_count + q];
    out[3 * (size_t)q] = g.x;
    out[3 * (size_t)q + 1] = g.y;
    out[3 * (size_t)q + 2] = g.z;
  }
}

/* Factors H_qq from the element blocks of `body`, which both bodies number alike. */
static SupResult factor_inside(SupRigspace *rs, SupError *error) {
  rs->flesh.blocks = rs->body.blocks;
  sup_elastic_assemble(&rs->flesh, &rs->potential.diagonal[rs->surface_count],
                       rs->potential.touched ? rs->potential.extra : NULL);
  rs->flesh.blocks = rs->own_blocks;
  return sup_cholesky_factor(rs->factor, &rs->flesh.matrix, error);
}

/* rs->hessian -= Y_q^T H_qq^-1 Y_q and rs->slope -= Y_q^T H_qq^-1 g_q; rs->solved = H_qq^-1 Y_q,
 * rs->right = H_qq^-1 g_q. */
static SupResult eliminate(SupRigspace *rs, SupError *error) {
  const size_t all = 3 * (size_t)rs->node_count, s = 3 * (size_t)rs->surface_count, q = all - s;
  if (q == 0) return SUP_OK;
  for (uint32_t k = 0; k < rs->n; k++) {
    memcpy(&rs->inside[k * q], &rs->product[k * all + s], q * sizeof *rs->inside);
  }
  inside_gradient(rs, rs->right);
  SupResult result = factor_inside(rs, error);
  if (result == SUP_OK) {
    result = sup_cholesky_solve_many(rs->factor, rs->n, rs->inside, rs->solved, error);
  }
  if (result == SUP_OK) result = sup_cholesky_solve(rs->factor, rs->right, rs->right, error);
  if (result != SUP_OK) return result;
  const int n = (int)rs->n, rows = (int)q;
  const SupProduct square = {false, true, n, n, rows, rows, rows, n};
  sup_dense_product(&square, rs->inside, rs->solved, rs->small);
  for (uint32_t k = 0; k < rs->n * rs->n; k++) rs->hessian[k] -= rs->small[k];
  for (uint32_t k = 0; k < rs->n; k++) {
    for (size_t r = 0; r < q; r++) rs->slope[k] -= rs->inside[k * q + r] * rs->right[r];
  }
  return SUP_OK;
}

/* The surface part: slope = J^T g_s, hessian = J^T H_ss J, product = H [J; 0]. */
static void reduce_surface(SupRigspace *rs) {
  const int n = (int)rs->n, s = (int)(3 * rs->surface_count), all = (int)(3 * rs->node_count);
  sup_potential_assemble(&rs->potential);
  sup_rigspace_multiply(rs, NULL);
  const SupProduct square = {false, true, n, n, s, s, all, n};
  sup_dense_product(&square, rs->surface, rs->product, rs->hessian);
  const SupProduct slope = {false, true, n, 1, s, s, s, 1};
  sup_dense_product(&slope, rs->surface, &rs->potential.gradient[0].x, rs->slope);
}

/* ---- Newton --------------------------------------------------------------------------------- */

/* The moves of the nodes inside that go with rs->step: rs->move; the longest move of any node by
 * the linearised rig. */
static double finish_direction(SupRigspace *rs) {
  const size_t q = 3 * (size_t)rs->inside_count;
  double most = 0;
  memset(rs->move, 0, rs->node_count * sizeof *rs->move);
  sup_rigspace_add_linear(rs, rs->step, rs->move);
  for (size_t r = 0; r < q; r++) {
    double sum = -rs->right[r];
    for (uint32_t k = 0; k < rs->n; k++) sum -= rs->solved[k * q + r] * rs->step[k];
    (&rs->move[rs->surface_count].x)[r] = sum;
  }
  for (uint32_t i = 0; i < rs->node_count; i++) most = fmax(most, sup_vec3d_length(rs->move[i]));
  return most;
}

/* Slopes of the potential before elimination, for Armijo. */
static double slope_along(const SupRigspace *rs, const double *slope_y, const double *y,
                          const double *to, double fraction) {
  double sum = 0;
  for (uint32_t k = 0; k < rs->n; k++) sum += slope_y[k] * (to[k] - y[k]);
  for (uint32_t i = rs->surface_count; i < rs->node_count; i++) {
    sum += fraction * sup_vec3d_dot(rs->from[i], rs->move[i]);
  }
  return sum;
}

/* rs->from has the gradient of where it begins, full_slope that by y. */
static SupResult search(SupRigspace *rs, double start, const double *full_slope,
                        double *out_fraction, SupError *error) {
  double fraction = 1;
  for (int halving = 0; halving < 24; halving++, fraction *= 0.5) {
    sup_rigspace_clip(rs, rs->y, fraction, rs->y_trial);
    sup_rigspace_move(rs, rs->base, rs->y_trial);
    SupResult result = sup_rigspace_surface(rs, rs->vector, rs->trial, error);
    if (result != SUP_OK) return result;
    for (uint32_t i = rs->surface_count; i < rs->node_count; i++) {
      rs->trial[i] = sup_vec3d_add_scaled(rs->x[i], rs->move[i], fraction);
    }
    const double value =
        sup_potential_evaluate(&rs->potential, &rs->loads, rs->trial, SUP_HESSIAN_NONE) +
        sup_rigspace_springs(rs, rs->y_trial, NULL, NULL);
    const double slope = slope_along(rs, full_slope, rs->y, rs->y_trial, fraction);
    if (value <= start + 1e-4 * slope + 1e-13 * fabs(start)) {
      memcpy(rs->x, rs->trial, rs->node_count * sizeof *rs->x);
      memcpy(rs->y, rs->y_trial, rs->n * sizeof *rs->y);
      *out_fraction = fraction;
      return SUP_OK;
    }
  }
  *out_fraction = 0;
  return SUP_OK;
}

/* Derivatives at rs->y, rs->x; the step. rs->ahead keeps the slope by y before elimination. */
static SupResult direction(SupRigspace *rs, SupHessian hessian, double *out_value, bool *out_solved,
                           SupError *error) {
  sup_rigspace_move(rs, rs->base, rs->y);
  SupResult result = sup_rigspace_jacobian(rs, rs->vector, error);
  if (result != SUP_OK) return result;
  *out_value = sup_potential_evaluate(&rs->potential, &rs->loads, rs->x, hessian);
  memcpy(rs->from, rs->potential.gradient, rs->node_count * sizeof *rs->from);
  memcpy(rs->flesh_gradient, rs->from, rs->node_count * sizeof *rs->from);
  reduce_surface(rs);
  sup_rigspace_set_springs(rs);
  *out_value += sup_rigspace_springs(rs, rs->y, rs->slope, rs->hessian);
  memcpy(rs->full_slope, rs->slope, rs->n * sizeof *rs->slope);
  const uint32_t open = sup_rigspace_open(rs, rs->y);
  if (hessian != SUP_HESSIAN_PROJECTED) result = add_curvature(rs, rs->hessian, error);
  if (result == SUP_OK) result = eliminate(rs, error);
  if (result == SUP_ERROR_NUMERIC) { /* not definite: the caller takes the projected one */
    *out_solved = false;
    return SUP_OK;
  }
  *out_solved = result == SUP_OK && isfinite(*out_value) && sup_rigspace_solve(rs, open);
  return result;
}

SupResult sup_rigspace_minimise_reference(SupRigspace *rs, SupError *error) {
  SupHessian hessian = SUP_HESSIAN_ELASTIC;
  rs->report.converged = false;
  memset(rs->y, 0, rs->n * sizeof *rs->y);
  memcpy(rs->x, rs->at, rs->surface_count * sizeof *rs->x);
  for (uint32_t k = 0; k < rs->def.iteration_max && !rs->report.converged; k++) {
    double value, fraction;
    bool solved;
    SupResult result = direction(rs, hessian, &value, &solved, error);
    if (result != SUP_OK) return result;
    rs->report.iterations++;
    if (!solved && hessian == SUP_HESSIAN_PROJECTED) return SUP_OK;
    if (!solved) {
      hessian = SUP_HESSIAN_PROJECTED;
      continue;
    }
    const double far = finish_direction(rs);
    result = search(rs, value, rs->full_slope, &fraction, error);
    if (result != SUP_OK) return result;
    rs->report.converged = far <= rs->def.tolerance * rs->size;
    if (fraction == 0 && hessian == SUP_HESSIAN_PROJECTED) return SUP_OK;
    hessian = fraction == 1 ? SUP_HESSIAN_ELASTIC : SUP_HESSIAN_PROJECTED;
  }
  return SUP_OK;
}
