/* SPDX-License-Identifier: MIT */
/* The elementary functions for one float: width 1 of the kernels. */
#define SUP_ISA scalar
#include "math/elementary.h"
#include "supple/math.h"

float sup_sinf(float x) { return sup_vf_sin(x); }
float sup_cosf(float x) { return sup_vf_cos(x); }
void sup_sincosf(float x, float *out_sin, float *out_cos) { sup_vf_sincos(x, out_sin, out_cos); }
float sup_expf(float x) { return sup_vf_exp(x); }
float sup_logf(float x) { return sup_vf_log(x); }
float sup_atan2f(float y, float x) { return sup_vf_atan2(y, x); }
float sup_acosf(float x) { return sup_vf_acos(x); }
