/* SPDX-License-Identifier: MIT */
/* Small quadratic programs in a box: what fitting a vertex's parameters comes down to. */
#ifndef SUP_SRC_NUMERICS_BOX_QP_H
#define SUP_SRC_NUMERICS_BOX_QP_H

#include "supple/base.h"

#define SUP_BOX_QP_MAX 8

/* The p[n] in 0 <= p <= upper that minimises p^T Q p / 2 - g^T p, n at most SUP_BOX_QP_MAX. q[n *
 * n] is symmetric and positive semidefinite; where it is singular, of all minimisers (nearly) the
 * shortest is returned. Everything finite, upper > 0. Returns the objective there. */
double sup_box_qp(int n, const double *q, const double *g, const double *upper, double *out_p);

#endif
