/* SPDX-License-Identifier: MIT */
/*
 * Least squares with weights that are not negative, and on demand sum to 1 exactly: minimise
 * |A w - b|^2 over w >= 0, by an active set on scalar products (Lawson and Hanson 1974).
 */
#ifndef SUP_SRC_NUMERICS_NNLS_H
#define SUP_SRC_NUMERICS_NNLS_H

#include "supple/base.h"

typedef struct SupNnls {
  uint32_t count;         /* columns of A */
  const double *gram;     /* [count * count] A^T A */
  const double *products; /* [count] A^T b */
  double square;          /* b . b */
  bool unit_sum;          /* and sum w = 1; count is not 0 then */
} SupNnls;

typedef struct SupNnlsReport {
  double residual; /* |A w - b|^2, from the scalar products */
  double miss;     /* largest violation of the optimality conditions, in units of A^T b */
  double limit;    /* what a miss may be: 1e-9 of the largest of A^T b (unit_sum: and of A^T A) */
  uint32_t used;   /* weights that are not zero */
  uint32_t steps;
} SupNnlsReport;

/* Numbers of scratch memory that sup_nnls takes. */
size_t sup_nnls_scratch(uint32_t count);

/* Of columns that depend on others some stay without weight. With unit_sum it does not matter where
 * the origin of the columns and of b is, but the best precision has an origin among them. Returns
 * whether the miss is within its limit; the weights are feasible in any case. Everything finite;
 * scratch[sup_nnls_scratch(count)]. */
bool sup_nnls(const SupNnls *problem, double *out_weights, double *scratch,
              SupNnlsReport *out_report);

#endif
