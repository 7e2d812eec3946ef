/* SPDX-License-Identifier: MIT */
/* Lowest vibration modes of large sparse systems: ARPACK over CHOLMOD. */
#ifndef SUP_SRC_NUMERICS_EIGEN_H
#define SUP_SRC_NUMERICS_EIGEN_H

#include "numerics/sparse.h"

/* The `count` lowest solutions of K phi = value M phi, K symmetric positive definite and M the
 * positive diagonal masses[size]. out_values[count] rise; out_vectors[count * size], one after the
 * other, with phi^T M phi = 1 and the largest entry positive. count < size. Shift-invert Lanczos
 * with a fixed start: the same bits every time. Scratch comes from `arena`. */
SupResult sup_eigen_lowest(SupArena *arena, const SupSparse *stiffness, const double *masses,
                           uint32_t count, double *out_values, double *out_vectors,
                           SupError *error);

#endif
