/* SPDX-License-Identifier: MIT */
/* The widest copy of the product's kernel that this processor has. */
#include "numerics/product.h"

#include "supple/backend.h"

typedef struct Copies {
  void (*of_double)(const SupProduct *, const double *, const double *, double *);
  void (*of_float)(const SupProduct *, const float *, const float *, float *);
} Copies;

#if defined(__x86_64__)
static const Copies sse2 = {sup_product_f64, sup_product_sse2};
static const Copies avx2 = {sup_product_f64avx2, sup_product_avx2};
static const Copies avx512 = {sup_product_f64avx512, sup_product_avx512};

static const Copies *choose(void) {
  const char *name = sup_backend_cpu()->name;
  if (sup_string_equal(name, "avx512")) return &avx512;
  return sup_string_equal(name, "avx2") ? &avx2 : &sse2;
}
#elif defined(__aarch64__)
static const Copies neon = {sup_product_f64, sup_product_neon};

static const Copies *choose(void) { return &neon; }
#else
static const Copies scalar = {sup_product_f64, sup_product_scalar};

static const Copies *choose(void) { return &scalar; }
#endif

/* Asked once: to ask the processor takes longer than a small product, in a virtual machine a
 * hundred times as long. */
static const Copies *copies(void) {
  static const Copies *chosen;
  const Copies *found = __atomic_load_n(&chosen, __ATOMIC_RELAXED);
  if (!found) {
    found = choose();
    __atomic_store_n(&chosen, found, __ATOMIC_RELAXED);
  }
  return found;
}

void sup_dense_product(const SupProduct *shape, const double *a, const double *b, double *out) {
  copies()->of_double(shape, a, b, out);
}

void sup_dense_product_f32(const SupProduct *shape, const float *a, const float *b, float *out) {
  copies()->of_float(shape, a, b, out);
}
