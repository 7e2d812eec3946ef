/* SPDX-License-Identifier: MIT */
/*
 * Projections: what functions f_k and the bones' functions p (weight times x, y, z, 1) do to each
 * other through mass, clusters and the quadratic term A.
 *
 *   G_ck = sum_t s_t grad f_k / sum_t s_t         means over a cluster's elements by stiffness s_t,
 *                                                 so that sum_t s_t |F_t|^2 >= s_c |F_c|^2
 *   inertia_bones  sum_n m_n f_k(n) p(n)
 *   elastic_bones  A(f_k, p) - sum_c 2 rho s_c G_ck . G_cp
 *
 * A tie's end on the bones does not go with the nodes' weights but with its own.
 */
#include <math.h>
#include <string.h>

#include "base/scratch.h"
#include "numerics/dense.h"
#include "train/subspace/subspace_parts.h"

/* ---- An element ------------------------------------------------------------------------------ */

/* The gradient of function k in an element. */
static void gradient_of(const SubspaceBody *body, const double *f, uint32_t t, double out[3]) {
  const SupElastic *elastic = &body->volume.body;
  const double *g = body->gradient + 12 * (size_t)t;
  out[0] = out[1] = out[2] = 0;
  for (int a = 0; a < 4; a++) {
    const int32_t i = elastic->free_index[elastic->mesh.tets[4 * (size_t)t + (size_t)a]];
    for (int c = 0; c < 3 && i >= 0; c++) out[c] += f[i] * g[3 * a + c];
  }
}

/* Bones of an element and the gradients of their four functions; how many. */
#define MOST_BONES (4 * SUP_ATTACH_BONES)
typedef struct ElementBones {
  uint32_t count, bones[MOST_BONES];
  double gradients[MOST_BONES][4][3];
} ElementBones;

static uint32_t bone_row(ElementBones *e, uint32_t bone) {
  for (uint32_t k = 0; k < e->count; k++) {
    if (e->bones[k] == bone) return k;
  }
  memset(e->gradients[e->count], 0, sizeof *e->gradients);
  e->bones[e->count] = bone;
  return e->count++;
}

static void four_of(const SubspaceBody *body, uint32_t n, double out[4]) {
  const SupVec3d x = body->volume.fill.mesh.nodes[n];
  out[0] = x.x, out[1] = x.y, out[2] = x.z, out[3] = 1;
}

static void bones_of(const SubspaceBody *body, uint32_t t, ElementBones *e) {
  const SupAttachment *attachment = &body->volume.attachment;
  const double *g = body->gradient + 12 * (size_t)t;
  double four[4];
  e->count = 0;
  for (uint32_t a = 0; a < 4; a++) {
    const uint32_t n = body->volume.fill.mesh.tets[4 * (size_t)t + a];
    four_of(body, n, four);
    for (size_t k = SUP_ATTACH_BONES * (size_t)n; k < SUP_ATTACH_BONES * ((size_t)n + 1); k++) {
      const double weight = (double)attachment->weights[k];
      if (weight == 0) continue;
      const uint32_t row = bone_row(e, attachment->bones[k]);
      for (int f = 0; f < 4; f++) {
        for (int c = 0; c < 3; c++)
          e->gradients[row][f][c] += weight * four[f] * g[3 * a + (uint32_t)c];
      }
    }
  }
}

static double dot3(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- Sums over elements ---------------------------------------------------------------------- */

static void add_element(const SubspaceBody *body, const SubspaceFunctions *functions, uint32_t t,
                        uint32_t label, SubspaceTables *out) {
  const size_t rows = body->volume.body.free_count;
  const double shear = body->shear[t];
  ElementBones e;
  double g[3];
  bones_of(body, t, &e);
  out->shear[label] += shear;
  out->ratio[label] += shear * body->ratio[t];
  for (size_t r = 0; r < e.count; r++) {
    double *to = out->bone_gradients + 3 * ((size_t)label * out->fours + 4 * e.bones[r]);
    for (size_t i = 0; i < 12; i++) to[i] += shear * e.gradients[r][i / 3][i % 3];
  }
  for (size_t k = 0; k < out->functions; k++) {
    gradient_of(body, functions->values + k * rows, t, g);
    double *to = out->gradients + 3 * ((size_t)label * out->functions + k);
    for (int c = 0; c < 3; c++) to[c] += shear * g[c];
    out->preconditioner[k] += shear * (1 + body->ratio[t]) * dot3(g, g);
    for (size_t r = 0; r < e.count; r++) {
      for (size_t f = 0; f < 4; f++) {
        out->elastic_bones[k * out->fours + 4 * e.bones[r] + f] +=
            2 * body->def->rho * shear * dot3(g, e.gradients[r][f]);
      }
    }
  }
}

/* Sums become means, and the clusters' share of the quadratic term goes. */
static void finish_cluster(const SubspaceBody *body, size_t c, SubspaceTables *out) {
  const double shear = out->shear[c];
  double *g = out->gradients + 3 * c * out->functions;
  double *b = out->bone_gradients + 3 * c * out->fours;
  out->ratio[c] /= shear;
  for (size_t i = 0; i < 3 * (size_t)out->functions; i++) g[i] /= shear;
  for (size_t i = 0; i < 3 * (size_t)out->fours; i++) b[i] /= shear;
  for (size_t k = 0; k < out->functions; k++) {
    for (size_t p = 0; p < out->fours; p++) {
      out->elastic_bones[k * out->fours + p] -=
          2 * body->def->rho * shear * dot3(g + 3 * k, b + 3 * p);
    }
  }
}

/* ---- Ties and masses ------------------------------------------------------------------------- */

/* A tie pulls with its stretch: the bones' functions at its nodes less those at its own end. */
static void add_tie(const SubspaceBody *body, const SubspaceFunctions *functions, uint32_t index,
                    double *pull, SubspaceTables *out) {
  const SupElastic *elastic = &body->volume.body;
  const SupAttachment *attachment = &body->volume.attachment;
  const SupTie *tie = &body->ties.ties[index];
  const double stiffness = body->tuning * body->ties.stiffness[index];
  const double end[4] = {tie->point.x, tie->point.y, tie->point.z, 1};
  const uint32_t *nodes = elastic->mesh.tets + 4 * (size_t)tie->tet;
  double four[4];
  memset(pull, 0, sizeof *pull * out->fours);
  for (size_t a = 0; a < 4; a++) {
    four_of(body, nodes[a], four);
    for (size_t k = SUP_ATTACH_BONES * (size_t)nodes[a], j = 0; j < SUP_ATTACH_BONES; j++) {
      for (size_t f = 0; f < 4; f++) {
        pull[4 * attachment->bones[k + j] + f] +=
            tie->corners[a] * (double)attachment->weights[k + j] * four[f];
      }
    }
  }
  for (size_t j = 0; j < SUP_ATTACH_BONES; j++) {
    for (size_t f = 0; f < 4; f++) {
      pull[4 * tie->bones[j] + f] -= (double)tie->weights[j] * end[f];
    }
  }
  for (size_t k = 0; k < out->functions; k++) {
    double at = 0;
    for (size_t a = 0; a < 4; a++) {
      const int32_t i = elastic->free_index[nodes[a]];
      if (i >= 0) at += tie->corners[a] * functions->values[k * elastic->free_count + (size_t)i];
    }
    out->preconditioner[k] += stiffness * at * at;
    for (size_t p = 0; p < out->fours; p++) {
      out->elastic_bones[k * out->fours + p] += stiffness * at * pull[p];
    }
  }
}

static void add_masses(const SubspaceBody *body, const SubspaceFunctions *functions,
                       SubspaceTables *out) {
  const SupElastic *elastic = &body->volume.body;
  const SupAttachment *attachment = &body->volume.attachment;
  double four[4];
  for (size_t i = 0; i < elastic->free_count; i++) {
    const uint32_t n = elastic->free_nodes[i];
    four_of(body, n, four);
    for (size_t k = 0; k < out->functions; k++) {
      const double mass = elastic->masses[n] * functions->values[k * elastic->free_count + i];
      out->weight[k] += mass;
      for (size_t j = 0; j < SUP_ATTACH_BONES; j++) {
        const size_t at = SUP_ATTACH_BONES * (size_t)n + j;
        double *to = out->inertia_bones + k * out->fours + 4 * attachment->bones[at];
        for (size_t f = 0; f < 4; f++) to[f] += mass * (double)attachment->weights[at] * four[f];
      }
    }
  }
}

static bool reserve(SupArena *arena, SubspaceTables *t) {
  const size_t k = t->functions, r = t->clusters, fours = t->fours;
  t->gradients = SUP_ALLOC(arena, double, r *k * 3);
  t->bone_gradients = SUP_ALLOC(arena, double, r *fours * 3);
  t->shear = SUP_ALLOC(arena, double, r);
  t->ratio = SUP_ALLOC(arena, double, r);
  t->elastic = SUP_ALLOC(arena, double, k);
  t->preconditioner = SUP_ALLOC(arena, double, k);
  t->weight = SUP_ALLOC(arena, double, k);
  t->inertia_bones = SUP_ALLOC(arena, double, k *fours);
  t->elastic_bones = SUP_ALLOC(arena, double, k *fours);
  return t->gradients && t->bone_gradients && t->shear && t->ratio && t->elastic &&
         t->preconditioner && t->weight && t->inertia_bones && t->elastic_bones;
}

SupResult sup_subspace_tables(SupArena *arena, const SubspaceBody *body,
                              const SubspaceFunctions *functions, const uint32_t *labels,
                              uint32_t clusters, SubspaceTables *out, SupError *error) {
  const SupElastic *elastic = &body->volume.body;
  *out = (SubspaceTables){
      .functions = functions->count, .clusters = clusters, .fours = 4 * body->bones};
  double *pull = SUP_ALLOC(arena, double, out->fours);
  if (!pull || !reserve(arena, out)) return sup_fail_memory(error, "subspace");
  for (uint32_t i = 0; i < elastic->active_count; i++) {
    const uint32_t t = elastic->active[i];
    if (labels[t] != SUP_NONE) add_element(body, functions, t, labels[t], out);
  }
  for (size_t c = 0; c < clusters; c++) finish_cluster(body, c, out);
  for (uint32_t k = 0; k < body->ties.count; k++) add_tie(body, functions, k, pull, out);
  add_masses(body, functions, out);
  memcpy(out->elastic, functions->elastic, sizeof *out->elastic * functions->count);
  return SUP_OK;
}

/* ---- Frequencies ----------------------------------------------------------------------------- */

/* The second derivative at rest of the energy that the run time minimises. */
static void second_derivative(const SubspaceTables *t, double rho, double *out) {
  const size_t count = t->functions, n = 3 * count;
  for (size_t c = 0; c < t->clusters; c++) {
    const double *g = t->gradients + 3 * c * count, s = t->shear[c], volume = t->ratio[c] - 1;
    for (size_t k = 0; k < count; k++) {
      for (size_t l = 0; l < count; l++) {
        const double *a = g + 3 * k, *b = g + 3 * l, same = (1 - 2 * rho) * dot3(a, b);
        for (size_t i = 0; i < 3; i++) {
          for (size_t j = 0; j < 3; j++) {
            out[(i * count + k) * n + j * count + l] +=
                s * (a[j] * b[i] + volume * a[i] * b[j] + (i == j ? same : 0));
          }
        }
      }
    }
  }
  for (size_t i = 0; i < n; i++) out[i * n + i] += t->elastic[i % count];
}

SupResult sup_subspace_frequencies(SupArena *arena, const SubspaceTables *tables, double rho,
                                   uint32_t count, double *out, SupError *error) {
  const size_t n = 3 * (size_t)tables->functions;
  SupArena scratch = sup_scratch(arena);
  double *form = SUP_ALLOC(&scratch, double, n *n);
  double *values = SUP_ALLOC(&scratch, double, n);
  SupResult result = SUP_OK;
  if (!form || !values) result = sup_fail_memory(error, "subspace");
  if (!result) {
    second_derivative(tables, rho, form);
    result = sup_dense_eig_symmetric((int)n, form, values, error);
  }
  for (uint32_t k = 0; k < count && !result; k++) {
    if (!(values[k] > 0)) {
      result = sup_fail(error, SUP_ERROR_NUMERIC, "the reduced flesh is not stable at rest");
    } else {
      out[k] = sqrt(values[k]);
    }
  }
  sup_arena_free(&scratch);
  return result;
}

void sup_subspace_scale(SubspaceTables *t, double factor) {
  for (size_t k = 0; k < t->functions; k++) {
    t->elastic[k] *= factor;
    t->preconditioner[k] *= factor;
  }
  for (size_t c = 0; c < t->clusters; c++) t->shear[c] *= factor;
  for (size_t k = 0; k < (size_t)t->functions * t->fours; k++) t->elastic_bones[k] *= factor;
}
