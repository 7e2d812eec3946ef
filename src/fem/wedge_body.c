/* SPDX-License-Identifier: MIT */
/*
 * Stiffness, assembly and equilibrium of bodies of wedges.
 *
 * sup_wedge_stiffness holds the integral of B^T Lambda B of Guo 2007, Eq. 4.15 and 4.18, with the
 * shear rows as they have to be (GUO-E22), in the form that they take for an isotropic material:
 *
 *   K_ab = integral of mu (g_a . g_b I + g_b g_a^T) - 2/3 mu g_a g_b^T + k h_a h_b^T
 *
 * with the gradients g of the shape functions and the bulk modulus k = lambda + 2/3 mu; h is g or,
 * with an even volume, the mean of g over the wedge (B-bar, Hughes 1980).
 */
#include "fem/wedge_body.h"

#include <stdlib.h>

#include "base/scratch.h"
#include "base/union_find.h"

#define ELEMENT 324 /* 18 * 18 */

SupWedgeLaw sup_wedge_law(double young, double poisson) {
  return (SupWedgeLaw){.mu = young / (2 * (1 + poisson)),
                       .lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)),
                       .even_volume = poisson > SUP_WEDGE_EVEN_POISSON};
}

/* ---- One wedge ------------------------------------------------------------------------------ */

/* out += size (a b^T) as the block of nodes p and q. */
static void add_product(double *out, uint32_t p, uint32_t q, SupVec3d a, SupVec3d b, double size) {
  const double x[3] = {a.x, a.y, a.z}, y[3] = {b.x, b.y, b.z};
  for (uint32_t r = 0; r < 3; r++) {
    for (uint32_t c = 0; c < 3; c++) out[18 * (3 * p + r) + 3 * q + c] += size * x[r] * y[c];
  }
}

static void add_volume_part(double *out, const SupVec3d h[6], double size) {
  for (uint32_t p = 0; p < 6; p++) {
    for (uint32_t q = 0; q < 6; q++) add_product(out, p, q, h[p], h[q], size);
  }
}

static void add_shape_part(double *out, const SupVec3d g[6], double size) {
  for (uint32_t p = 0; p < 6; p++) {
    for (uint32_t q = 0; q < 6; q++) {
      const double dot = sup_vec3d_dot(g[p], g[q]);
      add_product(out, p, q, g[q], g[p], size);
      add_product(out, p, q, g[p], g[q], -2.0 / 3 * size);
      for (uint32_t k = 0; k < 3; k++) out[18 * (3 * p + k) + 3 * q + k] += size * dot;
    }
  }
}

typedef void PointAt(uint32_t k, double out_at[3]);

static void stiffness_by(const SupVec3d corners[6], const SupWedgeLaw *law, PointAt *point,
                         double *out) {
  const double bulk = law->lambda + 2.0 / 3 * law->mu;
  SupVec3d g[6], mean[6] = {{0, 0, 0}};
  double volume = 0;
  for (uint32_t k = 0; k < ELEMENT; k++) out[k] = 0;
  for (uint32_t i = 0; i < SUP_WEDGE_POINTS; i++) {
    double at[3];
    point(i, at);
    const double part = SUP_WEDGE_WEIGHT * sup_wedge_gradients(corners, at, g);
    add_shape_part(out, g, law->mu * part);
    if (!law->even_volume) add_volume_part(out, g, bulk * part);
    for (uint32_t k = 0; k < 6; k++) mean[k] = sup_vec3d_add_scaled(mean[k], g[k], part);
    volume += part;
  }
  if (!law->even_volume) return;
  for (uint32_t k = 0; k < 6; k++) mean[k] = sup_vec3d_scale(mean[k], 1 / volume);
  add_volume_part(out, mean, bulk * volume);
}

void sup_wedge_stiffness(const SupVec3d corners[6], const SupWedgeLaw *law, double *out) {
  stiffness_by(corners, law, sup_wedge_point, out);
}

/* Gauss points are half of the corners. */
static void node_at(uint32_t k, double out_at[3]) {
  sup_wedge_point(k, out_at);
  out_at[0] *= 2;
  out_at[1] *= 2;
  out_at[2] = k < 3 ? -1 : 1;
}

void sup_wedge_stiffness_nodal(const SupVec3d corners[6], const SupWedgeLaw *law, double *out) {
  stiffness_by(corners, law, node_at, out);
}

/* ---- All of them ---------------------------------------------------------------------------- */

static bool names_a_node_twice(const uint32_t *nodes) {
  for (uint32_t k = 1; k < 6; k++) {
    for (uint32_t i = 0; i < k; i++) {
      if (nodes[i] == nodes[k]) return true;
    }
  }
  return false;
}

static SupResult check_def(const SupWedgeBodyDef *def, SupError *error) {
  if (!(def->poisson > -1 && def->poisson < 0.5)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "chunk '%s': Poisson's ratio is %g; it must lie between -1 and 0.5; flesh has "
                    "0.4 to 0.49",
                    def->name, def->poisson);
  }
  for (uint32_t w = 0; w < def->mesh.wedge_count; w++) {
    SupVec3d corners[6];
    if (names_a_node_twice(def->mesh.wedges + 6 * (size_t)w)) {
      return sup_fail(error, SUP_ERROR_FORMAT, "chunk '%s': wedge %u names a node twice", def->name,
                      w);
    }
    sup_wedge_corners(&def->mesh, def->mesh.nodes, w, corners);
    if (!(sup_wedge_size(corners).least > 0)) {
      return sup_fail(error, SUP_ERROR_FORMAT, "chunk '%s': wedge %u is flat or inverted",
                      def->name, w);
    }
    if (def->stiffness && !(def->stiffness[w] > 0 && def->stiffness[w] < 1e30)) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "chunk '%s': the stiffness of wedge %u is %g; it must be above 0", def->name,
                      w, def->stiffness[w]);
    }
  }
  return SUP_OK;
}

/* One element's block of the matrix. */
typedef struct Block {
  uint32_t column, row; /* unknowns, row >= column */
  uint32_t wedge;
  uint8_t p, q; /* nodes of the wedge: of the row and of the column */
} Block;

static int compare_blocks(const void *left, const void *right) {
  const Block *a = left, *b = right;
  if (a->column != b->column) return a->column < b->column ? -1 : 1;
  if (a->row != b->row) return a->row < b->row ? -1 : 1;
  return a->wedge < b->wedge ? -1 : a->wedge > b->wedge;
}

/* The blocks of the lower triangle, in order. */
static Block *list_blocks(SupArena *arena, const SupWedgeBody *body, size_t *out_count) {
  Block *blocks = SUP_ALLOC(arena, Block, 21 * (size_t)body->mesh.wedge_count);
  size_t count = 0;
  if (!blocks) return NULL;
  for (uint32_t w = 0; w < body->mesh.wedge_count; w++) {
    const uint32_t *n = body->mesh.wedges + 6 * (size_t)w;
    for (uint8_t p = 0; p < 6; p++) {
      for (uint8_t q = 0; q < 6; q++) {
        const uint32_t row = body->unknowns[n[p]], column = body->unknowns[n[q]];
        if (row == SUP_NONE || column == SUP_NONE || row < column) continue;
        blocks[count++] = (Block){column, row, w, p, q};
      }
    }
  }
  qsort(blocks, count, sizeof *blocks, compare_blocks);
  *out_count = count;
  return blocks;
}

static bool same_place(const Block *a, const Block *b) {
  return a->column == b->column && a->row == b->row;
}

/* One column of the matrix: blocks[count] are those of its node. Returns the next free entry. */
static int64_t fill_column(const SupWedgeBody *body, const Block *blocks, size_t count, uint32_t c,
                           int64_t at, int64_t *rows) {
  for (size_t k = 0; k < count;) {
    size_t end = k;
    for (uint32_t r = 0; r < 3; r++) {
      double sum = 0;
      for (end = k; end < count && same_place(&blocks[end], &blocks[k]); end++) {
        const Block *b = &blocks[end];
        sum += body->elements[ELEMENT * (size_t)b->wedge + 18 * (3 * b->p + r) + 3 * b->q + c];
      }
      rows[at] = 3 * (int64_t)blocks[k].row + r;
      body->matrix.values[at++] = sum;
    }
    k = end;
  }
  return at;
}

static bool assemble(SupArena *arena, SupArena *scratch, SupWedgeBody *body) {
  size_t count = 0, distinct = 0;
  const Block *blocks = list_blocks(scratch, body, &count);
  if (!blocks) return false;
  for (size_t k = 0; k < count; k++) distinct += k == 0 || !same_place(&blocks[k], &blocks[k - 1]);
  int64_t *columns = SUP_ALLOC(arena, int64_t, 3 * (size_t)body->free_count + 1);
  int64_t *rows = SUP_ALLOC(arena, int64_t, 9 * distinct), at = 0;
  body->matrix = (SupSparse){.size = 3 * body->free_count,
                             .columns = columns,
                             .rows = rows,
                             .values = SUP_ALLOC(arena, double, 9 * distinct)};
  if (!columns || !rows || !body->matrix.values) return false;
  for (size_t k = 0; k < count;) {
    size_t end = k;
    while (end < count && blocks[end].column == blocks[k].column) end++;
    for (uint32_t c = 0; c < 3; c++) {
      columns[3 * (size_t)blocks[k].column + c] = at;
      at = fill_column(body, blocks + k, end - k, c, at, rows);
    }
    k = end;
  }
  columns[3 * (size_t)body->free_count] = at;
  return true;
}

static bool make_elements(SupArena *arena, const SupWedgeBodyDef *def, SupWedgeStiffness *stiffness,
                          SupWedgeBody *body) {
  double *elements = SUP_ALLOC(arena, double, ELEMENT *(size_t)def->mesh.wedge_count);
  if (!elements) return false;
  for (uint32_t w = 0; w < def->mesh.wedge_count; w++) {
    SupVec3d corners[6];
    const SupWedgeLaw law = sup_wedge_law(def->stiffness ? def->stiffness[w] : 1, def->poisson);
    sup_wedge_corners(&def->mesh, def->mesh.nodes, w, corners);
    stiffness(corners, &law, elements + ELEMENT * (size_t)w);
  }
  body->elements = elements;
  return true;
}

static bool number_nodes(SupArena *arena, SupWedgeBody *body) {
  uint32_t *unknowns = SUP_ALLOC(arena, uint32_t, body->mesh.node_count);
  if (!unknowns) return false;
  for (uint32_t v = 0; v < body->mesh.node_count; v++) {
    unknowns[v] = body->held[v] ? SUP_NONE : body->free_count++;
  }
  body->unknowns = unknowns;
  return true;
}

#define LEAST_HELD 3 /* nodes: a body held at two can still turn */

/* Whether all that hangs together is held. */
static SupResult check_held(SupArena *scratch, const SupWedgeBody *body, SupError *error) {
  const uint32_t count = body->mesh.node_count;
  uint32_t *parents = SUP_ALLOC(scratch, uint32_t, count);
  uint32_t *held = SUP_ALLOC(scratch, uint32_t, count);
  if (!parents || !held) return sup_fail_memory(error, NULL);
  sup_union_find_init(parents, count);
  for (uint32_t w = 0; w < body->mesh.wedge_count; w++) {
    const uint32_t *n = body->mesh.wedges + 6 * (size_t)w;
    for (uint32_t k = 1; k < 6; k++) sup_union_find_join(parents, n[0], n[k]);
  }
  for (uint32_t v = 0; v < count; v++) held[sup_union_find_root(parents, v)] += body->held[v] != 0;
  for (uint32_t v = 0; v < count; v++) {
    if (body->held[v] || held[sup_union_find_root(parents, v)] >= LEAST_HELD) continue;
    return sup_fail(error, SUP_ERROR_FORMAT, "a part of it is not held and could float away");
  }
  return SUP_OK;
}

static SupResult factor_body(SupWedgeBody *body, SupError *error) {
  if (body->free_count == 0) return SUP_OK;
  SupResult result = sup_cholesky_create(&body->matrix, &body->factor, error);
  if (result == SUP_OK) result = sup_cholesky_factor(body->factor, &body->matrix, error);
  return result;
}

SupResult sup_wedge_body_create(SupArena *arena, const SupWedgeBodyDef *def, SupWedgeBody *out_body,
                                SupError *error) {
  return sup_wedge_body_create_by(arena, def, sup_wedge_stiffness, out_body, error);
}

SupResult sup_wedge_body_create_by(SupArena *arena, const SupWedgeBodyDef *def,
                                   SupWedgeStiffness *stiffness, SupWedgeBody *out_body,
                                   SupError *error) {
  SupWedgeBody body = {.mesh = def->mesh, .held = def->held};
  SupResult result = check_def(def, error);
  if (result != SUP_OK) return result;
  SupArena scratch = sup_scratch(arena);
  result = check_held(&scratch, &body, error);
  if (result == SUP_OK &&
      (!number_nodes(arena, &body) || !make_elements(arena, def, stiffness, &body) ||
       !assemble(arena, &scratch, &body))) {
    result = sup_fail_memory(error, NULL);
  }
  sup_arena_free(&scratch);
  if (result == SUP_OK) result = factor_body(&body, error);
  if (result != SUP_OK && result != SUP_ERROR_MEMORY)
    sup_error_prefix(error, "chunk '%s'", def->name);
  if (result == SUP_OK) {
    *out_body = body;
  } else {
    sup_cholesky_free(body.factor);
  }
  return result;
}

void sup_wedge_body_free(SupWedgeBody *body) {
  sup_cholesky_free(body->factor);
  body->factor = NULL;
}

/* ---- Forces and equilibrium ----------------------------------------------------------------- */

static void add_forces(const double *element, const uint32_t *nodes, const double *displacements,
                       double *io_forces) {
  double d[18];
  for (uint32_t k = 0; k < 18; k++) d[k] = displacements[3 * (size_t)nodes[k / 3] + k % 3];
  for (uint32_t r = 0; r < 18; r++) {
    double sum = 0;
    for (uint32_t c = 0; c < 18; c++) sum += element[18 * r + c] * d[c];
    io_forces[3 * (size_t)nodes[r / 3] + r % 3] += sum;
  }
}

void sup_wedge_forces(const SupWedgeBody *body, const double *displacements, double *out_forces) {
  for (size_t k = 0; k < 3 * (size_t)body->mesh.node_count; k++) out_forces[k] = 0;
  for (uint32_t w = 0; w < body->mesh.wedge_count; w++) {
    add_forces(body->elements + ELEMENT * (size_t)w, body->mesh.wedges + 6 * (size_t)w,
               displacements, out_forces);
  }
}

/* What free nodes miss for their equilibrium while they are where they are at rest. */
static void right_side(const SupWedgeBody *body, const double *forces, const double *stiff,
                       double *out) {
  for (uint32_t v = 0; v < body->mesh.node_count; v++) {
    const uint32_t u = body->unknowns[v];
    for (uint32_t k = 0; k < 3 && u != SUP_NONE; k++) {
      out[3 * (size_t)u + k] = (forces ? forces[3 * (size_t)v + k] : 0) - stiff[3 * (size_t)v + k];
    }
  }
}

static void clear_free(const SupWedgeBody *body, double *io_displacements) {
  for (uint32_t v = 0; v < body->mesh.node_count; v++) {
    for (uint32_t k = 0; k < 3 && !body->held[v]; k++) io_displacements[3 * (size_t)v + k] = 0;
  }
}

SupResult sup_wedge_settle(SupArena *arena, const SupWedgeBody *body, const double *forces,
                           double *io_displacements, SupError *error) {
  SupArena scratch = sup_scratch(arena);
  SupResult result = SUP_OK;
  double *stiff = SUP_ALLOC(&scratch, double, 3 * (size_t)body->mesh.node_count);
  double *b = SUP_ALLOC(&scratch, double, 3 * (size_t)body->free_count);
  if (!stiff || !b) result = sup_fail_memory(error, NULL);
  if (result == SUP_OK && body->free_count) {
    clear_free(body, io_displacements);
    sup_wedge_forces(body, io_displacements, stiff);
    right_side(body, forces, stiff, b);
    result = sup_cholesky_solve(body->factor, b, b, error);
  }
  for (uint32_t v = 0; v < body->mesh.node_count && result == SUP_OK; v++) {
    const uint32_t u = body->unknowns[v];
    for (uint32_t k = 0; k < 3 && u != SUP_NONE; k++) {
      io_displacements[3 * (size_t)v + k] = b[3 * (size_t)u + k];
    }
  }
  sup_arena_free(&scratch);
  return result;
}
