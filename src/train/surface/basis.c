/* SPDX-License-Identifier: MIT */
/*
 * Numbers as sums of a few smooth patterns: the lowest eigenvectors of the mesh's graph Laplacian.
 * Few examples then cannot over-fit single vertices.
 */
#include "base/scratch.h"
#include "numerics/dense.h"
#include "numerics/eigen.h"
#include "train/surface/problem.h"

#define SHIFT 1e-4 /* makes the Laplacian definite */

static bool make_matrix(SurfaceProblem *p, SupArena *scratch, SupSparse *out) {
  size_t entries = 0;
  for (uint32_t b = 0; b < p->blocks; b++) {
    entries += (size_t)BLOCK * (1 + p->view.slot_first[b + 1] - p->view.slot_first[b]);
  }
  int64_t *columns = SUP_ALLOC(scratch, int64_t, p->vertices + 1);
  int64_t *rows = SUP_ALLOC(scratch, int64_t, entries);
  double *values = SUP_ALLOC(scratch, double, entries);
  if (!columns || !rows || !values) return false;
  int64_t at = 0;
  for (uint32_t lane = 0; lane < p->vertices; lane++) {
    const uint32_t block = lane / BLOCK;
    const int64_t diagonal = at++;
    columns[lane] = diagonal;
    rows[diagonal] = lane;
    values[diagonal] = SHIFT;
    for (uint32_t s = p->view.slot_first[block]; s < p->view.slot_first[block + 1]; s++) {
      const uint32_t other = p->view.slots[(size_t)BLOCK * s + lane % BLOCK];
      if (other == lane) continue;
      values[diagonal] += 1;
      if (other < lane) continue;
      int64_t k = at++; /* rows rise within a column */
      for (; k > diagonal + 1 && rows[k - 1] > other; k--) rows[k] = rows[k - 1];
      rows[k] = other;
      values[at - 1] = -1;
    }
  }
  columns[p->vertices] = at;
  *out = (SupSparse){p->vertices, columns, rows, values};
  return true;
}

SupResult sup_surface_basis_make(SurfaceProblem *p, uint32_t count, SupError *error) {
  SupArena scratch = sup_scratch(p->arena);
  SupSparse matrix;
  if (count >= p->vertices) count = p->vertices - 1;
  double *values = SUP_ALLOC(&scratch, double, count),
         *masses = SUP_ALLOC(&scratch, double, p->lanes);
  double *vectors = SUP_ALLOC(&scratch, double, (size_t)count * p->vertices);
  p->basis.patterns = SUP_ALLOC(p->arena, double, (size_t)count * p->lanes);
  SupResult result = SUP_OK;
  if (!values || !masses || !vectors || !p->basis.patterns || !make_matrix(p, &scratch, &matrix)) {
    result = sup_fail_memory(error, "patterns");
  } else {
    for (uint32_t lane = 0; lane < p->lanes; lane++) masses[lane] = 1;
    result = sup_eigen_lowest(&scratch, &matrix, masses, count, values, vectors, error);
  }
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    sup_copy(p->basis.patterns + (size_t)k * p->lanes, vectors + (size_t)k * p->vertices,
             p->vertices * sizeof(double));
  }
  if (result == SUP_OK) p->basis.count = count;
  sup_arena_free(&scratch);
  return result;
}

/* Least squares of one row: sum_i (io_i - pattern_i c / unit_i)^2. */
static void project_row(SurfaceProblem *p, SupArena *scratch, const double *units, uint32_t row,
                        double *io) {
  const uint32_t n = p->basis.count;
  double *a = SUP_ALLOC(scratch, double, (size_t)n *n), *b = SUP_ALLOC(scratch, double, n);
  if (!a || !b) return;
  for (uint32_t lane = 0; lane < p->vertices; lane++) {
    const double unit = surface_get(units, p->terms, lane, row);
    if (!(unit > 0)) return;
    const double w = 1 / (unit * unit), x = surface_get(io, p->terms, lane, row) / unit;
    for (uint32_t i = 0; i < n; i++) {
      const double v = p->basis.patterns[(size_t)i * p->lanes + lane];
      b[i] += v * x;
      for (uint32_t j = 0; j <= i; j++) {
        a[(size_t)j * n + i] += w * v * p->basis.patterns[(size_t)j * p->lanes + lane];
      }
    }
  }
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j < i; j++) a[(size_t)i * n + j] = a[(size_t)j * n + i];
    a[(size_t)i * n + i] *= 1 + 1e-9;
  }
  if (sup_dense_solve(scratch, (int)n, 1, a, b, NULL) != SUP_OK) return;
  for (uint32_t lane = 0; lane < p->vertices; lane++) {
    double x = 0;
    for (uint32_t i = 0; i < n; i++) x += b[i] * p->basis.patterns[(size_t)i * p->lanes + lane];
    *surface_at(io, p->terms, lane, row) = x / surface_get(units, p->terms, lane, row);
  }
}

void sup_surface_basis_project(SurfaceProblem *p, const double *units, double *io) {
  for (uint32_t row = 0; row < p->terms; row++) {
    SupArena scratch = sup_scratch(p->arena);
    if (p->free_rows >> row & 1) project_row(p, &scratch, units, row, io);
    sup_arena_free(&scratch);
  }
}
