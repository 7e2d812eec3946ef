/* SPDX-License-Identifier: MIT */
/*
 * Products of matrices with the same bits on every processor. A BLAS adds in an order of its own
 * on each, and what is learned from a sum's last digits (which bone, which direction) then differs
 * from machine to machine.
 */
#ifndef SUP_SRC_NUMERICS_PRODUCT_H
#define SUP_SRC_NUMERICS_PRODUCT_H

#include "numerics/dense.h"

#define SUP_PRODUCT_DECLARE(isa, real) \
  void sup_product_##isa(const SupProduct *shape, const real *a, const real *b, real *out)

SUP_PRODUCT_DECLARE(scalar, float);
SUP_PRODUCT_DECLARE(f64, double);
#if defined(__x86_64__)
SUP_PRODUCT_DECLARE(sse2, float);
SUP_PRODUCT_DECLARE(avx2, float);
SUP_PRODUCT_DECLARE(avx512, float);
SUP_PRODUCT_DECLARE(f64avx2, double);
SUP_PRODUCT_DECLARE(f64avx512, double);
#elif defined(__aarch64__)
SUP_PRODUCT_DECLARE(neon, float);
#endif

#endif
