/* SPDX-License-Identifier: MIT */
/*
 * Radial functions through scattered values.
 *
 *   psi(x) = sum_j w_j phi(|x - x_j|) + c_0 + sum_d c_d x_d,  sum w_j = 0, sum w_j x_j = 0
 *
 * psi has the given value at every centre, and is affine where the values are. Both kernels are
 * conditionally positive definite of order 2: there is one such psi unless the centres lie in a
 * common hyperplane, or two of them are the same.
 */
#ifndef SUP_SRC_NUMERICS_RBF_H
#define SUP_SRC_NUMERICS_RBF_H

#include "supple/base.h"

#define SUP_RBF_DIMENSIONS 8u /* at most */

typedef enum SupRbfKernel {
  SUP_RBF_THIN_PLATE, /* r^2 ln r */
  SUP_RBF_CUBIC       /* r^3 */
} SupRbfKernel;

typedef struct SupRbfDef {
  SupRbfKernel kernel;
  uint32_t dimension_count, centre_count, value_count; /* value_count functions at once */
  const double *centres;                               /* [centre_count * dimension_count] */
  const double *values;                                /* [centre_count * value_count] */
  double ridge; /* >= 0; added to the diagonal: psi then smooths */
} SupRbfDef;

typedef struct SupRbf {
  SupRbfKernel kernel;
  uint32_t dimension_count, centre_count, value_count;
  const double *centres;
  double *factors; /* [(centre_count + 1 + dimension_count) * value_count] w, c_0, c_d */
} SupRbf;

/* SUP_ERROR_NUMERIC where there is no such function. The result lives in `arena` and points to
 * def->centres. */
SupResult sup_rbf_fit(SupArena *arena, const SupRbfDef *def, SupRbf *out_rbf, SupError *error);

/* out_values[value_count] at x[dimension_count]. */
void sup_rbf_at(const SupRbf *rbf, const double *x, double *out_values);

/* Centres that are a grid: `place_count` places of two numbers times `level_count` levels of the
 * other dimensions, those of a level together. Adds nothing that sup_rbf_at does not give, but
 * places are compared once for all levels: at place[2] and levels[count * (dimension_count - 2)],
 * out_values[count * value_count]. squares[place_count] is scratch memory. value_count is 3. */
void sup_rbf_at_levels(const SupRbf *rbf, uint32_t place_count, const double place[2],
                       uint32_t count, const double *levels, double *squares, double *out_values);

#endif
