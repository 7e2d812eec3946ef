/* SPDX-License-Identifier: MIT */
/* A surface model as sections of a block: checking them, and looking at them. */
#include "supple/surface.h"

#include "runtime/model_checks.h"

_Static_assert(sizeof(SupSurfaceSegment) == 28, "part of the file format");

typedef struct SurfaceCounts {
  uint64_t counts, lanes, parameters, slot_first, slots, edges, spoke_first, spokes, spoke_rows;
  uint64_t one_ring_first, one_rings, segments, normal_rows;
} SurfaceCounts;

static SupResult bad(SupError *error, const char *what) {
  return sup_fail(error, SUP_ERROR_FORMAT, "the model's surface is damaged (%s): build it again",
                  what);
}

static bool find_sections(const SupModel *model, SupSurfaceView *view, SurfaceCounts *n) {
  bool all = true;
#define FIND(type, name, count) \
  ((const type *)sup_need_section(model, SUP_SECTION_SURFACE_##name, sizeof(type), &n->count, &all))
  const uint32_t *counts = FIND(uint32_t, COUNTS, counts);
  view->lanes = FIND(uint32_t, LANES, lanes);
  view->parameters = FIND(float, PARAMETERS, parameters);
  view->slot_first = FIND(uint32_t, SLOT_FIRST, slot_first);
  view->slots = FIND(uint32_t, SLOTS, slots);
  view->edges = FIND(float, EDGES, edges);
  view->spoke_first = FIND(uint32_t, SPOKE_FIRST, spoke_first);
  view->spokes = FIND(uint32_t, SPOKES, spokes);
  view->spoke_rows = FIND(float, SPOKE_ROWS, spoke_rows);
  view->one_ring_first = FIND(uint32_t, ONE_RING_FIRST, one_ring_first);
  view->one_rings = FIND(uint32_t, ONE_RINGS, one_rings);
  view->segments = FIND(SupSurfaceSegment, SEGMENTS, segments);
#undef FIND
  if (!all || n->counts != 2) return false;
  view->flags = counts[0];
  view->segment_count = counts[1];
  view->h = model->h;
  view->size = model->mesh.diagonal;
  if (view->flags & SUP_SURFACE_NORMAL) {
    view->normal_rows = (const float *)sup_need_section(model, SUP_SECTION_SURFACE_NORMAL,
                                                        sizeof(float), &n->normal_rows, &all);
  }
  return all;
}

/* first[blocks + 1] rises from 0 to `rows`. */
static bool rises(const uint32_t *first, uint64_t count, uint64_t blocks, uint64_t rows) {
  if (count != blocks + 1 || first[0] != 0 || first[blocks] != rows) return false;
  for (uint64_t b = 0; b < blocks; b++) {
    if (first[b + 1] < first[b]) return false;
  }
  return true;
}

/* The largest value of each row; all are at least 0 up to RING_WEIGHT, and MAX_DISTANCE is above
 * it. */
static bool parameters_sensible(const SupSurfaceView *view, uint64_t blocks) {
  static const float most[SUP_SURFACE_TERMS] = {1, 1, 1, 0.5f, 1, 1};
  for (uint64_t b = 0; b < blocks; b++) {
    const float *rows = view->parameters + SUP_SKIN_BLOCK * SUP_SURFACE_ROWS * b;
    for (uint32_t i = 0; i < SUP_SKIN_BLOCK * (SUP_SURFACE_RING_WEIGHT + 1); i++) {
      uint32_t row = i / SUP_SKIN_BLOCK;
      if (!(rows[i] >= 0) || (row < SUP_SURFACE_TERMS && rows[i] > most[row]) ||
          (row == SUP_SURFACE_MAX_DISTANCE && !(rows[i] > 0 && rows[i] < 1e15f)) ||
          (row == SUP_SURFACE_STOP && !(rows[i] < 1e15f)) ||
          (row == SUP_SURFACE_RING_WEIGHT && rows[i] > 1)) {
        return false;
      }
    }
  }
  return true;
}

/* Stiffness and drag along the normal, in [0, 1]. */
static bool normals_sensible(const SupSurfaceView *view, uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    if (!(view->normal_rows[i] >= 0 && view->normal_rows[i] <= 1)) return false;
  }
  return true;
}

static bool spokes_sensible(const SupSurfaceView *view, uint64_t spokes) {
  for (uint64_t i = 0; i < 2 * SUP_SKIN_BLOCK * spokes; i++) {
    const bool weight = i / SUP_SKIN_BLOCK % 2 == 0;
    if (!(view->spoke_rows[i] >= 0) || (weight && view->spoke_rows[i] > 1.001f)) return false;
  }
  return true;
}

static bool segments_sensible(const SupSurfaceView *view) {
  for (uint32_t k = 0; k < view->segment_count; k++) {
    const SupSurfaceSegment *s = &view->segments[k];
    if (s->bone >= view->skin.bone_count || !sup_all_moderate(&s->a.x, 3) ||
        !sup_all_moderate(&s->b.x, 3)) {
      return false;
    }
  }
  return true;
}

static bool lanes_fit(const SupSurfaceView *view) {
  for (uint32_t v = 0; v < view->skin.vertex_count; v++) {
    if (view->lanes[v] >= view->skin.vertex_count || view->skin.order[view->lanes[v]] != v) {
      return false;
    }
  }
  return true;
}

SupResult sup_surface_check(const SupModel *model, SupError *error) {
  SupResult result = sup_skin_check(model, error);
  if (result) return result;
  SupSurfaceView view = {.skin = sup_skin_view(model)};
  SurfaceCounts n = {0};
  if (!find_sections(model, &view, &n)) return bad(error, "a section is missing");
  if (!sup_skin_is_of_mesh(model, &view.skin)) return bad(error, "number of vertices");
  const uint64_t blocks = view.skin.block_count, lanes = SUP_SKIN_BLOCK * blocks;
  const uint32_t known = SUP_SURFACE_BONE_ROTATION | SUP_SURFACE_ABSOLUTE | SUP_SURFACE_BACKSTOPS |
                         SUP_SURFACE_NORMAL | SUP_SURFACE_UNDELAYED | SUP_SURFACE_OWN_INERTIA;
  if (view.flags & ~known) return bad(error, "flags");
  if (sup_surface_wants_normals(view.flags) && !(view.skin.flags & SUP_SKIN_NORMALS)) {
    return bad(error, "normals are missing");
  }
  if (!(view.size > 0 && view.size < 1e15f)) return bad(error, "size");
  /* A call simulates up to a quarter of a second: in 2500 steps at most. */
  if (!(model->h >= SUP_SURFACE_SHORTEST_STEP)) return bad(error, "steps too short");
  if (n.lanes != view.skin.vertex_count || !lanes_fit(&view)) return bad(error, "order");
  if (n.parameters != lanes * SUP_SURFACE_ROWS ||
      !sup_all_moderate(view.parameters, n.parameters) || !parameters_sensible(&view, blocks)) {
    return bad(error, "maps");
  }
  if ((view.flags & SUP_SURFACE_NORMAL) && (n.normal_rows != lanes * SUP_SURFACE_NORMAL_ROWS ||
                                            !normals_sensible(&view, n.normal_rows))) {
    return bad(error, "maps of the normal's direction");
  }
  if (n.slots % SUP_SKIN_BLOCK ||
      !rises(view.slot_first, n.slot_first, blocks, n.slots / SUP_SKIN_BLOCK) ||
      !sup_all_below(view.slots, n.slots, (uint32_t)lanes) || n.edges != 3 * n.slots ||
      !sup_all_moderate(view.edges, n.edges)) {
    return bad(error, "neighbours");
  }
  if (!rises(view.spoke_first, n.spoke_first, blocks, n.spokes) ||
      !sup_all_below(view.spokes, n.spokes, view.segment_count) ||
      n.spoke_rows != 2 * SUP_SKIN_BLOCK * n.spokes ||
      !sup_all_moderate(view.spoke_rows, n.spoke_rows) || !spokes_sensible(&view, n.spokes)) {
    return bad(error, "spokes");
  }
  if (n.one_rings % (2 * SUP_SKIN_BLOCK) ||
      !rises(view.one_ring_first, n.one_ring_first, blocks, n.one_rings / (2 * SUP_SKIN_BLOCK)) ||
      !sup_all_below(view.one_rings, n.one_rings, (uint32_t)lanes)) {
    return bad(error, "triangles");
  }
  if (n.segments != view.segment_count || !segments_sensible(&view)) return bad(error, "bones");
  return SUP_OK;
}

SupSurfaceView sup_surface_view(const SupModel *model) {
  SupSurfaceView view = {.skin = sup_skin_view(model)};
  SurfaceCounts unused = {0};
  find_sections(model, &view, &unused);
  return view;
}
