/* SPDX-License-Identifier: MIT */
/* A thin layer over LAPACKE. */
#include "numerics/dense.h"

#include <cblas.h>
#include <lapacke.h>

SupResult sup_dense_svd(SupArena *arena, int rows, int columns, double *a, double *singular,
                        double *u, double *vt, SupError *error) {
  int k = rows < columns ? rows : columns;
  double *superb = SUP_ALLOC(arena, double, k > 0 ? (size_t)k : 1);
  if (!superb) return sup_fail(error, SUP_ERROR_MEMORY, "singular values: out of memory");
  char job = u ? 'S' : 'N';
  int info = LAPACKE_dgesvd(LAPACK_COL_MAJOR, job, job, rows, columns, a, rows, singular, u,
                            rows > 0 ? rows : 1, vt, k > 0 ? k : 1, superb);
  if (info != 0) {
    return sup_fail(error, SUP_ERROR_NUMERIC,
                    "singular values of a %d by %d matrix: LAPACK says %d", rows, columns, info);
  }
  return SUP_OK;
}

SupResult sup_dense_eig_symmetric(int n, double *a, double *eigenvalues, SupError *error) {
  int info = LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', n, a, n, eigenvalues);
  if (info != 0) {
    return sup_fail(error, SUP_ERROR_NUMERIC, "eigenvalues of a %d by %d matrix: LAPACK says %d", n,
                    n, info);
  }
  return SUP_OK;
}

SupResult sup_dense_solve(SupArena *arena, int n, int right_count, double *a, double *b,
                          SupError *error) {
  lapack_int *pivots = SUP_ALLOC(arena, lapack_int, n > 0 ? (size_t)n : 1);
  if (!pivots) return sup_fail(error, SUP_ERROR_MEMORY, "linear solve: out of memory");
  int info = LAPACKE_dgesv(LAPACK_COL_MAJOR, n, right_count, a, n, pivots, b, n);
  if (info != 0) {
    return sup_fail(error, SUP_ERROR_NUMERIC, "linear solve: the %d by %d matrix is singular", n,
                    n);
  }
  return SUP_OK;
}

static CBLAS_TRANSPOSE transposed(bool is) { return is ? CblasTrans : CblasNoTrans; }

void sup_dense_product(const SupProduct *p, const double *a, const double *b, double *out) {
  cblas_dgemm(CblasRowMajor, transposed(p->a_transposed), transposed(p->b_transposed), p->rows,
              p->columns, p->inner, 1, a, p->a_stride, b, p->b_stride, 0, out, p->out_stride);
}

void sup_dense_product_f32(const SupProduct *p, const float *a, const float *b, float *out) {
  cblas_sgemm(CblasRowMajor, transposed(p->a_transposed), transposed(p->b_transposed), p->rows,
              p->columns, p->inner, 1, a, p->a_stride, b, p->b_stride, 0, out, p->out_stride);
}

void sup_dense_one_thread(void) { openblas_set_num_threads(1); }
