/* SPDX-License-Identifier: MIT */
/* CHOLMOD behind our errors. Long integers throughout, so that size is never the limit. */
#include "numerics/sparse.h"

#include <cholmod.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/dense.h"

struct SupCholesky {
  cholmod_common common;
  cholmod_factor *factor;
  cholmod_dense *solution; /* reused between solves, with CHOLMOD's own work space */
  cholmod_dense *work_y;
  cholmod_dense *work_e;
  uint32_t size;
};

static cholmod_sparse view(const SupSparse *matrix) {
  return (cholmod_sparse){.nrow = matrix->size,
                          .ncol = matrix->size,
                          .nzmax = (size_t)matrix->columns[matrix->size],
                          .p = (void *)(uintptr_t)matrix->columns,
                          .i = (void *)(uintptr_t)matrix->rows,
                          .x = matrix->values,
                          .stype = -1,
                          .itype = CHOLMOD_LONG,
                          .xtype = CHOLMOD_REAL,
                          .dtype = CHOLMOD_DOUBLE,
                          .sorted = 1,
                          .packed = 1};
}

SupResult sup_cholesky_create(const SupSparse *matrix, SupCholesky **out_factor, SupError *error) {
  SupCholesky *f = calloc(1, sizeof *f);
  if (!f) return sup_fail_memory(error, "sparse factor");
  /* Threads are ours: BLAS's own would fight with them, and sum in another order. */
  sup_dense_one_thread();
  cholmod_l_start(&f->common);
  f->common.print = 0;
  f->common.supernodal = CHOLMOD_AUTO;
  f->size = matrix->size;
  cholmod_sparse a = view(matrix);
  f->factor = cholmod_l_analyze(&a, &f->common);
  if (!f->factor) {
    int status = f->common.status;
    sup_cholesky_free(f);
    return sup_fail(error, status == CHOLMOD_OUT_OF_MEMORY ? SUP_ERROR_MEMORY : SUP_ERROR_NUMERIC,
                    "sparse factor: the analysis of %u unknowns failed (status %d)", matrix->size,
                    status);
  }
  *out_factor = f;
  return SUP_OK;
}

void sup_cholesky_free(SupCholesky *f) {
  if (!f) return;
  cholmod_l_free_dense(&f->solution, &f->common);
  cholmod_l_free_dense(&f->work_y, &f->common);
  cholmod_l_free_dense(&f->work_e, &f->common);
  cholmod_l_free_factor(&f->factor, &f->common);
  cholmod_l_finish(&f->common);
  free(f);
}

/* CHOLMOD built with OpenMP takes four threads of its own for loops that are much too short for
 * them, and they wait by spinning: factors of a few thousand unknowns cost half as much again. */
#ifdef SUPPLE_HAVE_GOMP
int omp_get_max_active_levels(void);
void omp_set_max_active_levels(int levels);

static int factorise_alone(cholmod_sparse *a, SupCholesky *f) {
  const int levels = omp_get_max_active_levels(); /* the caller's: they are his thread's own */
  omp_set_max_active_levels(0);
  int done = cholmod_l_factorize(a, f->factor, &f->common);
  omp_set_max_active_levels(levels);
  return done;
}
#else
static int factorise_alone(cholmod_sparse *a, SupCholesky *f) {
  return cholmod_l_factorize(a, f->factor, &f->common);
}
#endif

SupResult sup_cholesky_factor(SupCholesky *f, const SupSparse *matrix, SupError *error) {
  cholmod_sparse a = view(matrix);
  int done = factorise_alone(&a, f);
  if (!done && f->common.status == CHOLMOD_OUT_OF_MEMORY) {
    return sup_fail(error, SUP_ERROR_MEMORY, "sparse factor of %u unknowns: out of memory",
                    f->size);
  }
  if (!done || f->common.status == CHOLMOD_NOT_POSDEF || f->factor->minor < f->size) {
    return sup_fail(error, SUP_ERROR_NUMERIC, "sparse factor: the matrix is not positive definite");
  }
  return SUP_OK;
}

SupResult sup_cholesky_solve_many(SupCholesky *f, uint32_t count, const double *b, double *x,
                                  SupError *error) {
  const size_t numbers = (size_t)f->size * count;
  cholmod_dense right = {.nrow = f->size,
                         .ncol = count,
                         .nzmax = numbers,
                         .d = f->size,
                         .x = (void *)(uintptr_t)b,
                         .xtype = CHOLMOD_REAL,
                         .dtype = CHOLMOD_DOUBLE};
  if (!cholmod_l_solve2(CHOLMOD_A, f->factor, &right, NULL, &f->solution, NULL, &f->work_y,
                        &f->work_e, &f->common)) {
    return sup_fail(error, SUP_ERROR_MEMORY, "sparse solve: status %d", f->common.status);
  }
  memcpy(x, f->solution->x, numbers * sizeof *x);
  return SUP_OK;
}

SupResult sup_cholesky_solve(SupCholesky *f, const double *b, double *x, SupError *error) {
  return sup_cholesky_solve_many(f, 1, b, x, error);
}

size_t sup_cholesky_fill(const SupCholesky *f) { return (size_t)f->common.lnz; }
