/* SPDX-License-Identifier: MIT */
/* The skin that is taken apart: its pieces, its open borders, and which of them are flesh. */
#include "auto_work.h"
#include "supple/geom/bounds.h"

#define SMALL                                                                                      \
  0.01               /* of the skin: pieces with less have no patches, unless they are the largest \
                      */
#define RIM_LEAST 3u /* vertices of an open border */

SupVec3d sup_auto_place(const SupAuto *a, uint32_t node) {
  const uint32_t n = a->mesh.vertex_count;
  if (node < n) return sup_vec3_to_double(a->mesh.positions[node]);
  const uint32_t *e = a->topology.edges + 2 * (size_t)(node - n);
  return sup_vec3d_lerp(sup_vec3_to_double(a->mesh.positions[e[0]]),
                        sup_vec3_to_double(a->mesh.positions[e[1]]), a->slides[node - n]);
}

static SupResult measure(SupAuto *a) {
  const SupMesh *mesh = &a->mesh;
  const uint32_t edges = a->topology.edge_count, n = mesh->vertex_count;
  a->node_count = n + edges;
  a->slides = SUP_ALLOC(a->scratch, double, edges);
  a->edge_halves = SUP_ALLOC(a->scratch, uint32_t, edges);
  a->blocked = SUP_ALLOC(a->scratch, uint8_t, a->node_count);
  a->areas = SUP_ALLOC(a->scratch, double, n);
  if (!a->slides || !a->edge_halves || !a->blocked || !a->areas) {
    return sup_fail_memory(a->error, NULL);
  }
  for (uint32_t e = 0; e < edges; e++) a->slides[e] = 0.5;
  for (uint32_t h = 3 * mesh->triangle_count; h-- > 0;) {
    a->edge_halves[a->topology.half_edge_edges[h]] = h;
  }
  for (uint32_t k = 0; k < a->topology.nonmanifold_vertex_count; k++) {
    a->blocked[a->topology.nonmanifold_vertices[k]] = 1;
  }
  for (uint32_t e = 0; e < edges; e++) {
    const uint32_t h = a->edge_halves[e];
    const bool border = a->topology.twins[h] == SUP_NONE;
    if (border && a->topology.edge_degrees[e] != 1) a->blocked[n + e] = 1;
  }
  for (uint32_t f = 0; f < mesh->triangle_count; f++) {
    const uint32_t *c = mesh->triangles + 3 * (size_t)f;
    const SupVec3d p = sup_auto_place(a, c[0]);
    const SupVec3d u = sup_vec3d_sub(sup_auto_place(a, c[1]), p);
    const SupVec3d v = sup_vec3d_sub(sup_auto_place(a, c[2]), p);
    const double area = sup_vec3d_length(sup_vec3d_cross(u, v)) / 2;
    for (unsigned k = 0; k < 3; k++) a->areas[c[k]] += area / 3;
    a->area += area;
  }
  const SupBounds bounds = sup_bounds(mesh->positions, n);
  a->size = (double)sup_bounds_diagonal(bounds);
  a->middle = sup_vec3_to_double(sup_vec3_scale(sup_vec3_add(bounds.low, bounds.high), 0.5f));
  return SUP_OK;
}

/* What is locked by name or look; flesh below clothes is flesh. */
static SupResult find_hard(SupAuto *a, const float **out_lock) {
  SupHardPartsDef hard = a->def->hard;
  SupHardParts found = {0};
  const char **unlock = SUP_ALLOC(a->scratch, const char *, (size_t)hard.unlock.count + 1);
  if (!unlock) return sup_fail_memory(a->error, NULL);
  for (uint32_t k = 0; k < hard.unlock.count; k++) unlock[k] = hard.unlock.patterns[k];
  unlock[hard.unlock.count++] = sup_hard_kind_name(SUP_HARD_COVERED);
  hard.unlock.patterns = unlock;
  SupResult result = sup_hard_parts(a->scratch, &hard, &found, a->error);
  *out_lock = found.lock;
  return result;
}

static SupResult find_pieces(SupAuto *a) {
  const uint32_t count = a->topology.component_count;
  const float *lock = NULL;
  double *hard = SUP_ALLOC(a->scratch, double, count);
  a->piece_areas = SUP_ALLOC(a->scratch, double, count);
  a->piece_kinds = SUP_ALLOC(a->scratch, uint8_t, count);
  if (!hard || !a->piece_areas || !a->piece_kinds) return sup_fail_memory(a->error, NULL);
  SupResult result = find_hard(a, &lock);
  if (result != SUP_OK) return result;
  for (uint32_t v = 0; v < a->mesh.vertex_count; v++) {
    const uint32_t c = a->topology.vertex_components[v];
    if (c == SUP_NONE) continue;
    a->piece_areas[c] += a->areas[v];
    if (lock && lock[v] > 0.5f) hard[c] += a->areas[v];
  }
  uint32_t largest = SUP_NONE;
  for (uint32_t c = 0; c < count; c++) {
    if (!(a->piece_areas[c] > 0) || hard[c] > a->piece_areas[c] / 2) {
      a->piece_kinds[c] = SUP_PIECE_HARD;
      continue;
    }
    if (largest == SUP_NONE || a->piece_areas[c] > a->piece_areas[largest]) largest = c;
    if (a->piece_areas[c] < SMALL * a->area) a->piece_kinds[c] = SUP_PIECE_SMALL;
  }
  if (largest == SUP_NONE) {
    return sup_fail(a->error, SUP_ERROR_UNSUPPORTED,
                    "nothing of '%s' is flesh, so there is nothing to divide into patches; unlock "
                    "what is taken for clothes, armour or the like",
                    a->def->character->name);
  }
  a->piece_kinds[largest] = SUP_PIECE_FLESH;
  return SUP_OK;
}

/* Is a loop passed once only, with one triangle at each edge, and room for four features from which
 * ways lead into the skin: the middles of edges and vertices with further neighbours? */
static bool is_rim(const SupAuto *a, uint32_t first, uint32_t count) {
  const uint32_t *loop = a->topology.loop_vertices + first;
  uint32_t open = count;
  if (count < RIM_LEAST) return false;
  for (uint32_t k = 0; k < count; k++) {
    if (a->blocked[loop[k]] || a->hole_of[loop[k]] != SUP_NONE) return false;
    const uint32_t e = sup_edge_between(&a->topology, loop[k], loop[(k + 1) % count]);
    if (e == SUP_NONE || a->topology.edge_degrees[e] != 1) return false;
    open += a->topology.rings.offsets[loop[k] + 1] - a->topology.rings.offsets[loop[k]] > 2;
  }
  return open >= 4;
}

static SupResult find_holes(SupAuto *a) {
  const SupTopology *t = &a->topology;
  a->hole_of = SUP_ALLOC(a->scratch, uint32_t, a->mesh.vertex_count);
  a->holes = SUP_ALLOC(a->scratch, SupHole, t->loop_count);
  if (!a->hole_of || !a->holes) return sup_fail_memory(a->error, NULL);
  for (uint32_t v = 0; v < a->mesh.vertex_count; v++) a->hole_of[v] = SUP_NONE;
  for (uint32_t l = 0; l < t->loop_count; l++) {
    const uint32_t first = t->loop_offsets[l], count = t->loop_offsets[l + 1] - first;
    const uint32_t piece = t->vertex_components[t->loop_vertices[first]];
    if (a->piece_kinds[piece] != SUP_PIECE_FLESH || !is_rim(a, first, count)) continue;
    for (uint32_t k = 0; k < count; k++) a->hole_of[t->loop_vertices[first + k]] = a->hole_count;
    a->holes[a->hole_count++] = (SupHole){.first = first, .count = count, .region = SUP_NONE};
  }
  return SUP_OK;
}

SupResult sup_auto_body(SupAuto *a) {
  SupResult result = measure(a);
  if (result == SUP_OK) result = find_pieces(a);
  if (result == SUP_OK) result = find_holes(a);
  return result;
}
