/* SPDX-License-Identifier: MIT */
/* A thin layer over LAPACKE. */
#include "numerics/dense.h"

#include <cblas.h>
#include <lapacke.h>

SupResult sup_dense_svd(SupArena *arena, int rows, int columns, double *a, double *singular,
                        double *u, double *vt, SupError *error) {
  int k = rows < columns ? rows : columns;
  double *superb = SUP_ALLOC(arena, double, k > 0 ? (size_t)k : 1);
  if (!superb) return sup_fail_memory(error, "singular values");
  char job = u ? 'S' : 'N';
  int info = LAPACKE_dgesvd(LAPACK_COL_MAJOR, job, job, rows, columns, a, rows, singular, u,
                            rows > 0 ? rows : 1, vt, k > 0 ? k : 1, superb);
  if (info != 0) {
    return sup_fail(error, SUP_ERROR_NUMERIC,
                    "singular values of a %d by %d matrix: LAPACK returned %d", rows, columns,
                    info);
  }
  return SUP_OK;
}

SupResult sup_dense_eig_symmetric(int n, double *a, double *eigenvalues, SupError *error) {
  int info = LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', n, a, n, eigenvalues);
  if (info != 0) {
    return sup_fail(error, SUP_ERROR_NUMERIC,
                    "eigenvalues of a %d by %d matrix: LAPACK returned %d", n, n, info);
  }
  return SUP_OK;
}

SupResult sup_dense_solve(SupArena *arena, int n, int right_count, double *a, double *b,
                          SupError *error) {
  lapack_int *pivots = SUP_ALLOC(arena, lapack_int, n > 0 ? (size_t)n : 1);
  if (!pivots) return sup_fail_memory(error, "linear solve");
  int info = LAPACKE_dgesv(LAPACK_COL_MAJOR, n, right_count, a, n, pivots, b, n);
  if (info != 0) {
    return sup_fail(error, SUP_ERROR_NUMERIC, "linear solve: the %d by %d matrix is singular", n,
                    n);
  }
  return SUP_OK;
}

SupResult sup_dense_least_squares(SupArena *arena, int rows, int columns, int right_count,
                                  double *a, double *b, double tolerance, SupError *error) {
  lapack_int *pivots = SUP_ALLOC(arena, lapack_int, columns > 0 ? (size_t)columns : 1), rank;
  if (!pivots) return sup_fail_memory(error, "least squares");
  const int tall = rows > columns ? rows : columns;
  int info = LAPACKE_dgelsy(LAPACK_COL_MAJOR, rows, columns, right_count, a, rows, b, tall, pivots,
                            tolerance, &rank);
  if (info != 0) {
    return sup_fail(error, SUP_ERROR_NUMERIC, "least squares of %d by %d: LAPACK returned %d", rows,
                    columns, info);
  }
  return SUP_OK;
}

SupResult sup_dense_solve_definite(int n, int right_count, double *a, double *b, SupError *error) {
  if (LAPACKE_dposv(LAPACK_COL_MAJOR, 'L', n, right_count, a, n, b, n) != 0) {
    return sup_fail(error, SUP_ERROR_NUMERIC,
                    "linear solve: the %d by %d matrix is not positive definite", n, n);
  }
  return SUP_OK;
}

SupResult sup_dense_solve_symmetric(SupArena *arena, int n, int right_count, double *a, double *b,
                                    SupError *error) {
  const size_t size = (size_t)n, rights = (size_t)right_count;
  lapack_int *pivots = SUP_ALLOC(arena, lapack_int, size);
  double *diagonal = SUP_ALLOC(arena, double, size);
  double *left = SUP_COPY(arena, double, b, size *rights);
  if (!pivots || !diagonal || !left) return sup_fail_memory(error, "linear solve");
  /* The lower half stays for the residual: the factor is that of the upper one. */
  for (size_t c = 0; c < size; c++) {
    diagonal[c] = a[c * size + c];
    for (size_t r = c + 1; r < size; r++) a[r * size + c] = a[c * size + r];
  }
  int info = LAPACKE_dsytrf(LAPACK_COL_MAJOR, 'U', n, a, n, pivots);
  if (info == 0) {
    info = LAPACKE_dsytrs(LAPACK_COL_MAJOR, 'U', n, right_count, a, n, pivots, b, n);
  }
  if (info == 0) {
    /* left = b - a x with the diagonal apart, since the factor has replaced it. */
    for (size_t k = 0; k < rights && n > 0; k++) {
      double *r = left + k * size, *x = b + k * size;
      for (size_t c = 0; c < size; c++) {
        double sum = diagonal[c] * x[c];
        const double *column = a + c * size, at = x[c];
        for (size_t i = c + 1; i < size; i++) {
          sum += column[i] * x[i];
          r[i] -= column[i] * at;
        }
        r[c] -= sum;
      }
    }
    info = LAPACKE_dsytrs(LAPACK_COL_MAJOR, 'U', n, right_count, a, n, pivots, left, n);
    for (size_t k = 0; k < size * rights; k++) b[k] += left[k];
  }
  if (info != 0) {
    return sup_fail(error, SUP_ERROR_NUMERIC, "linear solve: the %d by %d matrix is singular", n,
                    n);
  }
  return SUP_OK;
}

SupResult sup_dense_schur(int n, double *a, double *q, double *real, double *imaginary,
                          SupError *error) {
  lapack_int sorted;
  int info =
      LAPACKE_dgees(LAPACK_COL_MAJOR, 'V', 'N', NULL, n, a, n, &sorted, real, imaginary, q, n);
  if (info != 0) {
    return sup_fail(error, SUP_ERROR_NUMERIC, "Schur form of a %d by %d matrix: LAPACK returned %d",
                    n, n, info);
  }
  return SUP_OK;
}

SupResult sup_dense_rotate_out(SupArena *arena, int rows, int columns, double *a, int others,
                               double *m, double tolerance, int *out_rank, SupError *error) {
  const int k = rows < columns ? rows : columns;
  lapack_int *pivots = SUP_ALLOC(arena, lapack_int, (size_t)columns);
  double *tau = SUP_ALLOC(arena, double, (size_t)k);
  if (!pivots || !tau) return sup_fail_memory(error, "projection");
  int info = LAPACKE_dgeqp3(LAPACK_COL_MAJOR, rows, columns, a, rows, pivots, tau);
  int rank = 0;
  while (info == 0 && rank < k) {
    const double diagonal = a[(size_t)rank * (size_t)rows + (size_t)rank];
    if (!(__builtin_fabs(diagonal) > tolerance * __builtin_fabs(a[0]))) break;
    rank++;
  }
  if (info == 0 && rank > 0) {
    info = LAPACKE_dormqr(LAPACK_COL_MAJOR, 'L', 'T', rows, others, rank, a, rows, tau, m, rows);
  }
  if (info != 0) {
    return sup_fail(error, SUP_ERROR_NUMERIC, "projection: LAPACK returned %d", info);
  }
  *out_rank = rank;
  return SUP_OK;
}

void sup_dense_add_squares(int n, int count, const double *m, double *out) {
  cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, count, 1, m, n, 1, out, n);
}

void sup_dense_one_thread(void) { openblas_set_num_threads(1); }
