/* SPDX-License-Identifier: MIT */
/*
 * The linear systems of charts.
 *
 * Guo 2007, Eq. 3.3 with the corrected diagonal (errata GUO-E3): F u = H b, F_ii = sum lambda_ij
 * over all neighbours, F_ij = -lambda_ij between inner vertices, H_ib = lambda_ib to the border.
 * Symmetric weights: sparse Cholesky. Others, A u = c with A = I - W: the normal equations A^T A u
 * = A^T c, whose factor then corrects u by the remainders of A u = c itself until they are
 * rounding.
 */
#include "base/scratch.h"
#include "numerics/sparse.h"
#include "patch_map.h"

#define MOST_CORRECTIONS 12
#define REMAINDER 1e-14 /* in units of the polygon */

/* Entries of a matrix, to be summed. */
typedef struct Entries {
  uint32_t size;
  size_t count;
  uint32_t *rows, *columns;
  double *values;
} Entries;

static bool entries_make(SupArena *arena, uint32_t size, size_t most, Entries *out) {
  *out = (Entries){.size = size,
                   .rows = SUP_ALLOC(arena, uint32_t, most),
                   .columns = SUP_ALLOC(arena, uint32_t, most),
                   .values = SUP_ALLOC(arena, double, most)};
  return out->rows && out->columns && out->values;
}

static void entries_add(Entries *e, uint32_t row, uint32_t column, double value) {
  if (row < column) return; /* the lower triangle */
  e->rows[e->count] = row;
  e->columns[e->count] = column;
  e->values[e->count++] = value;
}

/* Order of entries by keys[], those alike staying as they are. */
static bool sort_by(SupArena *arena, const Entries *e, const uint32_t *keys, uint32_t *io_order) {
  uint32_t *starts = SUP_ALLOC(arena, uint32_t, (size_t)e->size + 1);
  uint32_t *before = SUP_COPY(arena, uint32_t, io_order, e->count);
  if (!starts || !before) return false;
  for (size_t k = 0; k < e->count; k++) starts[keys[k] + 1]++;
  for (uint32_t k = 0; k < e->size; k++) starts[k + 1] += starts[k];
  for (size_t k = 0; k < e->count; k++) io_order[starts[keys[before[k]]]++] = before[k];
  return true;
}

static bool compress(SupArena *arena, const Entries *e, SupSparse *out) {
  uint32_t *order = SUP_ALLOC(arena, uint32_t, e->count);
  int64_t *columns = SUP_ALLOC(arena, int64_t, (size_t)e->size + 1);
  int64_t *rows = SUP_ALLOC(arena, int64_t, e->count);
  double *values = SUP_ALLOC(arena, double, e->count);
  if (!order || !columns || !rows || !values) return false;
  for (size_t k = 0; k < e->count; k++) order[k] = (uint32_t)k;
  if (!sort_by(arena, e, e->rows, order) || !sort_by(arena, e, e->columns, order)) return false;
  int64_t used = 0;
  uint32_t column = SUP_NONE;
  for (size_t k = 0; k < e->count; k++) {
    const uint32_t i = order[k];
    const bool again = e->columns[i] == column && rows[used - 1] == e->rows[i];
    if (!again) {
      column = e->columns[i];
      rows[used] = e->rows[i];
      values[used++] = 0;
      columns[column + 1] = used;
    }
    values[used - 1] += e->values[i];
  }
  *out = (SupSparse){e->size, columns, rows, values};
  return true;
}

/* ---- The systems ---------------------------------------------------------------------------- */

static uint32_t inner_count(const SupChartSystem *s) { return s->vertex_count - s->loop_count; }

static bool assemble_symmetric(SupArena *arena, const SupChartSystem *s, SupSparse *out) {
  const uint32_t n = inner_count(s);
  Entries e;
  if (!entries_make(arena, n, (size_t)s->offsets[n] + n, &e)) return false;
  for (uint32_t row = 0; row < n; row++) {
    double sum = 0;
    for (uint32_t k = s->offsets[row]; k < s->offsets[row + 1]; k++) {
      sum += s->values[k];
      if (s->neighbours[k] < s->loop_count) continue;
      entries_add(&e, row, s->neighbours[k] - s->loop_count, -s->values[k]);
    }
    entries_add(&e, row, row, sum);
  }
  return compress(arena, &e, out);
}

/* A^T A: every row of A adds its own products. */
static bool assemble_normal(SupArena *arena, const SupChartSystem *s, SupSparse *out) {
  const uint32_t n = inner_count(s);
  size_t most = 0;
  Entries e;
  for (uint32_t row = 0; row < n; row++) {
    const size_t count = s->offsets[row + 1] - s->offsets[row] + 1;
    most += count * count;
  }
  if (!entries_make(arena, n, most, &e)) return false;
  for (uint32_t row = 0; row < n; row++) {
    const uint32_t first = s->offsets[row], count = s->offsets[row + 1] - first;
    for (uint32_t a = 0; a <= count; a++) {
      const uint32_t i = a < count ? s->neighbours[first + a] : row + s->loop_count;
      const double x = a < count ? -s->values[first + a] : 1;
      for (uint32_t b = 0; b <= count && i >= s->loop_count; b++) {
        const uint32_t k = b < count ? s->neighbours[first + b] : row + s->loop_count;
        const double y = b < count ? -s->values[first + b] : 1;
        if (k >= s->loop_count) entries_add(&e, i - s->loop_count, k - s->loop_count, x * y);
      }
    }
  }
  return compress(arena, &e, out);
}

/* What is missing in row by row: W u - u, or sum lambda_ij (u_j - u_i). Returns the largest. */
static double remainder_of(const SupChartSystem *s, double (*uv)[2], uint32_t axis, double *out) {
  const uint32_t n = inner_count(s);
  double most = 0;
  for (uint32_t row = 0; row < n; row++) {
    double sum = 0;
    for (uint32_t k = s->offsets[row]; k < s->offsets[row + 1]; k++) {
      sum += s->values[k] * (uv[s->neighbours[k]][axis] - uv[row + s->loop_count][axis]);
    }
    out[row] = sum;
    if (sum > most) most = sum;
    if (-sum > most) most = -sum;
  }
  return most;
}

/* A^T r. */
static void transposed(const SupChartSystem *s, const double *r, double *out) {
  const uint32_t n = inner_count(s);
  for (uint32_t row = 0; row < n; row++) out[row] = r[row];
  for (uint32_t row = 0; row < n; row++) {
    for (uint32_t k = s->offsets[row]; k < s->offsets[row + 1]; k++) {
      if (s->neighbours[k] < s->loop_count) continue;
      out[s->neighbours[k] - s->loop_count] -= s->values[k] * r[row];
    }
  }
}

static SupResult correct(const SupChartSystem *s, SupCholesky *factor, double (*io_uv)[2],
                         uint32_t axis, double *work[3], SupError *error) {
  const uint32_t n = inner_count(s);
  const uint32_t most = s->symmetric ? 2 : MOST_CORRECTIONS;
  for (uint32_t round = 0; round < most; round++) {
    const double left = remainder_of(s, io_uv, axis, work[0]);
    if (!s->symmetric && left < REMAINDER) return SUP_OK;
    const double *right = work[0];
    if (!s->symmetric) {
      transposed(s, work[0], work[1]);
      right = work[1];
    }
    SupResult result = sup_cholesky_solve(factor, right, work[2], error);
    if (result != SUP_OK) return result;
    for (uint32_t k = 0; k < n; k++) io_uv[k + s->loop_count][axis] += work[2][k];
  }
  if (s->symmetric || remainder_of(s, io_uv, axis, work[0]) < 1e-9) return SUP_OK;
  return sup_fail(error, SUP_ERROR_NUMERIC, "the weights of a patch cannot be solved");
}

SupResult sup_chart_solve(SupArena *arena, const SupChartSystem *system, double (*io_uv)[2],
                          SupError *error) {
  const uint32_t n = inner_count(system);
  SupArena scratch = sup_scratch(arena);
  SupSparse matrix;
  SupCholesky *factor = NULL;
  double *work[3];
  SupResult result = SUP_OK;
  if (n == 0) return SUP_OK;
  for (uint32_t k = 0; k < 3; k++) work[k] = SUP_ALLOC(&scratch, double, n);
  const bool made = system->symmetric ? assemble_symmetric(&scratch, system, &matrix)
                                      : assemble_normal(&scratch, system, &matrix);
  if (!made || !work[0] || !work[1] || !work[2]) result = sup_fail_memory(error, NULL);
  if (result == SUP_OK) result = sup_cholesky_create(&matrix, &factor, error);
  if (result == SUP_OK) result = sup_cholesky_factor(factor, &matrix, error);
  for (uint32_t axis = 0; axis < 2 && result == SUP_OK; axis++) {
    double middle = 0;
    for (uint32_t k = 0; k < system->loop_count; k++) {
      middle += io_uv[k][axis] / system->loop_count;
    }
    for (uint32_t v = system->loop_count; v < system->vertex_count; v++) io_uv[v][axis] = middle;
    result = correct(system, factor, io_uv, axis, work, error);
  }
  sup_cholesky_free(factor);
  sup_arena_free(&scratch);
  return result;
}
