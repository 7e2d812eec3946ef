/* SPDX-License-Identifier: MIT */
/* Which element corner pairs add to which block of the matrix. */
#include "fem/elastic_pattern.h"

#include <stdlib.h>

/* One element's contribution of a matrix block. */
typedef struct Contribution {
  uint32_t column, row; /* free indices, row >= column */
  uint64_t pair;
} Contribution;

static int compare_contributions(const void *left, const void *right) {
  const Contribution *a = left, *b = right;
  if (a->column != b->column) return a->column < b->column ? -1 : 1;
  if (a->row != b->row) return a->row < b->row ? -1 : 1;
  return a->pair < b->pair ? -1 : a->pair > b->pair;
}

/* All contributions of the lower triangle, sorted by column, row, element. */
static Contribution *list_contributions(SupArena *arena, const SupElastic *body,
                                        size_t *out_count) {
  Contribution *contributions = SUP_ALLOC(arena, Contribution, 10 * (size_t)body->mesh.tet_count);
  size_t count = 0;
  if (!contributions) return NULL;
  for (uint32_t t = 0; t < body->mesh.tet_count; t++) {
    const uint32_t *n = body->mesh.tets + 4 * (size_t)t;
    for (uint32_t a = 0; a < 4; a++) {
      for (uint32_t b = 0; b < 4; b++) {
        int32_t row = body->free_index[n[a]], column = body->free_index[n[b]];
        if (row < 0 || column < 0 || row < column) continue;
        contributions[count++] =
            (Contribution){(uint32_t)column, (uint32_t)row, 16 * (uint64_t)t + 4 * a + b};
      }
    }
  }
  qsort(contributions, count, sizeof *contributions, compare_contributions);
  *out_count = count;
  return contributions;
}

/* Block structure out of the sorted contributions: offsets, rows, pairs. */
static bool set_blocks(SupArena *arena, SupElastic *body, const Contribution *contributions,
                       size_t count, uint32_t **out_rows) {
  body->block_offsets = SUP_ALLOC(arena, uint32_t, (size_t)body->free_count + 1);
  body->pair_offsets = SUP_ALLOC(arena, uint32_t, count + 1);
  body->pairs = SUP_ALLOC(arena, uint64_t, count);
  uint32_t *rows = SUP_ALLOC(arena, uint32_t, count);
  if (!body->block_offsets || !body->pair_offsets || !body->pairs || !rows) return false;
  uint32_t blocks = 0;
  for (size_t k = 0; k < count; k++) {
    body->pairs[k] = contributions[k].pair;
    bool is_new = k == 0 || contributions[k].column != contributions[k - 1].column ||
                  contributions[k].row != contributions[k - 1].row;
    if (is_new) {
      rows[blocks] = contributions[k].row;
      body->pair_offsets[blocks++] = (uint32_t)k;
      body->block_offsets[contributions[k].column + 1]++;
    }
  }
  body->pair_offsets[blocks] = (uint32_t)count;
  for (uint32_t j = 0; j < body->free_count; j++) {
    body->block_offsets[j + 1] += body->block_offsets[j];
  }
  *out_rows = rows;
  return true;
}

/* The scalar pattern: three columns per block column. */
static bool set_pattern(SupArena *arena, SupElastic *body, const uint32_t *block_rows) {
  uint32_t blocks = body->block_offsets[body->free_count];
  int64_t *columns = SUP_ALLOC(arena, int64_t, 3 * (size_t)body->free_count + 1);
  int64_t *rows = SUP_ALLOC(arena, int64_t, 9 * (size_t)blocks);
  body->matrix.values = SUP_ALLOC(arena, double, 9 * (size_t)blocks);
  if (!columns || !rows || !body->matrix.values) return false;
  int64_t at = 0;
  for (uint32_t j = 0; j < body->free_count; j++) {
    for (uint32_t c = 0; c < 3; c++) {
      columns[3 * (size_t)j + c] = at;
      for (uint32_t k = body->block_offsets[j]; k < body->block_offsets[j + 1]; k++) {
        for (uint32_t r = 0; r < 3; r++) rows[at++] = 3 * (int64_t)block_rows[k] + r;
      }
    }
  }
  columns[3 * (size_t)body->free_count] = at;
  body->matrix.size = 3 * body->free_count;
  body->matrix.columns = columns;
  body->matrix.rows = rows;
  return true;
}

bool sup_elastic_pattern(SupArena *arena, SupElastic *body) {
  uint32_t *block_rows;
  size_t count;
  Contribution *contributions = list_contributions(arena, body, &count);
  return contributions && set_blocks(arena, body, contributions, count, &block_rows) &&
         set_pattern(arena, body, block_rows);
}
