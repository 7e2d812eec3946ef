/* SPDX-License-Identifier: MIT */
/*
 * Geodesic distance by Dijkstra's front with unfolded triangles.
 *
 * Vertices become final in the order of their distance. When the second end of an edge becomes
 * final, the two distances say where the source lies in the plane of the next triangle (Novotni,
 * Klein, "Computing geodesic distances on triangular meshes", 2002): the *virtual source*. From it
 * straight lines through the edge reach the third vertex, and, unfolding triangle after triangle,
 * the ones behind (windows, as in Chen, Han, "Shortest paths on a polyhedron", 1990), up to a few
 * triangles deep: this is what makes obtuse triangles harmless.
 *
 * A path may bend only in a source, on the boundary, and in a vertex with more than a full turn of
 * angles around it (Mitchell, Mount, Papadimitriou 1987). Such a vertex is a source of its own,
 * with its distance as base; two ends of an edge that were reached from the same one are compared
 * by their distances from it, which is exact on a plane also behind corners.
 */
#include "supple/geom/geodesic.h"

#include "base/scratch.h"

/* Triangles that a window is followed through. On a jittered plane 1 leaves errors of 0.1 %, 2
 * none, on one with folds 4 has most of the gain that 8 has. */
#define DEPTH_MAX 4

/* Sine of the greatest excess angle that still counts as flat. */
#define FLAT 1e-6

/* A way must be shorter by this fraction to be taken instead of another: rounding is not an
 * argument.
 */
#define GAIN 1e-12

typedef struct Front {
  SupMesh mesh;
  const SupTopology *topology;
  double max_distance;
  double *distances; /* [vertex_count] INFINITY where not reached */
  uint32_t *nearest; /* [vertex_count] source vertex */
  uint32_t *bends;   /* [vertex_count] where the path to it last bent: a source or a corner */
  uint8_t *final;    /* [vertex_count] */
  uint32_t *heap;    /* [heap_count] vertices that are reached and not final, nearest first */
  uint32_t *places;  /* [vertex_count] place in the heap, or SUP_NONE */
  uint32_t heap_count;
} Front;

/* ---- The front ------------------------------------------------------------------------------ */

static bool before(const Front *f, uint32_t v, uint32_t w) {
  double a = f->distances[v], b = f->distances[w];
  return a < b || (a == b && v < w);
}

static void put(Front *f, uint32_t place, uint32_t v) {
  f->heap[place] = v;
  f->places[v] = place;
}

static void sift_up(Front *f, uint32_t v) {
  uint32_t place = f->places[v];
  while (place && before(f, v, f->heap[(place - 1) / 2])) {
    put(f, place, f->heap[(place - 1) / 2]);
    place = (place - 1) / 2;
  }
  put(f, place, v);
}

static uint32_t pop(Front *f) {
  uint32_t top = f->heap[0], v = f->heap[--f->heap_count], place = 0;
  for (;;) {
    uint32_t child = 2 * place + 1;
    if (child >= f->heap_count) break;
    if (child + 1 < f->heap_count && before(f, f->heap[child + 1], f->heap[child])) child++;
    if (!before(f, f->heap[child], v)) break;
    put(f, place, f->heap[child]);
    place = child;
  }
  if (f->heap_count) put(f, place, v);
  return top;
}

/* Where a distance comes from. */
typedef struct Origin {
  uint32_t nearest, bend;
} Origin;

/* Offers v a distance; it is taken if it is shorter. */
static void offer(Front *f, uint32_t v, double distance, Origin origin) {
  if (f->final[v] || distance > f->max_distance) return;
  if (!(distance < f->distances[v] * (1 - GAIN))) return;
  f->distances[v] = distance;
  f->nearest[v] = origin.nearest;
  f->bends[v] = origin.bend;
  if (f->places[v] == SUP_NONE) put(f, f->heap_count++, v);
  sift_up(f, v);
}

static SupVec3d position(const Front *f, uint32_t v) {
  return sup_vec3_to_double(f->mesh.positions[v]);
}

static double edge_length(const Front *f, uint32_t v, uint32_t w) {
  return sup_vec3d_distance(position(f, v), position(f, w));
}

/* Offers the neighbours of v the way along the edge. */
static void offer_along_edges(Front *f, uint32_t v, Origin origin) {
  const SupRings *rings = &f->topology->rings;
  for (uint32_t k = rings->offsets[v]; k < rings->offsets[v + 1]; k++) {
    uint32_t w = rings->neighbours[k];
    if (!f->final[w]) offer(f, w, f->distances[v] + edge_length(f, v, w), origin);
  }
}

/* ---- Windows -------------------------------------------------------------------------------- */

typedef struct Vec2 {
  double x, y;
} Vec2;

/* The sine of the angle from a to b, times a positive number near 1. */
static double turns(Vec2 a, Vec2 b) {
  double size = (a.x * a.x + a.y * a.y) + (b.x * b.x + b.y * b.y);
  return 2 * (a.x * b.y - a.y * b.x) / size;
}

/* What is seen from a virtual source through an edge. The plane has the source at 0; seen from
 * there vertex a is to the left of vertex b. */
typedef struct Window {
  uint32_t half_edge; /* of the triangle to be entered */
  uint32_t a, b;
  Vec2 at_a, at_b;
  Vec2 left, right; /* directions that limit the view */
  double base;      /* distance of the virtual source itself */
  Origin origin;
} Window;

/* Where vertex `p` of the triangle behind the edge lies in the plane. */
static Vec2 unfold(const Front *f, const Window *window, uint32_t p) {
  SupVec3d a = position(f, window->a);
  SupVec3d edge = sup_vec3d_sub(position(f, window->b), a);
  SupVec3d to_p = sup_vec3d_sub(position(f, p), a);
  double length_2 = sup_vec3d_dot(edge, edge);
  double along = sup_vec3d_dot(to_p, edge) / length_2;
  double away = sup_vec3d_length(sup_vec3d_cross(to_p, edge)) / length_2;
  Vec2 e = {window->at_b.x - window->at_a.x, window->at_b.y - window->at_a.y};
  /* The source is to the right of a -> b, so p is to the left. */
  return (Vec2){window->at_a.x + along * e.x - away * e.y,
                window->at_a.y + along * e.y + away * e.x};
}

/* Follows the view through triangle after triangle. Recursion is at most DEPTH_MAX deep. */
static void spread(Front *f, const Window *window, unsigned depth) {
  uint32_t h = window->half_edge, corner = h % 3, first = h - corner;
  uint32_t p = f->mesh.triangles[first + (corner + 2) % 3];
  /* If p is final and reached from the same place, its edges have windows of their own. */
  bool ours = f->bends[p] == window->origin.bend;
  if (f->final[p] && ours) return;
  Vec2 at_p = unfold(f, window, p);
  /* Zero length edges give NaN: then nothing is seen. */
  bool not_left = turns(window->left, at_p) <= 1e-9,
       not_right = turns(window->right, at_p) >= -1e-9;
  if (not_left && not_right) {
    double distance = window->base + sup_sqrt(at_p.x * at_p.x + at_p.y * at_p.y);
    if (ours && distance > f->distances[p] * (1 + 1e-9)) return; /* another way is shorter here */
    offer(f, p, distance, window->origin);
  }
  if (depth == DEPTH_MAX) return;
  uint32_t next = first + (corner + 1) % 3, previous = first + (corner + 2) % 3;
  bool along = f->mesh.triangles[h] == window->a; /* does the half-edge run from a to b? */
  uint32_t beyond_a = f->topology->twins[along ? previous : next];
  uint32_t beyond_b = f->topology->twins[along ? next : previous];
  if (not_left && beyond_a != SUP_NONE) { /* something is seen between a and p */
    Window child = *window;
    child.half_edge = beyond_a;
    child.b = p;
    child.at_b = at_p;
    if (not_right) child.right = at_p;
    spread(f, &child, depth + 1);
  }
  if (not_right && beyond_b != SUP_NONE) { /* something is seen between p and b */
    Window child = *window;
    child.half_edge = beyond_b;
    child.a = p;
    child.at_a = at_p;
    if (not_left) child.left = at_p;
    spread(f, &child, depth + 1);
  }
}

/* The window through the edge of two final vertices into the triangle of half-edge h. */
static void open_edge(Front *f, uint32_t h, uint32_t a, uint32_t b) {
  if (f->nearest[a] != f->nearest[b]) return;
  uint32_t bend = f->bends[a] == f->bends[b] ? f->bends[a] : f->nearest[a];
  double base = f->distances[bend];
  double ra = f->distances[a] - base, rb = f->distances[b] - base, length = edge_length(f, a, b);
  double x = (ra * ra - rb * rb + length * length) / (2 * length), y_2 = ra * ra - x * x;
  if (!(y_2 > 0)) return; /* on one line with the source: nothing is seen */
  double y = sup_sqrt(y_2);
  Window window = {.half_edge = h, .a = a, .b = b, .base = base, .origin = {f->nearest[a], bend}};
  window.left = window.at_a = (Vec2){-x, y};
  window.right = window.at_b = (Vec2){length - x, y};
  spread(f, &window, 1);
}

/* The windows of a vertex where paths may bend, through the far edges of its triangles. */
static void open_vertex(Front *f, uint32_t v) {
  for (uint32_t k = f->topology->corner_offsets[v]; k < f->topology->corner_offsets[v + 1]; k++) {
    uint32_t h = f->topology->corners[k], first = h - h % 3, far = first + (h + 1) % 3;
    uint32_t a = f->mesh.triangles[far], b = f->mesh.triangles[first + (h + 2) % 3];
    uint32_t beyond = f->topology->twins[far];
    if (beyond == SUP_NONE) continue;
    SupVec3d p = position(f, v);
    SupVec3d to_a = sup_vec3d_sub(position(f, a), p);
    SupVec3d to_b = sup_vec3d_sub(position(f, b), p);
    double length = sup_vec3d_length(to_b);
    Window window = {.half_edge = beyond, .a = a, .b = b, .base = f->distances[v]};
    window.origin = (Origin){f->nearest[v], v};
    window.left = window.at_a = (Vec2){sup_vec3d_dot(to_a, to_b) / length,
                                       sup_vec3d_length(sup_vec3d_cross(to_a, to_b)) / length};
    window.right = window.at_b = (Vec2){length, 0};
    spread(f, &window, 1);
  }
}

/* May a shortest path bend at v? Yes if there is more than a full turn of triangles around it, or
 * on the boundary more than half a turn. Angles are added as rotations; the sum passes a half turn
 * when the product leaves the upper half plane to the left, and a full one when it comes back. */
static bool may_bend(const Front *f, uint32_t v) {
  const SupTopology *t = f->topology;
  Vec2 turn = {1, 0};
  unsigned half_turns = 0, ends = 0;
  for (uint32_t k = t->corner_offsets[v]; k < t->corner_offsets[v + 1]; k++) {
    uint32_t h = t->corners[k], first = h - h % 3, last = first + (h + 2) % 3;
    ends += t->twins[h] == SUP_NONE;
    ends += t->twins[last] == SUP_NONE;
    SupVec3d p = position(f, v);
    SupVec3d a = sup_vec3d_sub(position(f, f->mesh.triangles[first + (h + 1) % 3]), p);
    SupVec3d b = sup_vec3d_sub(position(f, f->mesh.triangles[last]), p);
    double c = sup_vec3d_dot(a, b), s = sup_vec3d_length(sup_vec3d_cross(a, b)),
           n = sup_sqrt(c * c + s * s);
    Vec2 now = {(turn.x * c - turn.y * s) / n, (turn.x * s + turn.y * c) / n};
    if ((turn.y < 0) != (now.y < 0)) half_turns++;
    turn = now;
  }
  if (ends > 2) return true; /* several fans */
  unsigned allowed = ends ? 1 : 2;
  bool straight = half_turns == allowed && turn.y < FLAT && turn.y > -FLAT;
  return half_turns >= allowed && !straight;
}

static void finish_vertex(Front *f, uint32_t v) {
  const SupTopology *t = f->topology;
  bool bend = f->distances[v] == 0 || may_bend(f, v);
  offer_along_edges(f, v, (Origin){f->nearest[v], bend ? v : f->bends[v]});
  if (bend) open_vertex(f, v);
  for (uint32_t k = t->corner_offsets[v]; k < t->corner_offsets[v + 1]; k++) {
    uint32_t h = t->corners[k], first = h - h % 3, last = first + (h + 2) % 3;
    uint32_t a = f->mesh.triangles[first + (h + 1) % 3], b = f->mesh.triangles[last];
    if (f->final[a]) open_edge(f, h, v, a);
    if (f->final[b]) open_edge(f, last, v, b);
  }
}

/* ---- The two entries ------------------------------------------------------------------------ */

/* Memory and sources. */
static SupResult begin(Front *f, const SupGeodesicDef *def, SupArena *arena, SupArena *scratch,
                       SupError *error) {
  uint32_t n = def->mesh.vertex_count;
  *f = (Front){.mesh = def->mesh, .topology = def->topology};
  f->max_distance = def->max_distance > 0 ? def->max_distance : __builtin_inf();
  f->distances = SUP_ALLOC(arena, double, n);
  f->nearest = SUP_ALLOC(arena, uint32_t, n);
  f->bends = SUP_ALLOC(scratch, uint32_t, n);
  f->final = SUP_ALLOC(scratch, uint8_t, n);
  f->heap = SUP_ALLOC(scratch, uint32_t, n);
  f->places = SUP_ALLOC(scratch, uint32_t, n);
  if (!f->distances || !f->nearest || !f->bends || !f->final || !f->heap || !f->places) {
    return sup_fail_memory(error, "geodesic distances");
  }
  for (uint32_t v = 0; v < n; v++) {
    f->distances[v] = __builtin_inf();
    f->nearest[v] = f->bends[v] = f->places[v] = SUP_NONE;
  }
  for (uint32_t k = 0; k < def->source_count; k++) {
    uint32_t v = def->sources[k];
    if (v >= n) {
      return sup_fail(error, SUP_ERROR_ARGUMENT, "source %u is vertex %u, but the mesh has %u", k,
                      v, n);
    }
    offer(f, v, 0, (Origin){v, v});
  }
  return SUP_OK;
}

static SupResult run(SupArena *arena, const SupGeodesicDef *def, bool edges_only,
                     SupGeodesic *out_geodesic, SupError *error) {
  Front f;
  SupArena scratch = sup_scratch(arena);
  SupResult result = begin(&f, def, arena, &scratch, error);
  if (result != SUP_OK) goto done;
  while (f.heap_count) {
    uint32_t v = pop(&f);
    f.final[v] = 1;
    if (edges_only) {
      offer_along_edges(&f, v, (Origin){f.nearest[v], v});
    } else {
      finish_vertex(&f, v);
    }
  }
  *out_geodesic = (SupGeodesic){f.distances, f.nearest};
done:
  sup_arena_free(&scratch);
  return result;
}

SupResult sup_geodesic(SupArena *arena, const SupGeodesicDef *def, SupGeodesic *out_geodesic,
                       SupError *error) {
  return run(arena, def, false, out_geodesic, error);
}

SupResult sup_edge_distance(SupArena *arena, const SupGeodesicDef *def, SupGeodesic *out_geodesic,
                            SupError *error) {
  return run(arena, def, true, out_geodesic, error);
}
