/* SPDX-License-Identifier: MIT */
/*
 * The elastic volume as scalar functions see it: its quadratic term is the same on every axis,
 *
 *   A(f, g) = sum_t 2 rho mu_t V_t grad f . grad g + sum of ties k f(p) g(p).
 */
#include <math.h>
#include <string.h>

#include "train/subspace/subspace_parts.h"

static double box(const SupTetMesh *mesh) {
  SupVec3d low = mesh->nodes[0], high = low;
  for (uint32_t n = 1; n < mesh->node_count; n++) {
    const SupVec3d x = mesh->nodes[n];
    low = (SupVec3d){fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z)};
    high = (SupVec3d){fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z)};
  }
  return sup_vec3d_distance(low, high);
}

/* Rows of the inverse edge matrix are the gradients of corners 1, 2, 3. */
static void element(const SupElastic *elastic, uint32_t t, double out[12]) {
  for (int c = 0; c < 3; c++) {
    out[c] = 0;
    for (int a = 1; a < 4; a++) {
      out[3 * a + c] = elastic->shape[t].m[3 * c + a - 1];
      out[c] -= out[3 * a + c];
    }
  }
}

static SupModesTrainDef modes_def(const SupSubspaceTrainDef *def) {
  SupModesTrainDef modes = sup_modes_train_def(def->character);
  modes.mode_count = def->mode_count;
  modes.fewer = true;
  modes.unit = def->unit;
  modes.material = def->material;
  modes.bone_materials = def->bone_materials;
  modes.vertex_stiffness = def->vertex_stiffness;
  modes.bone_stiffness = def->bone_stiffness;
  modes.fill = def->fill;
  modes.volume = def->volume;
  modes.attach = def->attach;
  modes.jobs = def->jobs;
  return modes;
}

static SupResult fill(SupArena *arena, SubspaceBody *body, SupModesTrainReport *report,
                      SupError *error) {
  const SupModesTrainDef modes = modes_def(body->def);
  SupResult result = sup_modes_volume(arena, &modes, &body->volume, report, error);
  if (result) return result;
  return sup_ties_create(arena, &body->volume.attachment, &body->volume.body, body->volume.scale,
                         &body->ties, error);
}

SupResult sup_subspace_body(SupArena *arena, SubspaceBody *body, SupFillReport *out_fill,
                            SupAttachReport *out_attach, SupError *error) {
  SupModesTrainReport report = {0};
  SupResult result = fill(arena, body, &report, error);
  if (result) return result;
  *out_fill = report.fill;
  *out_attach = report.attach;
  const SupElastic *elastic = &body->volume.body;
  const size_t tets = elastic->mesh.tet_count;
  const double wanted = 2 * SUP_PI * body->def->frequency;
  body->bones = body->def->character->skeleton.bone_count;
  body->tuning = wanted > 0 ? wanted * wanted / body->volume.stiffness[0] : 1;
  body->size = box(&elastic->mesh);
  body->gradient = SUP_ALLOC(arena, double, 12 * tets);
  body->shear = SUP_ALLOC(arena, double, tets);
  body->ratio = SUP_ALLOC(arena, double, tets);
  if (!body->gradient || !body->shear || !body->ratio) return sup_fail_memory(error, "subspace");
  for (uint32_t i = 0; i < elastic->active_count; i++) {
    const uint32_t t = elastic->active[i];
    double mu, lambda;
    sup_law_lame(&elastic->laws[t], &mu, &lambda);
    element(elastic, t, body->gradient + 12 * (size_t)t);
    body->shear[t] = body->tuning * mu * elastic->volumes[t];
    body->ratio[t] = 1 + lambda / mu;
  }
  for (uint32_t i = 0; i < elastic->free_count; i++) {
    body->mass += elastic->masses[elastic->free_nodes[i]];
  }
  return SUP_OK;
}

/* ---- The quadratic term ---------------------------------------------------------------------- */

/* The 4 x 4 block of an element. */
static void element_block(const SubspaceBody *body, uint32_t t, double out[16]) {
  const double *g = body->gradient + 12 * (size_t)t;
  const double factor = 2 * body->def->rho * body->shear[t];
  for (int a = 0; a < 4; a++) {
    for (int b = 0; b < 4; b++) {
      out[4 * a + b] = factor * (g[3 * a] * g[3 * b] + g[3 * a + 1] * g[3 * b + 1] +
                                 g[3 * a + 2] * g[3 * b + 2]);
    }
  }
}

static void tie_block(const SubspaceBody *body, uint32_t k, double out[16]) {
  const double *corners = body->ties.ties[k].corners;
  const double stiffness = body->tuning * body->ties.stiffness[k];
  for (int i = 0; i < 16; i++) out[i] = stiffness * corners[i / 4] * corners[i % 4];
}

static void apply_block(const SupElastic *elastic, uint32_t t, const double block[16],
                        const double *f, double *io_out) {
  const uint32_t *nodes = elastic->mesh.tets + 4 * (size_t)t;
  for (int a = 0; a < 4; a++) {
    const int32_t i = elastic->free_index[nodes[a]];
    for (int b = 0; b < 4 && i >= 0; b++) {
      const int32_t j = elastic->free_index[nodes[b]];
      if (j >= 0) io_out[i] += block[4 * a + b] * f[j];
    }
  }
}

void sup_subspace_apply(const SubspaceBody *body, const double *f, double *io_out) {
  const SupElastic *elastic = &body->volume.body;
  double block[16];
  for (uint32_t i = 0; i < elastic->active_count; i++) {
    element_block(body, elastic->active[i], block);
    apply_block(elastic, elastic->active[i], block, f, io_out);
  }
  for (uint32_t k = 0; k < body->ties.count; k++) {
    tie_block(body, k, block);
    apply_block(elastic, body->ties.ties[k].tet, block, f, io_out);
  }
}

/* ---- The same as a matrix -------------------------------------------------------------------- */

/* One column and one row of three of the body's matrix. */
static SupResult pattern(SupArena *arena, const SupSparse *whole, SupSparse *out, SupError *error) {
  const uint32_t size = whole->size / 3;
  int64_t *columns = SUP_ALLOC(arena, int64_t, size + 1);
  int64_t *rows = SUP_ALLOC(arena, int64_t, (size_t)whole->columns[whole->size]);
  if (!columns || !rows) return sup_fail_memory(error, "subspace");
  int64_t count = 0;
  for (uint32_t j = 0; j < size; j++) {
    for (int64_t p = whole->columns[3 * j]; p < whole->columns[3 * j + 1]; p++) {
      if (whole->rows[p] % 3 == 0) rows[count++] = whole->rows[p] / 3;
    }
    columns[j + 1] = count;
  }
  double *values = SUP_ALLOC(arena, double, (size_t)count);
  *out = (SupSparse){size, columns, rows, values};
  return values ? SUP_OK : sup_fail_memory(error, "subspace");
}

static void add_entry(SupSparse *matrix, int32_t i, int32_t j, double value) {
  int64_t low = matrix->columns[j], high = matrix->columns[j + 1];
  while (low + 1 < high) {
    const int64_t middle = (low + high) / 2;
    if (matrix->rows[middle] <= i) {
      low = middle;
    } else {
      high = middle;
    }
  }
  if (matrix->rows[low] == i) matrix->values[low] += value;
}

static void add_block(const SupElastic *elastic, uint32_t t, const double block[16],
                      SupSparse *matrix) {
  const uint32_t *nodes = elastic->mesh.tets + 4 * (size_t)t;
  for (int a = 0; a < 4; a++) {
    const int32_t i = elastic->free_index[nodes[a]];
    for (int b = 0; b < 4; b++) {
      const int32_t j = elastic->free_index[nodes[b]];
      if (j >= 0 && i >= j) add_entry(matrix, i, j, block[4 * a + b]);
    }
  }
}

SupResult sup_subspace_matrix(SupArena *arena, const SubspaceBody *body, double shift,
                              SupSparse *out, SupError *error) {
  const SupElastic *elastic = &body->volume.body;
  SupResult result = pattern(arena, &elastic->matrix, out, error);
  if (result) return result;
  double block[16];
  for (uint32_t i = 0; i < elastic->active_count; i++) {
    element_block(body, elastic->active[i], block);
    add_block(elastic, elastic->active[i], block, out);
  }
  for (uint32_t k = 0; k < body->ties.count; k++) {
    tie_block(body, k, block);
    add_block(elastic, body->ties.ties[k].tet, block, out);
  }
  for (uint32_t i = 0; i < elastic->free_count; i++) {
    add_entry(out, (int32_t)i, (int32_t)i, shift * elastic->masses[elastic->free_nodes[i]]);
  }
  return SUP_OK;
}
