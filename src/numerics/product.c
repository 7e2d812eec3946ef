/* SPDX-License-Identifier: MIT */
/* The widest copy of the product's kernel that this processor has. */
#include "numerics/product.h"

#include "supple/backend.h"

void sup_dense_product(const SupProduct *shape, const double *a, const double *b, double *out) {
#if defined(__x86_64__)
  const char *name = sup_backend_cpu()->name;
  if (sup_string_equal(name, "avx512")) {
    sup_product_f64avx512(shape, a, b, out);
    return;
  }
  if (sup_string_equal(name, "avx2")) {
    sup_product_f64avx2(shape, a, b, out);
    return;
  }
#endif
  sup_product_f64(shape, a, b, out);
}

void sup_dense_product_f32(const SupProduct *shape, const float *a, const float *b, float *out) {
#if defined(__x86_64__)
  const char *name = sup_backend_cpu()->name;
  if (sup_string_equal(name, "avx512")) {
    sup_product_avx512(shape, a, b, out);
  } else if (sup_string_equal(name, "avx2")) {
    sup_product_avx2(shape, a, b, out);
  } else {
    sup_product_sse2(shape, a, b, out);
  }
#elif defined(__aarch64__)
  sup_product_neon(shape, a, b, out);
#else
  sup_product_scalar(shape, a, b, out);
#endif
}
