/* SPDX-License-Identifier: MIT */
/*
 * Dense linear algebra: a thin layer over LAPACK with our errors and our memory.
 *
 * Matrices are column-major doubles without padding: element (r, c) of a rows x columns matrix is
 * a[c * rows + r].
 */
#ifndef SUP_SRC_NUMERICS_DENSE_H
#define SUP_SRC_NUMERICS_DENSE_H

#include "supple/base.h"

/* Singular values, largest first, and optionally the vectors, of a[rows * columns], which is
 * overwritten. k = min(rows, columns); singular[k]; u[rows * k] and vt[k * columns] may be NULL
 * together. Scratch memory comes from `arena`. */
SupResult sup_dense_svd(SupArena *arena, int rows, int columns, double *a, double *singular,
                        double *u, double *vt, SupError *error);

/* Eigenvalues, smallest first, of the symmetric a[n * n] (lower half read); on return the columns
 * of a are the eigenvectors. */
SupResult sup_dense_eig_symmetric(int n, double *a, double *eigenvalues, SupError *error);

/* Solves a x = b for right_count columns of b by LU with pivoting; a is overwritten, x replaces
 * b. SUP_ERROR_NUMERIC if a is singular to working precision. */
SupResult sup_dense_solve(SupArena *arena, int n, int right_count, double *a, double *b,
                          SupError *error);

/* The x nearest to a x = b, and of those the shortest: a[rows * columns] is overwritten, b has
 * right_count columns of max(rows, columns) and x replaces their first `columns` numbers.
 * Directions of a below `tolerance` times its largest are left alone. */
SupResult sup_dense_least_squares(SupArena *arena, int rows, int columns, int right_count,
                                  double *a, double *b, double tolerance, SupError *error);

/* Solves the symmetric positive definite a x = b (lower half read) by Cholesky; the factor replaces
 * the lower half of a, x replaces b. SUP_ERROR_NUMERIC if a is not positive definite. */
SupResult sup_dense_solve_definite(int n, int right_count, double *a, double *b, SupError *error);

/* Solves the symmetric a x = b (lower half read), which may be indefinite, by the factorisation of
 * Bunch and Kaufman with one step of refinement; the factor replaces the upper half of a and its
 * diagonal, x replaces b. SUP_ERROR_NUMERIC if a is singular to working precision. */
SupResult sup_dense_solve_symmetric(SupArena *arena, int n, int right_count, double *a, double *b,
                                    SupError *error);

/* Real Schur form: a = q t q^T; t replaces a[n * n], 2x2 blocks on its diagonal standing for pairs
 * of complex eigenvalues; real[n] and imaginary[n] parts of the eigenvalues. q[n * n]. */
SupResult sup_dense_schur(int n, double *a, double *q, double *real, double *imaginary,
                          SupError *error);

/* QR with column pivoting of a[rows * columns], then m[rows * others] becomes q^T m. *out_rank is
 * the number of diagonal elements of R above `tolerance` times the first. */
SupResult sup_dense_rotate_out(SupArena *arena, int rows, int columns, double *a, int others,
                               double *m, double tolerance, int *out_rank, SupError *error);

/* out += m m^T is symmetric: out[n * n] (lower half, column-major) += m[n * count] times itself. */
void sup_dense_add_squares(int n, int count, const double *m, double *out);

/* Products of row-major matrices, out = a b: a is rows x inner, b inner x columns, each transposed
 * in memory where said; strides are those of the rows in memory. */
typedef struct SupProduct {
  bool a_transposed, b_transposed;
  int rows, columns, inner;
  int a_stride, b_stride, out_stride;
} SupProduct;

void sup_dense_product(const SupProduct *shape, const double *a, const double *b, double *out);
void sup_dense_product_f32(const SupProduct *shape, const float *a, const float *b, float *out);

/* OpenBLAS without threads of its own: ours are outside. To be called before its functions are. */
void sup_dense_one_thread(void);

#endif
