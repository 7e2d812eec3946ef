/* SPDX-License-Identifier: MIT */
/*
 * Uniform and cotangent Laplacian (Pinkall, Polthier, "Computing discrete minimal surfaces and
 * their conjugates", 1993). Each row holds the ring with the diagonal at its place in the order.
 */
#include "supple/geom/laplacian.h"

#include "geom/corner.h"

#define COTANGENT_LIMIT 1e5

typedef struct Matrix {
  uint32_t *offsets;
  uint32_t *columns;
  double *values;
} Matrix;

static bool make_rows(SupArena *arena, const SupRings *rings, Matrix *m) {
  uint32_t n = rings->vertex_count;
  size_t count = (size_t)rings->offsets[n] + n;
  m->offsets = SUP_ALLOC(arena, uint32_t, (size_t)n + 1);
  m->columns = SUP_ALLOC(arena, uint32_t, count);
  m->values = SUP_ALLOC(arena, double, count);
  if (!m->offsets || !m->columns || !m->values) return false;
  uint32_t fill = 0;
  for (uint32_t v = 0; v < n; v++) {
    bool placed = false;
    m->offsets[v] = fill;
    for (uint32_t k = rings->offsets[v]; k < rings->offsets[v + 1]; k++) {
      uint32_t w = rings->neighbours[k];
      if (w > v && !placed) {
        m->columns[fill++] = v;
        placed = true;
      }
      m->columns[fill++] = w;
    }
    if (!placed) m->columns[fill++] = v;
  }
  m->offsets[n] = fill;
  return true;
}

/* The entry (row, column), which exists. */
static double *entry(const Matrix *m, uint32_t row, uint32_t column) {
  uint32_t low = m->offsets[row], high = m->offsets[row + 1];
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (m->columns[middle] <= column) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return &m->values[low];
}

static double cotangent(SupVec3d a, SupVec3d b, double limit) {
  double dot = sup_vec3d_dot(a, b), cross = sup_vec3d_length(sup_vec3d_cross(a, b));
  if (dot >= limit * cross) return dot > 0 ? limit : 0;
  if (dot <= -limit * cross) return -limit;
  return dot / cross;
}

/* Adds half the cotangent of every corner to the two entries of the opposite edge. */
static void add_cotangents(const SupMesh *mesh, double limit, const Matrix *m) {
  for (uint32_t f = 0; f < mesh->triangle_count; f++) {
    for (unsigned k = 0; k < 3; k++) {
      SupVec3d p = sup_mesh_corner(mesh, f, k);
      unsigned i = (k + 1) % 3, j = (k + 2) % 3;
      double weight = 0.5 * cotangent(sup_vec3d_sub(sup_mesh_corner(mesh, f, i), p),
                                      sup_vec3d_sub(sup_mesh_corner(mesh, f, j), p), limit);
      uint32_t a = mesh->triangles[3 * (size_t)f + i], b = mesh->triangles[3 * (size_t)f + j];
      *entry(m, a, b) += weight;
      *entry(m, b, a) += weight;
    }
  }
}

/* Turns weights into the matrix: signs, and the diagonal. */
static void finish_rows(const SupLaplacianDef *def, uint32_t vertex_count, const Matrix *m) {
  for (uint32_t v = 0; v < vertex_count; v++) {
    double sum = 0;
    for (uint32_t k = m->offsets[v]; k < m->offsets[v + 1]; k++) {
      if (m->columns[k] == v) continue;
      double weight = def->kind == SUP_LAPLACIAN_UNIFORM ? 1 : m->values[k];
      if (def->nonnegative && weight < 0) weight = 0;
      sum += weight;
      m->values[k] = 0 - weight;
    }
    *entry(m, v, v) = sum;
  }
}

SupResult sup_laplacian(SupArena *arena, const SupMesh *mesh, const SupRings *rings,
                        const SupLaplacianDef *def, SupLaplacian *out_laplacian, SupError *error) {
  Matrix m;
  double *mass = SUP_ALLOC(arena, double, mesh->vertex_count);
  if (!mass || !make_rows(arena, rings, &m)) return sup_fail_memory(error, "a Laplacian");
  double limit = def->cotangent_limit > 0 ? def->cotangent_limit : COTANGENT_LIMIT;
  if (def->kind == SUP_LAPLACIAN_COTANGENT) add_cotangents(mesh, limit, &m);
  finish_rows(def, mesh->vertex_count, &m);
  sup_vertex_areas(mesh, def->mass, mass);
  *out_laplacian = (SupLaplacian){mesh->vertex_count, m.offsets, m.columns, m.values, mass};
  return SUP_OK;
}
