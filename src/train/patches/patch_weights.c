/* SPDX-License-Identifier: MIT */
/*
 * Weights of the neighbours of the inner vertices of a patch.
 *
 * Guo 2007, Eq. 3.2: lambda_ij = (l_ik^2 + l_jk^2 - l_ij^2) / a over both triangles = 4 (cot +
 * cot); harmonic. The diagonal is their sum (errata GUO-E3), a border edge has one term (GUO-E5).
 * Floater 1997: shape-preserving, from the flattened ring. Floater 2003: mean value, (tan(a / 2) +
 * tan(b / 2)) / |ij|.
 */
#include "base/scratch.h"
#include "patch_map.h"

/* Triangles thinner than this (area over the square of the longest edge) count as so thin. */
#define LEAST_AREA 1e-7

typedef struct Rows {
  const SupPatchChart *chart;
  const SupVec3d *positions;
  const SupTopology *topology;
  uint32_t *offsets;
  uint32_t *neighbours;
  double *values;
} Rows;

static double *value_at(const Rows *rows, uint32_t vertex, uint32_t neighbour) {
  const uint32_t row = vertex - rows->chart->loop_count;
  uint32_t k = rows->offsets[row];
  while (rows->neighbours[k] != neighbour) k++;
  return &rows->values[k];
}

static void add(const Rows *rows, uint32_t vertex, uint32_t neighbour, double value) {
  if (vertex >= rows->chart->loop_count) *value_at(rows, vertex, neighbour) += value;
}

/* ---- Per triangle --------------------------------------------------------------------------- */

static void add_triangle(const Rows *rows, const uint32_t c[3], SupChartWeights weights) {
  SupVec3d edges[3]; /* k: from corner k to the next */
  double squares[3], longest = 0;
  for (uint32_t k = 0; k < 3; k++) {
    edges[k] = sup_vec3d_sub(rows->positions[c[(k + 1) % 3]], rows->positions[c[k]]);
    squares[k] = sup_vec3d_dot(edges[k], edges[k]);
    if (squares[k] > longest) longest = squares[k];
  }
  if (!(longest > 0)) return;
  const double least = LEAST_AREA * longest;
  const double twice = sup_vec3d_length(sup_vec3d_cross(edges[0], edges[1]));
  const double area = twice > least ? twice : least;
  for (uint32_t k = 0; k < 3; k++) {
    const uint32_t next = (k + 1) % 3, last = (k + 2) % 3;
    const double dot = -sup_vec3d_dot(edges[k], edges[last]); /* of the edges that leave corner k */
    if (weights == SUP_CHART_HARMONIC) {
      add(rows, c[next], c[last], dot / area);
      add(rows, c[last], c[next], dot / area);
      continue;
    }
    /* tan(angle / 2) by the form that does not cancel. */
    const double lengths = sup_sqrt(squares[k] * squares[last]);
    const double tangent = dot > 0 ? area / (lengths + dot) : (lengths - dot) / area;
    const double floor = LEAST_AREA * sup_sqrt(longest);
    const double to_next = sup_sqrt(squares[k]), to_last = sup_sqrt(squares[last]);
    add(rows, c[k], c[next], tangent / (to_next > floor ? to_next : floor));
    add(rows, c[k], c[last], tangent / (to_last > floor ? to_last : floor));
  }
}

/* ---- Shape-preserving ----------------------------------------------------------------------- */

/* The barycentric coordinates of the origin in a triangle with corners in these directions and
 * distances; false if it does not lie inside. */
static bool around_origin(const double angles[3], const double lengths[3], double out[3]) {
  double x[3], y[3], whole = 0;
  for (uint32_t k = 0; k < 3; k++) {
    sup_sincos(angles[k], &y[k], &x[k]);
    x[k] *= lengths[k];
    y[k] *= lengths[k];
  }
  for (uint32_t k = 0; k < 3; k++) {
    const uint32_t next = (k + 1) % 3, last = (k + 2) % 3;
    out[k] = x[next] * y[last] - y[next] * x[last];
    whole += out[k];
  }
  if (!(whole > 0)) return false;
  for (uint32_t k = 0; k < 3; k++) {
    out[k] /= whole;
    if (!(out[k] >= -1e-12)) return false;
    if (out[k] < 0) out[k] = 0;
  }
  return true;
}

/* For each neighbour the triangle that it and two successive others form around the vertex. */
static void add_ring(const Rows *rows, const SupFlatRing *ring) {
  for (uint32_t l = 0; l < ring->count; l++) {
    double best[3] = {0};
    uint32_t at = SUP_NONE;
    for (uint32_t r = 0; r < ring->count && at == SUP_NONE; r++) {
      const uint32_t next = (r + 1) % ring->count;
      if (r == l || next == l) continue;
      const double angles[3] = {ring->angles[l], ring->angles[r], ring->angles[next]};
      const double lengths[3] = {ring->lengths[l], ring->lengths[r], ring->lengths[next]};
      if (around_origin(angles, lengths, best)) at = r;
    }
    /* A ring without area: as with equal weights. */
    if (at == SUP_NONE) {
      add(rows, ring->vertex, ring->vertices[l], 1);
      continue;
    }
    add(rows, ring->vertex, ring->vertices[l], best[0]);
    add(rows, ring->vertex, ring->vertices[at], best[1]);
    add(rows, ring->vertex, ring->vertices[(at + 1) % ring->count], best[2]);
  }
}

static SupResult add_rings(SupArena *scratch, const Rows *rows, SupError *error) {
  const SupPatchChart *chart = rows->chart;
  SupVec3 *positions = SUP_ALLOC(scratch, SupVec3, chart->vertex_count);
  if (!positions) return sup_fail_memory(error, NULL);
  for (uint32_t v = 0; v < chart->vertex_count; v++) {
    positions[v] = sup_vec3d_to_float(rows->positions[v]);
  }
  const SupMesh mesh = {chart->vertex_count, chart->triangle_count, positions, chart->triangles};
  for (uint32_t v = chart->loop_count; v < chart->vertex_count; v++) {
    const uint32_t triangle = rows->topology->corners[rows->topology->corner_offsets[v]] / 3;
    SupArena ring_scratch = sup_scratch(scratch);
    SupFlatRing ring;
    SupResult result =
        sup_flat_ring(&ring_scratch, &mesh, rows->topology, v, triangle, &ring, error);
    if (result == SUP_OK) add_ring(rows, &ring);
    sup_arena_free(&ring_scratch);
    if (result != SUP_OK) return result;
  }
  return SUP_OK;
}

/* ---- The rows ------------------------------------------------------------------------------- */

static SupResult fill(SupArena *scratch, const Rows *rows, SupChartWeights weights,
                      SupError *error) {
  const SupPatchChart *chart = rows->chart;
  if (weights == SUP_CHART_UNIFORM) {
    const uint32_t last = rows->offsets[chart->vertex_count - chart->loop_count];
    for (uint32_t k = 0; k < last; k++) rows->values[k] = 1;
    return SUP_OK;
  }
  if (weights == SUP_CHART_SHAPE_PRESERVING) return add_rings(scratch, rows, error);
  for (uint32_t f = 0; f < chart->triangle_count; f++) {
    add_triangle(rows, chart->triangles + 3 * (size_t)f, weights);
  }
  return SUP_OK;
}

/* Divides by the sums: a row that has none is one of equal weights. */
static void normalise(const Rows *rows, uint32_t count) {
  for (uint32_t row = 0; row < count; row++) {
    double sum = 0;
    for (uint32_t k = rows->offsets[row]; k < rows->offsets[row + 1]; k++) sum += rows->values[k];
    for (uint32_t k = rows->offsets[row]; k < rows->offsets[row + 1]; k++) {
      rows->values[k] =
          sum > 0 ? rows->values[k] / sum : 1.0 / (rows->offsets[row + 1] - rows->offsets[row]);
    }
  }
}

SupResult sup_chart_system(SupArena *arena, const SupPatchChart *chart, const SupVec3d *positions,
                           SupChartWeights weights, SupChartSystem *out_system, SupError *error) {
  const uint32_t count = chart->vertex_count - chart->loop_count;
  const SupMesh mesh = {chart->vertex_count, chart->triangle_count, NULL, chart->triangles};
  SupArena scratch = sup_scratch(arena);
  SupTopology topology;
  Rows rows = {.chart = chart, .positions = positions, .topology = &topology};
  SupResult result = sup_topology(&scratch, &mesh, &topology, error);
  if (result == SUP_OK) {
    const uint32_t *offsets = topology.rings.offsets + chart->loop_count;
    const uint32_t used = offsets[count] - offsets[0];
    rows.offsets = SUP_ALLOC(arena, uint32_t, (size_t)count + 1);
    rows.neighbours = SUP_COPY(arena, uint32_t, topology.rings.neighbours + offsets[0], used);
    rows.values = SUP_ALLOC(arena, double, used);
    if (!rows.offsets || !rows.neighbours || !rows.values) result = sup_fail_memory(error, NULL);
    for (uint32_t k = 0; k <= count && result == SUP_OK; k++) {
      rows.offsets[k] = offsets[k] - offsets[0];
    }
  }
  if (result == SUP_OK) result = fill(&scratch, &rows, weights, error);
  sup_arena_free(&scratch);
  if (result != SUP_OK) return result;
  const bool symmetric = weights == SUP_CHART_HARMONIC || weights == SUP_CHART_UNIFORM;
  if (!symmetric) normalise(&rows, count);
  *out_system = (SupChartSystem){chart->vertex_count, chart->loop_count, symmetric,
                                 rows.offsets,        rows.neighbours,   rows.values};
  return SUP_OK;
}
