/* SPDX-License-Identifier: MIT */
/*
 * The nodes inside the volume, given the surface.
 *
 *   Eq. 5    q = argmin W(s, q)                        sup_rigspace_balance
 *            dq/ds = -W_qq^-1 W_qs                     sup_rigspace_sensitivity
 *   IV2      q = W_skin s                              sup_rigspace_skin_inside
 *
 * Eq. 5 has no gravity and no inertia, and may have several minima: each search begins where the
 * last one ended. The derivative takes the exact W_qq: a projected one makes gradients wrong by up
 * to 0.6 %.
 */
#include <math.h>
#include <string.h>

#include "train/rigspace/rigspace_parts.h"

#define MOVES_MAX 60u

/* ---- Balance -------------------------------------------------------------------------------- */

/* Factors W_qq of the present element blocks of `flesh`, plus diagonal[q] or NULL; the diagonal is
 * raised where it is not definite, if `raise`. */
static SupResult factor_inside(SupRigspace *rs, const double *diagonal, bool raise,
                               bool *out_factored, SupError *error) {
  SupElastic *flesh = &rs->flesh;
  double shift = 0, largest = 0;
  *out_factored = false;
  sup_elastic_assemble(flesh, diagonal, NULL);
  for (uint32_t k = 0; k < 3 * flesh->free_count; k++) {
    largest = fmax(largest, flesh->matrix.values[flesh->matrix.columns[k] + k % 3]);
  }
  for (int attempt = 0; attempt < (raise ? 8 : 1); attempt++) {
    SupResult result = sup_cholesky_factor(rs->factor, &flesh->matrix, error);
    *out_factored = result == SUP_OK;
    if (result != SUP_ERROR_NUMERIC) return result;
    const double next = shift > 0 ? 10 * shift : 1e-8 * largest;
    for (uint32_t k = 0; k < 3 * flesh->free_count; k++) {
      flesh->matrix.values[flesh->matrix.columns[k] + k % 3] += next - shift;
    }
    shift = next;
  }
  return SUP_OK;
}

/* rs->move of the nodes inside; returns the slope along it and the longest move. */
static SupResult balance_direction(SupRigspace *rs, double *out_slope, double *out_longest,
                                   SupError *error) {
  const uint32_t s = rs->surface_count;
  for (uint32_t k = 0; k < rs->inside_count; k++) {
    const SupVec3d g = rs->flesh_gradient[s + k];
    rs->right[3 * (size_t)k] = -g.x;
    rs->right[3 * (size_t)k + 1] = -g.y;
    rs->right[3 * (size_t)k + 2] = -g.z;
  }
  SupResult result = sup_cholesky_solve(rs->factor, rs->right, rs->right, error);
  *out_slope = *out_longest = 0;
  for (uint32_t k = 0; k < rs->inside_count; k++) {
    const double *r = &rs->right[3 * (size_t)k];
    const SupVec3d move = {r[0], r[1], r[2]};
    rs->move[s + k] = move;
    *out_slope += sup_vec3d_dot(rs->flesh_gradient[s + k], move);
    *out_longest = fmax(*out_longest, sup_vec3d_length(move));
  }
  return result;
}

/* Goes along rs->move until the energy has fallen enough; returns the part taken. */
static double balance_search(SupRigspace *rs, double energy, double slope, SupVec3d *io_x) {
  const uint32_t s = rs->surface_count;
  double fraction = 1;
  memcpy(rs->from, io_x, rs->node_count * sizeof *io_x); /* where it began */
  for (int halving = 0; halving < 24; halving++, fraction *= 0.5) {
    for (uint32_t n = s; n < rs->node_count; n++) {
      io_x[n] = sup_vec3d_add_scaled(rs->from[n], rs->move[n], fraction);
    }
    const double found = sup_elastic_energy(&rs->flesh, io_x, NULL, NULL);
    if (found <= energy + 1e-4 * fraction * slope + 1e-13 * fabs(energy)) return fraction;
  }
  memcpy(io_x, rs->from, rs->node_count * sizeof *io_x);
  return 0;
}

SupResult sup_rigspace_balance(SupRigspace *rs, SupVec3d *io_x, bool *out_converged,
                               SupError *error) {
  SupHessian hessian = SUP_HESSIAN_PROJECTED;
  *out_converged = rs->inside_count == 0;
  rs->flesh.blocks = rs->own_blocks;
  for (uint32_t k = 0; !*out_converged && k < MOVES_MAX; k++) {
    bool factored;
    double slope = 0, longest = 0;
    const double energy =
        sup_elastic_linearise(&rs->flesh, io_x, NULL, hessian, rs->flesh_gradient);
    SupResult result = factor_inside(rs, NULL, hessian == SUP_HESSIAN_PROJECTED, &factored, error);
    if (result == SUP_OK && factored) result = balance_direction(rs, &slope, &longest, error);
    if (result != SUP_OK && result != SUP_ERROR_NUMERIC) return result;
    if (!factored) {
      if (hessian == SUP_HESSIAN_PROJECTED) return SUP_OK;
      hessian = SUP_HESSIAN_PROJECTED;
      continue;
    }
    const double fraction = balance_search(rs, energy, slope, io_x);
    *out_converged = longest <= 0.1 * rs->def.tolerance * rs->size;
    if (fraction == 0) return SUP_OK;
    hessian = fraction == 1 ? SUP_HESSIAN_EXACT : SUP_HESSIAN_PROJECTED;
  }
  return SUP_OK;
}

/* ---- The first guess ----------------------------------------------------------------------- */

/* Nodes inside by the affine map that takes the surface at rest best to the surface of x: where
 * the first search begins. Centred least squares, A = (sum y x^T) (sum x x^T)^-1. */
void sup_rigspace_guess_inside(const SupRigspace *rs, SupVec3d *io_x) {
  const SupVec3d *rest = rs->body.mesh.nodes;
  SupVec3d middle = {0, 0, 0}, to = {0, 0, 0};
  SupMat3d left = {{0}}, right = {{0}};
  for (uint32_t i = 0; i < rs->surface_count; i++) {
    middle = sup_vec3d_add_scaled(middle, rest[i], 1.0 / rs->surface_count);
    to = sup_vec3d_add_scaled(to, io_x[i], 1.0 / rs->surface_count);
  }
  for (uint32_t i = 0; i < rs->surface_count; i++) {
    const SupVec3d a = sup_vec3d_sub(rest[i], middle), b = sup_vec3d_sub(io_x[i], to);
    const double p[3] = {a.x, a.y, a.z}, q[3] = {b.x, b.y, b.z};
    for (int k = 0; k < 9; k++) {
      left.m[k] += q[k % 3] * p[k / 3];
      right.m[k] += p[k % 3] * p[k / 3];
    }
  }
  const SupMat3d map = sup_mat3d_mul(left, sup_mat3d_inverse(right));
  for (uint32_t i = rs->surface_count; i < rs->node_count; i++) {
    io_x[i] = sup_vec3d_add(to, sup_mat3d_mul_vec3(map, sup_vec3d_sub(rest[i], middle)));
  }
}

/* ---- Sensitivity ---------------------------------------------------------------------------- */

/* out[3 q] = -W_qs column, element by element. */
static void couple(const SupRigspace *rs, const double *column, double *out) {
  const SupElastic *flesh = &rs->flesh;
  const uint32_t s = rs->surface_count;
  memset(out, 0, 3 * (size_t)rs->inside_count * sizeof *out);
  for (uint32_t i = 0; i < flesh->active_count; i++) {
    const uint32_t t = flesh->active[i], *n = &flesh->mesh.tets[4 * (size_t)t];
    double in[12] = {0};
    bool any = false;
    for (int k = 0; k < 12; k++) {
      if (n[k / 3] < s) in[k] = column[3 * (size_t)n[k / 3] + (size_t)(k % 3)];
      any |= in[k] != 0;
    }
    for (int r = 0; any && r < 12; r++) {
      if (n[r / 3] < s) continue;
      double sum = 0;
      for (int k = 0; k < 12; k++)
        sum += flesh->blocks[144 * (size_t)t + (size_t)(12 * r + k)] * in[k];
      out[3 * (size_t)(n[r / 3] - s) + (size_t)(r % 3)] -= sum;
    }
  }
}

/* -(W_qq + diagonal)^-1 W_qs ds/dy. */
static SupResult respond(SupRigspace *rs, const SupVec3d *x, const double *diagonal,
                         SupError *error) {
  bool factored = false;
  SupResult result = SUP_OK;
  if (rs->inside_count == 0) return SUP_OK;
  rs->flesh.blocks = rs->own_blocks;
  for (int attempt = 0; attempt < 2 && !factored; attempt++) {
    sup_elastic_linearise(&rs->flesh, x, NULL, attempt ? SUP_HESSIAN_PROJECTED : SUP_HESSIAN_EXACT,
                          NULL);
    result = factor_inside(rs, diagonal, attempt == 1, &factored, error);
    if (result != SUP_OK && result != SUP_ERROR_NUMERIC) return result;
  }
  if (!factored) {
    return sup_fail(error, SUP_ERROR_NUMERIC, "the flesh inside has no definite stiffness");
  }
  for (uint32_t k = 0; k < rs->n; k++) {
    couple(rs, &rs->surface[k * 3 * (size_t)rs->surface_count],
           &rs->inside[k * 3 * (size_t)rs->inside_count]);
  }
  return sup_cholesky_solve_many(rs->factor, rs->n, rs->inside, rs->inside, error);
}

SupResult sup_rigspace_sensitivity(SupRigspace *rs, const SupVec3d *x, SupError *error) {
  return respond(rs, x, NULL, error);
}

SupResult sup_rigspace_swing(SupRigspace *rs, const SupVec3d *x, double square, SupError *error) {
  double *diagonal = rs->right; /* [3 q] free by now */
  for (uint32_t q = 0; q < rs->inside_count; q++) {
    diagonal[q] = -square * rs->body.masses[rs->surface_count + q];
  }
  return respond(rs, x, diagonal, error);
}

/* ---- Skinning ------------------------------------------------------------------------------- */

void sup_rigspace_skin_inside(const SupRigspace *rs, SupVec3d *io_x) {
  const SupRigspaceWeights *w = rs->def.weights;
  for (uint32_t q = 0; q < rs->inside_count; q++) {
    SupVec3d sum = {0, 0, 0};
    for (uint32_t k = w->offsets[q]; k < w->offsets[q + 1]; k++) {
      sum = sup_vec3d_add_scaled(sum, io_x[w->nodes[k]], w->weights[k]);
    }
    io_x[rs->surface_count + q] = sum;
  }
}

void sup_rigspace_skin_columns(SupRigspace *rs) {
  const SupRigspaceWeights *w = rs->def.weights;
  for (uint32_t c = 0; c < rs->n; c++) {
    const double *from = &rs->surface[c * 3 * (size_t)rs->surface_count];
    double *to = &rs->inside[c * 3 * (size_t)rs->inside_count];
    for (uint32_t q = 0; q < rs->inside_count; q++) {
      double sum[3] = {0, 0, 0};
      for (uint32_t k = w->offsets[q]; k < w->offsets[q + 1]; k++) {
        for (size_t a = 0; a < 3; a++) sum[a] += w->weights[k] * from[3 * (size_t)w->nodes[k] + a];
      }
      memcpy(&to[3 * (size_t)q], sum, sizeof sum);
    }
  }
}
