/* SPDX-License-Identifier: MIT */
/* A surface model in tiles: the words. Everything is gone through twice, first to count them. */
#include "runtime/tiles/tiling.h"

#define MOST_WEIGHT 16777215u

static uint32_t *words_at(Tiling *t, size_t at) { return t->words + at; }

/* Room for `count` words from a multiple of `multiple`; returns where. */
static size_t take(Tiling *t, uint32_t multiple, size_t count) {
  const size_t at = (t->used + multiple - 1) / multiple * multiple;
  t->used = at + count;
  return at;
}

static uint32_t bits_of(float x) {
  union {
    float f;
    uint32_t u;
  } both = {.f = x};
  return both.u;
}

static void put_float(uint32_t *word, float x) { *word = bits_of(x); }

static void put_vec3(uint32_t *words, SupVec3 v) {
  put_float(words, v.x), put_float(words + 1, v.y), put_float(words + 2, v.z);
}

/* The word is the weight in 1 / 2^32, as nearly as one can be that ends with the index. */
static uint32_t weighted(uint32_t index, float weight, uint32_t most) {
  const double scaled = (double)weight * 16777216.0 - index / 256.0 + 0.5;
  return index | (scaled >= most ? most : scaled > 0 ? (uint32_t)scaled : 0) << 8;
}

/* A number in 16 bits of its range. */
static uint32_t coded(const Tiling *t, uint32_t lane, uint32_t i) {
  const double value = (double)coded_number(t->model, lane, i);
  const double scaled = t->step[i] > 0 ? (value - (double)t->low[i]) / (double)t->step[i] + 0.5 : 0;
  return scaled >= 65535 ? 65535u : (uint32_t)scaled;
}

static void write_record(Tiling *t, uint32_t entry, size_t records, size_t more) {
  const uint32_t lane = entry < t->own ? t->order[t->first + entry] : t->halo_lanes[entry - t->own];
  Influence list[TILING_INFLUENCES];
  const uint32_t count = influences_of(&t->model->skin, lane, list);
  uint32_t *to = words_at(t, records + 4 * (size_t)entry);
  uint32_t *four = to + 4 * ((size_t)t->own + t->halo);
  put_vec3(to, rest_of(&t->model->skin, lane, 0));
  to[3] =
      count | (entry < t->own ? neighbour_count(t->model, lane) : coded(t, lane, SUP_SURFACE_ETA))
                  << 16;
  for (uint32_t k = 0; k < count; k++) {
    const uint32_t word = weighted(t->bone_at[list[k].bone], list[k].weight, MOST_WEIGHT);
    if (k < 4) {
      four[k] = word;
    } else {
      *words_at(t, more + (size_t)(k - 4) * (t->own + t->halo) + entry) = word;
    }
  }
}

static void write_numbers(Tiling *t, uint32_t *header, size_t at) {
  for (uint32_t i = 0; i < t->own; i++) {
    uint32_t *to = words_at(t, at + 4 * (size_t)i);
    const uint32_t lane = t->order[t->first + i];
    for (uint32_t row = 0; row < SUP_SURFACE_TERMS; row++) {
      to[row / 2] |= coded(t, lane, row) << (row % 2 * 16);
    }
    if (number_of(t->model, lane, SUP_SURFACE_ETA) > 0) header[TILE_MORE] |= 1u << 16;
    put_float(to + 3, number_of(t->model, lane, SUP_SURFACE_MAX_DISTANCE));
  }
}

/* The spoke of a bone of a lane; NONE if it has none. */
static uint32_t spoke_of(const SupSurfaceView *model, uint32_t lane, uint32_t bone) {
  const uint32_t *first = model->spoke_first + lane / SUP_SKIN_BLOCK;
  for (uint32_t k = first[0]; k < first[1]; k++) {
    if (model->segments[model->spokes[k]].bone == bone && spoke_number(model, k, 0, lane) > 0) {
      return k;
    }
  }
  return TILING_NONE;
}

static uint32_t spoke_count(const SupSurfaceView *model, uint32_t lane) {
  const uint32_t *first = model->spoke_first + lane / SUP_SKIN_BLOCK;
  uint32_t count = 0;
  for (uint32_t k = first[0]; k < first[1]; k++) count += spoke_number(model, k, 0, lane) > 0;
  return count;
}

/* Each spoke belongs to an influence and has its weight. Clears *io_whole where an influence has
 * none, though the lane has a gamma. */
static bool spokes_tied(const SupSurfaceView *model, uint32_t lane, bool *io_whole) {
  Influence list[TILING_INFLUENCES];
  const uint32_t count = influences_of(&model->skin, lane, list);
  uint32_t found = 0;
  for (uint32_t k = 0; k < count && count <= TILING_INFLUENCES; k++) {
    const uint32_t spoke = spoke_of(model, lane, list[k].bone);
    if (spoke == TILING_NONE) {
      if (number_of(model, lane, SUP_SURFACE_GAMMA) > 0) *io_whole = false;
      continue;
    }
    if (spoke_number(model, spoke, 0, lane) != list[k].weight) return false;
    found++;
  }
  return found == spoke_count(model, lane);
}

void sup_tiling_find_spokes(Tiling *t) {
  t->tied = t->whole = true;
  for (uint32_t lane = 0; lane < t->lanes; lane++) {
    const uint32_t *first = t->model->spoke_first + lane / SUP_SKIN_BLOCK;
    for (uint32_t k = first[0]; k < first[1]; k++) {
      const float length = spoke_number(t->model, k, 1, lane);
      if (length > t->longest) t->longest = length;
    }
    t->tied = spokes_tied(t->model, lane, &t->whole) && t->tied;
  }
  t->whole = t->tied && t->whole;
}

static uint32_t spoke_word(const Tiling *t, uint32_t spoke, uint32_t lane) {
  const float length = spoke_number(t->model, spoke, 1, lane);
  return weighted(t->segment_at[t->model->spokes[spoke]], t->longest > 0 ? length / t->longest : 0,
                  MOST_WEIGHT - 1); /* the greatest with segment 0 is TILES_NO_SPOKE */
}

/* Rows of spokes of a lane, and the words themselves if `to` is not NULL. */
static uint32_t lane_spokes(const Tiling *t, uint32_t lane, uint32_t *to) {
  const SupSurfaceView *model = t->model;
  const uint32_t *first = model->spoke_first + lane / SUP_SKIN_BLOCK;
  uint32_t rows = 0;
  if (!t->tied) {
    for (uint32_t k = first[0]; k < first[1]; k++) {
      if (!(spoke_number(model, k, 0, lane) > 0)) continue;
      if (to) {
        to[TILES_WARP * (size_t)rows] = spoke_word(t, k, lane);
        to[TILES_WARP * ((size_t)rows + 1)] =
            weighted(0, spoke_number(model, k, 0, lane), MOST_WEIGHT);
      }
      rows += 2;
    }
    return rows;
  }
  Influence list[TILING_INFLUENCES];
  const uint32_t count = first[0] < first[1] ? influences_of(&model->skin, lane, list) : 0;
  for (uint32_t k = 0; k < count; k++) {
    const uint32_t spoke = spoke_of(model, lane, list[k].bone);
    if (spoke == TILING_NONE) continue;
    if (to) to[TILES_WARP * (size_t)k] = spoke_word(t, spoke, lane);
    rows = k + 1;
  }
  return rows;
}

/* Which rows a warp has, counted from the numbers on. */
static uint32_t rows_word(const uint32_t *header, size_t at, uint32_t rows) {
  return (uint32_t)(at - header[TILE_NUMBERS]) / TILES_WARP | rows << 16;
}

static uint32_t warp_end(const Tiling *t, uint32_t warp) {
  return TILES_WARP * (warp + 1) < t->own ? TILES_WARP * (warp + 1) : t->own;
}

/* The rows that the lanes of a warp share: as many as the one with most needs. */
static void write_warp_slots(Tiling *t, uint32_t *header, uint32_t warp) {
  uint32_t slots = 0;
  for (uint32_t i = TILES_WARP * warp; i < warp_end(t, warp); i++) {
    const uint32_t n = neighbour_count(t->model, t->order[t->first + i]);
    slots = n > slots ? n : slots;
  }
  const uint32_t rows = slots < 2 ? 1 : (slots + 1) / 2;
  const size_t at = take(t, TILES_WARP, TILES_WARP * (size_t)rows);
  header[TILE_WARPS + 2 * warp] = rows_word(header, at, rows);
  if (t->words) sup_tiling_write_slots(t, warp, at, rows);
}

static void write_warp_spokes(Tiling *t, uint32_t *header, uint32_t warp) {
  uint32_t rows = 0;
  for (uint32_t i = TILES_WARP * warp; i < warp_end(t, warp); i++) {
    const uint32_t m = lane_spokes(t, t->order[t->first + i], NULL);
    rows = m > rows ? m : rows;
  }
  if (t->whole && rows > 0 && rows < 4) rows = 4;
  const size_t at = take(t, TILES_WARP, TILES_WARP * (size_t)rows);
  header[TILE_WARPS + 2 * warp + 1] = rows_word(header, at, rows);
  if (!t->words) return;
  for (size_t k = at; k < t->used; k++) t->words[k] = t->tied ? TILES_NO_SPOKE : 0;
  for (uint32_t i = TILES_WARP * warp; i < warp_end(t, warp); i++) {
    lane_spokes(t, t->order[t->first + i], words_at(t, at + i % TILES_WARP));
  }
}

/* Triangles around the lanes; those that a lane lacks have no area. */
static void write_warp_one_rings(Tiling *t, size_t counts, uint32_t warp, size_t *io_rows) {
  const SupSurfaceView *model = t->model;
  uint32_t rows = 0;
  for (uint32_t i = TILES_WARP * warp; i < warp_end(t, warp); i++) {
    const uint32_t *first = model->one_ring_first + t->order[t->first + i] / SUP_SKIN_BLOCK;
    rows = first[1] - first[0] > rows ? first[1] - first[0] : rows;
  }
  const size_t at = take(t, TILES_WARP, TILES_WARP * (size_t)rows);
  *io_rows += rows;
  if (!t->words) return;
  for (uint32_t w = warp; w < TILES_MOST / TILES_WARP; w++) {
    t->words[counts + w] = (uint32_t)*io_rows;
  }
  for (uint32_t i = TILES_WARP * warp; i < warp_end(t, warp); i++) {
    const uint32_t lane = t->order[t->first + i],
                   *first = model->one_ring_first + lane / SUP_SKIN_BLOCK;
    uint32_t *to = words_at(t, at + i % TILES_WARP);
    for (uint32_t k = 0; k < rows; k++, to += TILES_WARP) {
      *to = i | i << 16;
      if (k >= first[1] - first[0]) continue;
      const uint32_t *row =
          model->one_rings + (size_t)(2 * SUP_SKIN_BLOCK) * (first[0] + k) + lane % SUP_SKIN_BLOCK;
      if (t->place[row[0]] == TILING_NONE || t->place[row[SUP_SKIN_BLOCK]] == TILING_NONE) continue;
      *to = t->place[row[0]] | t->place[row[SUP_SKIN_BLOCK]] << 16;
    }
  }
}

static void write_segments(Tiling *t, size_t at) {
  for (uint32_t k = 0; k < t->segments; k++) {
    const SupSurfaceSegment *segment = &t->model->segments[t->segment_list[k]];
    uint32_t *to = words_at(t, at + 8 * (size_t)k);
    to[0] = t->bone_at[segment->bone];
    put_vec3(to + 1, segment->a);
    put_vec3(to + 4, segment->b);
  }
}

static void write_stops(Tiling *t, size_t at) {
  const SupSurfaceView *model = t->model;
  for (uint32_t i = 0; i < t->own; i++) {
    uint32_t *to = words_at(t, at + 4 * (size_t)i);
    const uint32_t lane = t->order[t->first + i];
    if (model->skin.flags & SUP_SKIN_NORMALS) put_vec3(to, rest_of(&model->skin, lane, 3));
    put_float(to + 3, number_of(model, lane, SUP_SURFACE_STOP));
  }
}

static void write_stiffs(Tiling *t, size_t at) {
  for (uint32_t i = 0; i < t->own; i++) {
    const uint32_t lane = t->order[t->first + i], first = SUP_SURFACE_TERMS;
    t->words[at + i] = coded(t, lane, first + SUP_SURFACE_NORMAL_ALPHA) |
                       coded(t, lane, first + SUP_SURFACE_NORMAL_DELTA) << 16;
  }
}

static void write_header(Tiling *t, uint32_t *header, size_t base, size_t numbers) {
  header[TILE_FIRST] = t->first;
  header[TILE_LANES] = t->own | t->halo << 16;
  header[TILE_BONES] = t->bones | t->segments << 16;
  header[TILE_MORE] = t->extras;
  header[TILE_BASE] = (uint32_t)base;
  header[TILE_NUMBERS] = (uint32_t)numbers;
}

void sup_tiling_write_tile(Tiling *t) {
  const uint32_t entries = t->own + t->halo, warps = (t->own + TILES_WARP - 1) / TILES_WARP;
  const bool stops = sup_surface_wants_normals(t->model->flags);
  const bool stiffs = t->model->flags & SUP_SURFACE_NORMAL;
  uint32_t none[TILE_WORDS] = {0};
  uint32_t *header =
      t->words ? words_at(t, TILES_HEADERS + (size_t)TILE_WORDS * t->tile_count) : none;
  const size_t records = take(t, 32, 8 * (size_t)entries);
  const size_t numbers = take(t, 32, 4 * (size_t)t->own);
  write_header(t, header, records, numbers);
  for (uint32_t w = 0; w < warps; w++) write_warp_slots(t, header, w);
  for (uint32_t w = 0; w < warps; w++) write_warp_spokes(t, header, w);
  const size_t halos = take(t, 1, t->halo), bones = take(t, 1, t->bones);
  const size_t segments = take(t, 4, 8 * (size_t)t->segments);
  header[TILE_HALOS] = (uint32_t)halos;
  header[TILE_SEGMENTS] = (uint32_t)segments;
  const size_t more = take(t, 1, (size_t)t->extras * entries);
  const size_t stops_at = take(t, 4, stops ? 4 * (size_t)t->own : 0);
  const size_t stiffs_at = take(t, 1, stiffs ? t->own : 0);
  const size_t one_rings = take(t, TILES_WARP, TILES_WARP);
  size_t rows = 0;
  for (uint32_t w = 0; w < warps; w++) write_warp_one_rings(t, one_rings, w, &rows);
  t->one_ring_words += TILES_WARP * (rows + 1);
  if (t->words) {
    for (uint32_t e = 0; e < entries; e++) write_record(t, e, records, more);
    write_numbers(t, header, numbers);
    for (uint32_t k = 0; k < t->halo; k++) t->words[halos + k] = t->tiled[t->halo_lanes[k]];
    for (uint32_t k = 0; k < t->bones; k++) t->words[bones + k] = t->bone_list[k];
    write_segments(t, segments);
    if (stops) write_stops(t, stops_at);
    if (stiffs) write_stiffs(t, stiffs_at);
  }
  t->tile_count++;
  t->halo_count += t->halo;
}

void sup_tiling_write_first_words(Tiling *t) {
  t->words[TILES_FLAGS] = t->model->flags & ~SUP_SURFACE_OWN_INERTIA;
  t->words[TILES_COUNT] = t->tile_count;
  t->words[TILES_LANES] = t->lanes;
  t->words[TILES_BONE_ALL] = t->model->skin.bone_count;
  put_float(t->words + TILES_SIZE, t->model->size);
  t->words[TILES_WHOLE] = t->whole;
  t->words[TILES_TIED] = t->tied;
  put_float(t->words + TILES_LONGEST, t->longest);
  for (uint32_t row = 0; row < TILING_NUMBERS; row++) {
    put_float(t->words + TILES_LOW + row, t->low[row]);
    put_float(t->words + TILES_STEP + row, t->step[row]);
  }
}
