/* SPDX-License-Identifier: MIT */
/* The kernels of src/math, for one instruction set; contracts in supple/backend.h. */
#ifndef SUP_SRC_MATH_MATH_KERNELS_H
#define SUP_SRC_MATH_MATH_KERNELS_H

#include <stddef.h>

#include "base/simd.h"

void SUP_KERNEL(map_sin)(const sup_real *x, size_t count, sup_real *out);
void SUP_KERNEL(map_cos)(const sup_real *x, size_t count, sup_real *out);
void SUP_KERNEL(map_exp)(const sup_real *x, size_t count, sup_real *out);
void SUP_KERNEL(map_log)(const sup_real *x, size_t count, sup_real *out);
void SUP_KERNEL(map_acos)(const sup_real *x, size_t count, sup_real *out);
void SUP_KERNEL(map_atan2)(const sup_real *y, const sup_real *x, size_t count, sup_real *out);
void SUP_KERNEL(rotation_fit)(const sup_real *matrices, size_t block_count, uint32_t iterations,
                              sup_real *io_rotations);

#endif
