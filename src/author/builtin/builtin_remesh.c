/* SPDX-License-Identifier: MIT */
/*
 * Remeshing a built-in body to a given number of well-shaped triangles.
 *
 * Botsch and Kobbelt, "A remeshing approach to multiresolution modeling" (2004): split long edges,
 * collapse short ones, flip, move vertices to the middle of their neighbours; again. Here vertices
 * are pulled back onto the implicit surface itself, edges flip where that improves the worse of
 * the two triangles, edges on the outlines of regions and in the mirror plane stay on them, and
 * the edge length is adjusted between rounds until the vertex count is the one asked for.
 */
#include "author/builtin/builtin_half_edge.h"

typedef struct Remesher {
  const SupBody *body;
  SupHalfEdgeMesh *mesh;
  double length; /* target edge length where the detail is 1 */
} Remesher;

static SupVec3d at(const SupHalfEdgeMesh *mesh, uint32_t h) { return mesh->points[mesh->from[h]]; }

/* Twice the area times the normal. */
static SupVec3d area_vector(SupVec3d a, SupVec3d b, SupVec3d c) {
  return sup_vec3d_cross(sup_vec3d_sub(b, a), sup_vec3d_sub(c, a));
}

/* A corner of a triangle: where it is and how the surface faces there. */
typedef struct Corner {
  SupVec3d p, n;
} Corner;

static Corner corner(const SupHalfEdgeMesh *mesh, uint32_t v) {
  return (Corner){mesh->points[v], mesh->normals[v]};
}

static void put(SupHalfEdgeMesh *mesh, uint32_t v, Corner at) {
  mesh->points[v] = at.p;
  mesh->normals[v] = at.n;
}

static Corner corner_at(const SupBody *body, SupVec3d p) {
  return (Corner){p, sup_vec3d_normalise(sup_body_sample(body, p).g)};
}

/* 1 for an equilateral triangle that faces as the surface does, 0 for a degenerate one, negative
 * for one that is folded over. */
static double quality(Corner a, Corner b, Corner c) {
  SupVec3d ab = sup_vec3d_sub(b.p, a.p), bc = sup_vec3d_sub(c.p, b.p), ca = sup_vec3d_sub(a.p, c.p);
  SupVec3d facing = sup_vec3d_add(a.n, sup_vec3d_add(b.n, c.n));
  double sum = sup_vec3d_dot(ab, ab) + sup_vec3d_dot(bc, bc) + sup_vec3d_dot(ca, ca),
         norm = sup_vec3d_length(facing);
  if (!(sum > 0 && norm > 0)) return 0;
  return 2 * 1.7320508075688772 * sup_vec3d_dot(sup_vec3d_cross(ca, ab), facing) / (norm * sum);
}

/* Edge length of half-edge h as a fraction of the length wanted there. */
static double edge_fraction(const Remesher *remesher, uint32_t h) {
  SupVec3d a = at(remesher->mesh, h), b = at(remesher->mesh, sup_half_edge_next(h));
  double want = remesher->length * sup_body_detail(remesher->body, sup_vec3d_lerp(a, b, 0.5));
  return sup_vec3d_distance(b, a) / want;
}

/* A new vertex on edge h; false if there is no room. */
static bool split_at(SupHalfEdgeMesh *mesh, uint32_t h, Corner middle) {
  if (!sup_half_edge_split(mesh, h, middle.p)) return false;
  put(mesh, mesh->vertex_count - 1, middle);
  return true;
}

static SupVec3d edge_middle(const Remesher *remesher, uint32_t h) {
  SupVec3d a = at(remesher->mesh, h), b = at(remesher->mesh, sup_half_edge_next(h));
  return sup_body_project(remesher->body, sup_half_edge_pin(remesher->mesh, h),
                          sup_vec3d_lerp(a, b, 0.5));
}

/* ---- Cutting along outlines ----------------------------------------------------------------- */

/* Splits every edge that crosses the outline of the region, where it does, and labels the faces
 * inside. */
static SupResult cut_region(SupArena *arena, const SupBody *body, SupHalfEdgeMesh *mesh,
                            uint32_t region) {
  const SupBlob *shape = &body->regions[region].shape;
  double *g = SUP_ALLOC(arena, double, mesh->vertex_max); /* new vertices are at 0 */
  if (!g) return SUP_ERROR_MEMORY;
  for (uint32_t v = 0; v < mesh->vertex_count; v++) {
    g[v] = sup_blob_sample(shape, mesh->points[v]).d;
  }
  /* A split moves edges on to new faces, so the new ones are gone through as well. */
  for (uint32_t h = 0; h < 3 * mesh->face_count; h++) {
    uint32_t a = mesh->from[h], b = mesh->from[sup_half_edge_next(h)];
    if (!(g[a] < 0 && g[b] > 0) && !(g[a] > 0 && g[b] < 0)) continue;
    SupVec3d p = mesh->points[a], q = mesh->points[b];
    SupVec3d cut = sup_vec3d_add_scaled(p, sup_vec3d_sub(q, p), g[a] / (g[a] - g[b]));
    SupPin pin = {mesh->twin[h] == SUP_NONE, region};
    Corner at_cut = corner_at(body, sup_body_project(body, pin, cut));
    if (!split_at(mesh, h, at_cut)) return SUP_ERROR_MEMORY;
  }
  for (uint32_t f = 0; f < mesh->face_count; f++) {
    double sum = 0;
    for (uint32_t k = 0; k < 3; k++) sum += g[mesh->from[3 * f + k]];
    if (sum < 0) mesh->labels[f] = region + 1;
  }
  return SUP_OK;
}

/* ---- The four passes ------------------------------------------------------------------------ */

/* The worse of the two faces that a vertex at m would make of the face of h. */
static double split_quality(const SupHalfEdgeMesh *mesh, uint32_t h, Corner m) {
  Corner a = corner(mesh, mesh->from[h]), b = corner(mesh, mesh->from[sup_half_edge_next(h)]);
  Corner c = corner(mesh, mesh->from[sup_half_edge_prev(h)]);
  double first = quality(a, m, c), second = quality(m, b, c);
  return first < second ? first : second;
}

/* Splits edge h in the middle, unless a face would fold over. */
static bool split_edge(Remesher *remesher, uint32_t h) {
  SupHalfEdgeMesh *mesh = remesher->mesh;
  uint32_t t = mesh->twin[h];
  Corner m = corner_at(remesher->body, edge_middle(remesher, h));
  if (split_quality(mesh, h, m) < 0.15) return false;
  if (t != SUP_NONE && split_quality(mesh, t, m) < 0.15) return false;
  return split_at(mesh, h, m);
}

static void split_long(Remesher *remesher, double limit) {
  SupHalfEdgeMesh *mesh = remesher->mesh;
  uint32_t half_edge_count = 3 * mesh->face_count;
  for (uint32_t h = 0; h < half_edge_count; h++) {
    uint32_t t = mesh->twin[h];
    if (mesh->from[h] == SUP_NONE || (t != SUP_NONE && t < h)) continue;
    if (edge_fraction(remesher, h) > limit) split_edge(remesher, h);
  }
}

/* Whether the faces around a vertex stay sound when it moves to `to`, leaving out those at `skip`,
 * which will be gone: the worst of them may not end below both `floor` and what it was. */
static bool ring_stays_sound(const SupHalfEdgeMesh *mesh, const SupHalfEdgeRing *ring, Corner to,
                             uint32_t skip, double floor) {
  double before = floor, after = 1;
  for (uint32_t i = 0; i < ring->half_edge_count; i++) {
    uint32_t h = ring->half_edges[i];
    uint32_t b = mesh->from[sup_half_edge_next(h)], c = mesh->from[sup_half_edge_prev(h)];
    double is = b == skip || c == skip ? 1 : quality(to, corner(mesh, b), corner(mesh, c));
    double was = quality(corner(mesh, mesh->from[h]), corner(mesh, b), corner(mesh, c));
    before = was < before ? was : before;
    after = is < after ? is : after;
  }
  return after >= before;
}

/* Whether a straight edge follows the outline of a region: 0.15 of its length off in the middle is
 * what five edges around a circle are. */
static bool follows(const SupBody *body, uint32_t region, SupVec3d a, SupVec3d b) {
  double off = sup_blob_sample(&body->regions[region].shape, sup_vec3d_lerp(a, b, 0.5)).d;
  double most = 0.15 * sup_vec3d_distance(a, b);
  return off > -most && off < most;
}

/* Whether the outline is still followed when its vertices at the ends of h merge at p. A region
 * that got coarser than that could end as a sliver. */
static bool outline_is_followed(const Remesher *remesher, uint32_t h, const SupHalfEdgeRing *a,
                                const SupHalfEdgeRing *b, SupVec3d p) {
  const SupHalfEdgeMesh *mesh = remesher->mesh;
  uint32_t region = sup_half_edge_pin(mesh, h).region;
  if (region == SUP_NONE) return true;
  uint32_t gone = mesh->from[h], kept = mesh->from[sup_half_edge_next(h)];
  SupVec3d before = mesh->points[a->pinned[a->pinned[0] == kept]];
  if (!follows(remesher->body, region, before, p)) return false;
  SupVec3d after = mesh->points[b->pinned[b->pinned[0] == gone]];
  return b->pinned_count != 2 || follows(remesher->body, region, p, after);
}

/* Whether from[h] (ring a) and the vertex at its other end (ring b) may both go to `to`. */
static bool may_merge_at(const Remesher *remesher, uint32_t h, const SupHalfEdgeRing *a,
                         const SupHalfEdgeRing *b, Corner to) {
  const SupHalfEdgeMesh *mesh = remesher->mesh;
  uint32_t gone = mesh->from[h], kept = mesh->from[sup_half_edge_next(h)];
  if (!ring_stays_sound(mesh, a, to, kept, 0.3)) return false;
  if (!ring_stays_sound(mesh, b, to, gone, 0.3)) return false;
  if (!outline_is_followed(remesher, h, a, b, to.p)) return false;
  for (uint32_t i = 0; i < a->vertex_count; i++) {
    SupVec3d q = mesh->points[a->vertices[i]];
    double want = remesher->length *
                  sup_body_detail(remesher->body, sup_vec3d_scale(sup_vec3d_add(to.p, q), 0.5));
    if (sup_vec3d_distance(to.p, q) > 1.5 * want) return false;
  }
  return true;
}

/* Merges from[h] into the other end: in the middle, or where the other end is. */
static bool collapse_edge(Remesher *remesher, uint32_t h) {
  SupHalfEdgeMesh *mesh = remesher->mesh;
  SupHalfEdgeRing a, b;
  sup_half_edge_ring(mesh, mesh->from[h], &a);
  sup_half_edge_ring(mesh, mesh->from[sup_half_edge_next(h)], &b);
  if (!sup_half_edge_may_collapse(mesh, h, &a, &b)) return false;
  uint32_t kept = mesh->from[sup_half_edge_next(h)];
  bool stay = b.pinned_count > 0 && (a.pinned_count == 0 || b.pinned_count != 2);
  Corner to = stay ? corner(mesh, kept) : corner_at(remesher->body, edge_middle(remesher, h));
  if (!may_merge_at(remesher, h, &a, &b, to)) {
    to = corner(mesh, kept);
    if (stay || !may_merge_at(remesher, h, &a, &b, to)) return false;
  }
  sup_half_edge_collapse(mesh, h, &a);
  put(mesh, kept, to);
  return true;
}

static void collapse_short(Remesher *remesher, double limit) {
  SupHalfEdgeMesh *mesh = remesher->mesh;
  for (uint32_t h = 0; h < 3 * mesh->face_count; h++) {
    if (mesh->from[h] != SUP_NONE && edge_fraction(remesher, h) < limit) collapse_edge(remesher, h);
  }
}

static void flip_better(Remesher *remesher) {
  SupHalfEdgeMesh *mesh = remesher->mesh;
  for (uint32_t h = 0; h < 3 * mesh->face_count; h++) {
    uint32_t t = mesh->twin[h];
    if (mesh->from[h] == SUP_NONE || t == SUP_NONE || t < h) continue;
    if (mesh->labels[h / 3] != mesh->labels[t / 3]) continue;
    Corner a = corner(mesh, mesh->from[h]), b = corner(mesh, mesh->from[t]);
    Corner c = corner(mesh, mesh->from[sup_half_edge_prev(h)]);
    Corner d = corner(mesh, mesh->from[sup_half_edge_prev(t)]);
    double qa = quality(a, b, c), qb = quality(b, a, d);
    double qc = quality(d, c, a), qd = quality(c, d, b);
    if ((qc < qd ? qc : qd) <= (qa < qb ? qa : qb) + 1e-3) continue;
    SupHalfEdgeRing ring;
    sup_half_edge_ring(mesh, mesh->from[sup_half_edge_prev(h)], &ring);
    uint32_t other = mesh->from[sup_half_edge_prev(t)];
    bool there = ring.half_edge_count + 2 > SUP_HALF_EDGE_RING_MAX;
    for (uint32_t i = 0; i < ring.vertex_count; i++) there |= ring.vertices[i] == other;
    if (!there) sup_half_edge_flip(mesh, h);
  }
}

/* The middle of the faces around a vertex, each weighed by its area relative to the area wanted
 * there: equal numbers of triangles on all sides. */
static SupVec3d ring_middle(const Remesher *remesher, const SupHalfEdgeRing *ring) {
  const SupHalfEdgeMesh *mesh = remesher->mesh;
  SupVec3d sum = {0, 0, 0};
  double total = 0;
  for (uint32_t i = 0; i < ring->half_edge_count; i++) {
    uint32_t h = ring->half_edges[i];
    SupVec3d a = at(mesh, h), b = at(mesh, sup_half_edge_next(h)),
             c = at(mesh, sup_half_edge_prev(h));
    SupVec3d middle = sup_vec3d_scale(sup_vec3d_add(a, sup_vec3d_add(b, c)), 1.0 / 3);
    double detail = sup_body_detail(remesher->body, middle);
    double weight = sup_vec3d_length(area_vector(a, b, c)) / (detail * detail);
    sum = sup_vec3d_add_scaled(sum, middle, weight);
    total += weight;
  }
  return sup_vec3d_scale(sum, 1 / total);
}

/* Where a vertex on an outline or in the mirror plane goes: along the curve, half the way to the
 * middle of its two neighbours on it (straight to the middle would cut the corners off), as long
 * as its edges follow the outline. */
static SupVec3d slide(const Remesher *remesher, const SupHalfEdgeRing *ring, uint32_t v) {
  const SupVec3d *points = remesher->mesh->points;
  SupVec3d p = points[v], across = {1, 0, 0};
  if (ring->pin.region != SUP_NONE) {
    across = sup_blob_sample(&remesher->body->regions[ring->pin.region].shape, p).g;
  }
  SupVec3d along = sup_vec3d_normalise(sup_vec3d_cross(remesher->mesh->normals[v], across));
  SupVec3d middle = sup_vec3d_lerp(points[ring->pinned[0]], points[ring->pinned[1]], 0.5);
  double step = 0.5 * sup_vec3d_dot(sup_vec3d_sub(middle, p), along);
  SupVec3d to = sup_body_project(remesher->body, ring->pin, sup_vec3d_add_scaled(p, along, step));
  for (uint32_t i = 0; i < 2 && ring->pin.region != SUP_NONE; i++) {
    if (!follows(remesher->body, ring->pin.region, points[ring->pinned[i]], to)) return p;
  }
  return to;
}

static void relax(Remesher *remesher) {
  SupHalfEdgeMesh *mesh = remesher->mesh;
  for (uint32_t v = 0; v < mesh->vertex_count; v++) {
    if (mesh->out[v] == SUP_NONE) continue;
    SupHalfEdgeRing ring;
    sup_half_edge_ring(mesh, v, &ring);
    SupVec3d p;
    double floor = 0.6;
    if (ring.pinned_count == 0) {
      p = sup_body_project(remesher->body, ring.pin, ring_middle(remesher, &ring));
    } else if (ring.pinned_count == 2) {
      p = slide(remesher, &ring, v);
      floor = 0.35; /* to be on the outline comes first */
    } else {
      continue;
    }
    Corner to = corner_at(remesher->body, p);
    if (ring_stays_sound(mesh, &ring, to, SUP_NONE, floor)) put(mesh, v, to);
  }
}

/* ---- The right number ----------------------------------------------------------------------- */

uint32_t sup_half_edge_body_count(const SupHalfEdgeMesh *mesh, bool symmetric) {
  uint32_t count = 0, plane = 0;
  for (uint32_t v = 0; v < mesh->vertex_count; v++) {
    if (mesh->out[v] == SUP_NONE) continue;
    count++;
    plane += mesh->points[v].x == 0;
  }
  return symmetric ? 2 * count - plane : count;
}

typedef struct Ranked {
  double key;
  uint32_t h;
} Ranked;

static void sift(Ranked *items, size_t i, size_t count) {
  Ranked item = items[i];
  for (;;) {
    size_t child = 2 * i + 1;
    if (child >= count) break;
    if (child + 1 < count && items[child + 1].key > items[child].key) child++;
    if (items[child].key <= item.key) break;
    items[i] = items[child];
    i = child;
  }
  items[i] = item;
}

/* Rising keys. */
static void heap_sort(Ranked *items, size_t count) {
  for (size_t i = count / 2; i-- > 0;) sift(items, i, count);
  for (size_t end = count; end-- > 1;) {
    Ranked top = items[0];
    items[0] = items[end];
    items[end] = top;
    sift(items, 0, end);
  }
}

static bool is_pinned(const SupHalfEdgeMesh *mesh, uint32_t v) {
  SupHalfEdgeRing ring;
  sup_half_edge_ring(mesh, v, &ring);
  return ring.pinned_count > 0;
}

/* Splits the longest or collapses the shortest edges, relative to what is wanted, until the count
 * is met; a mirrored vertex counts twice, so collapses may end one short, which a split in the
 * mirror plane makes up for. Collapses leave outlines alone. */
static SupResult settle_count(SupArena *arena, Remesher *remesher, uint32_t target) {
  SupHalfEdgeMesh *mesh = remesher->mesh;
  size_t half_edge_count = 3 * (size_t)mesh->face_count, edge_count = 0;
  Ranked *edges = SUP_ALLOC(arena, Ranked, half_edge_count);
  if (!edges) return SUP_ERROR_MEMORY;
  uint32_t count = sup_half_edge_body_count(mesh, remesher->body->symmetric);
  bool grow = count < target;
  for (uint32_t h = 0; h < half_edge_count; h++) {
    uint32_t t = mesh->twin[h];
    if (t != SUP_NONE && t < h) continue;
    double fraction = edge_fraction(remesher, h);
    edges[edge_count++] = (Ranked){grow ? -fraction : fraction, h};
  }
  heap_sort(edges, edge_count);
  for (size_t i = 0; i < edge_count; i++) {
    uint32_t h = edges[i].h;
    if (mesh->from[h] == SUP_NONE) continue;
    uint32_t pair = remesher->body->symmetric && mesh->twin[h] != SUP_NONE ? 2 : 1;
    if (grow ? count + pair > target : count <= target) continue;
    bool done;
    if (grow) {
      done = split_edge(remesher, h);
    } else {
      uint32_t a = mesh->from[h], b = mesh->from[sup_half_edge_next(h)];
      done = !is_pinned(mesh, a) && !is_pinned(mesh, b) && collapse_edge(remesher, h);
    }
    if (done) count = grow ? count + pair : count - pair;
  }
  return sup_half_edge_compact(arena, mesh);
}

/* One round of the method. */
static SupResult remesh_round(SupArena *arena, Remesher *remesher) {
  split_long(remesher, 4.0 / 3);
  collapse_short(remesher, 4.0 / 5);
  SupResult result = sup_half_edge_compact(arena, remesher->mesh);
  if (result != SUP_OK) return result;
  flip_better(remesher);
  relax(remesher);
  return SUP_OK;
}

/* Puts the seed onto the surface, clears its slivers away in a few rounds at about the size of its
 * grid, and cuts the regions out of what is then a good mesh. */
static SupResult prepare(SupArena *arena, Remesher *remesher) {
  SupHalfEdgeMesh *mesh = remesher->mesh;
  SupResult result = SUP_OK;
  for (uint32_t v = 0; v < mesh->vertex_count; v++) {
    bool plane = remesher->body->symmetric && mesh->points[v].x == 0;
    SupVec3d p = sup_body_project(remesher->body, (SupPin){plane, SUP_NONE}, mesh->points[v]);
    put(mesh, v, corner_at(remesher->body, p));
  }
  for (uint32_t round = 0; round < 4 && result == SUP_OK; round++) {
    result = remesh_round(arena, remesher);
  }
  for (uint32_t region = 0; region < remesher->body->region_count && result == SUP_OK; region++) {
    result = cut_region(arena, remesher->body, mesh, region);
  }
  return result;
}

/* The edge length that gives `target` vertices where the detail is 1. */
static double length_for(const SupBody *body, const SupHalfEdgeMesh *mesh, uint32_t target) {
  double fraction = 0; /* how many triangles of edge length 1 the surface holds */
  for (uint32_t f = 0; f < mesh->face_count; f++) {
    SupVec3d a = at(mesh, 3 * f), b = at(mesh, 3 * f + 1), c = at(mesh, 3 * f + 2);
    double detail = sup_body_detail(body, a);
    fraction += 0.5 * sup_vec3d_length(area_vector(a, b, c)) / (0.4330127 * detail * detail);
  }
  return sup_sqrt((body->symmetric ? 2 : 1) * fraction / (2.0 * target));
}

SupResult sup_body_remesh(SupArena *arena, const SupBody *body, uint32_t target,
                          SupHalfEdgeMesh *mesh) {
  Remesher remesher = {body, mesh, 1.5 * body->seed_cell};
  SupResult result = prepare(arena, &remesher);
  if (result != SUP_OK) return result;
  /* To the size wanted step by step, since good triangles collapse well; there, the length is
   * adjusted to the count. */
  double goal = length_for(body, mesh, target);
  for (uint32_t steady = 0; steady < 8 && result == SUP_OK;) {
    bool there = goal <= 1.3 * remesher.length;
    remesher.length = there ? goal : 1.3 * remesher.length;
    result = remesh_round(arena, &remesher);
    if (!there) continue;
    goal *= sup_sqrt((double)sup_half_edge_body_count(mesh, body->symmetric) / target);
    steady++;
  }
  for (uint32_t round = 0; round < 3 && result == SUP_OK; round++) {
    result = settle_count(arena, &remesher, target);
    for (uint32_t i = 0; i < 3; i++) {
      flip_better(&remesher);
      relax(&remesher);
    }
  }
  return result;
}
