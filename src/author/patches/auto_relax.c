/* SPDX-License-Identifier: MIT */
/*
 * Paths pulled tight: points slide on their edges; a path that turns at a vertex goes around it on
 * the narrow side; one that is held by a vertex on its way goes through it, and then around it.
 *
 * Only nodes that no other path uses are taken, so that paths never cross.
 */
#include "auto_work.h"

#define ROUNDS 12
#define SWEEPS 40
#define NARROW 3.05 /* radians: a side that is narrower is the shorter way */
#define HELD 0.125  /* edges: a point so near to a vertex is held by it */
#define SPOKES 48u  /* of a vertex that is gone around */

typedef struct Chain {
  SupAuto *a;
  uint32_t region, count, capacity;
  uint32_t *nodes;
} Chain;

/* Replaces `removed` nodes from `at` on. False: no room. */
static bool replace(Chain *c, uint32_t at, uint32_t removed, uint32_t count,
                    const uint32_t *nodes) {
  if (c->count + count > c->capacity + removed) return false;
  for (uint32_t k = 0; k < removed; k++) c->a->used[c->nodes[at + k]] = 0;
  if (count < removed) {
    for (uint32_t k = at + removed; k < c->count; k++) c->nodes[k + count - removed] = c->nodes[k];
  } else {
    for (uint32_t k = c->count; k-- > at + removed;) c->nodes[k + count - removed] = c->nodes[k];
  }
  for (uint32_t k = 0; k < count; k++) {
    c->nodes[at + k] = nodes[k];
    c->a->used[nodes[k]] = 1;
  }
  c->count += count - removed;
  return true;
}

/* The half-edge from v to w, or SUP_NONE. */
static uint32_t half_from(const SupAuto *a, uint32_t v, uint32_t w) {
  for (uint32_t i = a->topology.corner_offsets[v]; i < a->topology.corner_offsets[v + 1]; i++) {
    const uint32_t h = a->topology.corners[i], next = h % 3 == 2 ? h - 2 : h + 1;
    if (a->mesh.triangles[next] == w) return h;
  }
  return SUP_NONE;
}

static double angle_at(SupVec3d v, SupVec3d p, SupVec3d q) {
  const SupVec3d x = sup_vec3d_sub(p, v), y = sup_vec3d_sub(q, v);
  return sup_atan2(sup_vec3d_length(sup_vec3d_cross(x, y)), sup_vec3d_dot(x, y));
}

/* Counter-clockwise around v from the edge of one node to that of the other: the edges between, and
 * the angle. False: over an open border, too many, or not free. */
static bool go_around(const Chain *c, uint32_t v, uint32_t from, uint32_t to, uint32_t *out_count,
                      uint32_t *out_nodes, double *out_angle) {
  const SupAuto *a = c->a;
  const uint32_t n = a->mesh.vertex_count, *e = a->topology.edges + 2 * (size_t)(from - n);
  const SupVec3d middle = sup_auto_place(a, v);
  uint32_t h = half_from(a, v, e[0] == v ? e[1] : e[0]);
  *out_count = 0;
  *out_angle = 0;
  if (h == SUP_NONE) return false;
  for (;;) {
    /* In triangle h / 3 from the edge v -> next to the edge last -> v. */
    const uint32_t next = h % 3 == 2 ? h - 2 : h + 1, last = h % 3 ? h - 1 : h + 2;
    const uint32_t edge = n + a->topology.half_edge_edges[last];
    *out_angle += angle_at(middle, sup_vec3_to_double(a->mesh.positions[a->mesh.triangles[next]]),
                           sup_vec3_to_double(a->mesh.positions[a->mesh.triangles[last]]));
    if (edge == to) return true;
    if (*out_count == SPOKES || !sup_auto_free(a, c->region, edge)) return false;
    out_nodes[(*out_count)++] = edge;
    h = a->topology.twins[last];
    if (h == SUP_NONE) return false;
  }
}

/* A vertex on the path: around it on the narrow side, if that is free. */
static bool round_vertex(Chain *c, uint32_t at) {
  const uint32_t n = c->a->mesh.vertex_count, v = c->nodes[at];
  const uint32_t before = c->nodes[at - 1], after = c->nodes[at + 1];
  uint32_t nodes[2][SPOKES], counts[2];
  double angles[2];
  bool found[2];
  if (v >= n || before < n || after < n) return false;
  found[0] = go_around(c, v, before, after, &counts[0], nodes[0], &angles[0]);
  found[1] = go_around(c, v, after, before, &counts[1], nodes[1], &angles[1]);
  unsigned side = found[0] && (!found[1] || angles[0] < angles[1]) ? 0 : 1;
  if (!found[side] || !(angles[side] < NARROW)) return false;
  for (uint32_t k = 0; side && k < counts[1] / 2; k++) {
    const uint32_t other = nodes[1][k];
    nodes[1][k] = nodes[1][counts[1] - 1 - k];
    nodes[1][counts[1] - 1 - k] = other;
  }
  return replace(c, at, 1, counts[side], nodes[side]);
}

/* The vertex that holds a point, or SUP_NONE. */
static uint32_t holder(const Chain *c, uint32_t node) {
  const SupAuto *a = c->a;
  const uint32_t n = a->mesh.vertex_count;
  if (node < n) return SUP_NONE;
  const uint32_t *e = a->topology.edges + 2 * (size_t)(node - n);
  const double t = a->slides[node - n];
  return t < HELD ? e[0] : t > 1 - HELD ? e[1] : SUP_NONE;
}

static bool has_end(const Chain *c, uint32_t node, uint32_t v) {
  const uint32_t n = c->a->mesh.vertex_count;
  if (node < n) return false;
  const uint32_t *e = c->a->topology.edges + 2 * (size_t)(node - n);
  return e[0] == v || e[1] == v;
}

/* Points held by one vertex, between points on other edges of it: the vertex instead of them. */
static bool through_vertex(Chain *c, uint32_t at) {
  const uint32_t v = holder(c, c->nodes[at]);
  uint32_t first = at, last = at;
  if (v == SUP_NONE || !sup_auto_free(c->a, c->region, v)) return false;
  while (first > 1 && holder(c, c->nodes[first - 1]) == v) first--;
  while (last + 2 < c->count && holder(c, c->nodes[last + 1]) == v) last++;
  /* The neighbours of the run stay, if they are edges of the vertex; else its own ends do. */
  if (!has_end(c, c->nodes[first - 1], v)) first++;
  if (!has_end(c, c->nodes[last + 1], v)) last--;
  if (first > last || last == SUP_NONE) return false;
  return replace(c, first, last - first + 1, 1, &v);
}

SupResult sup_auto_relax(SupAuto *a, SupRoute *io_route) {
  if (io_route->region == SUP_NONE) {
    sup_auto_straighten(a, io_route->node_count, io_route->nodes, false, SWEEPS);
    return SUP_OK;
  }
  Chain c = {.a = a,
             .region = io_route->region,
             .count = io_route->node_count,
             .capacity = 4 * io_route->node_count + 64};
  c.nodes = SUP_ALLOC(a->arena, uint32_t, c.capacity);
  if (!c.nodes) return sup_fail_memory(a->error, NULL);
  for (uint32_t k = 0; k < c.count; k++) c.nodes[k] = io_route->nodes[k];
  bool changed = true;
  for (uint32_t round = 0; round < ROUNDS && changed; round++) {
    changed = false;
    for (uint32_t k = 1; round && k + 1 < c.count; k++) changed |= through_vertex(&c, k);
    for (uint32_t k = 1; k + 1 < c.count; k++) changed |= round_vertex(&c, k);
    sup_auto_straighten(a, c.count, c.nodes, false, SWEEPS);
    changed |= round == 0;
  }
  io_route->node_count = c.count;
  io_route->nodes = c.nodes;
  return SUP_OK;
}
