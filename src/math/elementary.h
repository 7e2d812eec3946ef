/* SPDX-License-Identifier: MIT */
/*
 * Elementary functions for kernels, in the precision of the kernel:
 *
 *   sup_vf_sin(x)  sup_vf_cos(x)  sup_vf_sincos(x, &sin, &cos)  sup_vf_exp(x)  sup_vf_log(x)
 *   sup_vf_atan2(y, x)  sup_vf_acos(x)
 */
#ifndef SUP_SRC_MATH_ELEMENTARY_H
#define SUP_SRC_MATH_ELEMENTARY_H

#include "base/simd.h"

#if SUP_DOUBLE
#include "math/elementary_f64.h"
#else
#include "math/elementary_f32.h"
#endif

#endif
