/* SPDX-License-Identifier: MIT */
#ifndef SUP_SRC_RUNTIME_HELPERS_RATE_H
#define SUP_SRC_RUNTIME_HELPERS_RATE_H

#include "supple/base.h"

/* out_a = a^r (principal) and out_b = (a^r - I)(a - I)^-1 b, in double, row-major: a[n * n],
 * b[n * inputs]. False where the power does not exist, or memory is short. */
bool sup_helpers_power(SupArena *arena, uint32_t n, uint32_t inputs, const double *a,
                       const double *b, double r, double *out_a, double *out_b);

/* io_b[n * columns] becomes a^-1 b, row-major; a is overwritten. False where a is singular. */
bool sup_helpers_solve(uint32_t n, uint32_t columns, double *a, double *io_b);

#endif
