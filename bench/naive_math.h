/* SPDX-License-Identifier: MIT */
/* The rotation fit as one would write it first: one matrix after the other. */
#ifndef SUPPLE_BENCH_NAIVE_MATH_H
#define SUPPLE_BENCH_NAIVE_MATH_H

#include "supple/math.h"

/* The run time's algorithm (one warm Newton step on SO(3); a step along the gradient where the
 * Hessian is not positive definite), plain scalar code. */
void naive_newton(const SupMat3 *matrices, uint32_t count, SupQuat *io_rotations);

/* Mueller et al. 2016, repeated until the turn is below 1e-4 rad (at most 50 times). */
void naive_mueller(const SupMat3 *matrices, uint32_t count, SupQuat *io_rotations);

#endif
