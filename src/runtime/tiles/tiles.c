/* SPDX-License-Identifier: MIT */
/* A surface model in tiles: which lanes and what they touch. tiles_layout.h has the layout. */
#include "supple/tiles.h"

#include "base/scratch.h"
#include "runtime/tiles/tiles_order.h"
#include "runtime/tiles/tiling.h"

/* ---- One tile -----------------------------------------------------------------------------------
 */

static bool add_bones(Tiling *t, uint32_t lane) {
  Influence list[TILING_INFLUENCES];
  const uint32_t count = influences_of(&t->model->skin, lane, list);
  if (count > TILING_INFLUENCES) return false;
  if (count > 4 && count - 4 > t->extras) t->extras = count - 4;
  for (uint32_t k = 0; k < count; k++) {
    if (t->bone_at[list[k].bone] != TILING_NONE) continue;
    if (t->bones == TILES_BONES) return false;
    t->bone_at[list[k].bone] = t->bones;
    t->bone_list[t->bones++] = list[k].bone;
  }
  return true;
}

static bool add_segments(Tiling *t, uint32_t lane) {
  const uint32_t *first = t->model->spoke_first + lane / SUP_SKIN_BLOCK;
  for (uint32_t k = first[0]; k < first[1]; k++) {
    const uint32_t segment = t->model->spokes[k];
    if (!(spoke_number(t->model, k, 0, lane) > 0) || t->segment_at[segment] != TILING_NONE)
      continue;
    if (t->segments == TILES_SEGMENTS) return false;
    t->segment_at[segment] = t->segments;
    t->segment_list[t->segments++] = segment;
    const uint32_t bone = t->model->segments[segment].bone;
    if (t->bone_at[bone] != TILING_NONE) continue;
    if (t->bones == TILES_BONES) return false;
    t->bone_at[bone] = t->bones;
    t->bone_list[t->bones++] = bone;
  }
  return true;
}

static bool add_halo(Tiling *t, uint32_t lane) {
  const uint32_t *first = t->model->slot_first + lane / SUP_SKIN_BLOCK;
  if (first[1] - first[0] > TILES_ENTRIES) return false; /* also of one neighbour again and again */
  for (uint32_t row = first[0]; row < first[1]; row++) {
    const uint32_t other = slot_of(t->model, lane, row);
    if (t->place[other] != TILING_NONE) continue;
    if (t->own + t->halo == TILES_ENTRIES) return false;
    t->place[other] = t->own + t->halo;
    t->halo_lanes[t->halo++] = other;
    if (!add_bones(t, other)) return false;
  }
  return true;
}

static void forget_tile(Tiling *t) {
  for (uint32_t i = 0; i < t->own; i++) t->place[t->order[t->first + i]] = TILING_NONE;
  for (uint32_t i = 0; i < t->halo; i++) t->place[t->halo_lanes[i]] = TILING_NONE;
  for (uint32_t i = 0; i < t->bones; i++) t->bone_at[t->bone_list[i]] = TILING_NONE;
  for (uint32_t i = 0; i < t->segments; i++) t->segment_at[t->segment_list[i]] = TILING_NONE;
}

/* Lanes first .. first + own - 1 and what they touch; false if that is too much. */
static bool gather_tile(Tiling *t, uint32_t first, uint32_t own) {
  t->first = first;
  t->own = own;
  t->halo = t->bones = t->segments = t->extras = 0;
  for (uint32_t i = 0; i < own; i++) t->place[t->order[first + i]] = i;
  bool fits = true;
  for (uint32_t i = 0; fits && i < own; i++) fits = add_bones(t, t->order[first + i]);
  for (uint32_t i = 0; fits && i < own; i++) fits = add_segments(t, t->order[first + i]);
  for (uint32_t i = 0; fits && i < own; i++) fits = add_halo(t, t->order[first + i]);
  return fits;
}

/* Tile after tile, each as large as fits. */
static bool write_tiles(Tiling *t, uint32_t lanes) {
  t->tile_count = t->halo_count = 0;
  t->one_ring_words = 0;
  for (uint32_t first = 0; first < t->lanes;) {
    uint32_t own = t->lanes - first < lanes ? t->lanes - first : lanes;
    while (!gather_tile(t, first, own)) {
      forget_tile(t);
      if (own == SUP_SKIN_BLOCK) return false;
      own -= SUP_SKIN_BLOCK;
    }
    sup_tiling_write_tile(t);
    forget_tile(t);
    first += own;
  }
  return true;
}

/* ---- The block ----------------------------------------------------------------------------------
 */

static void find_ranges(Tiling *t) {
  for (uint32_t row = 0; row < TILING_NUMBERS; row++) {
    float low = coded_number(t->model, 0, row), high = low;
    for (uint32_t lane = 1; lane < t->lanes; lane++) {
      const float value = coded_number(t->model, lane, row);
      low = value < low ? value : low;
      high = value > high ? value : high;
    }
    t->low[row] = low;
    t->step[row] = (high - low) / 65535;
  }
}

static SupResult make(SupArena *scratch, SupArena *arena, Tiling *t, uint32_t lanes, SupTiles *out,
                      SupError *error) {
  t->place = SUP_ALLOC(scratch, uint32_t, t->lanes);
  t->bone_at = SUP_ALLOC(scratch, uint32_t, t->model->skin.bone_count);
  t->segment_at = SUP_ALLOC(scratch, uint32_t, t->model->segment_count);
  if (!t->place || !t->bone_at || !t->segment_at) {
    return sup_fail_memory(error, "laying a surface model out in tiles");
  }
  for (uint32_t i = 0; i < t->lanes; i++) t->place[i] = TILING_NONE;
  for (uint32_t i = 0; i < t->model->skin.bone_count; i++) t->bone_at[i] = TILING_NONE;
  for (uint32_t i = 0; i < t->model->segment_count; i++) t->segment_at[i] = TILING_NONE;
  t->tiled = SUP_ALLOC(scratch, uint32_t, t->lanes);
  t->order = SUP_ALLOC(arena, uint32_t, t->lanes);
  if (!t->tiled || !t->order || !sup_tiles_order(scratch, t->model, lanes, t->order)) {
    return sup_fail_memory(error, "laying a surface model out in tiles");
  }
  for (uint32_t i = 0; i < t->lanes; i++) t->tiled[t->order[i]] = i;
  find_ranges(t);
  sup_tiling_find_spokes(t);
  t->used = 0;
  if (!write_tiles(t, lanes)) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "the surface model cannot be laid out in tiles: 16 vertices near vertex %u "
                    "have more than %u bones, %u bone segments or %u neighbours",
                    t->model->skin.order[t->order[t->first]], (unsigned)TILES_BONES,
                    (unsigned)TILES_SEGMENTS, (unsigned)TILES_ENTRIES);
  }
  const size_t start = TILES_HEADERS + (size_t)TILE_WORDS * t->tile_count;
  const size_t aligned = (start + 31) / 32 * 32, count = aligned + t->used;
  if (count > UINT32_MAX) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED, "the surface model is too large for tiles");
  }
  t->words = SUP_ALLOC(arena, uint32_t, count);
  if (!t->words) return sup_fail_memory(error, "laying a surface model out in tiles");
  t->used = aligned;
  write_tiles(t, lanes);
  sup_tiling_write_first_words(t);
  const size_t history = ((size_t)4 * t->tile_count + 63) / 64 * 64;
  const size_t bones = t->model->skin.bone_count;
  const size_t records = (history + 2 * 6 * 16 * bones + 127) / 128 * 128;
  const size_t lane_bytes = t->model->flags & SUP_SURFACE_UNDELAYED ? 80 : 64;
  *out = (SupTiles){.tile_count = t->tile_count,
                    .lane_count = t->lanes,
                    .bone_count = t->model->skin.bone_count,
                    .halo_count = t->halo_count,
                    .bytes = t->used * sizeof(uint32_t),
                    .one_ring_bytes = t->one_ring_words * sizeof(uint32_t),
                    .history = history,
                    .records = records,
                    .state_bytes = (records + lane_bytes * t->lanes + 127) / 128 * 128,
                    .order = t->order,
                    .words = t->words};
  return SUP_OK;
}

SupResult sup_tiles_make(SupArena *arena, const SupSurfaceView *model, uint32_t lanes,
                         SupTiles *out, SupError *error) {
  if (lanes == 0) lanes = TILES_MOST;
  if (lanes > TILES_MOST || lanes % TILES_WARP) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "a tile has 32, 64, .. 256 lanes, not %u", lanes);
  }
  SupArena scratch = sup_scratch(arena);
  Tiling *t = SUP_ALLOC(&scratch, Tiling, 1);
  SupResult result = SUP_OK;
  if (t) {
    t->model = model;
    t->lanes = SUP_SKIN_BLOCK * model->skin.block_count;
    result = make(&scratch, arena, t, lanes, out, error);
  } else {
    result = sup_fail_memory(error, "laying a surface model out in tiles");
  }
  sup_arena_free(&scratch);
  return result;
}
