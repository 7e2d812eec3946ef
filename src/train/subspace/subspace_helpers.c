/* SPDX-License-Identifier: MIT */
/*
 * Helpers: a few joints whose offsets, maps A_j of the place X in the bind pose, show the functions
 * through sparse weights: u(v) = sum_j w_j(v) A_j (X, 1).
 *
 * Seeds lie as far from each other and from what is held as can be; weights are what heat that
 * starts around a seed leaves at the skin, which is 0 where flesh is held; the largest few are kept
 * and scaled to their sum. The maps' dependence on the amplitudes is the least-squares fit of the
 * functions at the vertices, with a little ridge.
 */
#include <math.h>
#include <string.h>

#include "base/scratch.h"
#include "numerics/dense.h"
#include "train/subspace/subspace_parts.h"

#define RIDGE 1e-6 /* of the mean square of a column */
#define MOST_INFLUENCES 8

typedef struct Helpers {
  uint32_t count, influences;
  double reach;      /* metres between seeds */
  double *node_rows; /* [count * free_count] */
  SupVec3d middle;   /* of the vertices, body units */
} Helpers;

/* ---- Weights --------------------------------------------------------------------------------- */

/* Free nodes far from each other: seeds[count]; the largest distance to the nearest is the reach.
 */
static bool find_seeds(SupArena *arena, const SubspaceBody *body, Helpers *h, uint32_t *nearest) {
  const SupElastic *elastic = &body->volume.body;
  double *away = SUP_ALLOC(arena, double, elastic->free_count);
  if (!away) return false;
  uint32_t next = 0;
  for (uint32_t i = 0; i < elastic->free_count; i++) away[i] = INFINITY;
  for (uint32_t k = 0; k < h->count; k++) {
    const SupVec3d seed = elastic->mesh.nodes[elastic->free_nodes[next]];
    for (uint32_t i = 0; i < elastic->free_count; i++) {
      const double d = sup_vec3d_distance(seed, elastic->mesh.nodes[elastic->free_nodes[i]]);
      if (d < away[i]) away[i] = d, nearest[i] = k;
    }
    for (uint32_t i = 0; i < elastic->free_count; i++) {
      if (away[i] > away[next]) next = i;
    }
  }
  h->reach = away[next];
  return true;
}

/* (A + shift M)^-1 shift M of who is nearest to a seed. The shift is such that heat goes as far as
 * seeds are apart: A is of the size of stiffness, M of density. */
static SupResult heat(SupArena *arena, const SubspaceBody *body, Helpers *h, SupError *error) {
  const SupElastic *elastic = &body->volume.body;
  const size_t rows = elastic->free_count;
  uint32_t *nearest = SUP_ALLOC(arena, uint32_t, rows);
  double stiffness = 0, volume = 0;
  SupSparse matrix;
  SupCholesky *factor;
  h->node_rows = SUP_ALLOC(arena, double, h->count *rows);
  if (!nearest || !h->node_rows || !find_seeds(arena, body, h, nearest)) {
    return sup_fail_memory(error, "subspace");
  }
  for (uint32_t i = 0; i < elastic->active_count; i++) {
    stiffness += 2 * body->def->rho * body->shear[elastic->active[i]];
    volume += elastic->volumes[elastic->active[i]];
  }
  const double density = body->mass / volume;
  const double shift = stiffness / volume / (density * h->reach * h->reach);
  SupResult result = sup_subspace_matrix(arena, body, shift, &matrix, error);
  if (!result) result = sup_cholesky_create(&matrix, &factor, error);
  if (result) return result;
  for (uint32_t i = 0; i < rows; i++) {
    h->node_rows[nearest[i] * rows + i] = shift * elastic->masses[elastic->free_nodes[i]];
  }
  result = sup_cholesky_factor(factor, &matrix, error);
  if (!result) {
    result = sup_cholesky_solve_many(factor, h->count, h->node_rows, h->node_rows, error);
  }
  sup_cholesky_free(factor);
  return result;
}

/* The largest weights of a vertex, scaled to the sum of all. */
static void keep_largest(const SubspaceBody *body, const Helpers *h, uint32_t v, uint32_t *helpers,
                         float *weights) {
  const size_t rows = body->volume.body.free_count;
  double best[MOST_INFLUENCES] = {0}, all = 0, kept = 0;
  for (uint32_t j = 0; j < h->count; j++) {
    double weight = fmax(sup_subspace_at_vertex(body, h->node_rows + j * rows, v), 0);
    uint32_t helper = j;
    all += weight;
    for (uint32_t k = 0; k < h->influences; k++) {
      if (weight <= best[k]) continue;
      const double other = best[k];
      const uint32_t other_helper = helpers[k];
      best[k] = weight, helpers[k] = helper;
      weight = other, helper = other_helper;
    }
  }
  for (uint32_t k = 0; k < h->influences; k++) kept += best[k];
  for (uint32_t k = 0; k < h->influences; k++) {
    weights[k] = kept > 0 ? (float)(best[k] * fmin(all, 1) / kept) : 0;
  }
}

/* ---- Maps ------------------------------------------------------------------------------------ */

/* A vertex's row of the fit: up to 8 helpers times (X - middle, 1). Returns how many entries. */
static uint32_t fit_row(const SubspaceBody *body, const Helpers *h, const SupSubspaceView *view,
                        uint32_t v, uint32_t *at, double *values) {
  const SupVec3d x =
      sup_vec3d_sub(sup_vec3_to_double(body->def->character->body.positions[v]), h->middle);
  const double four[4] = {x.x, x.y, x.z, 1};
  uint32_t count = 0;
  for (uint32_t k = 0; k < h->influences; k++) {
    const double weight = (double)view->vertex_weights[(size_t)v * h->influences + k];
    for (uint32_t f = 0; f < 4 && weight > 0; f++) {
      at[count] = 4 * view->vertex_helpers[(size_t)v * h->influences + k] + f;
      values[count++] = weight * four[f];
    }
  }
  return count;
}

/* map[K columns of 4 count] = (B^T B + ridge)^-1 B^T functions. */
static SupResult fit(SupArena *arena, const SubspaceBody *body, const Helpers *h,
                     const SupSubspaceView *view, double *map, SupError *error) {
  const size_t n = 4 * (size_t)h->count, functions = view->function_count;
  double *squares = SUP_ALLOC(arena, double, n *n);
  double trace = 0, values[4 * MOST_INFLUENCES];
  uint32_t at[4 * MOST_INFLUENCES];
  if (!squares) return sup_fail_memory(error, "subspace");
  for (uint32_t v = 0; v < view->vertex_count; v++) {
    const uint32_t count = fit_row(body, h, view, v, at, values);
    for (uint32_t a = 0; a < count; a++) {
      for (uint32_t b = 0; b < count; b++) squares[at[a] * n + at[b]] += values[a] * values[b];
      for (size_t k = 0; k < functions; k++) {
        map[k * n + at[a]] += values[a] * (double)view->vertex_functions[v * functions + k];
      }
    }
  }
  for (size_t i = 0; i < n; i++) trace += squares[i * n + i];
  for (size_t i = 0; i < n; i++) squares[i * n + i] += trace > 0 ? RIDGE * trace / (double)n : 1;
  return sup_dense_solve_definite((int)n, (int)functions, squares, map, error);
}

/* What the fit leaves, relative: functions count by how soft they are. */
static double left(const SubspaceBody *body, const Helpers *h, const SupSubspaceView *view,
                   const double *map) {
  const size_t n = 4 * (size_t)h->count, functions = view->function_count;
  double lost = 0, all = 0, values[4 * MOST_INFLUENCES];
  uint32_t at[4 * MOST_INFLUENCES];
  for (uint32_t v = 0; v < view->vertex_count; v++) {
    const uint32_t count = fit_row(body, h, view, v, at, values);
    for (size_t k = 0; k < functions; k++) {
      const double wanted = (double)view->vertex_functions[v * functions + k];
      const double soft = 1 / (double)view->preconditioner[k];
      double got = 0;
      for (uint32_t a = 0; a < count; a++) got += values[a] * map[k * n + at[a]];
      lost += soft * (wanted - got) * (wanted - got);
      all += soft * wanted * wanted;
    }
  }
  return all > 0 ? sqrt(lost / all) : 0;
}

/* As the run time reads it: by helper and column, of X itself. */
static void write_map(const Helpers *h, uint32_t functions, const double *map, float *out) {
  const size_t n = 4 * (size_t)h->count;
  for (size_t k = 0; k < functions; k++) {
    for (size_t j = 0; j < h->count; j++) {
      const double *m = map + k * n + 4 * j;
      const double own = m[3] - m[0] * h->middle.x - m[1] * h->middle.y - m[2] * h->middle.z;
      for (size_t f = 0; f < 4; f++) {
        out[(4 * j + f) * functions + k] = (float)(f == 3 ? own : m[f]);
      }
    }
  }
}

static void find_middle(const SupMesh *skin, Helpers *h) {
  for (uint32_t v = 0; v < skin->vertex_count; v++) {
    h->middle = sup_vec3d_add_scaled(h->middle, sup_vec3_to_double(skin->positions[v]),
                                     1.0 / skin->vertex_count);
  }
}

SupResult sup_subspace_fit_helpers(SupArena *arena, const SubspaceBody *body, SupSubspaceView *view,
                                   double *out_error, SupError *error) {
  const uint32_t most = body->volume.body.free_count;
  Helpers h = {.count = body->def->helper_count < most ? body->def->helper_count : most,
               .influences = body->def->influence_count};
  if (h.count == 0) return SUP_OK;
  const size_t entries = (size_t)view->vertex_count * h.influences;
  uint32_t *helpers = SUP_ALLOC(arena, uint32_t, entries);
  float *weights = SUP_ALLOC(arena, float, entries);
  float *out_map = SUP_ALLOC(arena, float, 4 * (size_t)h.count * view->function_count);
  if (!helpers || !weights || !out_map) return sup_fail_memory(error, "subspace");
  SupArena scratch = sup_scratch(arena);
  double *map = SUP_ALLOC(&scratch, double, 4 * (size_t)h.count * view->function_count);
  SupResult result = map ? heat(&scratch, body, &h, error) : sup_fail_memory(error, "subspace");
  for (uint32_t v = 0; v < view->vertex_count && !result; v++) {
    const size_t at = (size_t)v * h.influences;
    keep_largest(body, &h, v, helpers + at, weights + at);
  }
  view->vertex_helpers = helpers;
  view->vertex_weights = weights;
  find_middle(&body->def->character->body, &h);
  if (!result) result = fit(&scratch, body, &h, view, map, error);
  if (!result) {
    *out_error = left(body, &h, view, map);
    write_map(&h, view->function_count, map, out_map);
    view->helper_map = out_map;
    view->helper_count = h.count;
    view->influence_count = h.influences;
  }
  sup_arena_free(&scratch);
  return result;
}
