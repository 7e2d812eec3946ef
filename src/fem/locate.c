/* SPDX-License-Identifier: MIT */
/* Point location by a uniform grid. */
#include "fem/locate.h"

#include <math.h>

/* Barycentric coordinates that are less negative than this count as inside. */
#define BORDER 1e-9
/* Cells along an axis at most. */
#define CELLS_MOST 256

typedef struct TetBox {
  uint32_t low[3], high[3]; /* cells, both included */
} TetBox;

static uint32_t cell_along(const SupLocator *l, double x, double low, int axis) {
  const double at = floor((x - low) / l->cell);
  return at < 0 ? 0 : at >= l->size[axis] ? l->size[axis] - 1 : (uint32_t)at;
}

static TetBox box_of(const SupLocator *l, uint32_t tet) {
  SupVec3d low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
  for (uint32_t a = 0; a < 4; a++) {
    const SupVec3d p = l->mesh.nodes[l->mesh.tets[4 * (size_t)tet + a]];
    low = (SupVec3d){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
    high = (SupVec3d){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
  }
  return (TetBox){{cell_along(l, low.x, l->low.x, 0), cell_along(l, low.y, l->low.y, 1),
                   cell_along(l, low.z, l->low.z, 2)},
                  {cell_along(l, high.x, l->low.x, 0), cell_along(l, high.y, l->low.y, 1),
                   cell_along(l, high.z, l->low.z, 2)}};
}

static size_t cell_index(const SupLocator *l, uint32_t i, uint32_t j, uint32_t k) {
  return ((size_t)k * l->size[1] + j) * l->size[0] + i;
}

/* Counts tetrahedra per cell into counts[cell + 1], or with `tets` puts them there. */
static void visit_cells(const SupLocator *l, uint32_t *counts, uint32_t *tets) {
  for (uint32_t t = 0; t < l->mesh.tet_count; t++) {
    const TetBox box = box_of(l, t);
    for (uint32_t k = box.low[2]; k <= box.high[2]; k++) {
      for (uint32_t j = box.low[1]; j <= box.high[1]; j++) {
        for (uint32_t i = box.low[0]; i <= box.high[0]; i++) {
          uint32_t *count = &counts[cell_index(l, i, j, k) + 1];
          if (tets) tets[*count] = t;
          (*count)++;
        }
      }
    }
  }
}

static void choose_grid(SupLocator *l, double edge) {
  SupVec3d low = l->mesh.nodes[0], high = low;
  for (uint32_t n = 1; n < l->mesh.node_count; n++) {
    const SupVec3d p = l->mesh.nodes[n];
    low = (SupVec3d){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
    high = (SupVec3d){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
  }
  const double span[3] = {high.x - low.x, high.y - low.y, high.z - low.z};
  l->low = low;
  l->cell = fmax(edge, fmax(span[0], fmax(span[1], span[2])) / CELLS_MOST);
  for (int a = 0; a < 3; a++) l->size[a] = 1 + (uint32_t)(span[a] / l->cell);
}

SupResult sup_locator_create(SupArena *arena, const SupTetMesh *mesh, double edge,
                             SupLocator *out_locator, SupError *error) {
  SupLocator l = {.mesh = *mesh};
  choose_grid(&l, edge);
  const size_t cells = (size_t)l.size[0] * l.size[1] * l.size[2];
  /* Counted one cell late: a second pass that fills leaves every start where it belongs. */
  uint32_t *offsets = SUP_ALLOC(arena, uint32_t, cells + 2);
  if (!offsets) return sup_fail_memory(error, "finding tetrahedra");
  visit_cells(&l, offsets + 1, NULL);
  for (size_t c = 1; c < cells + 2; c++) offsets[c] += offsets[c - 1];
  uint32_t *tets = SUP_ALLOC(arena, uint32_t, offsets[cells + 1]);
  if (!tets) return sup_fail_memory(error, "finding tetrahedra");
  visit_cells(&l, offsets, tets);
  l.offsets = offsets;
  l.tets = tets;
  *out_locator = l;
  return SUP_OK;
}

void sup_tet_coordinates(const SupTetMesh *mesh, uint32_t tet, SupVec3d point, double out[4]) {
  const uint32_t *n = mesh->tets + 4 * (size_t)tet;
  const SupVec3d x0 = mesh->nodes[n[0]], e = sup_vec3d_sub(point, x0);
  SupVec3d d[3];
  for (int k = 0; k < 3; k++) d[k] = sup_vec3d_sub(mesh->nodes[n[k + 1]], x0);
  const double volume = sup_vec3d_dot(d[0], sup_vec3d_cross(d[1], d[2]));
  out[1] = sup_vec3d_dot(e, sup_vec3d_cross(d[1], d[2])) / volume;
  out[2] = sup_vec3d_dot(e, sup_vec3d_cross(d[2], d[0])) / volume;
  out[3] = sup_vec3d_dot(e, sup_vec3d_cross(d[0], d[1])) / volume;
  out[0] = 1 - out[1] - out[2] - out[3];
}

uint32_t sup_locate(const SupLocator *l, SupVec3d point, uint32_t most, uint32_t *out_tets) {
  uint32_t count = 0;
  const size_t cell =
      cell_index(l, cell_along(l, point.x, l->low.x, 0), cell_along(l, point.y, l->low.y, 1),
                 cell_along(l, point.z, l->low.z, 2));
  for (uint32_t k = l->offsets[cell]; k < l->offsets[cell + 1] && count < most; k++) {
    double c[4];
    sup_tet_coordinates(&l->mesh, l->tets[k], point, c);
    if (c[0] >= -BORDER && c[1] >= -BORDER && c[2] >= -BORDER && c[3] >= -BORDER) {
      out_tets[count++] = l->tets[k];
    }
  }
  return count;
}
