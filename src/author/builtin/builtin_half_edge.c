/* SPDX-License-Identifier: MIT */
/* The half-edge mesh under the remesher: rings, split, flip, collapse. */
#include "author/builtin/builtin_half_edge.h"

SupPin sup_half_edge_pin(const SupHalfEdgeMesh *mesh, uint32_t h) {
  uint32_t t = mesh->twin[h];
  if (t == SUP_NONE) return (SupPin){true, SUP_NONE};
  uint32_t a = mesh->labels[h / 3], b = mesh->labels[t / 3];
  /* Later regions lie over earlier ones: the higher label's outline is the one that is seen. */
  return (SupPin){false, a == b ? SUP_NONE : (a > b ? a : b) - 1};
}

static void ring_note(SupHalfEdgeRing *ring, SupPin pin, uint32_t neighbour) {
  if (!pin.plane && pin.region == SUP_NONE) return;
  if (ring->pinned_count < 2) ring->pinned[ring->pinned_count] = neighbour;
  ring->pinned_count++;
  if (pin.plane) ring->pin.plane = true;
  if (pin.region != SUP_NONE && (ring->pin.region == SUP_NONE || pin.region > ring->pin.region)) {
    ring->pin.region = pin.region;
  }
}

void sup_half_edge_ring(const SupHalfEdgeMesh *mesh, uint32_t v, SupHalfEdgeRing *out_ring) {
  uint32_t first = mesh->out[v], h = first;
  do { /* clockwise to the open end, if there is one */
    uint32_t t = mesh->twin[h];
    if (t == SUP_NONE) break;
    h = sup_half_edge_next(t);
  } while (h != first);
  first = h;
  out_ring->half_edge_count = out_ring->vertex_count = out_ring->pinned_count = 0;
  out_ring->pin = (SupPin){false, SUP_NONE};
  for (;;) {
    uint32_t neighbour = mesh->from[sup_half_edge_next(h)];
    out_ring->half_edges[out_ring->half_edge_count++] = h;
    out_ring->vertices[out_ring->vertex_count++] = neighbour;
    ring_note(out_ring, sup_half_edge_pin(mesh, h), neighbour);
    uint32_t p = sup_half_edge_prev(h);
    h = mesh->twin[p];
    if (h == SUP_NONE) {
      out_ring->vertices[out_ring->vertex_count++] = mesh->from[p];
      ring_note(out_ring, sup_half_edge_pin(mesh, p), mesh->from[p]);
      break;
    }
    if (h == first || out_ring->half_edge_count == SUP_HALF_EDGE_RING_MAX) break;
  }
}

static void join(SupHalfEdgeMesh *mesh, uint32_t h, uint32_t t) {
  if (h != SUP_NONE) mesh->twin[h] = t;
  if (t != SUP_NONE) mesh->twin[t] = h;
}

static uint32_t new_face(SupHalfEdgeMesh *mesh, uint32_t like, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t f = mesh->face_count++;
  mesh->labels[f] = mesh->labels[like];
  mesh->from[3 * f] = a;
  mesh->from[3 * f + 1] = b;
  mesh->from[3 * f + 2] = c;
  return 3 * f;
}

/* a -> b with apex c becomes a -> m with apex c, and m -> b; the same on the other side. */
bool sup_half_edge_split(SupHalfEdgeMesh *mesh, uint32_t h, SupVec3d p) {
  if (mesh->vertex_count == mesh->vertex_max || mesh->face_count + 2 > mesh->face_max) {
    return false;
  }
  uint32_t t = mesh->twin[h], h1 = sup_half_edge_next(h), c = mesh->from[sup_half_edge_prev(h)];
  uint32_t b = mesh->from[h1], m = mesh->vertex_count++;
  mesh->points[m] = p;
  uint32_t n = new_face(mesh, h / 3, m, b, c);
  join(mesh, n + 1, mesh->twin[h1]);
  mesh->from[h1] = m;
  join(mesh, h1, n + 2);
  mesh->out[m] = n;
  mesh->out[b] = n + 1;
  if (t == SUP_NONE) {
    mesh->twin[n] = SUP_NONE;
    return true;
  }
  uint32_t t2 = sup_half_edge_prev(t), d = mesh->from[t2];
  uint32_t g = new_face(mesh, t / 3, b, m, d);
  mesh->from[t] = m;
  join(mesh, g + 2, mesh->twin[t2]);
  join(mesh, t2, g + 1);
  join(mesh, g, n);
  mesh->out[d] = g + 2;
  return true;
}

void sup_half_edge_flip(SupHalfEdgeMesh *mesh, uint32_t h) {
  uint32_t t = mesh->twin[h];
  uint32_t h1 = sup_half_edge_next(h), h2 = sup_half_edge_prev(h);
  uint32_t t1 = sup_half_edge_next(t), t2 = sup_half_edge_prev(t);
  uint32_t a = mesh->from[h], b = mesh->from[t], c = mesh->from[h2], d = mesh->from[t2];
  uint32_t bc = mesh->twin[h1], ca = mesh->twin[h2];
  uint32_t ad = mesh->twin[t1], db = mesh->twin[t2];
  mesh->from[h] = d;
  mesh->from[h1] = c;
  mesh->from[h2] = a;
  mesh->from[t] = c;
  mesh->from[t1] = d;
  mesh->from[t2] = b;
  join(mesh, h1, ca);
  join(mesh, h2, ad);
  join(mesh, t1, db);
  join(mesh, t2, bc);
  mesh->out[a] = h2;
  mesh->out[b] = t2;
  mesh->out[c] = h1;
  mesh->out[d] = t1;
}

static bool is_pinned_edge(const SupHalfEdgeMesh *mesh, uint32_t h) {
  SupPin pin = sup_half_edge_pin(mesh, h);
  return pin.plane || pin.region != SUP_NONE;
}

/* One face beside the edge, whose other two edges will become one: `gone` ends at the vertex that
 * goes, `kept` at the other. If the outline turns from h into `gone`, the face is the end of a
 * region, which would be eaten away; if both are pinned, a region would vanish. */
static bool side_may_close(const SupHalfEdgeMesh *mesh, uint32_t h, uint32_t gone, uint32_t kept) {
  if (mesh->twin[gone] == SUP_NONE && mesh->twin[kept] == SUP_NONE) return false;
  return !is_pinned_edge(mesh, gone) || (!is_pinned_edge(mesh, h) && !is_pinned_edge(mesh, kept));
}

bool sup_half_edge_may_collapse(const SupHalfEdgeMesh *mesh, uint32_t h, const SupHalfEdgeRing *a,
                                const SupHalfEdgeRing *b) {
  if (a->pinned_count > 0 && (!is_pinned_edge(mesh, h) || a->pinned_count != 2)) return false;
  if (a->half_edge_count + b->half_edge_count > SUP_HALF_EDGE_RING_MAX) return false;
  uint32_t shared = 0, t = mesh->twin[h];
  for (uint32_t i = 0; i < a->vertex_count; i++) {
    for (uint32_t k = 0; k < b->vertex_count; k++) shared += a->vertices[i] == b->vertices[k];
  }
  if (shared != (t == SUP_NONE ? 1u : 2u)) return false;
  if (b->vertex_count + a->vertex_count < 7) return false;
  return side_may_close(mesh, h, sup_half_edge_prev(h), sup_half_edge_next(h)) &&
         (t == SUP_NONE || side_may_close(mesh, t, sup_half_edge_next(t), sup_half_edge_prev(t)));
}

/* Takes the face of h away and joins what lay behind its other two edges. The ends of h are both
 * called b by now. */
static void close_side(SupHalfEdgeMesh *mesh, uint32_t h) {
  uint32_t h1 = sup_half_edge_next(h), h2 = sup_half_edge_prev(h);
  uint32_t b = mesh->from[h1], c = mesh->from[h2];
  uint32_t bc = mesh->twin[h1], ca = mesh->twin[h2]; /* they start at c and at b */
  join(mesh, bc, ca);
  mesh->out[c] = bc != SUP_NONE ? bc : sup_half_edge_next(ca);
  mesh->out[b] = ca != SUP_NONE ? ca : sup_half_edge_next(bc);
  mesh->from[h] = mesh->from[h1] = mesh->from[h2] = SUP_NONE;
}

void sup_half_edge_collapse(SupHalfEdgeMesh *mesh, uint32_t h, const SupHalfEdgeRing *a) {
  uint32_t t = mesh->twin[h], gone = mesh->from[h];
  uint32_t b = mesh->from[sup_half_edge_next(h)];
  for (uint32_t i = 0; i < a->half_edge_count; i++) mesh->from[a->half_edges[i]] = b;
  close_side(mesh, h);
  if (t != SUP_NONE) close_side(mesh, t);
  mesh->out[gone] = SUP_NONE;
}

SupResult sup_half_edge_compact(SupArena *arena, SupHalfEdgeMesh *mesh) {
  uint32_t *vertex_map = SUP_ALLOC(arena, uint32_t, mesh->vertex_count);
  uint32_t *face_map = SUP_ALLOC(arena, uint32_t, mesh->face_count);
  if (!vertex_map || !face_map) return SUP_ERROR_MEMORY;
  uint32_t vertices = 0, faces = 0;
  for (uint32_t v = 0; v < mesh->vertex_count; v++) {
    if (mesh->out[v] == SUP_NONE) continue;
    mesh->points[vertices] = mesh->points[v];
    mesh->normals[vertices] = mesh->normals[v];
    mesh->out[vertices] = mesh->out[v];
    vertex_map[v] = vertices++;
  }
  for (uint32_t f = 0; f < mesh->face_count; f++) {
    if (mesh->from[3 * f] == SUP_NONE) continue;
    face_map[f] = faces++;
  }
  for (uint32_t f = 0; f < mesh->face_count; f++) {
    if (mesh->from[3 * f] == SUP_NONE) continue;
    uint32_t to = face_map[f];
    mesh->labels[to] = mesh->labels[f];
    for (uint32_t k = 0; k < 3; k++) {
      uint32_t t = mesh->twin[3 * f + k];
      mesh->from[3 * to + k] = vertex_map[mesh->from[3 * f + k]];
      mesh->twin[3 * to + k] = t == SUP_NONE ? t : 3 * face_map[t / 3] + t % 3;
    }
  }
  for (uint32_t v = 0; v < vertices; v++) {
    mesh->out[v] = 3 * face_map[mesh->out[v] / 3] + mesh->out[v] % 3;
  }
  mesh->vertex_count = vertices;
  mesh->face_count = faces;
  return SUP_OK;
}
