/* SPDX-License-Identifier: MIT */
/* The state of a surface model in tiles: starting it, and single states into it and out of it. */
#include "runtime/tiles/tiles_float16.h"
#include "runtime/tiles/tiles_layout.h"
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
  return tiles->words + header[TILE_HALOS] + (header[TILE_LANES] >> 16);
}

static const uint32_t *more_of(const SupTiles *tiles, const uint32_t *header) {
  return tiles->words + header[TILE_SEGMENTS] + 8 * (size_t)(header[TILE_BONES] >> 16);
}

/* Six rows of a bone: the last palette's, and how far it moved. */
static float *history_of(const SupTiles *tiles, void *tiled, uint32_t set, uint32_t bone) {
  return (float *)(void *)((char *)tiled + tiles->history) +
         24 * ((size_t)set * tiles->bone_count + bone);
}

/* Words 0 .. 3 of a record; words 4 .. 7 lie at second_half of it. */
static Word *record_of(const SupTiles *tiles, void *tiled, uint32_t set, uint32_t lane) {
  return (Word *)(void *)((char *)tiled + tiles->records) +
         4 * ((size_t)2 * set * tiles->lane_count + lane);
}

/* What is shown of a lane: x y z. */
static Word *shown_of(const SupTiles *tiles, void *tiled, uint32_t set, uint32_t lane) {
  const bool undelayed = tiles->words[TILES_FLAGS] & SUP_SURFACE_UNDELAYED;
  return record_of(tiles, tiled, undelayed ? TILES_SHOWN : 1 - set, lane);
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

static void put_rows(const SupTiles *tiles, const SupAffine *palettes, void *tiled) {
  for (uint32_t k = 0; k < tiles->bone_count; k++) {
    const float *now = palettes[k].m, *last = palettes[tiles->bone_count + k].m;
    float *to = history_of(tiles, tiled, 0, k);
    for (uint32_t r = 0; r < 3; r++) {
      for (uint32_t c = 0; c < 4; c++) {
        to[4 * r + c] = now[3 * c + r];
        to[4 * (3 + r) + c] = now[3 * c + r] - last[3 * c + r];
      }
    }
  }
}

void sup_tiles_put(const SupTiles *tiles, const SupSurfaceState *state, const SupAffine *palettes,
                   void *io_tiled) {
  const float *x = rows_of(state, state->x), *dx = rows_of(state, state->dx);
  const float *q = rows_of(state, state->rotation), *shown = rows_of(state, state->records);
  for (uint32_t k = 0; k < tiles->tile_count; k++) {
    ((uint32_t *)io_tiled)[k] = state->fresh << TILES_FRESH | (state->owed ? TILES_OWED : 0);
  }
  put_rows(tiles, palettes, io_tiled);
  for (uint32_t lane = 0; lane < tiles->lane_count; lane++) {
    Word *next = record_of(tiles, io_tiled, 0, lane), *last = record_of(tiles, io_tiled, 1, lane);
    const uint32_t from = tiles->order[lane];
    for (uint32_t c = 0; c < 3; c++) {
      word_of(tiles, next, c)->f = x[at_lane(3, from, c)];
      word_of(tiles, next, 3 + c)->f = dx[at_lane(3, from, c)];
    }
    for (uint32_t c = 0; c < 4; c++) {
      const uint32_t bits = tiles_float16_bits(q[at_lane(4, from, c)]);
      Word *word = word_of(tiles, next, 6 + c / 2);
      word->u = c % 2 ? word->u | bits << 16 : bits;
    }
    for (uint32_t c = 0; c < 8; c++) *word_of(tiles, last, c) = *word_of(tiles, next, c);
    Word *place = shown_of(tiles, io_tiled, 0, lane);
    for (uint32_t c = 0; c < 3; c++) place[c].f = shown[8 * (size_t)from + c];
  }
}

/* The blend of the rows of a lane's bones, applied to its rest position: `moved`: of how far they
 * moved. */
static void blend(const SupTiles *tiles, void *tiled, uint32_t tile, uint32_t i, bool moved,
                  float *out) {
  const uint32_t *header = header_of(tiles, tile), *bones = bones_of(tiles, header);
  const uint32_t set = ((const uint32_t *)tiled)[tile] & TILES_ODD;
  const Word *record =
      (const Word *)(const void *)(tiles->words + header[TILE_BASE] + 4 * (size_t)i);
  const uint32_t *more = more_of(tiles, header), entries = entries_of(header);
  const Word *four = record + 4 * (size_t)entries;
  out[0] = out[1] = out[2] = 0;
  for (uint32_t k = 0; k < (record[3].u & 65535u); k++) {
    const uint32_t word = k < 4 ? four[k].u : more[(size_t)(k - 4) * entries + i];
    const float weight = (float)word * TILES_WEIGHT_UNIT;
    for (uint32_t r = 0; r < 3; r++) {
      const float *row =
          history_of(tiles, tiled, set, bones[word & 255u]) + 4 * (size_t)(moved ? r + 3 : r);
      out[r] +=
          weight * (row[0] * record[0].f + row[1] * record[1].f + row[2] * record[2].f + row[3]);
    }
  }
}

/* The stored rotation has less than unit length by what was rounded. */
static void get_rotation(const SupTiles *tiles, Word *record, uint32_t to, SupSurfaceState *state) {
  float q[4], square = 0;
  for (uint32_t c = 0; c < 4; c++) {
    q[c] = tiles_float16_value(word_of(tiles, record, 6 + c / 2)->u >> (c % 2 * 16) & 65535u);
    square += q[c] * q[c];
  }
  const float scale = square > 0 ? (float)(1 / sup_sqrt((double)square)) : 0;
  for (uint32_t c = 0; c < 4; c++) {
    rows_at(state, state->rotation)[at_lane(4, to, c)] = q[c] * scale;
  }
}

static void get_lane(const SupTiles *tiles, void *tiled, uint32_t tile, uint32_t i,
                     SupSurfaceState *state) {
  const uint32_t *header = header_of(tiles, tile);
  const uint32_t set = ((const uint32_t *)tiled)[tile] & TILES_ODD, lane = header[TILE_FIRST] + i;
  Word *next = record_of(tiles, tiled, set, lane);
  Word *last = record_of(tiles, tiled, 1 - set, lane), *shown = shown_of(tiles, tiled, set, lane);
  const uint32_t to = tiles->order[lane];
  float goal[3], step[3];
  blend(tiles, tiled, tile, i, false, goal);
  blend(tiles, tiled, tile, i, true, step);
  for (uint32_t c = 0; c < 3; c++) {
    const size_t at = at_lane(3, to, c);
    rows_at(state, state->x)[at] = next[c].f;
    rows_at(state, state->dx)[at] = word_of(tiles, next, 3 + c)->f;
    rows_at(state, state->goal)[at] = goal[c];
    rows_at(state, state->goal_step)[at] = step[c];
    rows_at(state, state->records)[8 * (size_t)to + c] = shown[c].f;
    rows_at(state, state->records)[8 * (size_t)to + 4 + c] =
        word_of(tiles, last, 3 + c)->f - step[c];
  }
  get_rotation(tiles, next, to, state);
}

void sup_tiles_get(const SupTiles *tiles, const void *tiled, SupSurfaceState *io_state) {
  io_state->fresh = *(const uint32_t *)tiled >> TILES_FRESH;
  io_state->owed = *(const uint32_t *)tiled & TILES_OWED ? 1 : 0;
  for (uint32_t k = 0; k < tiles->tile_count; k++) {
    const uint32_t count = header_of(tiles, k)[TILE_LANES] & 65535u;
    for (uint32_t i = 0; i < count; i++) get_lane(tiles, (void *)tiled, k, i, io_state);
  }
}
