/* SPDX-License-Identifier: MIT */
/*
 * Condensation of bodies of wedges.
 *
 * Guo 2007, Eq. 4.21 inverts two dense matrices. Here the free block is factored once, sparse, and
 * solved for one right side per number of a group; the rows of kept nodes are A. Right sides come
 * BATCH at a time, so that their memory does not grow with the number of groups.
 */
#include "fem/wedge_condense.h"

#include "base/scratch.h"

#define BATCH 32

void sup_holds_move(const SupHolds *holds, uint32_t node_count, const double *numbers,
                    double *out_displacements) {
  for (size_t k = 0; k < 3 * (size_t)node_count; k++) out_displacements[k] = 0;
  for (uint32_t h = 0; h < holds->hold_count; h++) {
    const SupHold *hold = &holds->holds[h];
    const double *n = numbers + holds->columns[hold->group];
    double *d = out_displacements + 3 * (size_t)hold->node;
    for (uint32_t k = 0; k < 3; k++) {
      double move = n[k];
      if (holds->kinds[hold->group] == SUP_HOLD_AFFINE) {
        move += n[3 + k] * hold->at.x + n[6 + k] * hold->at.y + n[9 + k] * hold->at.z;
      }
      d[k] += hold->weight * move;
    }
  }
}

typedef struct Condensing {
  const SupWedgeBody *body;
  const SupHolds *holds;
  uint32_t column_count;
  double *numbers;       /* [column_count] */
  double *displacements; /* [3 * node_count * BATCH] */
  double *forces;        /* [3 * node_count] */
  double *right;         /* [3 * free_count * BATCH] */
} Condensing;

/* The right side of one number alone. */
static void prepare_column(Condensing *c, uint32_t column, uint32_t place) {
  const SupWedgeBody *body = c->body;
  double *d = c->displacements + 3 * (size_t)body->mesh.node_count * place;
  double *b = c->right + 3 * (size_t)body->free_count * place;
  c->numbers[column] = 1;
  sup_holds_move(c->holds, body->mesh.node_count, c->numbers, d);
  c->numbers[column] = 0;
  sup_wedge_forces(body, d, c->forces);
  for (uint32_t v = 0; v < body->mesh.node_count; v++) {
    const uint32_t u = body->unknowns[v];
    for (uint32_t k = 0; k < 3 && u != SUP_NONE; k++) {
      b[3 * (size_t)u + k] = -c->forces[3 * (size_t)v + k];
    }
  }
}

/* A column of A. */
static void keep_column(const Condensing *c, uint32_t column, uint32_t place, uint32_t kept_count,
                        const uint32_t *kept, double *map) {
  const SupWedgeBody *body = c->body;
  const double *d = c->displacements + 3 * (size_t)body->mesh.node_count * place;
  const double *x = c->right + 3 * (size_t)body->free_count * place;
  for (uint32_t i = 0; i < kept_count; i++) {
    const uint32_t u = body->unknowns[kept[i]];
    const double *from = u == SUP_NONE ? d + 3 * (size_t)kept[i] : x + 3 * (size_t)u;
    for (uint32_t k = 0; k < 3; k++) {
      map[(3 * (size_t)i + k) * c->column_count + column] = from[k];
    }
  }
}

static SupResult condense(Condensing *c, uint32_t kept_count, const uint32_t *kept, double *map,
                          SupError *error) {
  SupResult result = SUP_OK;
  for (uint32_t first = 0; first < c->column_count && result == SUP_OK; first += BATCH) {
    const uint32_t left = c->column_count - first, count = left < BATCH ? left : BATCH;
    for (uint32_t k = 0; k < count; k++) prepare_column(c, first + k, k);
    if (c->body->free_count) {
      result = sup_cholesky_solve_many(c->body->factor, count, c->right, c->right, error);
    }
    for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
      keep_column(c, first + k, k, kept_count, kept, map);
    }
  }
  return result;
}

SupResult sup_wedge_condense(SupArena *arena, const SupWedgeBody *body, const SupHolds *holds,
                             uint32_t kept_count, const uint32_t *kept, SupCondensed *out_condensed,
                             SupError *error) {
  const uint32_t columns = holds->columns[holds->group_count];
  const size_t numbers = 3 * (size_t)body->mesh.node_count;
  SupArena scratch = sup_scratch(arena);
  SupResult result = SUP_OK;
  Condensing c = {.body = body,
                  .holds = holds,
                  .column_count = columns,
                  .numbers = SUP_ALLOC(&scratch, double, columns),
                  .displacements = SUP_ALLOC(&scratch, double, BATCH *numbers),
                  .forces = SUP_ALLOC(&scratch, double, numbers),
                  .right = SUP_ALLOC(&scratch, double, BATCH * 3 * (size_t)body->free_count)};
  double *map = SUP_ALLOC(arena, double, 3 * (size_t)kept_count * columns);
  if (!c.numbers || !c.displacements || !c.forces || !c.right || !map) {
    result = sup_fail_memory(error, NULL);
  }
  if (result == SUP_OK) result = condense(&c, kept_count, kept, map, error);
  sup_arena_free(&scratch);
  if (result == SUP_OK) *out_condensed = (SupCondensed){kept_count, columns, map};
  return result;
}

void sup_condensed_move(const SupCondensed *condensed, const double *numbers, SupVec3d *out) {
  for (uint32_t i = 0; i < condensed->kept_count; i++) {
    const double *rows = condensed->map + 3 * (size_t)i * condensed->column_count;
    double sum[3] = {0, 0, 0};
    for (uint32_t k = 0; k < 3; k++) {
      for (uint32_t c = 0; c < condensed->column_count; c++) {
        sum[k] += rows[(size_t)k * condensed->column_count + c] * numbers[c];
      }
    }
    out[i] = (SupVec3d){sum[0], sum[1], sum[2]};
  }
}
