/* SPDX-License-Identifier: MIT */
/* The surface's numbers as maps that people paint. */
#include "supple/author/body_scale.h"
#include "supple/author/surface_build.h"

static const struct {
  const char *name;
  float most;
} maps[SUP_SURFACE_ALL_MAPS] = {
    [SUP_SURFACE_ALPHA] = {"stiffness", 1},
    [SUP_SURFACE_BETA] = {"detail", 1},
    [SUP_SURFACE_GAMMA] = {"volume", 1},
    [SUP_SURFACE_LAMBDA] = {"damping", 0.5f},
    [SUP_SURFACE_DELTA] = {"drag", 1},
    [SUP_SURFACE_ETA] = {"amount", 1},
    [SUP_SURFACE_MAX_DISTANCE] = {"max_distance", 0},
    [SUP_SURFACE_STOP] = {"backstop", 0},
    [SUP_SURFACE_MAP_NORMAL_ALPHA] = {"normal_stiffness", 1},
    [SUP_SURFACE_MAP_NORMAL_DELTA] = {"normal_drag", 1},
};

const char *sup_surface_map_name(uint32_t map) { return maps[map].name; }

float sup_surface_map_most(uint32_t map) { return maps[map].most; }

uint32_t sup_surface_map_count(const SupSurfaceMaps *of) {
  return of->normal ? SUP_SURFACE_ALL_MAPS : SUP_SURFACE_MAPS;
}

void sup_surface_maps_split(SupSurfaceMaps *io_maps) {
  const size_t bytes = io_maps->vertex_count * sizeof(float);
  if (io_maps->normal) return;
  io_maps->normal = true;
  sup_copy(io_maps->rows[SUP_SURFACE_MAP_NORMAL_ALPHA], io_maps->rows[SUP_SURFACE_ALPHA], bytes);
  sup_copy(io_maps->rows[SUP_SURFACE_MAP_NORMAL_DELTA], io_maps->rows[SUP_SURFACE_DELTA], bytes);
}

uint32_t sup_surface_map_row(const char *name) {
  for (uint32_t map = 0; map < SUP_SURFACE_ALL_MAPS; map++) {
    if (sup_string_equal(maps[map].name, name)) return map;
  }
  return SUP_SURFACE_ROWS;
}

SupResult sup_surface_maps_create(SupArena *arena, uint32_t vertex_count, SupSurfaceMaps *out_maps,
                                  SupError *error) {
  const SupSurfaceDef def = sup_surface_def();
  SupSurfaceMaps created = {.vertex_count = vertex_count};
  for (uint32_t row = 0; row < SUP_SURFACE_ALL_MAPS; row++) {
    created.rows[row] = SUP_ALLOC(arena, float, vertex_count);
    if (!created.rows[row]) return sup_fail_memory(error, "maps");
    for (uint32_t v = 0; v < vertex_count; v++) created.rows[row][v] = def.values[row];
  }
  *out_maps = created;
  return SUP_OK;
}

void sup_surface_map_shown(uint32_t map, float scale, const float *values, uint32_t count,
                           float *out_values) {
  const float unit = maps[map].most > 0 ? 1 : scale;
  for (uint32_t v = 0; v < count; v++) {
    out_values[v] = map == SUP_SURFACE_ETA ? 1 - values[v] : unit * values[v];
  }
}

/* Painted numbers may be anything; a length that is none means no limit. */
static float in_range(uint32_t row, float x) {
  const float most = row < SUP_SURFACE_ALL_MAPS ? maps[row].most : 1;
  if (row == SUP_SURFACE_MAX_DISTANCE) return x > 1e-6f ? x : 1e-6f;
  if (!(x >= 0)) return most > 0 ? 0 : x == x ? 0 : 1e30f;
  return most > 0 && x > most ? most : x;
}

static const SupMap *find_map(const SupCharacter *character, const char *name) {
  for (uint32_t k = 0; k < character->map_count; k++) {
    if (sup_string_equal(character->maps[k].name, name)) return &character->maps[k];
  }
  return NULL;
}

SupResult sup_surface_maps_read(SupArena *arena, const SupCharacter *character,
                                SupSurfaceMaps *io_maps, uint32_t *out_count, SupError *error) {
  const uint32_t n = io_maps->vertex_count;
  const float unit = 1 / sup_body_scale(character);
  uint32_t count = 0;
  const SupMap *lock = find_map(character, "lock");
  if (lock) {
    io_maps->lock = SUP_ALLOC(arena, float, n);
    if (!io_maps->lock) return sup_fail_memory(error, "maps");
    for (uint32_t v = 0; v < n; v++) {
      io_maps->lock[v] = in_range(SUP_SURFACE_ALL_MAPS, lock->values[v]);
    }
  }
  for (uint32_t row = 0; row < SUP_SURFACE_ALL_MAPS; row++) {
    const SupMap *map = find_map(character, maps[row].name);
    if (!map) continue;
    count++;
    if (row >= SUP_SURFACE_MAPS) sup_surface_maps_split(io_maps);
    for (uint32_t v = 0; v < n; v++) io_maps->rows[row][v] = in_range(row, map->values[v]);
    sup_surface_map_shown(row, unit, io_maps->rows[row], n, io_maps->rows[row]);
  }
  *out_count = count + (lock != NULL);
  return SUP_OK;
}

void sup_surface_maps_of(const SupModel *model, SupSurfaceMaps *io_maps) {
  const SupSurfaceView view = sup_surface_view(model);
  const float size = view.size;
  io_maps->normal = view.normal_rows != NULL;
  for (uint32_t row = 0; row < sup_surface_map_count(io_maps); row++) {
    sup_surface_get_map(model, row, io_maps->rows[row]);
    if (maps[row].most > 0) continue;
    for (uint32_t v = 0; v < io_maps->vertex_count; v++) { /* the whole size means no limit */
      if (io_maps->rows[row][v] >= size) io_maps->rows[row][v] = 1e30f;
    }
  }
}
