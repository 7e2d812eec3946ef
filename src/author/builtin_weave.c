/* SPDX-License-Identifier: MIT */
/* The half-edge mesh under the remesher: rings, split, flip, collapse. */
#include "author/builtin_weave.h"

SupPin sup_weave_edge_pin(const SupWeave *weave, uint32_t h) {
  uint32_t t = weave->twin[h];
  if (t == SUP_NONE) return (SupPin){true, SUP_NONE};
  uint32_t a = weave->labels[h / 3], b = weave->labels[t / 3];
  /* Later regions lie over earlier ones: the higher label's outline is the one that is seen. */
  return (SupPin){false, a == b ? SUP_NONE : (a > b ? a : b) - 1};
}

static void ring_note(SupWeaveRing *ring, SupPin pin, uint32_t neighbour) {
  if (!pin.plane && pin.region == SUP_NONE) return;
  if (ring->pinned_count < 2) ring->pinned[ring->pinned_count] = neighbour;
  ring->pinned_count++;
  if (pin.plane) ring->pin.plane = true;
  if (pin.region != SUP_NONE && (ring->pin.region == SUP_NONE || pin.region > ring->pin.region)) {
    ring->pin.region = pin.region;
  }
}

void sup_weave_ring(const SupWeave *weave, uint32_t v, SupWeaveRing *out_ring) {
  uint32_t first = weave->out[v], h = first;
  do { /* clockwise to the open end, if there is one */
    uint32_t t = weave->twin[h];
    if (t == SUP_NONE) break;
    h = sup_weave_next(t);
  } while (h != first);
  first = h;
  out_ring->half_count = out_ring->vertex_count = out_ring->pinned_count = 0;
  out_ring->pin = (SupPin){false, SUP_NONE};
  for (;;) {
    uint32_t neighbour = weave->from[sup_weave_next(h)];
    out_ring->halves[out_ring->half_count++] = h;
    out_ring->vertices[out_ring->vertex_count++] = neighbour;
    ring_note(out_ring, sup_weave_edge_pin(weave, h), neighbour);
    uint32_t p = sup_weave_prev(h);
    h = weave->twin[p];
    if (h == SUP_NONE) {
      out_ring->vertices[out_ring->vertex_count++] = weave->from[p];
      ring_note(out_ring, sup_weave_edge_pin(weave, p), weave->from[p]);
      break;
    }
    if (h == first || out_ring->half_count == SUP_WEAVE_RING_MAX) break;
  }
}

static void join(SupWeave *weave, uint32_t h, uint32_t t) {
  if (h != SUP_NONE) weave->twin[h] = t;
  if (t != SUP_NONE) weave->twin[t] = h;
}

static uint32_t new_face(SupWeave *weave, uint32_t like, uint32_t a, uint32_t b, uint32_t c) {
  uint32_t f = weave->face_count++;
  weave->labels[f] = weave->labels[like];
  weave->from[3 * f] = a;
  weave->from[3 * f + 1] = b;
  weave->from[3 * f + 2] = c;
  return 3 * f;
}

/* a -> b with apex c becomes a -> m with apex c, and m -> b; the same on the other side. */
bool sup_weave_split(SupWeave *weave, uint32_t h, SupVec3d p) {
  if (weave->vertex_count == weave->vertex_max || weave->face_count + 2 > weave->face_max) {
    return false;
  }
  uint32_t t = weave->twin[h], h1 = sup_weave_next(h), c = weave->from[sup_weave_prev(h)];
  uint32_t b = weave->from[h1], m = weave->vertex_count++;
  weave->points[m] = p;
  uint32_t n = new_face(weave, h / 3, m, b, c);
  join(weave, n + 1, weave->twin[h1]);
  weave->from[h1] = m;
  join(weave, h1, n + 2);
  weave->out[m] = n;
  weave->out[b] = n + 1;
  if (t == SUP_NONE) {
    weave->twin[n] = SUP_NONE;
    return true;
  }
  uint32_t t2 = sup_weave_prev(t), d = weave->from[t2];
  uint32_t g = new_face(weave, t / 3, b, m, d);
  weave->from[t] = m;
  join(weave, g + 2, weave->twin[t2]);
  join(weave, t2, g + 1);
  join(weave, g, n);
  weave->out[d] = g + 2;
  return true;
}

void sup_weave_flip(SupWeave *weave, uint32_t h) {
  uint32_t t = weave->twin[h];
  uint32_t h1 = sup_weave_next(h), h2 = sup_weave_prev(h);
  uint32_t t1 = sup_weave_next(t), t2 = sup_weave_prev(t);
  uint32_t a = weave->from[h], b = weave->from[t], c = weave->from[h2], d = weave->from[t2];
  uint32_t bc = weave->twin[h1], ca = weave->twin[h2];
  uint32_t ad = weave->twin[t1], db = weave->twin[t2];
  weave->from[h] = d;
  weave->from[h1] = c;
  weave->from[h2] = a;
  weave->from[t] = c;
  weave->from[t1] = d;
  weave->from[t2] = b;
  join(weave, h1, ca);
  join(weave, h2, ad);
  join(weave, t1, db);
  join(weave, t2, bc);
  weave->out[a] = h2;
  weave->out[b] = t2;
  weave->out[c] = h1;
  weave->out[d] = t1;
}

static bool is_pinned_edge(const SupWeave *weave, uint32_t h) {
  SupPin pin = sup_weave_edge_pin(weave, h);
  return pin.plane || pin.region != SUP_NONE;
}

/* One face beside the edge, whose other two edges will become one: `gone` ends at the vertex that
 * goes, `kept` at the other. If the outline turns from h into `gone`, the face is the end of a
 * region, which would be eaten away; if both are pinned, a region would vanish. */
static bool side_may_close(const SupWeave *weave, uint32_t h, uint32_t gone, uint32_t kept) {
  if (weave->twin[gone] == SUP_NONE && weave->twin[kept] == SUP_NONE) return false;
  return !is_pinned_edge(weave, gone) ||
         (!is_pinned_edge(weave, h) && !is_pinned_edge(weave, kept));
}

bool sup_weave_may_collapse(const SupWeave *weave, uint32_t h, const SupWeaveRing *a,
                            const SupWeaveRing *b) {
  if (a->pinned_count > 0 && (!is_pinned_edge(weave, h) || a->pinned_count != 2)) return false;
  if (a->half_count + b->half_count > SUP_WEAVE_RING_MAX) return false;
  uint32_t shared = 0, t = weave->twin[h];
  for (uint32_t i = 0; i < a->vertex_count; i++) {
    for (uint32_t k = 0; k < b->vertex_count; k++) shared += a->vertices[i] == b->vertices[k];
  }
  if (shared != (t == SUP_NONE ? 1u : 2u)) return false;
  if (b->vertex_count + a->vertex_count < 7) return false;
  return side_may_close(weave, h, sup_weave_prev(h), sup_weave_next(h)) &&
         (t == SUP_NONE || side_may_close(weave, t, sup_weave_next(t), sup_weave_prev(t)));
}

/* Takes the face of h away and joins what lay behind its other two edges. The ends of h are both
 * called b by now. */
static void close_side(SupWeave *weave, uint32_t h) {
  uint32_t h1 = sup_weave_next(h), h2 = sup_weave_prev(h);
  uint32_t b = weave->from[h1], c = weave->from[h2];
  uint32_t bc = weave->twin[h1], ca = weave->twin[h2]; /* they start at c and at b */
  join(weave, bc, ca);
  weave->out[c] = bc != SUP_NONE ? bc : sup_weave_next(ca);
  weave->out[b] = ca != SUP_NONE ? ca : sup_weave_next(bc);
  weave->from[h] = weave->from[h1] = weave->from[h2] = SUP_NONE;
}

void sup_weave_collapse(SupWeave *weave, uint32_t h, const SupWeaveRing *a) {
  uint32_t t = weave->twin[h], gone = weave->from[h];
  uint32_t b = weave->from[sup_weave_next(h)];
  for (uint32_t i = 0; i < a->half_count; i++) weave->from[a->halves[i]] = b;
  close_side(weave, h);
  if (t != SUP_NONE) close_side(weave, t);
  weave->out[gone] = SUP_NONE;
}

SupResult sup_weave_compact(SupArena *arena, SupWeave *weave) {
  uint32_t *vertex_map = SUP_ALLOC(arena, uint32_t, weave->vertex_count);
  uint32_t *face_map = SUP_ALLOC(arena, uint32_t, weave->face_count);
  if (!vertex_map || !face_map) return SUP_ERROR_MEMORY;
  uint32_t vertices = 0, faces = 0;
  for (uint32_t v = 0; v < weave->vertex_count; v++) {
    if (weave->out[v] == SUP_NONE) continue;
    weave->points[vertices] = weave->points[v];
    weave->normals[vertices] = weave->normals[v];
    weave->out[vertices] = weave->out[v];
    vertex_map[v] = vertices++;
  }
  for (uint32_t f = 0; f < weave->face_count; f++) {
    if (weave->from[3 * f] == SUP_NONE) continue;
    face_map[f] = faces++;
  }
  for (uint32_t f = 0; f < weave->face_count; f++) {
    if (weave->from[3 * f] == SUP_NONE) continue;
    uint32_t to = face_map[f];
    weave->labels[to] = weave->labels[f];
    for (uint32_t k = 0; k < 3; k++) {
      uint32_t t = weave->twin[3 * f + k];
      weave->from[3 * to + k] = vertex_map[weave->from[3 * f + k]];
      weave->twin[3 * to + k] = t == SUP_NONE ? t : 3 * face_map[t / 3] + t % 3;
    }
  }
  for (uint32_t v = 0; v < vertices; v++) {
    weave->out[v] = 3 * face_map[weave->out[v] / 3] + weave->out[v] % 3;
  }
  weave->vertex_count = vertices;
  weave->face_count = faces;
  return SUP_OK;
}
