/* SPDX-License-Identifier: MIT */
/* From maps to a model that may be saved: lock, limit, pack, probe. */
#include "supple/author/surface_build.h"

#include "geom/scratch.h"
#include "supple/author/segments.h"

#define COOKIE SUP_FOURCC('s', 'b', 'd', 'f')
#define DRAG_STEP 0.04f /* added at a time, where growth was found */
#define SHAPE 0.01f     /* what counts as there, by the size of the mode */
#define ATTEMPTS 40

_Static_assert(sizeof(SupSegment) == sizeof(SupSurfaceSegment), "the same three fields");

SupSurfaceBuildDef sup_surface_build_def(void) {
  return (SupSurfaceBuildDef){.cookie = COOKIE, .h = 1.0f / 60.0f, .seed = 1};
}

static SupResult copy_maps(SupArena *arena, const SupSurfaceMaps *from, SupSurfaceMaps *out,
                           SupError *error) {
  SupResult result = sup_surface_maps_create(arena, from->vertex_count, out, error);
  for (uint32_t row = 0; row < SUP_SURFACE_MAPS && result == SUP_OK; row++) {
    sup_copy(out->rows[row], from->rows[row], from->vertex_count * sizeof(float));
  }
  return result;
}

static float lerp(float a, float b, float t) { return a + t * (b - a); }

/* A vertex that is locked takes its goal's place and acceleration, and nothing else acts on it. */
static void apply_lock(const float *lock, SupSurfaceMaps *io_maps) {
  static const struct {
    SupSurfaceRow row;
    float locked;
  } ends[] = {{SUP_SURFACE_ALPHA, 1}, {SUP_SURFACE_DELTA, 1}, {SUP_SURFACE_ETA, 1},
              {SUP_SURFACE_BETA, 0},  {SUP_SURFACE_GAMMA, 0}, {SUP_SURFACE_LAMBDA, 0}};
  for (size_t k = 0; lock && k < sizeof ends / sizeof *ends; k++) {
    float *row = io_maps->rows[ends[k].row];
    for (uint32_t v = 0; v < io_maps->vertex_count; v++) {
      row[v] = lerp(row[v], ends[k].locked, lock[v]);
    }
  }
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
  pack_def.flags = def->flags;
  pack_def.h = def->h;
  pack_def.segments = copies;
  for (uint32_t row = 0; row < SUP_SURFACE_MAPS; row++) pack_def.maps[row] = maps->rows[row];
  return sup_surface_pack(arena, character, &pack_def, out_model, error);
}

/* Only where the mode lives: the rest of the body keeps the numbers that somebody chose. */
static void add_drag(const float *shape, const SupSurfaceMaps *maps, float *io_added) {
  float *row = maps->rows[SUP_SURFACE_DELTA];
  for (uint32_t v = 0; v < maps->vertex_count; v++) {
    if (shape[v] < SHAPE) continue;
    io_added[v] += DRAG_STEP;
    row[v] = row[v] + DRAG_STEP < 1 ? row[v] + DRAG_STEP : 1;
  }
}

/* One try. `shown` is what the artist sees, without the lock. */
static SupResult attempt(SupArena *arena, const SupCharacter *character,
                         const SupSurfaceBuildDef *def, const SupSurfaceMaps *shown,
                         float *out_shape, SupModel **out_model, SupSurfaceProbe *out_probe,
                         SupError *error) {
  SupArena scratch = sup_scratch(arena);
  SupSurfaceMaps packed;
  SupResult result = copy_maps(&scratch, shown, &packed, error);
  if (result == SUP_OK) {
    apply_lock(shown->lock, &packed);
    sup_surface_limit(&packed);
    result = pack(&scratch, character, def, &packed, out_model, error);
  }
  if (result == SUP_OK) {
    const SupSurfaceProbeDef probe = {def->seed, def->jobs, out_shape};
    result = sup_surface_probe(&scratch, *out_model, &probe, out_probe, error);
  }
  if (result == SUP_OK && out_probe->growth < SUP_SURFACE_GROWTH) {
    *out_model = (SupModel *)sup_arena_copy(arena, *out_model, (size_t)(*out_model)->bytes, 1);
    if (!*out_model) result = sup_fail_memory(error, "a surface model");
  }
  sup_arena_free(&scratch);
  return result;
}

SupResult sup_surface_build(SupArena *arena, const SupCharacter *character,
                            const SupSurfaceBuildDef *def, SupSurfaceMaps *io_maps,
                            SupModel **out_model, SupSurfaceBuildReport *out_report,
                            SupError *error) {
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "surface: start from sup_surface_build_def()");
  }
  SupSurfaceBuildReport report = {.limited = sup_surface_limit(io_maps)};
  float *shape = SUP_ALLOC(arena, float, io_maps->vertex_count);
  float *added = SUP_ALLOC(arena, float, io_maps->vertex_count);
  if (!shape || !added) return sup_fail_memory(error, "a surface model");
  for (int k = 0; k < ATTEMPTS; k++) {
    SupResult result =
        attempt(arena, character, def, io_maps, shape, out_model, &report.probe, error);
    if (result != SUP_OK) return result;
    if (report.probe.growth < SUP_SURFACE_GROWTH) {
      for (uint32_t v = 0; v < io_maps->vertex_count; v++) {
        report.calmed += added[v] > 0;
        if (added[v] > report.drag_added) report.drag_added = added[v];
      }
      *out_report = report;
      return SUP_OK;
    }
    add_drag(shape, io_maps, added);
    sup_surface_limit(io_maps);
  }
  return sup_fail(
      error, SUP_ERROR_UNSUPPORTED,
      "surface: near vertex %u the motion grows by %g per step whatever the drag; lower "
      "stiffness, detail and volume there",
      report.probe.vertex, report.probe.growth);
}

bool sup_surface_maps_differ(SupArena *arena, const SupSurfaceMaps *maps, const SupModel *model) {
  SupArena scratch = sup_scratch(arena);
  SupSurfaceMaps packed;
  const SupSurfaceView view = sup_surface_view(model);
  float *stored = SUP_ALLOC(&scratch, float, maps->vertex_count);
  bool differ = true;
  if (stored && view.skin.vertex_count == maps->vertex_count &&
      copy_maps(&scratch, maps, &packed, NULL) == SUP_OK) {
    differ = false;
    apply_lock(maps->lock, &packed);
    sup_surface_limit(&packed);
    for (uint32_t row = 0; row < SUP_SURFACE_MAPS; row++) {
      sup_surface_get_map(model, (SupSurfaceRow)row, stored);
      for (uint32_t v = 0; v < maps->vertex_count && !differ; v++) {
        float x = packed.rows[row][v], y = stored[v];
        if (row >= SUP_SURFACE_REACH && x > view.size) x = view.size;
        const float scale = row >= SUP_SURFACE_REACH ? view.size : 1;
        differ = !(x - y < 1e-5f * scale && y - x < 1e-5f * scale);
      }
    }
  }
  sup_arena_free(&scratch);
  return differ;
}
