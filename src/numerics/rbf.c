/* SPDX-License-Identifier: MIT */
/* Radial functions: a symmetric indefinite system (GUO-E9: the printed matrix is not
 * semi-definite). ln r is half of ln r^2, so no root is taken. */
#include "numerics/rbf.h"

#include "base/scratch.h"
#include "numerics/dense.h"
#define BLOCK 64u

/* sup_log (its polynomial, 2 units in the last place) for positive normal numbers, in steps that
 * compilers do several at a time: no branches, and integers that are only added and shifted. */
static inline double log_of(double x) {
  union {
    double number;
    uint64_t bits;
  } u = {x}, power;
  const uint64_t root = 0x3fe6a09e667f3bcdu; /* sqrt(1/2): the fraction is in [it, 2 it) */
  const uint64_t k = (u.bits - root + (1023ull << 52)) >> 52; /* the power of two + 1023 */
  u.bits -= (k - 1023) << 52;
  power.bits = k | 0x4330000000000000u; /* 2^52 + k */
  const double e = power.number - (0x1p52 + 1023), f = u.number - 1;
  const double s = f / (2 + f), z = s * s, half = 0.5 * f * f;
  double p = 0x1.2f025654f55efp-3;
  p = p * z + 0x1.39a20b2d454ap-3;
  p = p * z + 0x1.74663ba7baa57p-3;
  p = p * z + 0x1.c71c521a056adp-3;
  p = p * z + 0x1.24924941db5dfp-2;
  p = p * z + 0x1.999999997ff62p-2;
  p = p * z + 0x1.5555555555592p-1;
  const double tail = s * (half + z * p) + e * 0x1.ef35793c7673p-45;
  return e * 0x1.62e42fefa38p-1 + (f - (half - tail));
}

/* phi by the square of the distance; 0 at 0. The smallest normal number keeps the logarithm finite
 * and is nothing beside anything. */
static inline double thin_plate(double square) { return 0.5 * square * log_of(square + 0x1p-1022); }

static inline double cubic(double square) { return square * __builtin_sqrt(square); }

static inline double kernel_at(SupRbfKernel kernel, double square) {
  return kernel == SUP_RBF_THIN_PLATE ? thin_plate(square) : cubic(square);
}

static double square_between(const double *a, const double *b, uint32_t count) {
  double sum = 0;
  for (uint32_t d = 0; d < count; d++) sum += (a[d] - b[d]) * (a[d] - b[d]);
  return sum;
}

/* The lower half of [phi P; P^T 0]. */
static void assemble(const SupRbfDef *def, double *a) {
  const size_t n = def->centre_count, d = def->dimension_count, size = n + 1 + d;
  for (size_t c = 0; c < n; c++) {
    double *column = a + c * size;
    const double *x = def->centres + c * d;
    column[c] = def->ridge;
    for (size_t r = c + 1; r < n; r++) {
      const double square = square_between(x, def->centres + r * d, def->dimension_count);
      column[r] = kernel_at(def->kernel, square);
    }
    column[n] = 1;
    for (size_t k = 0; k < d; k++) column[n + 1 + k] = x[k];
  }
}

SupResult sup_rbf_fit(SupArena *arena, const SupRbfDef *def, SupRbf *out_rbf, SupError *error) {
  const size_t n = def->centre_count, size = n + 1 + def->dimension_count;
  SupArena scratch = sup_scratch(arena);
  double *a = SUP_ALLOC(&scratch, double, size *size);
  double *b = SUP_ALLOC(&scratch, double, size * def->value_count);
  double *factors = SUP_ALLOC(arena, double, size * def->value_count);
  SupResult result = SUP_OK;
  if (!a || !b || !factors) result = sup_fail_memory(error, "radial functions");
  if (result == SUP_OK) {
    assemble(def, a);
    for (size_t i = 0; i < n; i++) {
      for (size_t k = 0; k < def->value_count; k++) {
        b[k * size + i] = def->values[i * def->value_count + k];
      }
    }
    result = sup_dense_solve_symmetric(&scratch, (int)size, (int)def->value_count, a, b, error);
  }
  if (result == SUP_OK) {
    for (size_t i = 0; i < size; i++) {
      for (size_t k = 0; k < def->value_count; k++) {
        factors[i * def->value_count + k] = b[k * size + i];
      }
    }
    *out_rbf = (SupRbf){def->kernel,      def->dimension_count, def->centre_count,
                        def->value_count, def->centres,         factors};
  }
  sup_arena_free(&scratch);
  return result;
}

void sup_rbf_at(const SupRbf *rbf, const double *x, double *out_values) {
  const uint32_t n = rbf->centre_count, d = rbf->dimension_count, values = rbf->value_count;
  const double *affine = rbf->factors + (size_t)n * values;
  for (uint32_t k = 0; k < values; k++) {
    out_values[k] = affine[k];
    for (uint32_t m = 0; m < d; m++) out_values[k] += affine[(1 + m) * values + k] * x[m];
  }
  for (uint32_t i = 0; i < n; i++) {
    const double phi = kernel_at(rbf->kernel, square_between(x, rbf->centres + (size_t)i * d, d));
    const double *w = rbf->factors + (size_t)i * values;
    for (uint32_t k = 0; k < values; k++) out_values[k] += phi * w[k];
  }
}

/* out[count] for squares[count] + more. */
static void kernels_at(SupRbfKernel kernel, uint32_t count, const double *squares, double more,
                       double *restrict out) {
  if (kernel == SUP_RBF_THIN_PLATE) {
    for (uint32_t i = 0; i < count; i++) out[i] = thin_plate(squares[i] + more);
  } else {
    for (uint32_t i = 0; i < count; i++) out[i] = cubic(squares[i] + more);
  }
}

/* io_sum += sum of w by phi, at the places of one level. */
static void add_level(SupRbfKernel kernel, uint32_t count, const double *squares, double more,
                      const double *w, double io_sum[3]) {
  double phi[BLOCK], x = 0, y = 0, z = 0;
  for (uint32_t first = 0; first < count; first += BLOCK) {
    const uint32_t n = count - first < BLOCK ? count - first : BLOCK;
    kernels_at(kernel, n, squares + first, more, phi);
    for (uint32_t i = 0; i < n; i++) {
      const double *factors = w + 3 * (size_t)(first + i);
      x += phi[i] * factors[0], y += phi[i] * factors[1], z += phi[i] * factors[2];
    }
  }
  io_sum[0] += x, io_sum[1] += y, io_sum[2] += z;
}

void sup_rbf_at_levels(const SupRbf *rbf, uint32_t place_count, const double place[2],
                       uint32_t count, const double *levels, double *squares, double *out_values) {
  const uint32_t d = rbf->dimension_count, others = d - 2;
  const double *affine = rbf->factors + (size_t)rbf->centre_count * 3;
  for (uint32_t i = 0; i < place_count; i++) {
    squares[i] = square_between(place, rbf->centres + (size_t)i * d, 2);
  }
  for (uint32_t s = 0; s < count; s++) {
    const double *level = levels + (size_t)s * others;
    double *out = out_values + 3 * (size_t)s;
    for (uint32_t k = 0; k < 3; k++) {
      out[k] = affine[k] + affine[3 + k] * place[0] + affine[6 + k] * place[1];
      for (uint32_t m = 0; m < others; m++) out[k] += affine[3 * (3 + m) + k] * level[m];
    }
    for (uint32_t first = 0; first < rbf->centre_count; first += place_count) {
      const double more = square_between(level, rbf->centres + (size_t)first * d + 2, others);
      const double *w = rbf->factors + 3 * (size_t)first;
      add_level(rbf->kernel, place_count, squares, more, w, out);
    }
  }
}
