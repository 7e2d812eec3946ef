/* SPDX-License-Identifier: MIT */
/*
 * Shift-invert at zero: with D = M^(1/2), the operator D K^-1 D has the eigenvalues 1 / value and
 * the eigenvectors D phi; its largest ones are found by ARPACK's implicitly restarted Lanczos.
 */
#include "numerics/eigen.h"

#include <arpack/arpack.h>
#include <math.h>
#include <string.h>

typedef struct Lanczos {
  int size, wanted, basis;
  double *residual, *vectors, *work, *inner, *roots;
  int parameters[11], pointers[14];
} Lanczos;

static bool reserve(SupArena *arena, Lanczos *l) {
  size_t n = (size_t)l->size, k = (size_t)l->basis;
  l->residual = SUP_ALLOC(arena, double, n);
  l->vectors = SUP_ALLOC(arena, double, n *k);
  l->work = SUP_ALLOC(arena, double, 3 * n);
  l->inner = SUP_ALLOC(arena, double, k *(k + 8));
  l->roots = SUP_ALLOC(arena, double, n);
  return l->residual && l->vectors && l->work && l->inner && l->roots;
}

/* y = D K^-1 D x. */
static SupResult apply(const Lanczos *l, SupCholesky *factor, const double *x, double *y,
                       SupError *error) {
  for (int k = 0; k < l->size; k++) y[k] = l->roots[k] * x[k];
  SupResult result = sup_cholesky_solve(factor, y, y, error);
  for (int k = 0; k < l->size; k++) y[k] *= l->roots[k];
  return result;
}

static SupResult iterate(Lanczos *l, SupCholesky *factor, SupError *error) {
  int task = 0, status = 1; /* 1: the start is given */
  SupRng rng = sup_rng(1, 7);
  for (int k = 0; k < l->size; k++) l->residual[k] = sup_rng_double(&rng) - 0.5;
  l->parameters[0] = 1;   /* exact shifts */
  l->parameters[2] = 300; /* restarts at most */
  l->parameters[6] = 1;   /* an ordinary eigenproblem */
  do {
    dsaupd_c(&task, "I", l->size, "LM", l->wanted, 0, l->residual, l->basis, l->vectors, l->size,
             l->parameters, l->pointers, l->work, l->inner, l->basis * (l->basis + 8), &status);
    if (task == 1 || task == -1) {
      SupResult result =
          apply(l, factor, l->work + l->pointers[0] - 1, l->work + l->pointers[1] - 1, error);
      if (result != SUP_OK) return result;
    }
  } while (task == 1 || task == -1);
  if (status != 0) {
    return sup_fail(error, SUP_ERROR_NUMERIC, "vibration modes: ARPACK failed (%d)", status);
  }
  return SUP_OK;
}

/* Eigenvalues of the operator, rising, and its vectors in place of the basis. */
static SupResult extract(Lanczos *l, double *values, int *selected, SupError *error) {
  int status = 0;
  dseupd_c(1, "A", selected, values, l->vectors, l->size, 0, "I", l->size, "LM", l->wanted, 0,
           l->residual, l->basis, l->vectors, l->size, l->parameters, l->pointers, l->work,
           l->inner, l->basis * (l->basis + 8), &status);
  if (status != 0) {
    return sup_fail(error, SUP_ERROR_NUMERIC, "vibration modes: ARPACK returned no vectors (%d)",
                    status);
  }
  return SUP_OK;
}

/* Turns the operator's pair into a mode: value, sign, mass-normalised shape. */
static void write_mode(const Lanczos *l, double inverse, const double *vector, double *out_value,
                       double *out_shape) {
  int largest = 0;
  for (int k = 0; k < l->size; k++) {
    out_shape[k] = vector[k] / l->roots[k];
    if (fabs(out_shape[k]) > fabs(out_shape[largest])) largest = k;
  }
  if (out_shape[largest] < 0) {
    for (int k = 0; k < l->size; k++) out_shape[k] = -out_shape[k];
  }
  *out_value = 1 / inverse;
}

SupResult sup_eigen_lowest(SupArena *arena, const SupSparse *stiffness, const double *masses,
                           uint32_t count, double *out_values, double *out_vectors,
                           SupError *error) {
  Lanczos l = {.size = (int)stiffness->size, .wanted = (int)count};
  l.basis = 2 * l.wanted + 10 < l.size ? 2 * l.wanted + 10 : l.size;
  if (count == 0 || count >= stiffness->size) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "%u modes of %u unknowns cannot be found", count,
                    stiffness->size);
  }
  double *inverses = SUP_ALLOC(arena, double, count);
  int *selected = SUP_ALLOC(arena, int, (size_t)l.basis);
  if (!inverses || !selected || !reserve(arena, &l)) {
    return sup_fail_memory(error, "vibration modes");
  }
  for (int k = 0; k < l.size; k++) l.roots[k] = sqrt(masses[k]);
  SupCholesky *factor;
  SupResult result = sup_cholesky_create(stiffness, &factor, error);
  if (result != SUP_OK) return result;
  result = sup_cholesky_factor(factor, stiffness, error);
  if (result == SUP_OK) result = iterate(&l, factor, error);
  if (result == SUP_OK) result = extract(&l, inverses, selected, error);
  sup_cholesky_free(factor);
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    uint32_t from = count - 1 - k; /* the largest inverse is the lowest mode */
    write_mode(&l, inverses[from], l.vectors + (size_t)from * (size_t)l.size, &out_values[k],
               out_vectors + (size_t)k * stiffness->size);
  }
  return result;
}
