/* SPDX-License-Identifier: MIT */
#ifndef SUP_SRC_MATH_PIO2_H
#define SUP_SRC_MATH_PIO2_H

#include <stdint.h>

/* Writes x = q pi/2 + r, |r| <= pi/4, as r = out_r[0] + out_r[1] (good to more than 100 bits of
 * x's own distance from a multiple of pi/2) and returns q modulo 4. 1 <= x, finite. Exact for every
 * such double; slow (tens of nanoseconds). */
int32_t sup_pio2_reduce(double x, double *out_r);

#endif
