/* SPDX-License-Identifier: MIT */
/* The state of a surface model in tiles: starting it, and single states into it and out of it. */
#include "runtime/tiles_layout.h"
#include "supple/tiles.h"

typedef union Word {
  uint32_t u;
  float f;
} Word;

static const uint32_t *header_of(const SupTiles *tiles, uint32_t tile) {
  return tiles->words + TILES_HEADERS + (size_t)TILE_WORDS * tile;
}

/* Where the parts of a tile are (tiles_layout.h). */
static uint32_t entries_of(const uint32_t *header) {
  return (header[TILE_LANES] & 65535u) + (header[TILE_LANES] >> 16);
}

static const uint32_t *bones_of(const SupTiles *tiles, const uint32_t *header) {
  const uint32_t rows = (header[TILE_SLOTS + 3] >> 16) + (header[TILE_SPOKES + 3] >> 16);
  return tiles->words + header[TILE_BASE] + TILES_ROUND(8 * entries_of(header), 32u) +
         4 * (header[TILE_LANES] & 65535u) + TILES_WARP * rows + (header[TILE_LANES] >> 16);
}

static const uint32_t *more_of(const SupTiles *tiles, const uint32_t *header) {
  const uint32_t bones = header[TILE_BONES] & 65535u, segments = header[TILE_BONES] >> 16;
  const size_t at = (size_t)(bones_of(tiles, header) - tiles->words) + bones;
  return tiles->words + TILES_ROUND(at, 4u) + 8 * (size_t)segments;
}

static float *history_of(const SupTiles *tiles, void *tiled, uint32_t tile) {
  return (float *)(void *)((char *)tiled + tiles->history) +
         4 * (size_t)header_of(tiles, tile)[TILE_HISTORY];
}

/* Words 0 .. 3 of a record; words 4 .. 7 lie at second_half of it. */
static Word *record_of(const SupTiles *tiles, void *tiled, uint32_t set, uint32_t lane) {
  return (Word *)(void *)((char *)tiled + tiles->records) +
         4 * ((size_t)2 * set * tiles->lane_count + lane);
}

static Word *word_of(const SupTiles *tiles, Word *record, uint32_t k) {
  return record + (k < 4 ? k : 4 * (size_t)tiles->lane_count + k - 4);
}

void sup_tiles_init(const SupTiles *tiles, void *io_state) {
  sup_zero(io_state, tiles->state_bytes);
  sup_tiles_reset(tiles, io_state);
}

void sup_tiles_reset(const SupTiles *tiles, void *io_state) {
  uint32_t *words = (uint32_t *)io_state;
  for (uint32_t k = 0; k < tiles->tile_count; k++) {
    words[k] = (words[k] & TILES_ODD) | 2u << TILES_FRESH;
  }
}

/* ---- A single state -----------------------------------------------------------------------------
 */

/* Component k of a lane in blocks of n. */
static size_t at_lane(uint32_t n, uint32_t lane, uint32_t k) {
  return ((size_t)n * (lane / SUP_SKIN_BLOCK) + k) * SUP_SKIN_BLOCK + lane % SUP_SKIN_BLOCK;
}

static float *rows_at(SupSurfaceState *state, uint64_t offset) {
  return (float *)(void *)((char *)state + offset);
}

static const float *rows_of(const SupSurfaceState *state, uint64_t offset) {
  return (const float *)(const void *)((const char *)state + offset);
}

static uint32_t sixteen_bits(float x) {
  const float scaled = x * 32767;
  return (uint32_t)(int32_t)(scaled < 0 ? scaled - 0.5f : scaled + 0.5f) & 65535u;
}

static float from_sixteen(uint32_t bits) { return (float)(int16_t)(uint16_t)bits / 32767; }

static void put_rows(const SupTiles *tiles, const SupAffine *palettes, uint32_t tile, void *tiled) {
  const uint32_t *header = header_of(tiles, tile);
  const uint32_t *bones = bones_of(tiles, header);
  float *to = history_of(tiles, tiled, tile);
  for (uint32_t k = 0; k < (header[TILE_BONES] & 65535u); k++) {
    const float *now = palettes[bones[k]].m, *last = palettes[tiles->bone_count + bones[k]].m;
    for (uint32_t r = 0; r < 3; r++) {
      for (uint32_t c = 0; c < 4; c++) {
        to[24 * k + 4 * r + c] = now[3 * c + r];
        to[24 * k + 4 * (3 + r) + c] = now[3 * c + r] - last[3 * c + r];
      }
    }
  }
}

void sup_tiles_put(const SupTiles *tiles, const SupSurfaceState *state, const SupAffine *palettes,
                   void *io_tiled) {
  const float *x = rows_of(state, state->x), *dx = rows_of(state, state->dx);
  const float *q = rows_of(state, state->rotation), *shown = rows_of(state, state->records);
  for (uint32_t k = 0; k < tiles->tile_count; k++) {
    ((uint32_t *)io_tiled)[k] = state->fresh << TILES_FRESH;
    put_rows(tiles, palettes, k, io_tiled);
  }
  for (uint32_t lane = 0; lane < tiles->lane_count; lane++) {
    Word *next = record_of(tiles, io_tiled, 0, lane), *last = record_of(tiles, io_tiled, 1, lane);
    const uint32_t from = tiles->order[lane];
    for (uint32_t c = 0; c < 3; c++) {
      word_of(tiles, next, c)->f = x[at_lane(3, from, c)];
      word_of(tiles, next, 3 + c)->f = dx[at_lane(3, from, c)];
    }
    for (uint32_t c = 0; c < 4; c++) {
      const uint32_t bits = sixteen_bits(q[at_lane(4, from, c)]);
      Word *word = word_of(tiles, next, 6 + c / 2);
      word->u = c % 2 ? word->u | bits << 16 : bits;
    }
    for (uint32_t c = 0; c < 8; c++) *word_of(tiles, last, c) = *word_of(tiles, next, c);
    for (uint32_t c = 0; c < 3; c++) last[c].f = shown[8 * (size_t)from + c];
  }
}

/* The blend of rows (palette or how it moved) of a lane of a tile, applied to its rest position. */
static void blend(const SupTiles *tiles, const uint32_t *header, const float *history, uint32_t i,
                  float *out) {
  const Word *record =
      (const Word *)(const void *)(tiles->words + header[TILE_BASE] + 4 * (size_t)i);
  const uint32_t *more = more_of(tiles, header), entries = entries_of(header);
  const Word *four = record + 4 * (size_t)entries;
  out[0] = out[1] = out[2] = 0;
  for (uint32_t k = 0; k < (record[3].u & 65535u); k++) {
    const uint32_t word = k < 4 ? four[k].u : more[(size_t)(k - 4) * entries + i];
    const float weight = (float)(word >> 8) / 16777215;
    for (uint32_t r = 0; r < 3; r++) {
      const float *row = history + 24 * (size_t)(word & 255u) + 4 * (size_t)r;
      out[r] +=
          weight * (row[0] * record[0].f + row[1] * record[1].f + row[2] * record[2].f + row[3]);
    }
  }
}

static void get_lane(const SupTiles *tiles, void *tiled, uint32_t tile, uint32_t i,
                     SupSurfaceState *state) {
  const uint32_t *header = header_of(tiles, tile);
  const uint32_t set = ((const uint32_t *)tiled)[tile] & TILES_ODD, lane = header[TILE_FIRST] + i;
  Word *next = record_of(tiles, tiled, set, lane);
  Word *last = record_of(tiles, tiled, 1 - set, lane);
  const float *history = history_of(tiles, tiled, tile);
  const uint32_t to = tiles->order[lane];
  float goal[3], step[3];
  blend(tiles, header, history, i, goal);
  blend(tiles, header, history + 12, i, step);
  for (uint32_t c = 0; c < 3; c++) {
    const size_t at = at_lane(3, to, c);
    rows_at(state, state->x)[at] = next[c].f;
    rows_at(state, state->dx)[at] = word_of(tiles, next, 3 + c)->f;
    rows_at(state, state->goal)[at] = goal[c];
    rows_at(state, state->goal_step)[at] = step[c];
    rows_at(state, state->records)[8 * (size_t)to + c] = last[c].f;
    rows_at(state, state->records)[8 * (size_t)to + 4 + c] =
        word_of(tiles, last, 3 + c)->f - step[c];
  }
  for (uint32_t c = 0; c < 4; c++) {
    rows_at(state, state->rotation)[at_lane(4, to, c)] =
        from_sixteen(word_of(tiles, next, 6 + c / 2)->u >> (c % 2 * 16) & 65535u);
  }
}

void sup_tiles_get(const SupTiles *tiles, const void *tiled, SupSurfaceState *io_state) {
  io_state->fresh = *(const uint32_t *)tiled >> TILES_FRESH;
  for (uint32_t k = 0; k < tiles->tile_count; k++) {
    const uint32_t count = header_of(tiles, k)[TILE_LANES] & 65535u;
    for (uint32_t i = 0; i < count; i++) get_lane(tiles, (void *)tiled, k, i, io_state);
  }
}
