/* SPDX-License-Identifier: MIT */
/*
 * Sparse least squares: minimise |q - X f|^2 + alpha |f|_1 (Tibshirani 1996) by cyclic coordinate
 * descent on scalar products, stopped by the duality gap.
 */
#ifndef SUP_SRC_NUMERICS_LASSO_H
#define SUP_SRC_NUMERICS_LASSO_H

#include "supple/base.h"

typedef struct SupLasso {
  uint32_t count;         /* columns of X */
  const double *gram;     /* [count * count] X^T X */
  const double *products; /* [count] X^T q */
  double square;          /* q . q */
  double alpha;           /* >= 0 */
  double tolerance;       /* of the duality gap, as a fraction of `square` */
  uint32_t most_rounds;
} SupLasso;

typedef struct SupLassoReport {
  double gap;       /* how far the objective may be above the least */
  double objective; /* |q - X f|^2 + alpha |f|_1 */
  double residual;  /* |q - X f|^2 */
  uint32_t used;    /* weights that are not zero */
  uint32_t rounds;
} SupLassoReport;

/* io_weights[count] start anywhere (warm starts are quicker). Columns of zeroes keep weight 0.
 * scratch[count]. */
void sup_lasso(const SupLasso *problem, double *io_weights, double *scratch,
               SupLassoReport *out_report);

/* The smallest alpha for which all weights are zero. */
double sup_lasso_limit(uint32_t count, const double *products);

#endif
