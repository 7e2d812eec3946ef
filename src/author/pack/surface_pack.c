/* SPDX-License-Identifier: MIT */
/* A surface model out of a character and its maps: neighbours, spokes and triangles in blocks. */
#include "supple/author/surface_pack.h"

#include "author/pack/one_rings.h"
#include "base/scratch.h"
#include "supple/author/fingerprint.h"
#include "supple/geom/topology.h"

#define COOKIE SUP_FOURCC('s', 'd', 'e', 'f')
#define BLOCK SUP_SKIN_BLOCK

/* What packing works with; all in the arena of the job. */
typedef struct Pack {
  const SupCharacter *character;
  const SupSurfaceDef *def;
  float diagonal;
  SupSkinView skin;
  SupRings rings;
  uint32_t flags;
  float *parameters; /* [blocks of SUP_SURFACE_ROWS] */
  float *normals;    /* NULL, or [blocks of SUP_SURFACE_NORMAL_ROWS] */
  uint32_t *slot_first, *slots;
  float *edges;
  uint32_t *next_segment, *first_segment; /* lists of the segments of each bone */
  uint32_t *spoke_first, *spokes;
  float *spoke_rows;
  SupFans one_rings;
} Pack;

SupSurfaceDef sup_surface_def(void) {
  return (SupSurfaceDef){.cookie = COOKIE,
                         .h = 1.0f / 60.0f,
                         .values = {0.2f, 0.1f, 0, 0.05f, 0.1f, 0, 1e30f, 1e30f, 0.2f, 0.1f}};
}

/* ---- Maps -------------------------------------------------------------------------------------
 */

static const struct {
  const char *name;
  float most;
} rows[SUP_SURFACE_ALL_MAPS] = {
    {"stiffness (alpha)", 1},    {"detail (beta)", 1}, {"volume (gamma)", 1},
    {"damping (lambda)", 0.5f},  {"drag (delta)", 1},  {"feed-forward (eta)", 1},
    {"max_distance", 0},         {"backstop", 0},      {"stiffness along the normal", 1},
    {"drag along the normal", 1}};

static bool is_length(uint32_t row) {
  return row == SUP_SURFACE_MAX_DISTANCE || row == SUP_SURFACE_STOP;
}

static uint32_t map_count(uint32_t flags) {
  return flags & SUP_SURFACE_NORMAL ? SUP_SURFACE_ALL_MAPS : SUP_SURFACE_MAPS;
}

static float map_value(const SupSurfaceDef *def, uint32_t row, uint32_t v) {
  return def->maps[row] ? def->maps[row][v] : def->values[row];
}

static SupResult check_maps(const Pack *p, SupError *error) {
  for (uint32_t row = 0; row < map_count(p->flags); row++) {
    for (uint32_t v = 0; v < p->skin.vertex_count; v++) {
      float x = map_value(p->def, row, v);
      bool good = is_length(row) ? (row == SUP_SURFACE_MAX_DISTANCE ? x > 0 : x >= 0)
                                 : x >= 0 && x <= rows[row].most;
      if (!good) {
        return sup_fail(error, SUP_ERROR_ARGUMENT,
                        "surface: %s of vertex %u is %g, which is out of range", rows[row].name, v,
                        (double)x);
      }
      if (!p->def->maps[row]) break;
    }
  }
  return SUP_OK;
}

static void put_map(Pack *p, uint32_t row) {
  for (uint32_t lane = 0; lane < BLOCK * p->skin.block_count; lane++) {
    float x = map_value(p->def, row, p->skin.order[lane]);
    if (is_length(row) && x > p->diagonal) x = p->diagonal;
    if (row == SUP_SURFACE_STOP && x < p->diagonal) p->flags |= SUP_SURFACE_BACKSTOPS;
    p->parameters[BLOCK * ((size_t)SUP_SURFACE_ROWS * (lane / BLOCK) + row) + lane % BLOCK] = x;
  }
}

static size_t normal_offset(uint32_t row, uint32_t lane) {
  return BLOCK * ((size_t)SUP_SURFACE_NORMAL_ROWS * (lane / BLOCK) + row) + lane % BLOCK;
}

/* The normal's own numbers. */
static SupResult pack_normals(SupArena *arena, Pack *p, SupError *error) {
  const size_t lanes = (size_t)BLOCK * p->skin.block_count;
  if (!(p->flags & SUP_SURFACE_NORMAL)) return SUP_OK;
  p->normals = SUP_ALLOC(arena, float, SUP_SURFACE_NORMAL_ROWS *lanes);
  if (!p->normals) return sup_fail_memory(error, "packing a surface model");
  for (uint32_t lane = 0; lane < lanes; lane++) {
    const uint32_t v = p->skin.order[lane];
    float *to = p->normals + normal_offset(0, lane);
    to[0] = map_value(p->def, SUP_SURFACE_MAP_NORMAL_ALPHA, v);
    to[BLOCK] = map_value(p->def, SUP_SURFACE_MAP_NORMAL_DELTA, v);
  }
  return SUP_OK;
}

static SupResult pack_maps(SupArena *arena, Pack *p, SupError *error) {
  const size_t lanes = (size_t)BLOCK * p->skin.block_count;
  p->parameters = SUP_ALLOC(arena, float, SUP_SURFACE_ROWS *lanes);
  if (!p->parameters) return sup_fail_memory(error, "packing a surface model");
  p->flags = p->def->flags & (SUP_SURFACE_BONE_ROTATION | SUP_SURFACE_ABSOLUTE |
                              SUP_SURFACE_NORMAL | SUP_SURFACE_UNDELAYED | SUP_SURFACE_OWN_INERTIA);
  SupResult result = check_maps(p, error);
  if (result) return result;
  for (uint32_t row = 0; row < SUP_SURFACE_MAPS; row++) put_map(p, row);
  return pack_normals(arena, p, error);
}

/* ---- Neighbours -------------------------------------------------------------------------------
 */

static uint32_t valence(const Pack *p, uint32_t v) {
  return p->rings.offsets[v + 1] - p->rings.offsets[v];
}

static void pack_ring(Pack *p, uint32_t lane) {
  const SupVec3 *positions = p->character->body.positions;
  const uint32_t v = p->skin.order[lane], block = lane / BLOCK, at = lane % BLOCK;
  const uint32_t *ring = p->rings.neighbours + p->rings.offsets[v];
  SupVec3d mean = {0, 0, 0};
  for (uint32_t s = p->slot_first[block]; s < p->slot_first[block + 1]; s++) {
    const uint32_t k = s - p->slot_first[block];
    const bool real = k < valence(p, v);
    p->slots[BLOCK * (size_t)s + at] = real ? p->one_rings.lanes[ring[k]] : lane;
    if (!real) continue;
    const SupVec3 e = sup_vec3_sub(positions[ring[k]], positions[v]);
    float *edge = p->edges + 3 * BLOCK * (size_t)s + at;
    edge[0] = e.x, edge[BLOCK] = e.y, edge[2 * BLOCK] = e.z;
    mean = sup_vec3d_add(mean, sup_vec3_to_double(e));
  }
  const double fraction = valence(p, v) ? 1.0 / valence(p, v) : 0;
  const SupVec3 edge = sup_vec3d_to_float(sup_vec3d_scale(mean, fraction));
  float *to = p->parameters + (size_t)(SUP_SURFACE_ROWS * BLOCK) * block + at;
  to[SUP_SURFACE_RING_WEIGHT * BLOCK] = (float)fraction;
  to[SUP_SURFACE_EDGE_X * BLOCK] = edge.x;
  to[SUP_SURFACE_EDGE_Y * BLOCK] = edge.y;
  to[SUP_SURFACE_EDGE_Z * BLOCK] = edge.z;
}

static SupResult pack_rings(SupArena *arena, Pack *p, SupError *error) {
  SupResult result = sup_rings(arena, &p->character->body, &p->rings, error);
  if (result) return result;
  p->slot_first = SUP_ALLOC(arena, uint32_t, (size_t)p->skin.block_count + 1);
  if (!p->slot_first) return sup_fail_memory(error, "packing a surface model");
  for (uint32_t block = 0; block < p->skin.block_count; block++) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < BLOCK; i++) {
      const uint32_t n = valence(p, p->skin.order[BLOCK * block + i]);
      if (n > most) most = n;
    }
    p->slot_first[block + 1] = p->slot_first[block] + most;
  }
  const size_t count = p->slot_first[p->skin.block_count];
  p->slots = SUP_ALLOC(arena, uint32_t, BLOCK * count);
  p->edges = SUP_ALLOC(arena, float, 3 * BLOCK * count);
  if (!p->slots || !p->edges) return sup_fail_memory(error, "packing a surface model");
  for (uint32_t lane = 0; lane < BLOCK * p->skin.block_count; lane++) pack_ring(p, lane);
  return SUP_OK;
}

/* ---- Spokes -----------------------------------------------------------------------------------
 */

static float distance_to(const SupSurfaceSegment *segment, SupVec3 point) {
  const SupVec3 d = sup_vec3_sub(segment->b, segment->a), s = sup_vec3_sub(point, segment->a);
  const float square = sup_vec3_dot(d, d);
  float t = square > 0 ? sup_vec3_dot(s, d) / square : 0;
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  return sup_vec3_distance(point, sup_vec3_add_scaled(segment->a, d, t));
}

/* The segment of a bone that is nearest to a vertex; SUP_NONE for a bone without. */
static uint32_t nearest_segment(const Pack *p, uint32_t bone, SupVec3 point, float *out_distance) {
  uint32_t best = SUP_NONE;
  for (uint32_t s = p->first_segment[bone]; s != SUP_NONE; s = p->next_segment[s]) {
    const float d = distance_to(&p->def->segments[s], point);
    if (best == SUP_NONE || d < *out_distance || (d == *out_distance && s < best)) {
      best = s;
      *out_distance = d;
    }
  }
  return best;
}

static SupResult list_segments(SupArena *arena, Pack *p, SupError *error) {
  const uint32_t bones = p->skin.bone_count;
  p->first_segment = SUP_ALLOC(arena, uint32_t, bones);
  p->next_segment = SUP_ALLOC(arena, uint32_t, p->def->segment_count);
  if (!p->first_segment || !p->next_segment) {
    return sup_fail_memory(error, "packing a surface model");
  }
  for (uint32_t k = 0; k < bones; k++) p->first_segment[k] = SUP_NONE;
  for (uint32_t s = p->def->segment_count; s-- > 0;) {
    const uint32_t bone = p->def->segments[s].bone;
    if (bone >= bones) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "surface: segment %u belongs to bone %u, but there are only %u bones", s,
                      bone, bones);
    }
    p->next_segment[s] = p->first_segment[bone];
    p->first_segment[bone] = s;
  }
  return SUP_OK;
}

static bool block_has_volume(const Pack *p, uint32_t block) {
  const float *gamma =
      p->parameters + BLOCK * ((size_t)SUP_SURFACE_ROWS * block + SUP_SURFACE_GAMMA);
  for (uint32_t i = 0; i < BLOCK; i++) {
    if (gamma[i] > 0) return true;
  }
  return p->def->all_spokes;
}

/* The place of a segment in a block's list, which is kept rising; inserted if it is new. */
static uint32_t insert_spoke(uint32_t *list, uint32_t *io_count, uint32_t segment) {
  uint32_t k = *io_count;
  for (uint32_t i = 0; i < *io_count; i++) {
    if (list[i] == segment) return i;
  }
  for (; k > 0 && list[k - 1] > segment; k--) list[k] = list[k - 1];
  list[k] = segment;
  (*io_count)++;
  return k;
}

/* Two passes over the influences of a block: which segments, then their rows. */
static void block_spokes(Pack *p, uint32_t block, bool fill, uint32_t *list, uint32_t *io_count) {
  const SupSkin *skin = &p->character->skin;
  for (uint32_t i = 0; i < BLOCK; i++) {
    const uint32_t v = p->skin.order[BLOCK * block + i];
    for (uint32_t s = skin->offsets[v]; s < skin->offsets[v + 1]; s++) {
      float length = 0;
      const uint32_t segment =
          nearest_segment(p, skin->bones[s], p->character->body.positions[v], &length);
      if (segment == SUP_NONE) continue;
      const uint32_t k = insert_spoke(list, io_count, segment);
      if (!fill) continue;
      float *to = p->spoke_rows + 2 * BLOCK * (size_t)(p->spoke_first[block] + k) + i;
      to[0] += skin->weights[s];
      to[BLOCK] = length;
    }
  }
}

static SupResult pack_spokes(SupArena *arena, Pack *p, SupError *error) {
  const SupSkin *skin = &p->character->skin;
  p->spoke_first = SUP_ALLOC(arena, uint32_t, (size_t)p->skin.block_count + 1);
  /* The influences bound the lists; the last block's spare lanes repeat a vertex. */
  p->spokes = SUP_ALLOC(arena, uint32_t, (size_t)skin->offsets[skin->vertex_count]);
  SupResult result = list_segments(arena, p, error);
  if (result) return result;
  if (!p->spoke_first || !p->spokes) return sup_fail_memory(error, "packing a surface model");
  for (uint32_t block = 0; block < p->skin.block_count; block++) {
    const uint32_t first = p->spoke_first[block];
    uint32_t count = 0;
    if (block_has_volume(p, block)) block_spokes(p, block, false, p->spokes + first, &count);
    p->spoke_first[block + 1] = first + count;
  }
  p->spoke_rows = SUP_ALLOC(arena, float, 2 * BLOCK * (size_t)p->spoke_first[p->skin.block_count]);
  if (!p->spoke_rows) return sup_fail_memory(error, "packing a surface model");
  for (uint32_t block = 0; block < p->skin.block_count; block++) {
    uint32_t count = p->spoke_first[block + 1] - p->spoke_first[block];
    if (count) block_spokes(p, block, true, p->spokes + p->spoke_first[block], &count);
  }
  return SUP_OK;
}

/* ---- The model --------------------------------------------------------------------------------
 */

static SupResult make_model(SupArena *arena, const Pack *p, SupModel **out_model, SupError *error) {
  const uint64_t blocks = p->skin.block_count, lanes = BLOCK * blocks;
  const uint64_t slots = p->slot_first[blocks], spokes = p->spoke_first[blocks];
  const uint64_t one_rings = p->one_rings.first[blocks];
  const uint32_t counts[2] = {p->flags, p->def->segment_count};
  const SupModelPart own[SUP_SURFACE_SECTION_COUNT + 2] = {
      {SUP_SECTION_SURFACE_COUNTS, 4, 2, counts},
      {SUP_SECTION_SURFACE_LANES, 4, p->skin.vertex_count, p->one_rings.lanes},
      {SUP_SECTION_SURFACE_PARAMETERS, 4, SUP_SURFACE_ROWS * lanes, p->parameters},
      {SUP_SECTION_SURFACE_SLOT_FIRST, 4, blocks + 1, p->slot_first},
      {SUP_SECTION_SURFACE_SLOTS, 4, BLOCK * slots, p->slots},
      {SUP_SECTION_SURFACE_EDGES, 4, 3 * BLOCK * slots, p->edges},
      {SUP_SECTION_SURFACE_SPOKE_FIRST, 4, blocks + 1, p->spoke_first},
      {SUP_SECTION_SURFACE_SPOKES, 4, spokes, p->spokes},
      {SUP_SECTION_SURFACE_SPOKE_ROWS, 4, 2 * BLOCK * spokes, p->spoke_rows},
      {SUP_SECTION_SURFACE_ONE_RING_FIRST, 4, blocks + 1, p->one_rings.first},
      {SUP_SECTION_SURFACE_ONE_RINGS, 4, 2 * BLOCK * one_rings, p->one_rings.one_rings},
      {SUP_SECTION_SURFACE_SEGMENTS, sizeof(SupSurfaceSegment), p->def->segment_count,
       p->def->segments},
      {SUP_SECTION_REST, sizeof(SupVec3), p->skin.vertex_count, p->character->body.positions},
      {SUP_SECTION_SURFACE_NORMAL, 4, SUP_SURFACE_NORMAL_ROWS * lanes, p->normals}};
  const SupModelDef def = {.kind = SUP_SURFACE_KIND,
                           .version = p->flags & SUP_SURFACE_VERSION_3_FLAGS   ? 3
                                      : p->flags & SUP_SURFACE_VERSION_2_FLAGS ? 2
                                                                               : 1,
                           .h = p->def->h,
                           .part_count = SUP_SURFACE_SECTION_COUNT + (p->normals ? 2 : 1),
                           .parts = own};
  return sup_skin_pack_model(arena, p->character, &p->skin, &def, out_model, error);
}

SupResult sup_surface_pack(SupArena *arena, const SupCharacter *character, const SupSurfaceDef *def,
                           SupModel **out_model, SupError *error) {
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "surface: start from sup_surface_def()");
  }
  SupArena scratch = sup_scratch(arena);
  Pack p = {
      .character = character, .def = def, .diagonal = sup_fingerprint(&character->body).diagonal};
  SupResult result = sup_skin_pack_character(&scratch, character, SUP_ORDER_BODY, &p.skin, error);
  if (!result)
    result = sup_one_rings_pack(&scratch, &character->body, &p.skin, &p.one_rings, error);
  if (!result) result = pack_maps(&scratch, &p, error);
  if (!result) result = pack_rings(&scratch, &p, error);
  if (!result) result = pack_spokes(&scratch, &p, error);
  if (!result) result = make_model(arena, &p, out_model, error);
  sup_arena_free(&scratch);
  return result;
}

/* ---- Editing ----------------------------------------------------------------------------------
 */

static size_t row_offset(uint32_t row, uint32_t lane) {
  return BLOCK * ((size_t)SUP_SURFACE_ROWS * (lane / BLOCK) + row) + lane % BLOCK;
}

void sup_surface_get_map(const SupModel *model, uint32_t map, float *out_values) {
  static const uint32_t alike[] = {SUP_SURFACE_ALPHA, SUP_SURFACE_DELTA};
  const SupSurfaceView view = sup_surface_view(model);
  const bool own = map >= SUP_SURFACE_MAPS && view.normal_rows;
  const uint32_t row = map >= SUP_SURFACE_MAPS ? alike[map - SUP_SURFACE_MAPS] : map;
  for (uint32_t v = 0; v < view.skin.vertex_count; v++) {
    const uint32_t lane = view.lanes[v];
    out_values[v] = own ? view.normal_rows[normal_offset(map - SUP_SURFACE_MAPS, lane)]
                        : view.parameters[row_offset(row, lane)];
  }
}

static void set_normal_map(SupModel *io_model, const SupSurfaceView *view, uint32_t row,
                           const float *values) {
  float *to = (float *)(uintptr_t)view->normal_rows; /* inside *io_model */
  if (!to) return;
  for (uint32_t lane = 0; lane < BLOCK * view->skin.block_count; lane++) {
    to[normal_offset(row, lane)] = values[view->skin.order[lane]];
  }
  sup_model_seal(io_model);
}

void sup_surface_set_map(SupModel *io_model, uint32_t map, const float *values) {
  const SupSurfaceView view = sup_surface_view(io_model);
  const uint32_t row = map;
  float *parameters = (float *)(uintptr_t)view.parameters; /* inside *io_model */
  bool stops = false;
  if (map >= SUP_SURFACE_MAPS) {
    set_normal_map(io_model, &view, map - SUP_SURFACE_MAPS, values);
    return;
  }
  for (uint32_t lane = 0; lane < BLOCK * view.skin.block_count; lane++) {
    const float x = values[view.skin.order[lane]];
    parameters[row_offset(row, lane)] = is_length(row) && x > view.size ? view.size : x;
    stops |= row == SUP_SURFACE_STOP && x < view.size;
  }
  uint32_t *counts =
      (uint32_t *)(uintptr_t)sup_model_section(io_model, SUP_SECTION_SURFACE_COUNTS, 4, NULL);
  if (stops) counts[0] |= SUP_SURFACE_BACKSTOPS;
  sup_model_seal(io_model);
}
