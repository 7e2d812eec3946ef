/* SPDX-License-Identifier: MIT */
/*
 * The triangles of a chart.
 *
 * Sides of a patch become straight. An inner edge from one side to the same side would cut off a
 * part whose whole border lies on a line, whatever the weights; divided in the middle it becomes
 * two edges to a vertex inside (docs/patches.md). Without such edges every map with positive
 * weights is one to one (Floater 2003, "One-to-one piecewise linear mappings over triangulations").
 */
#include "base/scratch.h"
#include "patch_chart_work.h"

typedef struct Layout {
  const SupPatchesDef *def;
  const SupPatches *patches;
  const SupPatch *patch;
  SupArena *scratch;
  uint32_t *locals;         /* [cut vertices] chart vertex of each, or SUP_NONE */
  uint32_t *sides;          /* [loop_count] the side that begins at or before each */
  SupChartVertex *vertices; /* with room for one more per edge that is divided */
  uint32_t vertex_count, known_count;
  uint32_t *triangles, *owners;
  uint32_t triangle_count;
} Layout;

static const uint32_t nexts[3] = {1, 2, 0};

static SupResult number_vertices(Layout *l, SupError *error) {
  const SupPatch *patch = l->patch;
  const uint32_t cut = l->patches->mesh.vertex_count;
  const uint32_t corners = 3 * patch->triangle_count;
  l->locals = SUP_ALLOC(l->scratch, uint32_t, cut);
  l->sides = SUP_ALLOC(l->scratch, uint32_t, patch->loop_count);
  l->vertices = SUP_ALLOC(l->scratch, SupChartVertex, 2 * (size_t)corners);
  l->triangles = SUP_ALLOC(l->scratch, uint32_t, 4 * (size_t)corners);
  l->owners = SUP_ALLOC(l->scratch, uint32_t, 4 * (size_t)patch->triangle_count);
  if (!l->locals || !l->sides || !l->vertices || !l->triangles || !l->owners) {
    return sup_fail_memory(error, NULL);
  }
  for (uint32_t v = 0; v < cut; v++) l->locals[v] = SUP_NONE;
  for (uint32_t s = 0; s < patch->side_count; s++) {
    for (uint32_t k = patch->corners[s]; k < patch->corners[s + 1]; k++) l->sides[k] = s;
  }
  for (uint32_t k = 0; k < patch->loop_count; k++) {
    l->locals[patch->loop[k]] = l->vertex_count;
    l->vertices[l->vertex_count++] = (SupChartVertex){patch->loop[k], patch->loop[k]};
  }
  for (uint32_t k = 0; k < corners; k++) {
    const uint32_t v = l->patches->mesh.triangles[3 * (size_t)patch->triangles[k / 3] + k % 3];
    if (l->locals[v] != SUP_NONE) continue;
    l->locals[v] = l->vertex_count;
    l->vertices[l->vertex_count++] = (SupChartVertex){v, v};
  }
  l->known_count = l->vertex_count;
  return SUP_OK;
}

/* Whether the loop's vertex k is on the closed side. */
static bool on_side(const Layout *l, uint32_t k, uint32_t side) {
  const uint32_t before = l->sides[k] ? l->sides[k] - 1 : l->patch->side_count - 1;
  return l->sides[k] == side || (k == l->patch->corners[l->sides[k]] && before == side);
}

/* Whether the edge between chart vertices a and b crosses the patch from a side to the same one. */
static bool cuts_off(const Layout *l, uint32_t a, uint32_t b) {
  const uint32_t loop = l->patch->loop_count;
  if (a >= loop || b >= loop || (a + 1) % loop == b || (b + 1) % loop == a) return false;
  const uint32_t side = l->sides[a];
  const uint32_t before = side ? side - 1 : l->patch->side_count - 1;
  return on_side(l, b, side) || (on_side(l, a, before) && on_side(l, b, before));
}

/* The vertex in the middle of an edge, or SUP_NONE if it is not divided. */
static uint32_t middle_of(Layout *l, uint32_t a, uint32_t b) {
  if (!cuts_off(l, a, b)) return SUP_NONE;
  const SupChartVertex middle = {l->vertices[a < b ? a : b].a, l->vertices[a < b ? b : a].a};
  for (uint32_t k = l->known_count; k < l->vertex_count; k++) {
    if (l->vertices[k].a == middle.a && l->vertices[k].b == middle.b) return k;
  }
  l->vertices[l->vertex_count] = middle;
  return l->vertex_count++;
}

static void add(Layout *l, uint32_t a, uint32_t b, uint32_t c, uint32_t owner) {
  const uint32_t corners[3] = {a, b, c};
  sup_copy(l->triangles + 3 * (size_t)l->triangle_count, corners, sizeof corners);
  l->owners[l->triangle_count++] = owner;
}

static void add_divided(Layout *l, const uint32_t v[3], uint32_t owner) {
  uint32_t m[3], count = 0, first = 0;
  for (uint32_t k = 0; k < 3; k++) {
    m[k] = middle_of(l, v[k], v[nexts[k]]);
    count += m[k] != SUP_NONE;
  }
  /* Turned so that with one middle it is the first, with two they are the first and second. */
  for (uint32_t k = 0; k < 3; k++) {
    if (m[k] != SUP_NONE && m[nexts[nexts[k]]] == SUP_NONE) first = k;
  }
  const uint32_t i = first, j = nexts[i], k = nexts[j];
  if (count == 0) {
    add(l, v[0], v[1], v[2], owner);
  } else if (count == 1) {
    add(l, v[i], m[i], v[k], owner);
    add(l, m[i], v[j], v[k], owner);
  } else if (count == 2) {
    add(l, m[i], v[j], m[j], owner);
    add(l, v[i], m[i], m[j], owner);
    add(l, v[i], m[j], v[k], owner);
  } else {
    for (uint32_t e = 0; e < 3; e++) add(l, m[nexts[nexts[e]]], v[e], m[e], owner);
    add(l, m[0], m[1], m[2], owner);
  }
}

/* Adds `scale` times the weights of a cut vertex among the corners of the skin's triangle. */
static void add_weights(const Layout *l, uint32_t vertex, uint32_t owner, double scale,
                        double weights[3]) {
  const SupSkinPoint p = l->patches->points[vertex];
  const uint32_t *c = l->def->mesh.triangles + 3 * (size_t)owner;
  for (uint32_t k = 0; k < 3; k++) {
    if (c[k] == p.a) weights[k] += scale * (1 - p.t);
    if (c[k] == p.b) weights[k] += scale * p.t;
  }
}

static SupResult keep(const Layout *l, SupArena *arena, SupPatchChart *out, SupError *error) {
  const uint32_t corners = 3 * l->triangle_count;
  SupChartVertex *vertices = SUP_COPY(arena, SupChartVertex, l->vertices, l->vertex_count);
  uint32_t *triangles = SUP_COPY(arena, uint32_t, l->triangles, corners);
  uint32_t *owners = SUP_COPY(arena, uint32_t, l->owners, l->triangle_count);
  double(*weights)[3] = sup_arena_alloc(arena, corners, sizeof *weights);
  if (!vertices || !triangles || !owners || !weights) return sup_fail_memory(error, NULL);
  for (uint32_t h = 0; h < corners; h++) {
    const SupChartVertex v = vertices[triangles[h]];
    add_weights(l, v.a, owners[h / 3], 0.5, weights[h]);
    add_weights(l, v.b, owners[h / 3], 0.5, weights[h]);
  }
  const SupMesh mesh = {l->vertex_count, l->triangle_count, NULL, triangles};
  SupTopology topology;
  SupResult result = sup_topology(l->scratch, &mesh, &topology, error);
  if (result != SUP_OK) return result;
  uint32_t *twins = SUP_COPY(arena, uint32_t, topology.twins, corners);
  if (!twins) return sup_fail_memory(error, NULL);
  *out = (SupPatchChart){.corner_count = l->patch->side_count,
                         .vertex_count = l->vertex_count,
                         .loop_count = l->patch->loop_count,
                         .vertices = vertices,
                         .triangle_count = l->triangle_count,
                         .triangles = triangles,
                         .twins = twins,
                         .owners = owners,
                         .corner_weights = (const double(*)[3])weights};
  return SUP_OK;
}

SupResult sup_chart_lay_out(SupArena *arena, const SupPatchesDef *def, const SupPatches *patches,
                            uint32_t patch, SupPatchChart *out_chart, SupError *error) {
  SupArena scratch = sup_scratch(arena);
  Layout l = {
      .def = def, .patches = patches, .patch = &patches->patches[patch], .scratch = &scratch};
  SupResult result = number_vertices(&l, error);
  for (uint32_t f = 0; f < l.patch->triangle_count && result == SUP_OK; f++) {
    const uint32_t triangle = l.patch->triangles[f];
    const uint32_t *c = patches->mesh.triangles + 3 * (size_t)triangle;
    const uint32_t v[3] = {l.locals[c[0]], l.locals[c[1]], l.locals[c[2]]};
    add_divided(&l, v, patches->owners[triangle]);
  }
  if (result == SUP_OK) result = keep(&l, arena, out_chart, error);
  sup_arena_free(&scratch);
  return result;
}
