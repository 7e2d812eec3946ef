/* SPDX-License-Identifier: MIT */
/*
 * Shortest paths on a skin: Dijkstra over vertices and points on edges.
 *
 * Nodes are the vertices, then `cuts` points on every edge, then the two ends where they are points
 * on edges themselves. Within a triangle every node reaches every other by a straight line. The
 * path is then straightened: each point slides along its edge to where the two triangles, unfolded,
 * let its neighbours see each other.
 */
#include "base/scratch.h"
#include "patches_work.h"

#define SNAP 0.1   /* edges: nearer to a vertex a point becomes it */
#define SWEEPS 40  /* of straightening */
#define STILL 1e-9 /* edges: a sweep that moves no point farther is the last */
#define FAR __builtin_inf()

typedef struct Front {
  const SupPathDef *def;
  uint32_t cuts, node_count, from, to; /* nodes of the ends */
  const uint32_t *edge_halves;         /* [edge_count] one half-edge of each */
  double *distances;                   /* [node_count] */
  uint32_t *before;                    /* [node_count] */
  uint8_t *final;                      /* [node_count] */
  uint32_t *heap, *places;             /* [node_count] */
  uint32_t heap_count;
} Front;

/* ---- The heap ------------------------------------------------------------------------------- */

static bool nearer(const Front *f, uint32_t a, uint32_t b) {
  return f->distances[a] < f->distances[b] || (f->distances[a] == f->distances[b] && a < b);
}

static void put(Front *f, uint32_t place, uint32_t node) {
  f->heap[place] = node;
  f->places[node] = place;
}

static void sift_up(Front *f, uint32_t node) {
  uint32_t place = f->places[node];
  while (place && nearer(f, node, f->heap[(place - 1) / 2])) {
    put(f, place, f->heap[(place - 1) / 2]);
    place = (place - 1) / 2;
  }
  put(f, place, node);
}

static uint32_t pop(Front *f) {
  const uint32_t top = f->heap[0], node = f->heap[--f->heap_count];
  uint32_t place = 0;
  for (;;) {
    uint32_t child = 2 * place + 1;
    if (child >= f->heap_count) break;
    if (child + 1 < f->heap_count && nearer(f, f->heap[child + 1], f->heap[child])) child++;
    if (!nearer(f, f->heap[child], node)) break;
    put(f, place, f->heap[child]);
    place = child;
  }
  if (f->heap_count) put(f, place, node);
  return top;
}

/* ---- Nodes ---------------------------------------------------------------------------------- */

static SupSkinPoint point_of(const Front *f, uint32_t node) {
  const SupTopology *topology = f->def->topology;
  const uint32_t n = f->def->mesh.vertex_count;
  if (node < n) return sup_skin_vertex(node);
  if (node == f->from) return f->def->from;
  if (node == f->to) return f->def->to;
  const uint32_t e = (node - n) / f->cuts, k = (node - n) % f->cuts;
  return (SupSkinPoint){topology->edges[2 * (size_t)e], topology->edges[2 * (size_t)e + 1],
                        (k + 1.0) / (f->cuts + 1.0)};
}

static bool is_closed_vertex(const Front *f, uint32_t v) {
  return f->def->closed_vertices && f->def->closed_vertices[v] && v != f->from && v != f->to;
}

static bool is_closed_edge(const Front *f, uint32_t e) {
  return f->def->closed_edges && f->def->closed_edges[e];
}

static void reach(Front *f, uint32_t node, uint32_t next) {
  if (f->final[next] || next == node) return;
  const SupMesh *mesh = &f->def->mesh;
  const double way =
      f->distances[node] + sup_vec3d_distance(sup_skin_point_place(mesh, point_of(f, node)),
                                              sup_skin_point_place(mesh, point_of(f, next)));
  if (!(way < f->distances[next])) return;
  if (f->distances[next] == FAR) put(f, f->heap_count++, next);
  f->distances[next] = way;
  f->before[next] = node;
  sift_up(f, next);
}

static bool on_edge(SupSkinPoint p, uint32_t a, uint32_t b) {
  return (p.a == a || p.a == b) && (p.b == a || p.b == b);
}

/* From a node to all others of a triangle. */
static void reach_triangle(Front *f, uint32_t node, uint32_t triangle) {
  const SupPathDef *def = f->def;
  const uint32_t n = def->mesh.vertex_count;
  const uint32_t *c = def->mesh.triangles + 3 * (size_t)triangle;
  const SupSkinPoint at = point_of(f, node);
  const bool whole = !def->closed_triangles || !def->closed_triangles[triangle];
  for (uint32_t k = 0; k < 3; k++) {
    const uint32_t e = def->topology->half_edge_edges[3 * triangle + k];
    const uint32_t a = c[k], b = c[(k + 1) % 3], low = a < b ? a : b, high = a < b ? b : a;
    const bool closed = is_closed_edge(f, e);
    const bool beside = whole || on_edge(at, low, high);
    if (!closed && beside) {
      for (uint32_t s = 0; s < f->cuts; s++) reach(f, node, n + e * f->cuts + s);
    }
    if (!is_closed_vertex(f, a) && (beside || on_edge(at, c[(k + 2) % 3], a))) {
      /* Not along a closed edge: neither this one nor the one that ends here. */
      const uint32_t last = def->topology->half_edge_edges[3 * triangle + (k + 2) % 3];
      const bool along = (closed && on_edge(at, low, high)) ||
                         (is_closed_edge(f, last) && on_edge(at, c[(k + 2) % 3], a));
      if (!along) reach(f, node, a);
    }
    const SupSkinPoint to = def->to;
    if (f->to >= n && beside && to.a == low && to.b == high) reach(f, node, f->to);
  }
}

static void reach_around(Front *f, uint32_t node) {
  const SupTopology *topology = f->def->topology;
  const SupSkinPoint at = point_of(f, node);
  if (at.a == at.b) {
    for (uint32_t i = topology->corner_offsets[at.a]; i < topology->corner_offsets[at.a + 1]; i++) {
      reach_triangle(f, node, topology->corners[i] / 3);
    }
    return;
  }
  const uint32_t e = sup_edge_between(topology, at.a, at.b);
  if (e == SUP_NONE) return;
  const uint32_t half = f->edge_halves[e], twin = topology->twins[half];
  reach_triangle(f, node, half / 3);
  if (twin != SUP_NONE) reach_triangle(f, node, twin / 3);
}

/* ---- Straightening -------------------------------------------------------------------------- */

double sup_straight_at(SupVec3d a, SupVec3d b, SupVec3d before, SupVec3d after, double t) {
  const SupVec3d along = sup_vec3d_sub(b, a);
  const double square = sup_vec3d_dot(along, along);
  if (!(square > 0)) return t;
  const double s = sup_vec3d_dot(sup_vec3d_sub(before, a), along) / square;
  const double u = sup_vec3d_dot(sup_vec3d_sub(after, a), along) / square;
  const double p = sup_vec3d_distance(before, sup_vec3d_add_scaled(a, along, s));
  const double q = sup_vec3d_distance(after, sup_vec3d_add_scaled(a, along, u));
  return p + q > 0 ? (s * q + u * p) / (p + q) : t;
}

static double straighten_once(const SupMesh *mesh, uint32_t count, SupSkinPoint *points) {
  double moved = 0;
  for (uint32_t k = 1; k + 1 < count; k++) {
    SupSkinPoint *p = &points[k];
    if (p->a == p->b) continue;
    double t = sup_straight_at(
        sup_vec3_to_double(mesh->positions[p->a]), sup_vec3_to_double(mesh->positions[p->b]),
        sup_skin_point_place(mesh, points[k - 1]), sup_skin_point_place(mesh, points[k + 1]), p->t);
    t = t > SNAP / 2 ? t < 1 - SNAP / 2 ? t : 1 - SNAP / 2 : SNAP / 2;
    const double step = t > p->t ? t - p->t : p->t - t;
    if (step > moved) moved = step;
    p->t = t;
  }
  return moved;
}

static bool is_along_closed(const Front *f, SupSkinPoint p, SupSkinPoint q) {
  const uint32_t e = f->def->closed_edges ? sup_edge_of_both(f->def->topology, p, q) : SUP_NONE;
  return e != SUP_NONE && is_closed_edge(f, e);
}

/* On a vertex, if that neither is closed nor leads along a closed edge. */
static SupSkinPoint snapped(const Front *f, SupSkinPoint before, SupSkinPoint p,
                            SupSkinPoint after) {
  const SupSkinPoint near = sup_skin_edge_point(p.a, p.b, p.t, SNAP);
  if (near.a != near.b || sup_skin_point_same(near, p)) return near;
  const bool closed = is_closed_vertex(f, near.a) || is_along_closed(f, before, near) ||
                      is_along_closed(f, near, after);
  return closed ? p : near;
}

static void straighten(const Front *f, uint32_t *io_count, SupSkinPoint *points) {
  const SupMesh *mesh = &f->def->mesh;
  for (uint32_t k = 0; k < SWEEPS && straighten_once(mesh, *io_count, points) > STILL; k++) {
  }
  uint32_t kept = 1;
  for (uint32_t k = 1; k < *io_count; k++) {
    const SupSkinPoint p =
        k + 1 < *io_count ? snapped(f, points[kept - 1], points[k], points[k + 1]) : points[k];
    if (!sup_skin_point_same(p, points[kept - 1])) points[kept++] = p;
  }
  *io_count = kept;
}

static SupResult collect(SupArena *arena, const Front *f, SupSkinPath *out_path, SupError *error) {
  uint32_t count = 1;
  for (uint32_t node = f->to; node != f->from; node = f->before[node]) count++;
  SupSkinPoint *points = SUP_ALLOC(arena, SupSkinPoint, count);
  if (!points) return sup_fail_memory(error, NULL);
  uint32_t k = count;
  for (uint32_t node = f->to;; node = f->before[node]) {
    points[--k] = point_of(f, node);
    if (node == f->from) break;
  }
  if (f->cuts) straighten(f, &count, points);
  const double length = sup_skin_points_length(&f->def->mesh, count, points);
  *out_path = (SupSkinPath){count, points, length};
  return SUP_OK;
}

/* ---- All of it ------------------------------------------------------------------------------ */

static SupResult prepare(SupArena *scratch, Front *f, SupError *error) {
  const SupPathDef *def = f->def;
  const SupTopology *topology = def->topology;
  const uint32_t n = def->mesh.vertex_count;
  const uint64_t nodes = n + (uint64_t)topology->edge_count * f->cuts + 2;
  if (nodes > UINT32_MAX) return sup_fail_memory(error, NULL);
  f->node_count = (uint32_t)nodes;
  f->from = def->from.a == def->from.b ? def->from.a : f->node_count - 2;
  f->to = def->to.a == def->to.b ? def->to.a : f->node_count - 1;
  uint32_t *halves = SUP_ALLOC(scratch, uint32_t, topology->edge_count);
  f->distances = SUP_ALLOC(scratch, double, f->node_count);
  f->before = SUP_ALLOC(scratch, uint32_t, f->node_count);
  f->final = SUP_ALLOC(scratch, uint8_t, f->node_count);
  f->heap = SUP_ALLOC(scratch, uint32_t, f->node_count);
  f->places = SUP_ALLOC(scratch, uint32_t, f->node_count);
  if (!halves || !f->distances || !f->before || !f->final || !f->heap || !f->places) {
    return sup_fail_memory(error, NULL);
  }
  for (uint32_t h = 3 * topology->triangle_count; h-- > 0;)
    halves[topology->half_edge_edges[h]] = h;
  for (uint32_t k = 0; k < f->node_count; k++) f->distances[k] = FAR;
  f->edge_halves = halves;
  return SUP_OK;
}

static bool search(Front *f) {
  f->distances[f->from] = 0;
  put(f, f->heap_count++, f->from);
  while (f->heap_count) {
    const uint32_t node = pop(f);
    f->final[node] = 1;
    if (node == f->to) return true;
    reach_around(f, node);
  }
  return false;
}

SupResult sup_path_shortest(SupArena *arena, const SupPathDef *def, uint32_t cuts,
                            SupSkinPath *out_path, SupError *error) {
  if (sup_skin_point_same(def->from, def->to)) {
    return sup_fail(error, SUP_ERROR_FORMAT, "it ends where it begins");
  }
  if (cuts > SUP_PATH_CUTS_MAX) cuts = SUP_PATH_CUTS_MAX;
  SupArena scratch = sup_scratch(arena);
  Front f = {.def = def, .cuts = cuts};
  SupResult result = prepare(&scratch, &f, error);
  if (result == SUP_OK && !search(&f)) {
    result = sup_fail(error, SUP_ERROR_FORMAT,
                      def->closed_vertices || def->closed_edges || def->closed_triangles
                          ? "there is no way between its ends that other boundaries leave free"
                          : "its ends lie on different pieces of the skin");
  }
  if (result == SUP_OK) result = collect(arena, &f, out_path, error);
  sup_arena_free(&scratch);
  return result;
}

SupResult sup_path_rim(SupArena *arena, const SupPathDef *def, SupSkinPath *out_path,
                       SupError *error) {
  const SupTopology *topology = def->topology;
  const uint32_t from = def->from.a, to = def->to.a;
  for (uint32_t l = 0; l < topology->loop_count; l++) {
    const uint32_t *loop = topology->loop_vertices + topology->loop_offsets[l];
    const uint32_t size = topology->loop_offsets[l + 1] - topology->loop_offsets[l];
    uint32_t start = SUP_NONE, steps = 0;
    for (uint32_t k = 0; k < size && start == SUP_NONE; k++) {
      if (loop[k] == from && def->from.a == def->from.b) start = k;
    }
    if (start == SUP_NONE || def->to.a != def->to.b) continue;
    do steps++;
    while (steps < size && loop[(start + steps) % size] != to);
    if (loop[(start + steps) % size] != to) continue;
    SupSkinPoint *points = SUP_ALLOC(arena, SupSkinPoint, steps + 1);
    if (!points) return sup_fail_memory(error, NULL);
    for (uint32_t k = 0; k <= steps; k++) points[k] = sup_skin_vertex(loop[(start + k) % size]);
    const double length = sup_skin_points_length(&def->mesh, steps + 1, points);
    *out_path = (SupSkinPath){steps + 1, points, length};
    return SUP_OK;
  }
  return sup_fail(error, SUP_ERROR_FORMAT, "its ends are not vertices of one open border");
}
