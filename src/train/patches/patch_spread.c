/* SPDX-License-Identifier: MIT */
/*
 * How displacements of a patch's border reach its inside: F^-1 H (Guo 2007, Eq. 3.24, corrected:
 * GUO-E3, GUO-E4), dense.
 *
 * Cotangents below 0 are raised, so every row is a mean: what all of the border does, the inside
 * does, and nothing inside goes farther than the border.
 */
#include "base/scratch.h"
#include "numerics/sparse.h"
#include "train/patches/patch_layout.h"
#include "train/patches/patch_map.h"

#define LEAST_COTANGENT 1e-3
#define PER_COTANGENT 4 /* lambda_ij is 4 (cot + cot) */

static SupVec3d place_of(const SupVec3d *positions, SupSkinPoint p) {
  return p.a == p.b ? positions[p.a] : sup_vec3d_lerp(positions[p.a], positions[p.b], p.t);
}

/* F, compressed by columns, and H as right sides b[border_count * n]. */
static bool assemble(SupArena *scratch, const SupChartSystem *s, SupSparse *out_matrix,
                     double *out_sides) {
  const uint32_t n = s->vertex_count - s->loop_count;
  int64_t *columns = SUP_ALLOC(scratch, int64_t, (size_t)n + 1);
  int64_t *rows = SUP_ALLOC(scratch, int64_t, (size_t)s->offsets[n] + n);
  double *values = SUP_ALLOC(scratch, double, (size_t)s->offsets[n] + n);
  int64_t used = 0;
  if (!columns || !rows || !values) return false;
  for (uint32_t c = 0; c < n; c++) {
    double sum = 0;
    const int64_t diagonal = used++;
    rows[diagonal] = c;
    for (uint32_t k = s->offsets[c]; k < s->offsets[c + 1]; k++) {
      const double least = PER_COTANGENT * LEAST_COTANGENT;
      const double value = s->values[k] > least ? s->values[k] : least;
      const uint32_t neighbour = s->neighbours[k];
      sum += value;
      if (neighbour < s->loop_count) {
        out_sides[(size_t)neighbour * n + c] = value;
      } else if (neighbour - s->loop_count > c) { /* the lower half is enough */
        rows[used] = neighbour - s->loop_count;
        values[used++] = -value;
      }
    }
    values[diagonal] = sum;
    columns[c + 1] = used;
  }
  *out_matrix = (SupSparse){n, columns, rows, values};
  return true;
}

/* Rows of inner vertices that are the body's, as floats with sum 1. */
static void keep_rows(const SupPatchChart *chart, const double *x, float *out_spread) {
  const uint32_t n = chart->vertex_count - chart->loop_count, border = chart->loop_count;
  for (uint32_t r = 0; r < n; r++) {
    const SupChartVertex v = chart->vertices[border + r];
    double sum = 0;
    if (v.a != v.b) continue;
    for (uint32_t k = 0; k < border; k++) sum += x[(size_t)k * n + r];
    for (uint32_t k = 0; k < border; k++) *out_spread++ = (float)(x[(size_t)k * n + r] / sum);
  }
}

static SupResult spread(SupArena *scratch, const SupPatches *patches, const SupPatchChart *chart,
                        const SupVec3d *positions, float *out_spread, SupError *error) {
  const uint32_t n = chart->vertex_count - chart->loop_count;
  SupVec3d *places = SUP_ALLOC(scratch, SupVec3d, chart->vertex_count);
  double *sides = SUP_ALLOC(scratch, double, (size_t)chart->loop_count *n);
  SupChartSystem system;
  SupSparse matrix;
  SupCholesky *factor = NULL;
  if (!places || !sides) return sup_fail_memory(error, NULL);
  if (n == 0) return SUP_OK;
  for (uint32_t v = 0; v < chart->vertex_count; v++) {
    const SupChartVertex at = chart->vertices[v];
    places[v] = sup_vec3d_lerp(place_of(positions, patches->points[at.a]),
                               place_of(positions, patches->points[at.b]), 0.5);
  }
  SupResult result = sup_chart_system(scratch, chart, places, SUP_CHART_HARMONIC, &system, error);
  if (result == SUP_OK && !assemble(scratch, &system, &matrix, sides)) {
    result = sup_fail_memory(error, NULL);
  }
  if (result == SUP_OK) result = sup_cholesky_create(&matrix, &factor, error);
  if (result == SUP_OK) result = sup_cholesky_factor(factor, &matrix, error);
  if (result == SUP_OK) {
    result = sup_cholesky_solve_many(factor, chart->loop_count, sides, sides, error);
  }
  sup_cholesky_free(factor);
  if (result == SUP_OK) keep_rows(chart, sides, out_spread);
  return result;
}

SupResult sup_patch_spread(const SupArena *arena, const SupPatches *patches,
                           const SupPatchChart *chart, const SupVec3d *positions, float *out_spread,
                           SupError *error) {
  SupArena scratch = sup_scratch(arena);
  SupResult result = spread(&scratch, patches, chart, positions, out_spread, error);
  sup_arena_free(&scratch);
  return result;
}
