/* SPDX-License-Identifier: MIT */
/* The elementary functions for one double. */
#define SUP_ISA f64
#include "math/elementary.h"
#include "supple/math.h"

double sup_sin(double x) { return sup_vf_sin(x); }
double sup_cos(double x) { return sup_vf_cos(x); }
void sup_sincos(double x, double *out_sin, double *out_cos) { sup_vf_sincos(x, out_sin, out_cos); }
double sup_exp(double x) { return sup_vf_exp(x); }
double sup_log(double x) { return sup_vf_log(x); }
double sup_atan2(double y, double x) { return sup_vf_atan2(y, x); }
double sup_acos(double x) { return sup_vf_acos(x); }
