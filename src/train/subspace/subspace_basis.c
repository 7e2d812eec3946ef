/* SPDX-License-Identifier: MIT */
/*
 * The scalar functions that flesh is moved by: the principal components of what vibration modes
 * (divided by their frequencies) and static shapes in poses do along each axis, and smooth weights
 * times x, y, z, 1, so that a region can move as a whole. Mass-orthonormal, and such that the
 * quadratic term is diagonal. A function is 0 at nodes that are held.
 */
#include <math.h>
#include <string.h>

#include "base/scratch.h"
#include "numerics/dense.h"
#include "numerics/eigen.h"
#include "train/subspace/subspace_parts.h"

#define INDEPENDENT 1e-7 /* of the largest eigenvalue of a Gram matrix */

static double mass_of(const SubspaceBody *body, uint32_t i) {
  return body->volume.body.masses[body->volume.body.free_nodes[i]];
}

static double mass_dot(const SubspaceBody *body, const double *f, const double *g) {
  double sum = 0;
  for (uint32_t i = 0; i < body->volume.body.free_count; i++) {
    sum += mass_of(body, i) * f[i] * g[i];
  }
  return sum;
}

/* ---- Where functions come from --------------------------------------------------------------- */

/* The components of the modes, columns[3 * mode_count * free_count]. */
static void mode_columns(const SubspaceBody *body, double *columns) {
  const size_t count = body->volume.body.free_count;
  for (uint32_t k = 0; k < body->volume.mode_count; k++) {
    const double scale = 1 / sqrt(body->volume.stiffness[k]);
    for (uint32_t i = 0; i < count; i++) {
      const SupVec3d u = modes_at_node(&body->volume, k, i);
      double *to = columns + 3 * (size_t)k * count + i;
      to[0] = scale * u.x, to[count] = scale * u.y, to[2 * count] = scale * u.z;
    }
  }
}

/* Modes and poses count the same. */
static void make_even(const SubspaceBody *body, double *columns, size_t count) {
  const size_t rows = body->volume.body.free_count;
  double sum = 0;
  for (size_t k = 0; k < count; k++) {
    sum += mass_dot(body, columns + k * rows, columns + k * rows);
  }
  const double scale = sum > 0 ? 1 / sqrt(sum) : 0;
  for (size_t k = 0; k < count * rows; k++) columns[k] *= scale;
}

/* The first `wanted` principal components of columns[count * free_count], into out. */
static SupResult components(SupArena *arena, const SubspaceBody *body, double *columns, int count,
                            uint32_t *io_wanted, double *out, SupError *error) {
  const uint32_t rows = body->volume.body.free_count;
  const int most = count < (int)rows ? count : (int)rows;
  double *singular = SUP_ALLOC(arena, double, (size_t)most);
  double *u = SUP_ALLOC(arena, double, (size_t)most *rows);
  double *vt = SUP_ALLOC(arena, double, (size_t)most *(size_t)count);
  if (!singular || !u || !vt) return sup_fail_memory(error, "subspace");
  for (size_t k = 0; k < (size_t)count * rows; k++) {
    columns[k] *= sqrt(mass_of(body, (uint32_t)(k % rows)));
  }
  SupResult result = sup_dense_svd(arena, (int)rows, count, columns, singular, u, vt, error);
  if (result) return result;
  if (*io_wanted > (uint32_t)most) *io_wanted = (uint32_t)most;
  for (size_t k = 0; k < (size_t)*io_wanted * rows; k++) {
    out[k] = u[k] / sqrt(mass_of(body, (uint32_t)(k % rows)));
  }
  return SUP_OK;
}

/* The smoothest functions times x, y, z, 1: out[4 * count * free_count]. */
static SupResult affine(SupArena *arena, const SubspaceBody *body, uint32_t count, double *out,
                        SupError *error) {
  const SupElastic *elastic = &body->volume.body;
  const size_t rows = elastic->free_count;
  SupSparse matrix;
  double *masses = SUP_ALLOC(arena, double, rows);
  double *values = SUP_ALLOC(arena, double, count);
  double *smooth = SUP_ALLOC(arena, double, count *rows);
  if (!masses || !values || !smooth) return sup_fail_memory(error, "subspace");
  for (uint32_t i = 0; i < rows; i++) masses[i] = mass_of(body, i);
  SupResult result = sup_subspace_matrix(arena, body, 0, &matrix, error);
  if (!result) result = sup_eigen_lowest(arena, &matrix, masses, count, values, smooth, error);
  if (result) return result;
  for (size_t k = 0; k < count; k++) {
    for (size_t i = 0; i < rows; i++) {
      const SupVec3d x = elastic->mesh.nodes[elastic->free_nodes[i]];
      const double f = smooth[k * rows + i], one = 0.3 * body->size;
      double *to = out + 4 * k * rows + i;
      to[0] = f * x.x, to[rows] = f * x.y, to[2 * rows] = f * x.z, to[3 * rows] = f * one;
    }
  }
  return SUP_OK;
}

/* ---- Orthonormal, diagonal ------------------------------------------------------------------- */

/* to[count * rows] = sum over k of mix[k of kept] times from. */
static void combine(size_t rows, uint32_t from_count, const double *from, uint32_t count,
                    const double *mix, double *to) {
  memset(to, 0, sizeof *to * count * rows);
  for (uint32_t k = 0; k < count; k++) {
    for (uint32_t j = 0; j < from_count; j++) {
      const double factor = mix[(size_t)k * from_count + j];
      for (size_t i = 0; i < rows; i++) to[k * rows + i] += factor * from[j * rows + i];
    }
  }
}

/* Mass-orthonormal functions of the same span, without what is nearly in the others'. */
static SupResult orthonormalise(SupArena *arena, const SubspaceBody *body, SubspaceFunctions *f,
                                SupError *error) {
  const uint32_t count = f->count;
  const size_t rows = body->volume.body.free_count;
  double *gram = SUP_ALLOC(arena, double, (size_t)count *count);
  double *values = SUP_ALLOC(arena, double, count);
  double *out = SUP_ALLOC(arena, double, count *rows);
  if (!gram || !values || !out) return sup_fail_memory(error, "subspace");
  for (uint32_t k = 0; k < count; k++) {
    const double length = sqrt(mass_dot(body, f->values + k * rows, f->values + k * rows));
    for (size_t i = 0; i < rows && length > 0; i++) f->values[k * rows + i] /= length;
  }
  for (uint32_t k = 0; k < count; k++) {
    for (uint32_t j = 0; j <= k; j++) {
      const double dot = mass_dot(body, f->values + k * rows, f->values + j * rows);
      gram[(size_t)k * count + j] = gram[(size_t)j * count + k] = dot;
    }
  }
  SupResult result = sup_dense_eig_symmetric((int)count, gram, values, error);
  if (result) return result;
  uint32_t first = 0;
  while (first < count && !(values[first] > INDEPENDENT * values[count - 1])) first++;
  for (uint32_t k = first; k < count; k++) {
    for (uint32_t j = 0; j < count; j++) gram[(size_t)k * count + j] /= sqrt(values[k]);
  }
  f->count = count - first;
  combine(rows, count, f->values, f->count, gram + (size_t)first * count, out);
  f->values = out;
  return SUP_OK;
}

static SupResult diagonalise(SupArena *arena, const SubspaceBody *body, SubspaceFunctions *f,
                             SupError *error) {
  const uint32_t count = f->count;
  const size_t rows = body->volume.body.free_count;
  double *form = SUP_ALLOC(arena, double, (size_t)count *count);
  double *applied = SUP_ALLOC(arena, double, rows);
  double *out = SUP_ALLOC(arena, double, count *rows);
  f->elastic = SUP_ALLOC(arena, double, count);
  if (!form || !applied || !out || !f->elastic) return sup_fail_memory(error, "subspace");
  for (uint32_t k = 0; k < count; k++) {
    memset(applied, 0, sizeof *applied * rows);
    sup_subspace_apply(body, f->values + k * rows, applied);
    for (uint32_t j = 0; j < count; j++) {
      double sum = 0;
      for (size_t i = 0; i < rows; i++) sum += applied[i] * f->values[j * rows + i];
      form[(size_t)k * count + j] = sum;
    }
  }
  SupResult result = sup_dense_eig_symmetric((int)count, form, f->elastic, error);
  if (result) return result;
  combine(rows, count, f->values, count, form, out);
  f->values = out;
  return SUP_OK;
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* The components that are asked for and the affine functions behind them. */
static SupResult gather(SupArena *arena, SubspaceBody *body, uint32_t affine_count,
                        SubspaceFunctions *out, uint32_t *out_poses, SupError *error) {
  const size_t rows = body->volume.body.free_count;
  const uint32_t modes = 3 * body->volume.mode_count;
  double *static_columns;
  SupResult result = sup_subspace_poses(arena, body, &static_columns, out_poses, error);
  if (result) return result;
  const size_t count = modes + 3 * (size_t)*out_poses;
  double *columns = SUP_ALLOC(arena, double, count *rows);
  if (!columns) return sup_fail_memory(error, "subspace");
  mode_columns(body, columns);
  make_even(body, columns, modes);
  make_even(body, static_columns, 3 * (size_t)*out_poses);
  memcpy(columns + modes * rows, static_columns, sizeof *columns * rows * 3 * (size_t)*out_poses);
  uint32_t wanted = body->def->function_count - 4 * affine_count;
  out->values = SUP_ALLOC(arena, double, body->def->function_count *rows);
  if (!out->values) return sup_fail_memory(error, "subspace");
  result = components(arena, body, columns, (int)count, &wanted, out->values, error);
  if (!result && affine_count > 0) {
    result = affine(arena, body, affine_count, out->values + wanted * rows, error);
  }
  out->count = wanted + 4 * affine_count;
  return result;
}

SupResult sup_subspace_basis(SupArena *arena, SubspaceBody *body, SubspaceFunctions *out,
                             uint32_t *out_poses, SupError *error) {
  SupArena scratch = sup_scratch(arena);
  const uint32_t most = body->volume.body.free_count;
  uint32_t affine_count = body->def->affine_count;
  if (4 * affine_count >= body->def->function_count) {
    affine_count = (body->def->function_count - 1) / 4;
  }
  if (affine_count >= most) affine_count = most - 1;
  SubspaceFunctions own = {0};
  SupResult result = gather(&scratch, body, affine_count, &own, out_poses, error);
  if (!result) result = orthonormalise(&scratch, body, &own, error);
  if (!result) result = diagonalise(&scratch, body, &own, error);
  if (!result) {
    out->count = own.count;
    out->values = SUP_COPY(arena, double, own.values, (size_t)own.count *most);
    out->elastic = SUP_COPY(arena, double, own.elastic, own.count);
    if (!out->values || !out->elastic) result = sup_fail_memory(error, "subspace");
  }
  sup_arena_free(&scratch);
  return result;
}
