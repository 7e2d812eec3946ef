/* SPDX-License-Identifier: MIT */
/*
 * A surface model in tiles: a lane's neighbours, in an order that suits shared memory.
 *
 * Threads read the entries of their neighbours 16 bytes at a time, eight threads at once, out of
 * eight banks of 16 bytes. The order of a lane's neighbours is free, so each row of slots is a
 * matching between eight lanes and eight banks; what does not fit waits for the next row.
 */
#include "runtime/tiles/tiling.h"

#define TOGETHER 8u /* lanes that read at once, and banks */
#define NOBODY UINT32_MAX

typedef struct Lanes {
  uint16_t left[TOGETHER][TILES_ENTRIES]; /* neighbours to place */
  uint32_t count[TOGETHER];
  uint32_t owner[TOGETHER]; /* of a bank in this row */
  uint32_t pick[TOGETHER];  /* of a lane in this row: which of those left */
} Lanes;

/* Finds a bank for a lane, moving others where that helps. */
static bool find_bank(Lanes *l, uint32_t lane, uint32_t *io_tried) {
  for (uint32_t k = 0; k < l->count[lane]; k++) {
    const uint32_t bank = l->left[lane][k] % TOGETHER;
    if (*io_tried >> bank & 1) continue;
    *io_tried |= 1u << bank;
    if (l->owner[bank] == NOBODY || find_bank(l, l->owner[bank], io_tried)) {
      l->owner[bank] = lane;
      l->pick[lane] = k;
      return true;
    }
  }
  return false;
}

/* Those with most left choose first: they must not be late. */
static void match_row(Lanes *l, uint32_t slots_left) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < TOGETHER; i++) {
    l->owner[i] = l->pick[i] = NOBODY;
    most = l->count[i] > most ? l->count[i] : most;
  }
  for (uint32_t n = most; n > 0; n--) {
    for (uint32_t i = 0; i < TOGETHER; i++) {
      uint32_t tried = 0;
      if (l->count[i] != n || find_bank(l, i, &tried)) continue;
      if (n >= slots_left) l->pick[i] = 0; /* in another's way, but it cannot wait */
    }
  }
}

static uint32_t take_pick(Lanes *l, uint32_t lane, uint32_t self) {
  const uint32_t k = l->pick[lane];
  if (k == NOBODY) return self;
  const uint32_t other = l->left[lane][k];
  l->left[lane][k] = l->left[lane][--l->count[lane]];
  return other;
}

static void list_neighbours(const Tiling *t, uint32_t first, Lanes *out) {
  for (uint32_t i = 0; i < TOGETHER; i++) {
    out->count[i] = 0;
    if (first + i >= t->own) continue;
    const uint32_t lane = t->order[t->first + first + i];
    const uint32_t *rows = t->model->slot_first + lane / SUP_SKIN_BLOCK;
    for (uint32_t row = rows[0]; row < rows[1]; row++) {
      const uint32_t other = slot_of(t->model, lane, row);
      if (other != lane) out->left[i][out->count[i]++] = (uint16_t)t->place[other];
    }
  }
}

void sup_tiling_write_slots(Tiling *t, uint32_t warp, size_t at, uint32_t rows) {
  Lanes l;
  for (uint32_t first = TILES_WARP * warp; first < TILES_WARP * (warp + 1); first += TOGETHER) {
    list_neighbours(t, first, &l);
    for (uint32_t slot = 0; slot < 2 * rows; slot++) {
      match_row(&l, 2 * rows - slot);
      for (uint32_t i = 0; i < TOGETHER; i++) {
        if (first + i >= t->own) continue;
        uint32_t *word = t->words + at + TILES_WARP * (size_t)(slot / 2) + (first + i) % TILES_WARP;
        *word |= 16 * take_pick(&l, i, first + i) << (slot % 2 * 16);
      }
    }
  }
}
