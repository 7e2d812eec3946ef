/* SPDX-License-Identifier: MIT */
/*
 * Weights of the nodes inside (Eq. 6 and Algorithm 1, repaired).
 *
 * Per node j over its candidates i, with examples e:
 *   minimise sum_e |sum_i w_i s_i^e - q_j^e|^2, w >= 0, sum w = 1, sum w_i X_i = X_j
 * Since sum w = 1, q_j^e is subtracted from every s_i^e first: the right side is 0 and precision is
 * best. The rest equality is first weighed heavily in the non-negative least squares
 * (numerics/nnls.h), then made exact on the support by the conditions of Lagrange
 * (HAHN-E8: the paper's row of ones holds the sum approximately, and depends on the units).
 *
 * Algorithm 1: remove the smallest weight, fit again, accept while the error stays within
 * max(tolerance, 1.5 r0) (HAHN-E4 to E7: as printed it keeps the set that violates its bound).
 */
#include <math.h>
#include <string.h>

#include "base/scratch.h"
#include "numerics/dense.h"
#include "numerics/nnls.h"
#include "supple/train/rigspace_weights.h"
#include "train/rigspace/rigspace_weights_parts.h"

#define HEAVY 1e4 /* weight of the rest rows, in units of the examples' */
#define NEGATIVE 1e-12
#define OPEN 1e-13    /* ridge: examples may leave a direction open */
#define MODEST 1e-2   /* ridge of weights that may be negative */
#define SIGNED_MOST 3 /* none of them is larger */
#define BESIDE 12u    /* surface nodes that a released node follows */

/* One node's problem and scratch; m candidates. */
typedef struct Fit {
  const SupDrivenVolume *volume;
  const SupRigspaceExamples *examples;
  double scale;
  bool exact_rest;
  uint32_t node, m;
  uint32_t *candidates; /* [m] surface nodes */
  double *gram;         /* [m * m] of the examples */
  double *rest;         /* [3 * m] X_i - X_j, m */
  double *part;         /* [m * m] of the subset, with the rest rows */
  double *products;     /* [m] zeros */
  double *kkt, *right;  /* [(m + 4)^2], [m + 4] */
  double *scratch;      /* of NNLS */
  double *weights;      /* [m] of the subset */
  uint32_t *subset;     /* [m] places among the candidates */
  double *old_weights;  /* [m] while the rest place is made exact */
  uint32_t *old_subset; /* [m] */
  double heavy;
} Fit;

/* ---- One fit -------------------------------------------------------------------------------- */

static void prepare(Fit *f) {
  const size_t nodes = f->examples->node_count;
  double trace = 0, rest_trace = 0;
  memset(f->gram, 0, (size_t)f->m * f->m * sizeof *f->gram);
  for (uint32_t e = 0; e < f->examples->count; e++) {
    const SupVec3d *x = &f->examples->nodes[e * nodes];
    for (uint32_t i = 0; i < f->m; i++) {
      const SupVec3d a = sup_vec3d_sub(x[f->candidates[i]], x[f->node]);
      for (uint32_t k = 0; k <= i; k++) {
        const SupVec3d b = sup_vec3d_sub(x[f->candidates[k]], x[f->node]);
        f->gram[i * f->m + k] += sup_vec3d_dot(a, b);
      }
    }
  }
  const SupVec3d at = f->volume->mesh.nodes[f->node];
  for (uint32_t i = 0; i < f->m; i++) {
    const SupVec3d d = sup_vec3d_sub(f->volume->mesh.nodes[f->candidates[i]], at);
    f->rest[3 * i] = f->scale * d.x;
    f->rest[3 * i + 1] = f->scale * d.y;
    f->rest[3 * i + 2] = f->scale * d.z;
    trace += f->gram[i * f->m + i];
    rest_trace += f->scale * f->scale * sup_vec3d_dot(d, d);
    for (uint32_t k = 0; k < i; k++) f->gram[k * f->m + i] = f->gram[i * f->m + k];
  }
  f->heavy = f->exact_rest && rest_trace > 0 ? HEAVY * fmax(trace, 1e-300) / rest_trace : 0;
}

/* |sum w (s - q)|^2 of the subset. */
static double residual_of(const Fit *f, uint32_t count) {
  double sum = 0;
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t k = 0; k < count; k++) {
      sum += f->weights[i] * f->weights[k] * f->gram[f->subset[i] * f->m + f->subset[k]];
    }
  }
  return fmax(sum, 0);
}

/* Takes entry i out of the subset. */
static void drop(Fit *f, uint32_t *io_count, uint32_t i) {
  --*io_count;
  memmove(&f->subset[i], &f->subset[i + 1], (*io_count - i) * sizeof *f->subset);
  memmove(&f->weights[i], &f->weights[i + 1], (*io_count - i) * sizeof *f->weights);
}

/* The weights of the subset with both equalities, in f->right; false where there are none. `ridge`
 * is added to the squares of the weights, in units of the examples' largest. */
static bool solve_exact(Fit *f, SupArena *arena, uint32_t count, double ridge) {
  const uint32_t n = count + 4;
  double largest = 0;
  memset(f->kkt, 0, (size_t)n * n * sizeof *f->kkt);
  memset(f->right, 0, n * sizeof *f->right);
  for (uint32_t i = 0; i < count; i++) largest = fmax(largest, f->gram[f->subset[i] * (f->m + 1)]);
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t k = 0; k < count; k++) {
      f->kkt[i * n + k] = f->gram[f->subset[i] * f->m + f->subset[k]] / largest;
    }
    f->kkt[i * n + i] += ridge;
    f->kkt[i * n + count] = f->kkt[count * n + i] = 1;
    for (uint32_t a = 0; a < 3; a++) {
      const double x = f->rest[3 * f->subset[i] + a] / sqrt(largest / f->examples->count);
      f->kkt[i * n + count + 1 + a] = f->kkt[(count + 1 + a) * n + i] = x;
    }
  }
  f->right[count] = 1;
  if (sup_dense_solve(arena, (int)n, 1, f->kkt, f->right, NULL) != SUP_OK) return false;
  for (uint32_t i = 0; i < count; i++) {
    if (!isfinite(f->right[i])) return false;
  }
  return true;
}

/* Makes the rest place exact on the support: solves, takes out what became negative, again. */
static bool polish(Fit *f, SupArena *arena, uint32_t *io_count) {
  while (*io_count >= 4) {
    if (!solve_exact(f, arena, *io_count, OPEN)) return false;
    uint32_t worst = 0;
    for (uint32_t i = 1; i < *io_count; i++) {
      if (f->right[i] < f->right[worst]) worst = i;
    }
    if (f->right[worst] >= -NEGATIVE) {
      for (uint32_t i = 0; i < *io_count; i++) f->weights[i] = fmax(f->right[i], 0);
      return true;
    }
    drop(f, io_count, worst);
  }
  return false;
}

/* How far the rest place is missed, in the mean distance of the candidates. */
static bool misses_rest(const Fit *f, uint32_t count) {
  double sum[3] = {0, 0, 0}, size = 0;
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t a = 0; a < 3; a++) {
      sum[a] += f->weights[i] * f->rest[3 * f->subset[i] + a];
      size += fabs(f->rest[3 * f->subset[i] + a]) / count;
    }
  }
  return fabs(sum[0]) + fabs(sum[1]) + fabs(sum[2]) > 1e-9 * size;
}

/* Fits the subset of *io_count; zeros are taken out of it. Returns the RMS error per example;
 * *out_missed says that the rest place is not exact. */
static double fit_subset(Fit *f, SupArena *arena, uint32_t *io_count, bool *out_missed) {
  const uint32_t count = *io_count;
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t k = 0; k < count; k++) {
      const double *a = &f->rest[3 * f->subset[i]], *b = &f->rest[3 * f->subset[k]];
      f->part[i * count + k] = f->gram[f->subset[i] * f->m + f->subset[k]] +
                               f->heavy * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
    }
  }
  const SupNnls problem = {count, f->part, f->products, 0, true};
  SupNnlsReport report;
  sup_nnls(&problem, f->weights, f->scratch, &report);
  for (uint32_t i = *io_count; i > 0; i--) {
    if (!(f->weights[i - 1] > 0)) drop(f, io_count, i - 1);
  }
  if (f->exact_rest) {
    const uint32_t before = *io_count;
    memcpy(f->old_weights, f->weights, before * sizeof *f->weights);
    memcpy(f->old_subset, f->subset, before * sizeof *f->subset);
    if (!polish(f, arena, io_count)) { /* outside the hull: as near as can be */
      memcpy(f->weights, f->old_weights, before * sizeof *f->weights);
      memcpy(f->subset, f->old_subset, before * sizeof *f->subset);
      *io_count = before;
    }
  }
  *out_missed = misses_rest(f, *io_count);
  return sqrt(residual_of(f, *io_count) / f->examples->count);
}

/* ---- One node ------------------------------------------------------------------------------- */

typedef struct Kept {
  uint32_t count;
  uint32_t *subset; /* [m] */
  double *weights;  /* [m] */
  double residual;
  bool missed;
} Kept;

static void keep(const Fit *f, uint32_t count, double residual, bool missed, Kept *out) {
  memcpy(out->subset, f->subset, count * sizeof *out->subset);
  memcpy(out->weights, f->weights, count * sizeof *out->weights);
  out->count = count;
  out->residual = residual;
  out->missed = missed;
}

/* Fits, sparsifies; *out_allowed is what the error may be. */
static void fit_node(Fit *f, SupArena *arena, const SupRigspaceFitDef *def, double tolerance,
                     Kept *best, double *out_allowed) {
  uint32_t count = f->m;
  bool missed;
  prepare(f);
  for (uint32_t i = 0; i < count; i++) f->subset[i] = i;
  double residual = fit_subset(f, arena, &count, &missed);
  keep(f, count, residual, missed, best);
  *out_allowed = fmax(tolerance, 1.5 * residual);
  while (!def->keep_all && best->count > def->least) {
    uint32_t least = 0;
    memcpy(f->subset, best->subset, best->count * sizeof *f->subset);
    memcpy(f->weights, best->weights, best->count * sizeof *f->weights);
    count = best->count;
    for (uint32_t i = 1; i < count; i++) {
      if (f->weights[i] < f->weights[least]) least = i;
    }
    drop(f, &count, least);
    residual = fit_subset(f, arena, &count, &missed);
    if (def->as_printed) keep(f, count, residual, missed, best);
    if (residual > *out_allowed || (missed && !best->missed)) return;
    keep(f, count, residual, missed, best);
  }
}

/* A boundary node that was released lies outside every hull that rays find. It follows the surface
 * beside it, by weights of any sign that are as small as the examples allow: exact at rest and for
 * affine maps like the others. Those in *best stay where there are none. */
static void follow_beside(Fit *f, SupArena *arena, Kept *best) {
  bool modest = f->m >= 4;
  prepare(f);
  for (uint32_t i = 0; i < f->m; i++) f->subset[i] = i;
  modest = modest && solve_exact(f, arena, f->m, MODEST);
  for (uint32_t i = 0; i < f->m && modest; i++) {
    modest = fabs(f->right[i]) <= SIGNED_MOST;
    f->weights[i] = f->right[i];
  }
  if (!modest || misses_rest(f, f->m)) return;
  keep(f, f->m, sqrt(residual_of(f, f->m) / f->examples->count), false, best);
}

/* ---- All nodes ------------------------------------------------------------------------------ */

static bool create_fit(SupArena *arena, uint32_t m, Fit *f, Kept *best) {
  const size_t n = (size_t)m + 4;
  f->candidates = SUP_ALLOC(arena, uint32_t, n);
  f->gram = SUP_ALLOC(arena, double, (size_t)m *m);
  f->rest = SUP_ALLOC(arena, double, 3 * n);
  f->part = SUP_ALLOC(arena, double, (size_t)m *m);
  f->products = SUP_ALLOC(arena, double, n);
  f->kkt = SUP_ALLOC(arena, double, n *n);
  f->right = SUP_ALLOC(arena, double, n);
  f->scratch = SUP_ALLOC(arena, double, sup_nnls_scratch(m));
  f->weights = SUP_ALLOC(arena, double, n);
  f->subset = SUP_ALLOC(arena, uint32_t, n);
  f->old_weights = SUP_ALLOC(arena, double, n);
  f->old_subset = SUP_ALLOC(arena, uint32_t, n);
  best->subset = SUP_ALLOC(arena, uint32_t, n);
  best->weights = SUP_ALLOC(arena, double, n);
  return f->candidates && f->gram && f->rest && f->part && f->products && f->kkt && f->right &&
         f->scratch && f->weights && f->subset && f->old_weights && f->old_subset && best->subset &&
         best->weights;
}

/* The output while it grows: room for all candidates of all nodes. */
typedef struct Rows {
  uint32_t *offsets, *nodes;
  double *weights;
} Rows;

typedef struct Whole {
  const SupDrivenVolume *volume;
  const SupRigspaceFitDef *def;
  double tolerance;
  uint32_t most; /* candidates */
  SupRigspaceAround around;
  double *distances;
  uint32_t *heap;
  uint32_t *seen; /* [most] candidates, while others are tried */
  SupArena loop;  /* emptied after every node */
} Whole;

static SupResult find_candidates(Whole *w, Fit *f, SupError *error) {
  if (w->def->candidates == SUP_RIGSPACE_RAYS) {
    f->m = sup_rigspace_rays(&w->around, f->node, w->most, f->candidates);
  } else {
    f->m = sup_rigspace_nearest(&w->around, f->node, w->most, w->distances, w->heap, f->candidates);
  }
  if (f->m > 0) return SUP_OK;
  return sup_fail(error, SUP_ERROR_NUMERIC, "node %u inside sees no surface", f->node);
}

static SupResult fit_all(Whole *w, Fit *f, Kept *best, Rows *rows, SupRigspaceFitReport *report,
                         SupError *error) {
  const uint32_t first = w->volume->surface_count, inside = w->volume->mesh.node_count - first;
  for (uint32_t j = 0; j < inside; j++) {
    double allowed;
    f->node = first + j;
    SupResult result = find_candidates(w, f, error);
    if (result != SUP_OK) return result;
    fit_node(f, &w->loop, w->def, w->tolerance, best, &allowed);
    if (best->missed && f->exact_rest && w->def->candidates == SUP_RIGSPACE_RAYS) {
      const uint32_t count = w->most < BESIDE ? w->most : BESIDE;
      memcpy(w->seen, f->candidates, f->m * sizeof *w->seen);
      f->m = sup_rigspace_nearest(&w->around, f->node, count, w->distances, w->heap, f->candidates);
      follow_beside(f, &w->loop, best);
      report->released += !best->missed;
      if (!best->missed) allowed = fmax(allowed, best->residual); /* sparse they are not */
      if (best->missed) memcpy(f->candidates, w->seen, w->most * sizeof *w->seen);
    }
    sup_arena_free(&w->loop);
    rows->offsets[j + 1] = rows->offsets[j] + best->count;
    for (uint32_t k = 0; k < best->count; k++) {
      rows->nodes[rows->offsets[j] + k] = f->candidates[best->subset[k]];
      rows->weights[rows->offsets[j] + k] = best->weights[k];
    }
    report->mean_count += (double)best->count / inside;
    report->residual_mean += best->residual / inside;
    report->residual_most = fmax(report->residual_most, best->residual);
    report->excess_most = fmax(report->excess_most, best->residual / allowed);
    report->outside += best->missed;
  }
  return SUP_OK;
}

static double diagonal(const SupDrivenVolume *volume) {
  SupVec3d low = volume->mesh.nodes[0], high = low;
  for (uint32_t n = 1; n < volume->mesh.node_count; n++) {
    const SupVec3d x = volume->mesh.nodes[n];
    low = (SupVec3d){fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z)};
    high = (SupVec3d){fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z)};
  }
  return sup_vec3d_distance(low, high);
}

SupResult sup_rigspace_fit(SupArena *arena, const SupDrivenVolume *volume, double scale,
                           const SupRigspaceExamples *examples, const SupRigspaceFitDef *def,
                           SupRigspaceWeights *out_weights, SupRigspaceFitReport *out_report,
                           SupError *error) {
  const uint32_t nodes = volume->mesh.node_count, inside = nodes - volume->surface_count;
  SupRigspaceFitDef whole_def = *def;
  if (whole_def.least == 0) whole_def.least = 4;
  Whole w = {.volume = volume, .def = &whole_def};
  w.most = def->candidate_count ? def->candidate_count : 20;
  if (w.most > SUP_RIGSPACE_CANDIDATES_MAX || examples->count == 0 ||
      examples->node_count != nodes) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "weights need examples of the volume's %u nodes and at most %u candidates",
                    nodes, SUP_RIGSPACE_CANDIDATES_MAX);
  }
  if (!(scale > 0)) scale = 1;
  w.tolerance = def->tolerance > 0 ? def->tolerance : 1e-3 * scale * diagonal(volume);
  SupArena scratch = sup_scratch(arena);
  w.loop = sup_scratch(arena);
  Fit fit = {.volume = volume, .examples = examples, .scale = scale, .exact_rest = !def->any_rest};
  Kept best = {0};
  SupRigspaceFitReport report = {0};
  Rows rows = {SUP_ALLOC(arena, uint32_t, (size_t)inside + 1),
               SUP_ALLOC(arena, uint32_t, (size_t)inside * w.most),
               SUP_ALLOC(arena, double, (size_t)inside *w.most)};
  w.distances = SUP_ALLOC(&scratch, double, nodes);
  w.heap = SUP_ALLOC(&scratch, uint32_t, nodes);
  w.seen = SUP_ALLOC(&scratch, uint32_t, w.most);
  SupResult result = SUP_OK;
  if (!rows.offsets || !rows.nodes || !rows.weights || !w.distances || !w.heap || !w.seen ||
      !create_fit(&scratch, w.most, &fit, &best)) {
    result = sup_fail_memory(error, "the weights");
  }
  for (uint32_t n = 0; result == SUP_OK && n < nodes; n++) w.distances[n] = INFINITY;
  if (result == SUP_OK) result = sup_rigspace_around_create(&scratch, volume, &w.around, error);
  if (result == SUP_OK) result = fit_all(&w, &fit, &best, &rows, &report, error);
  sup_arena_free(&w.loop);
  sup_arena_free(&scratch);
  if (result != SUP_OK) return result;
  *out_weights = (SupRigspaceWeights){inside, rows.offsets, rows.nodes, rows.weights};
  if (out_report) *out_report = report;
  return SUP_OK;
}
