/* SPDX-License-Identifier: MIT */
/*
 * Sparse symmetric positive definite systems: a thin layer over CHOLMOD.
 *
 * The symbolic analysis (ordering, fill) is done once per pattern; factors are recomputed as often
 * as the values change.
 */
#ifndef SUP_SRC_NUMERICS_SPARSE_H
#define SUP_SRC_NUMERICS_SPARSE_H

#include "supple/base.h"

/* A symmetric matrix in compressed columns, lower triangle: entries above the diagonal may be
 * present and are ignored. The arrays belong to the caller. */
typedef struct SupSparse {
  uint32_t size;
  const int64_t *columns; /* [size + 1] */
  const int64_t *rows;    /* [columns[size]] rising within a column */
  double *values;         /* the same shape */
} SupSparse;

typedef struct SupCholesky SupCholesky;

/* Analyses the pattern. Free with sup_cholesky_free. */
SupResult sup_cholesky_create(const SupSparse *matrix, SupCholesky **out_factor, SupError *error);

void sup_cholesky_free(SupCholesky *factor);

/* Factors the present values. SUP_ERROR_NUMERIC when the matrix is not positive definite (the
 * caller may then add to the diagonal and try again). */
SupResult sup_cholesky_factor(SupCholesky *factor, const SupSparse *matrix, SupError *error);

/* Solves for one right side b[size]; x may be b. Needs a successful factor. */
SupResult sup_cholesky_solve(SupCholesky *factor, const double *b, double *x, SupError *error);

/* The same for `count` right sides, one after the other in b[count * size] and x. */
SupResult sup_cholesky_solve_many(SupCholesky *factor, uint32_t count, const double *b, double *x,
                                  SupError *error);

/* Non-zeros of the factor: a measure of its cost. */
size_t sup_cholesky_fill(const SupCholesky *factor);

#endif
