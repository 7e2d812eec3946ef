/* SPDX-License-Identifier: MIT */
/* Boxes of tetrahedra for tests: every cell is split into six around its diagonal. */
#ifndef SUP_TESTS_SIM_BOXES_H
#define SUP_TESTS_SIM_BOXES_H

#include "check.h"
#include "numerics/sparse.h"
#include "supple/geom/tet.h"

typedef struct Box {
  SupTetMesh mesh;
  SupVec3d *nodes;
  uint32_t *tets;
  uint8_t *prescribed; /* zero at first */
} Box;

static inline uint32_t box_node(const int cells[3], int i, int j, int k) {
  return (uint32_t)((k * (cells[1] + 1) + j) * (cells[0] + 1) + i);
}

/* cells[3] cells over size[3] metres, one corner at the origin. */
static inline Box box_create(const int cells[3], const double size[3]) {
  Box box = {0};
  size_t nodes = (size_t)(cells[0] + 1) * (size_t)(cells[1] + 1) * (size_t)(cells[2] + 1);
  size_t tets = 6 * (size_t)cells[0] * (size_t)cells[1] * (size_t)cells[2];
  box.nodes = (SupVec3d *)calloc(nodes, sizeof *box.nodes);
  box.tets = (uint32_t *)calloc(4 * tets, sizeof *box.tets);
  box.prescribed = (uint8_t *)calloc(nodes, 1);
  assert_true(box.nodes && box.tets && box.prescribed);
  static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                   {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  uint32_t *t = box.tets;
  for (int k = 0; k <= cells[2]; k++) {
    for (int j = 0; j <= cells[1]; j++) {
      for (int i = 0; i <= cells[0]; i++) {
        box.nodes[box_node(cells, i, j, k)] =
            (SupVec3d){size[0] * i / cells[0], size[1] * j / cells[1], size[2] * k / cells[2]};
        if (i == cells[0] || j == cells[1] || k == cells[2]) continue;
        for (int o = 0; o < 6; o++, t += 4) {
          int at[3] = {i, j, k};
          t[0] = box_node(cells, at[0], at[1], at[2]);
          for (int step = 0; step < 3; step++) {
            at[orders[o][step]]++;
            t[1 + step] = box_node(cells, at[0], at[1], at[2]);
          }
          if (o >= 3) { /* odd permutations come out inverted */
            uint32_t swap = t[1];
            t[1] = t[2];
            t[2] = swap;
          }
        }
      }
    }
  }
  box.mesh = (SupTetMesh){(uint32_t)nodes, (uint32_t)tets, box.nodes, box.tets};
  return box;
}

static inline void box_free(Box *box) {
  free(box->nodes);
  free(box->tets);
  free(box->prescribed);
}

/* A random vector in a cube of this size around the origin. */
static inline SupVec3d noise(SupRng *rng, double size) {
  return (SupVec3d){size * (sup_rng_double(rng) - 0.5), size * (sup_rng_double(rng) - 0.5),
                    size * (sup_rng_double(rng) - 0.5)};
}

/* The matrix, of which the lower triangle is stored, times d. */
static inline void times_matrix(const SupSparse *m, const double *d, double *out) {
  for (uint32_t k = 0; k < m->size; k++) out[k] = 0;
  for (uint32_t c = 0; c < m->size; c++) {
    for (int64_t k = m->columns[c]; k < m->columns[c + 1]; k++) {
      uint32_t r = (uint32_t)m->rows[k];
      if (r < c) continue;
      out[r] += m->values[k] * d[c];
      if (r != c) out[c] += m->values[k] * d[r];
    }
  }
}

#endif
