/* SPDX-License-Identifier: MIT */
/* Natural frequencies of free parameters: K_r v = w^2 M_r v with K_r = T^T K T, M_r = T^T M T.
 *
 * The nodes inside of the reference swing with their own mass. With T = [J; -(W_qq - w^2 M_q)^-1
 * W_qs J] at the lowest frequency w that the last T gave, the lowest one converges to that of
 * parameters and nodes inside together; the higher ones are a little too high. */
#include <math.h>
#include <string.h>

#include "base/scratch.h"
#include "numerics/dense.h"
#include "train/rigspace/rigspace_parts.h"

#define MASSLESS 1e-9 /* of the largest mass of a direction */
#define ROUNDS 20u
#define SETTLED 1e-9

/* out[n * n] = T^T M T; the columns of T are rs->column_scratch. */
static void reduce_mass(const SupRigspace *rs, double *out) {
  const size_t all = 3 * (size_t)rs->node_count, n = rs->n;
  for (size_t a = 0; a < n; a++) {
    for (size_t b = 0; b <= a; b++) {
      double sum = 0;
      for (size_t i = 0; i < all; i++) {
        sum += rs->body.masses[i / 3] * rs->column_scratch[a * all + i] *
               rs->column_scratch[b * all + i];
      }
      out[a * n + b] = out[b * n + a] = sum;
    }
  }
}

/* Stiffness in the directions of mass 1: s^T K s, s the eigenvectors of the mass over the roots of
 * its eigenvalues; returns how many have a mass. */
static uint32_t whiten(uint32_t n, double *vectors, const double *values, const double *stiffness,
                       double *half, double *out) {
  uint32_t first = 0;
  while (first < n && !(values[first] > MASSLESS * values[n - 1])) first++;
  const uint32_t count = n - first;
  for (uint32_t j = 0; j < count; j++) {
    double *v = &vectors[(size_t)(first + j) * n];
    const double scale = 1 / sqrt(values[first + j]);
    for (uint32_t i = 0; i < n; i++) v[i] *= scale;
    for (uint32_t i = 0; i < n; i++) {
      double sum = 0;
      for (uint32_t k = 0; k < n; k++) sum += stiffness[(size_t)i * n + k] * v[k];
      half[(size_t)j * n + i] = sum;
    }
  }
  for (uint32_t a = 0; a < count; a++) {
    for (uint32_t b = 0; b < count; b++) {
      double sum = 0;
      for (uint32_t k = 0; k < n; k++) {
        sum += vectors[(size_t)(first + a) * n + k] * half[(size_t)b * n + k];
      }
      out[(size_t)a * count + b] = sum;
    }
  }
  return count;
}

/* Squares of circular frequencies, rising, of the columns that rs->surface and rs->inside are. */
static SupResult solve_squares(SupRigspace *rs, uint32_t *out_count, double *out_squares,
                               SupError *error) {
  const size_t n = rs->n;
  SupArena scratch = sup_scratch(rs->arena);
  double *mass = SUP_ALLOC(&scratch, double, n *n), *half = SUP_ALLOC(&scratch, double, n *n);
  SupResult result = mass && half ? SUP_OK : sup_fail_memory(error, "rigspace");
  if (result == SUP_OK) {
    sup_potential_evaluate(&rs->potential, &rs->loads, rs->x, SUP_HESSIAN_ELASTIC);
    sup_rigspace_reduce(rs);
    reduce_mass(rs, mass);
    result = sup_dense_eig_symmetric((int)n, mass, out_squares, error);
  }
  if (result == SUP_OK) {
    *out_count = whiten(rs->n, mass, out_squares, rs->hessian, half, rs->small);
    result = sup_dense_eig_symmetric((int)*out_count, rs->small, out_squares, error);
  }
  sup_arena_free(&scratch);
  return result;
}

/* Rounds with the lowest frequency of the one before. */
static SupResult settle(SupRigspace *rs, uint32_t *out_count, double *io_squares, SupError *error) {
  double before = 0;
  for (uint32_t k = 0; k < ROUNDS; k++) {
    const double square = io_squares[0];
    if (!(square > 0) || fabs(square - before) <= SETTLED * square) return SUP_OK;
    before = square;
    SupResult result = sup_rigspace_swing(rs, rs->x, square, error);
    if (result == SUP_OK) result = solve_squares(rs, out_count, io_squares, error);
    if (result != SUP_OK) return result;
  }
  return SUP_OK;
}

SupResult sup_rigspace_frequencies(SupRigspace *rs, const double *parameters, uint32_t *out_count,
                                   double *out_hz, SupError *error) {
  const SupDifference still = sup_difference_static();
  bool good;
  rs->loads = (SupPotentialLoads){.force = NULL};
  rs->kept = false;
  memcpy(rs->base, parameters, rs->def.rig->parameter_count * sizeof *parameters);
  SupResult result = sup_rigspace_surface(rs, rs->base, rs->x, error);
  if (result == SUP_OK) result = sup_rigspace_new_jacobian(rs, error);
  if (result != SUP_OK) return result;
  sup_rigspace_guess_inside(rs, rs->x);
  result = sup_rigspace_follow(rs, rs->x, &good, error);
  if (result == SUP_OK && rs->def.inside != SUP_RIGSPACE_SKINNED) {
    result = sup_rigspace_sensitivity(rs, rs->x, error);
  }
  if (result != SUP_OK) return result;
  sup_potential_begin(&rs->potential, &rs->history, &still);
  result = solve_squares(rs, out_count, out_hz, error);
  if (result == SUP_OK && rs->def.inside == SUP_RIGSPACE_REFERENCE) {
    result = settle(rs, out_count, out_hz, error);
  }
  for (uint32_t k = 0; result == SUP_OK && k < *out_count; k++) {
    out_hz[k] = sqrt(fmax(out_hz[k], 0)) / (2 * 3.14159265358979323846);
  }
  return result;
}
