/* SPDX-License-Identifier: MIT */
/* From maps to a model that may be saved: lock, limit, pack, probe. */
#include "supple/author/surface_build.h"

#include "base/scratch.h"
#include "supple/author/segments.h"
#include "supple/author/shared_vertices.h"
#include "supple/geom/bounds.h"

#define COOKIE SUP_FOURCC('s', 'b', 'd', 'f')
#define DRAG_STEP 0.04f /* added at a time, at 60 steps a second, where growth was found */
#define DOUBLING 8      /* attempts after which it is added twice as fast */
#define SHAPE 0.01f     /* what counts as there, by the size of the mode */
#define ATTEMPTS 40
#define ROUNDING 2e-4f /* above what a map in 12 bits differs by, 1.4e-4: nobody painted that */
#define STILL 1e-7f    /* of the character's size: as far as a vertex goes that is held */

_Static_assert(sizeof(SupSegment) == sizeof(SupSurfaceSegment), "the same three fields");

SupSurfaceBuildDef sup_surface_build_def(void) {
  return (SupSurfaceBuildDef){.cookie = COOKIE, .h = 1.0f / 60.0f, .seed = 1};
}

static SupResult copy_maps(SupArena *arena, const SupSurfaceMaps *from, SupSurfaceMaps *out,
                           SupError *error) {
  SupResult result = sup_surface_maps_create(arena, from->vertex_count, out, error);
  for (uint32_t row = 0; row < sup_surface_map_count(from) && result == SUP_OK; row++) {
    sup_copy(out->rows[row], from->rows[row], from->vertex_count * sizeof(float));
  }
  out->normal = from->normal;
  return result;
}

static float size_of(const SupCharacter *character) {
  return sup_bounds_diagonal(sup_bounds(character->body.positions, character->body.vertex_count));
}

static float lerp(float a, float b, float t) { return a + t * (b - a); }

/* A vertex that is locked takes its goal's place and acceleration, and nothing else acts on it. */
static void apply_lock(const float *lock, SupSurfaceMaps *io_maps) {
  static const struct {
    uint32_t row;
    float locked;
  } ends[] = {{SUP_SURFACE_ALPHA, 1},
              {SUP_SURFACE_DELTA, 1},
              {SUP_SURFACE_ETA, 1},
              {SUP_SURFACE_BETA, 0},
              {SUP_SURFACE_GAMMA, 0},
              {SUP_SURFACE_LAMBDA, 0},
              {SUP_SURFACE_MAP_NORMAL_ALPHA, 1},
              {SUP_SURFACE_MAP_NORMAL_DELTA, 1}};
  for (size_t k = 0; lock && k < sizeof ends / sizeof *ends; k++) {
    if (ends[k].row >= sup_surface_map_count(io_maps)) continue;
    float *row = io_maps->rows[ends[k].row];
    for (uint32_t v = 0; v < io_maps->vertex_count; v++) {
      row[v] = lerp(row[v], ends[k].locked, lock[v]);
    }
  }
}

/* The spring alone sees where the goal is going one step late, and neighbours pull as well: only
 * the maximum distance makes a vertex that is locked, or feels nothing, stay exactly where skinning
 * puts it. So it ends at the fraction of the motion that is felt, of the size; lock and amount at
 * their ends mean what they say, and between them nothing jumps. */
static void bound_max_distance(float size, SupSurfaceMaps *io_maps) {
  float *max_distance = io_maps->rows[SUP_SURFACE_MAX_DISTANCE];
  for (uint32_t v = 0; v < io_maps->vertex_count; v++) {
    const float felt = 1 - io_maps->rows[SUP_SURFACE_ETA][v];
    const float most = felt > STILL ? felt * size : STILL * size;
    if (max_distance[v] > most) max_distance[v] = most;
  }
}

/* What an artist sees becomes what is packed. */
static void finish_maps(float size, float h, SupSurfaceMaps *io_maps) {
  apply_lock(io_maps->lock, io_maps);
  bound_max_distance(size, io_maps);
  sup_surface_limit(io_maps, h);
}

static SupResult pack(SupArena *arena, const SupCharacter *character, const SupSurfaceBuildDef *def,
                      const SupSurfaceMaps *maps, SupModel **out_model, SupError *error) {
  SupSurfaceDef pack_def = sup_surface_def();
  const SupSegment *segments;
  SupResult result =
      sup_segments_create(arena, character, &segments, &pack_def.segment_count, error);
  if (result != SUP_OK) return result;
  SupSurfaceSegment *copies = SUP_ALLOC(arena, SupSurfaceSegment, pack_def.segment_count);
  if (!copies) return sup_fail_memory(error, "a surface model");
  for (uint32_t s = 0; s < pack_def.segment_count; s++) {
    copies[s] = (SupSurfaceSegment){segments[s].bone, segments[s].a, segments[s].b};
  }
  pack_def.flags = (def->flags & ~SUP_SURFACE_NORMAL) | (maps->normal ? SUP_SURFACE_NORMAL : 0);
  pack_def.h = def->h;
  pack_def.segments = copies;
  for (uint32_t row = 0; row < sup_surface_map_count(maps); row++) {
    pack_def.maps[row] = maps->rows[row];
  }
  return sup_surface_pack(arena, character, &pack_def, out_model, error);
}

/* Only where the mode lives: the rest of the body keeps the numbers that somebody chose. */
static void add_drag(const float *shape, float drag, const SupSurfaceMaps *maps, float *io_added) {
  float *row = maps->rows[SUP_SURFACE_DELTA], *normal = maps->rows[SUP_SURFACE_MAP_NORMAL_DELTA];
  for (uint32_t v = 0; v < maps->vertex_count; v++) {
    if (shape[v] < SHAPE) continue;
    io_added[v] += drag;
    row[v] = row[v] + drag < 1 ? row[v] + drag : 1;
    if (maps->normal) normal[v] = normal[v] + drag < 1 ? normal[v] + drag : 1;
  }
}

/* One try. `shown` is what the artist sees, without the lock. The model is NULL unless it passed.
 */
static SupResult attempt(SupArena *arena, const SupCharacter *character,
                         const SupSurfaceBuildDef *def, const SupSurfaceMaps *shown,
                         float *out_shape, SupModel **out_model, SupSurfaceProbe *out_probe,
                         SupError *error) {
  SupArena scratch = sup_scratch(arena);
  SupSurfaceMaps packed;
  SupModel *model = NULL;
  SupResult result = copy_maps(&scratch, shown, &packed, error);
  if (result == SUP_OK) {
    packed.lock = shown->lock;
    finish_maps(size_of(character), def->h, &packed);
    result = pack(&scratch, character, def, &packed, &model, error);
  }
  if (result == SUP_OK) {
    const SupSurfaceProbeDef probe = {def->seed, def->jobs, out_shape};
    result = sup_surface_probe(&scratch, model, &probe, out_probe, error);
  }
  if (result == SUP_OK && out_probe->growth < SUP_SURFACE_GROWTH) {
    *out_model = (SupModel *)sup_arena_copy(arena, model, (size_t)model->bytes, 1);
    if (!*out_model) result = sup_fail_memory(error, "a surface model");
  }
  sup_arena_free(&scratch);
  return result;
}

/* A vertex that the file stores once for several of the body's has one number. */
static void copy_shared_maps(const uint32_t *shared, const SupSurfaceMaps *maps) {
  for (uint32_t row = 0; row < sup_surface_map_count(maps); row++) {
    sup_shared_vertices_copy(shared, maps->vertex_count, maps->rows[row]);
  }
  if (maps->lock) sup_shared_vertices_copy(shared, maps->vertex_count, maps->lock);
}

static void count_calmed(const float *added, uint32_t count, SupSurfaceBuildReport *io_report) {
  for (uint32_t v = 0; v < count; v++) {
    io_report->calmed += added[v] > 0;
    if (added[v] > io_report->drag_added) io_report->drag_added = added[v];
  }
}

static SupResult check_build(const SupCharacter *character, const SupSurfaceBuildDef *def,
                             SupError *error) {
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "surface: start from sup_surface_build_def()");
  }
  if (!(size_of(character) > 0)) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "surface: all vertices are at one point; there is no skin to move");
  }
  return SUP_OK;
}

SupResult sup_surface_build(SupArena *arena, const SupCharacter *character,
                            const SupSurfaceBuildDef *def, SupSurfaceMaps *io_maps,
                            SupModel **out_model, SupSurfaceBuildReport *out_report,
                            SupError *error) {
  const uint32_t n = io_maps->vertex_count;
  const uint32_t *shared = NULL;
  *out_model = NULL;
  SupResult result = check_build(character, def, error);
  if (result == SUP_OK) result = sup_shared_vertices(arena, character, &shared, error);
  if (result != SUP_OK) return result;
  float *shape = SUP_ALLOC(arena, float, n), *added = SUP_ALLOC(arena, float, n);
  if (!shape || !added) return sup_fail_memory(error, "a surface model");
  copy_shared_maps(shared, io_maps);
  SupSurfaceBuildReport report = {.limited = sup_surface_limit(io_maps, def->h)};
  float drag = DRAG_STEP * 60 * def->h;
  for (int k = 0; k < ATTEMPTS; k++) {
    result = attempt(arena, character, def, io_maps, shape, out_model, &report.probe, error);
    if (result != SUP_OK) return result;
    if (*out_model) {
      count_calmed(added, n, &report);
      *out_report = report;
      return SUP_OK;
    }
    if (k > 0 && k % DOUBLING == 0) drag *= 2;
    sup_shared_vertices_greatest(shared, n, shape);
    add_drag(shape, drag, io_maps, added);
    sup_surface_limit(io_maps, def->h);
  }
  return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                  "surface: the motion near vertex %u is unstable (it grows by %g per step at any "
                  "drag); lower stiffness, detail and volume there",
                  report.probe.vertex, report.probe.growth);
}

bool sup_surface_maps_differ(SupArena *arena, const SupSurfaceMaps *maps, const SupModel *model) {
  SupArena scratch = sup_scratch(arena);
  SupSurfaceMaps packed;
  const SupSurfaceView view = sup_surface_view(model);
  float *stored = SUP_ALLOC(&scratch, float, maps->vertex_count);
  bool differ = true;
  if (stored && view.skin.vertex_count == maps->vertex_count &&
      maps->normal == (view.normal_rows != NULL) &&
      copy_maps(&scratch, maps, &packed, NULL) == SUP_OK) {
    differ = false;
    packed.lock = maps->lock;
    finish_maps(view.size, model->h, &packed);
    for (uint32_t row = 0; row < sup_surface_map_count(maps); row++) {
      const bool length = row == SUP_SURFACE_MAX_DISTANCE || row == SUP_SURFACE_STOP;
      sup_surface_get_map(model, row, stored);
      for (uint32_t v = 0; v < maps->vertex_count && !differ; v++) {
        float x = packed.rows[row][v], y = stored[v];
        if (length && x > view.size) x = view.size;
        const float scale = length ? view.size : 1;
        differ = !(x - y < ROUNDING * scale && y - x < ROUNDING * scale);
      }
    }
  }
  sup_arena_free(&scratch);
  return differ;
}
