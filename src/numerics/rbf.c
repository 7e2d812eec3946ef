/* SPDX-License-Identifier: MIT */
/* Radial functions: a symmetric indefinite system (GUO-E9: the printed matrix is not
 * semi-definite). ln r is half of ln r^2, so no root is taken. */
#include "numerics/rbf.h"

#include "base/scratch.h"
#include "numerics/dense.h"
#define SUP_ISA f64
#include "math/elementary.h"

/* phi by the square of the distance; 0 at 0. The smallest normal number keeps the logarithm finite
 * and is nothing beside anything. */
static inline double thin_plate(double square) {
  return 0.5 * square * sup_vf_log(square + 0x1p-1022);
}

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

/* The sums are in four lanes, so that compilers use them whatever they may not reorder. */
#define SUP_RBF_SUM(name, phi)                                                               \
  static void name(uint32_t count, const double *squares, double more, const double *w,      \
                   double *io_sum) {                                                         \
    double s[3][4] = {{0}};                                                                  \
    uint32_t i = 0;                                                                          \
    for (; i + 4 <= count; i += 4) {                                                         \
      double p[4];                                                                           \
      for (uint32_t l = 0; l < 4; l++) p[l] = phi(squares[i + l] + more);                    \
      for (uint32_t l = 0; l < 4; l++) {                                                     \
        for (uint32_t k = 0; k < 3; k++) s[k][l] += p[l] * w[3 * (size_t)(i + l) + k];       \
      }                                                                                      \
    }                                                                                        \
    for (; i < count; i++) {                                                                 \
      const double p = phi(squares[i] + more);                                               \
      for (uint32_t k = 0; k < 3; k++) s[k][0] += p * w[3 * (size_t)i + k];                  \
    }                                                                                        \
    for (uint32_t k = 0; k < 3; k++) io_sum[k] += (s[k][0] + s[k][1]) + (s[k][2] + s[k][3]); \
  }
SUP_RBF_SUM(add_thin_plates, thin_plate)
SUP_RBF_SUM(add_cubics, cubic)
#undef SUP_RBF_SUM

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
      if (rbf->kernel == SUP_RBF_THIN_PLATE) {
        add_thin_plates(place_count, squares, more, w, out);
      } else {
        add_cubics(place_count, squares, more, w, out);
      }
    }
  }
}
