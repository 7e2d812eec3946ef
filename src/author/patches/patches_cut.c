/* SPDX-License-Identifier: MIT */
/*
 * Boundaries as segments, and the triangles that they cut, divided.
 *
 * A triangle with points on its edges is a polygon whose corners lie on its border; segments across
 * it are chords. Chords that do not cross divide it into convex polygons, one after the other, and
 * these are divided into triangles.
 */
#include "base/scratch.h"
#include "patches_work.h"

typedef struct Cutter {
  const SupPatchesDef *def;
  SupArena *arena, *scratch;
  SupError *error;
  uint32_t point_count, skin_count; /* vertices of the cut mesh; those that are the skin's */
  SupSkinPoint *points;             /* [point_count] */
  uint32_t *edge_offsets, *edge_points;
  uint32_t segment_count, segment_capacity;
  SupPatchSegment *segments;
  uint32_t triangle_count, triangle_capacity;
  uint32_t *triangles, *owners;
} Cutter;

SupResult sup_patch_prefix(const char *source, uint32_t line, SupResult result, SupError *error) {
  if (line) {
    sup_error_prefix(error, "%s, line %u", source, line);
  } else {
    sup_error_prefix(error, "%s", source);
  }
  return result;
}

static SupResult refuse(const Cutter *c, uint32_t boundary, const char *what) {
  const SupPatchBoundary *b = &c->def->boundaries[boundary];
  return sup_patch_prefix(c->def->source, b->line,
                          sup_fail(c->error, SUP_ERROR_FORMAT, "boundary '%s' %s", b->name, what),
                          c->error);
}

/* ---- Points --------------------------------------------------------------------------------- */

/* All points on edges, by edge and place, each once. */
static SupResult collect_points(Cutter *c) {
  const SupPatchesDef *def = c->def;
  const SupTopology *topology = def->topology;
  uint32_t *offsets = SUP_ALLOC(c->arena, uint32_t, (size_t)topology->edge_count + 1);
  if (!offsets) return sup_fail_memory(c->error, NULL);
  size_t total = 0;
  for (uint32_t b = 0; b < def->boundary_count; b++) {
    const SupSkinPath *path = &def->boundaries[b].path;
    for (uint32_t k = 0; k < path->count; k++) {
      const SupSkinPoint p = path->points[k];
      if (p.a == p.b) continue;
      const uint32_t e = sup_edge_between(topology, p.a, p.b);
      if (e == SUP_NONE) return refuse(c, b, "names an edge that the skin does not have");
      offsets[e + 1]++;
      total++;
    }
  }
  for (uint32_t e = 0; e < topology->edge_count; e++) offsets[e + 1] += offsets[e];
  double *places = SUP_ALLOC(c->scratch, double, total);
  uint32_t *filled = SUP_ALLOC(c->scratch, uint32_t, topology->edge_count);
  if (!places || !filled) return sup_fail_memory(c->error, NULL);
  for (uint32_t b = 0; b < def->boundary_count; b++) {
    const SupSkinPath *path = &def->boundaries[b].path;
    for (uint32_t k = 0; k < path->count; k++) {
      const SupSkinPoint p = path->points[k];
      if (p.a == p.b) continue;
      const uint32_t e = sup_edge_between(topology, p.a, p.b);
      double *row = places + offsets[e];
      uint32_t at = 0;
      while (at < filled[e] && row[at] < p.t) at++;
      if (at < filled[e] && row[at] == p.t) continue;
      for (uint32_t i = filled[e]++; i > at; i--) row[i] = row[i - 1];
      row[at] = p.t;
    }
  }
  const uint32_t n = def->mesh.vertex_count;
  c->points = SUP_ALLOC(c->arena, SupSkinPoint, n + total);
  c->edge_points = SUP_ALLOC(c->arena, uint32_t, total);
  if (!c->points || !c->edge_points) return sup_fail_memory(c->error, NULL);
  for (uint32_t v = 0; v < n; v++) c->points[v] = sup_skin_vertex(v);
  c->point_count = c->skin_count = n;
  uint32_t kept = 0;
  for (uint32_t e = 0; e < topology->edge_count; e++) {
    const uint32_t first = offsets[e];
    offsets[e] = kept;
    for (uint32_t k = 0; k < filled[e]; k++) {
      c->edge_points[kept++] = c->point_count;
      c->points[c->point_count++] = (SupSkinPoint){
          topology->edges[2 * (size_t)e], topology->edges[2 * (size_t)e + 1], places[first + k]};
    }
  }
  offsets[topology->edge_count] = kept;
  c->edge_offsets = offsets;
  return SUP_OK;
}

/* The vertex of the cut mesh. */
static uint32_t vertex_of(const Cutter *c, SupSkinPoint p) {
  if (p.a == p.b) return p.a;
  const uint32_t e = sup_edge_between(c->def->topology, p.a, p.b);
  for (uint32_t k = c->edge_offsets[e]; k < c->edge_offsets[e + 1]; k++) {
    if (c->points[c->edge_points[k]].t == p.t) return c->edge_points[k];
  }
  return SUP_NONE;
}

/* ---- Segments ------------------------------------------------------------------------------- */

static SupResult add_segment(Cutter *c, SupPatchSegment segment) {
  if (c->segment_count == c->segment_capacity) {
    const uint32_t capacity = c->segment_capacity ? 2 * c->segment_capacity : 256;
    SupPatchSegment *segments = SUP_ALLOC(c->scratch, SupPatchSegment, capacity);
    if (!segments) return sup_fail_memory(c->error, NULL);
    for (uint32_t k = 0; k < c->segment_count; k++) segments[k] = c->segments[k];
    c->segments = segments;
    c->segment_capacity = capacity;
  }
  c->segments[c->segment_count++] = segment;
  return SUP_OK;
}

static double place_on(const Cutter *c, uint32_t edge, SupSkinPoint p) {
  return p.a != p.b ? p.t : p.a == c->def->topology->edges[2 * (size_t)edge] ? 0 : 1;
}

/* Along an edge, from point to point of it. */
static SupResult along_edge(Cutter *c, uint32_t boundary, uint32_t edge, SupSkinPoint p,
                            SupSkinPoint q) {
  const uint32_t first = c->edge_offsets[edge], last = c->edge_offsets[edge + 1];
  const double from = place_on(c, edge, p), to = place_on(c, edge, q);
  uint32_t at = vertex_of(c, p);
  SupResult result = SUP_OK;
  for (uint32_t i = 0; i < last - first && result == SUP_OK; i++) {
    const uint32_t v = c->edge_points[from < to ? first + i : last - 1 - i];
    const double t = c->points[v].t;
    if (from < to ? t <= from || t >= to : t >= from || t <= to) continue;
    result = add_segment(c, (SupPatchSegment){at, v, boundary, SUP_NONE});
    at = v;
  }
  if (result != SUP_OK) return result;
  return add_segment(c, (SupPatchSegment){at, vertex_of(c, q), boundary, SUP_NONE});
}

static SupResult collect_segments(Cutter *c) {
  SupResult result = SUP_OK;
  for (uint32_t b = 0; b < c->def->boundary_count; b++) {
    const SupSkinPath *path = &c->def->boundaries[b].path;
    for (uint32_t k = 1; k < path->count && result == SUP_OK; k++) {
      const SupSkinPoint p = path->points[k - 1], q = path->points[k];
      const uint32_t edge = sup_edge_of_both(c->def->topology, p, q);
      if (edge != SUP_NONE) {
        result = along_edge(c, b, edge, p, q);
        continue;
      }
      const uint32_t triangle = sup_triangle_of_both(&c->def->mesh, c->def->topology, p, q);
      if (triangle == SUP_NONE) return refuse(c, b, "leaves the skin");
      result = add_segment(c, (SupPatchSegment){vertex_of(c, p), vertex_of(c, q), b, triangle});
    }
  }
  return result;
}

/* No vertex is passed twice, but for features by the ends of boundaries. */
static SupResult check_touching(Cutter *c) {
  const SupPatchesDef *def = c->def;
  uint32_t *users = SUP_ALLOC(c->scratch, uint32_t, c->point_count);
  uint8_t *feature = SUP_ALLOC(c->scratch, uint8_t, c->point_count);
  if (!users || !feature) return sup_fail_memory(c->error, NULL);
  for (uint32_t k = 0; k < def->feature_count; k++) {
    const uint32_t v = vertex_of(c, def->features[k].at);
    if (v != SUP_NONE) feature[v] = 1;
  }
  for (uint32_t k = 0; k < c->segment_count; k++) {
    const SupPatchSegment *s = &c->segments[k];
    const bool last = k + 1 == c->segment_count || c->segments[k + 1].boundary != s->boundary;
    if (last) continue;
    const SupPatchBoundary *b = &def->boundaries[s->boundary];
    if (feature[s->to]) {
      return sup_patch_prefix(
          def->source, b->line,
          sup_fail(c->error, SUP_ERROR_FORMAT,
                   "boundary '%s' runs through a feature that is none of its ends", b->name),
          c->error);
    }
    const uint32_t other = users[s->to];
    if (other) {
      const SupPatchBoundary *o = &def->boundaries[other - 1];
      if (o == b) return refuse(c, s->boundary, "touches itself");
      return sup_patch_prefix(
          def->source, b->line,
          sup_fail(c->error, SUP_ERROR_FORMAT, "boundary '%s' touches '%s'", b->name, o->name),
          c->error);
    }
    users[s->to] = s->boundary + 1;
  }
  return SUP_OK;
}

/* Segments across triangles first, by triangle; of one triangle in the order of their boundaries.
 */
static SupResult sort_segments(Cutter *c, uint32_t *out_across) {
  const uint32_t triangles = c->def->mesh.triangle_count;
  uint32_t *counts = SUP_ALLOC(c->scratch, uint32_t, (size_t)triangles + 2);
  SupPatchSegment *sorted = SUP_ALLOC(c->arena, SupPatchSegment, c->segment_count);
  if (!counts || !sorted) return sup_fail_memory(c->error, NULL);
  for (uint32_t k = 0; k < c->segment_count; k++) {
    const uint32_t f = c->segments[k].triangle;
    counts[(f == SUP_NONE ? triangles : f) + 1]++;
  }
  for (uint32_t f = 0; f <= triangles; f++) counts[f + 1] += counts[f];
  *out_across = counts[triangles];
  for (uint32_t k = 0; k < c->segment_count; k++) {
    const uint32_t f = c->segments[k].triangle;
    sorted[counts[f == SUP_NONE ? triangles : f]++] = c->segments[k];
  }
  c->segments = sorted;
  return SUP_OK;
}

/* ---- Triangles ------------------------------------------------------------------------------ */

typedef struct Ring {
  uint32_t count;
  uint32_t vertices[SUP_POLYGON_MAX];
  double places[SUP_POLYGON_MAX][2];
} Ring;

/* The border of a triangle with the points on it, and their places in its plane. False: too many.
 */
static bool ring_of(const Cutter *c, uint32_t triangle, Ring *out_ring) {
  const SupTopology *topology = c->def->topology;
  const uint32_t *t = c->def->mesh.triangles + 3 * (size_t)triangle;
  SupVec3d p[3];
  for (unsigned k = 0; k < 3; k++) p[k] = sup_vec3_to_double(c->def->mesh.positions[t[k]]);
  const SupVec3d u = sup_vec3d_sub(p[1], p[0]), v = sup_vec3d_sub(p[2], p[0]);
  const double length = sup_vec3d_length(u), x = length > 0 ? sup_vec3d_dot(u, v) / length : 0;
  const double height = sup_vec3d_length(sup_vec3d_cross(u, v)) / (length > 0 ? length : 1);
  /* A triangle without area is divided as a good one: nobody sees where. */
  const bool flat = !(height > 1e-9 * length) || !(length > 0);
  const double corners[3][2] = {{0, 0}, {flat ? 1 : length, 0}, {flat ? 0 : x, flat ? 1 : height}};
  out_ring->count = 0;
  for (unsigned k = 0; k < 3; k++) {
    const uint32_t e = topology->half_edge_edges[3 * triangle + k];
    const uint32_t first = c->edge_offsets[e], last = c->edge_offsets[e + 1];
    const bool forwards = t[k] == topology->edges[2 * (size_t)e];
    if (out_ring->count + last - first + 1 > SUP_POLYGON_MAX) return false;
    for (uint32_t i = 0; i <= last - first; i++) {
      const uint32_t at = out_ring->count++;
      double s = 0;
      out_ring->vertices[at] = t[k];
      if (i) {
        const uint32_t w = c->edge_points[forwards ? first + i - 1 : last - i];
        out_ring->vertices[at] = w;
        s = forwards ? c->points[w].t : 1 - c->points[w].t;
      }
      for (unsigned d = 0; d < 2; d++) {
        out_ring->places[at][d] = (1 - s) * corners[k][d] + s * corners[(k + 1) % 3][d];
      }
    }
  }
  return true;
}

static SupResult add_triangle(Cutter *c, const uint32_t *corners, uint32_t owner) {
  if (c->triangle_count == c->triangle_capacity) {
    const uint32_t capacity = 2 * c->triangle_capacity;
    uint32_t *triangles = SUP_ALLOC(c->scratch, uint32_t, 3 * (size_t)capacity);
    uint32_t *owners = SUP_ALLOC(c->scratch, uint32_t, capacity);
    if (!triangles || !owners) return sup_fail_memory(c->error, NULL);
    for (size_t k = 0; k < 3 * (size_t)c->triangle_count; k++) triangles[k] = c->triangles[k];
    for (uint32_t k = 0; k < c->triangle_count; k++) owners[k] = c->owners[k];
    c->triangles = triangles;
    c->owners = owners;
    c->triangle_capacity = capacity;
  }
  for (unsigned k = 0; k < 3; k++) c->triangles[3 * (size_t)c->triangle_count + k] = corners[k];
  c->owners[c->triangle_count++] = owner;
  return SUP_OK;
}

/* Place of a vertex in a ring. */
static uint32_t find_in(const Ring *ring, uint32_t vertex) {
  for (uint32_t k = 0; k < ring->count; k++) {
    if (ring->vertices[k] == vertex) return k;
  }
  return SUP_NONE;
}

static Ring part_of(const Ring *ring, uint32_t from, uint32_t to) {
  Ring part = {.count = 0};
  for (uint32_t k = from;; k = (k + 1) % ring->count) {
    part.vertices[part.count] = ring->vertices[k];
    part.places[part.count][0] = ring->places[k][0];
    part.places[part.count++][1] = ring->places[k][1];
    if (k == to) return part;
  }
}

static SupResult divide(Cutter *c, const Ring *ring, uint32_t triangle, uint32_t chord_count,
                        const SupPatchSegment *chords) {
  for (uint32_t k = 0; k < chord_count; k++) {
    const uint32_t from = find_in(ring, chords[k].from), to = find_in(ring, chords[k].to);
    if (from == SUP_NONE || to == SUP_NONE) continue;
    const uint32_t way = (to + ring->count - from) % ring->count;
    if (way < 2 || way > ring->count - 2) continue; /* a side of this part by now */
    const Ring a = part_of(ring, from, to), b = part_of(ring, to, from);
    SupResult result = divide(c, &a, triangle, chord_count, chords);
    return result == SUP_OK ? divide(c, &b, triangle, chord_count, chords) : result;
  }
  uint32_t corners[3 * SUP_POLYGON_MAX];
  if (!sup_polygon_divide(ring->count, (const double(*)[2])ring->places, corners)) {
    return refuse(c, chord_count ? chords[0].boundary : 0,
                  "and others crowd a triangle of the skin: it cannot be divided");
  }
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k + 2 < ring->count && result == SUP_OK; k++) {
    const uint32_t vertices[3] = {ring->vertices[corners[3 * k]],
                                  ring->vertices[corners[3 * k + 1]],
                                  ring->vertices[corners[3 * k + 2]]};
    result = add_triangle(c, vertices, triangle);
  }
  return result;
}

/* Chords that cross: their ends alternate along the border. */
static SupResult check_crossing(const Cutter *c, const Ring *ring, uint32_t count,
                                const SupPatchSegment *chords) {
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t a = find_in(ring, chords[i].from), b = find_in(ring, chords[i].to);
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    for (uint32_t k = 0; k < i; k++) {
      const uint32_t p = find_in(ring, chords[k].from), q = find_in(ring, chords[k].to);
      const bool one = p > low && p<high, other = q> low && q < high;
      const bool apart = p != low && p != high && q != low && q != high;
      if (!apart || one == other) continue;
      const SupPatchBoundary *x = &c->def->boundaries[chords[k].boundary];
      const SupPatchBoundary *y = &c->def->boundaries[chords[i].boundary];
      if (x == y) return refuse(c, chords[i].boundary, "crosses itself");
      return sup_patch_prefix(
          c->def->source, y->line,
          sup_fail(c->error, SUP_ERROR_FORMAT, "boundary '%s' crosses '%s'", y->name, x->name),
          c->error);
    }
  }
  return SUP_OK;
}

static SupResult divide_all(Cutter *c, uint32_t across_count) {
  const uint32_t triangles = c->def->mesh.triangle_count;
  uint32_t at = 0;
  SupResult result = SUP_OK;
  c->triangle_capacity = triangles + 4 * c->segment_count + 16;
  c->triangles = SUP_ALLOC(c->scratch, uint32_t, 3 * (size_t)c->triangle_capacity);
  c->owners = SUP_ALLOC(c->scratch, uint32_t, c->triangle_capacity);
  if (!c->triangles || !c->owners) return sup_fail_memory(c->error, NULL);
  for (uint32_t f = 0; f < triangles && result == SUP_OK; f++) {
    uint32_t end = at;
    while (end < across_count && c->segments[end].triangle == f) end++;
    Ring ring;
    if (!ring_of(c, f, &ring)) {
      return sup_fail(c->error, SUP_ERROR_FORMAT,
                      "%s: more than %u points of boundaries lie on triangle %u of the skin",
                      c->def->source, SUP_POLYGON_MAX - 3, f);
    }
    result = check_crossing(c, &ring, end - at, c->segments + at);
    if (result == SUP_OK && ring.count == 3) {
      result = add_triangle(c, c->def->mesh.triangles + 3 * (size_t)f, f);
    } else if (result == SUP_OK) {
      result = divide(c, &ring, f, end - at, c->segments + at);
    }
    at = end;
  }
  return result;
}

static SupResult finish(Cutter *c, SupPatchCut *out) {
  const uint32_t features = c->def->feature_count;
  SupVec3 *positions = SUP_ALLOC(c->arena, SupVec3, c->point_count);
  uint32_t *corners = SUP_COPY(c->arena, uint32_t, c->triangles, 3 * (size_t)c->triangle_count);
  uint32_t *owners = SUP_COPY(c->arena, uint32_t, c->owners, c->triangle_count);
  uint32_t *vertices = SUP_ALLOC(c->arena, uint32_t, features);
  if (!positions || !corners || !owners || !vertices) return sup_fail_memory(c->error, NULL);
  for (uint32_t v = 0; v < c->point_count; v++) {
    positions[v] = v < c->skin_count
                       ? c->def->mesh.positions[v]
                       : sup_vec3d_to_float(sup_skin_point_place(&c->def->mesh, c->points[v]));
  }
  for (uint32_t k = 0; k < features; k++) vertices[k] = vertex_of(c, c->def->features[k].at);
  out->point_count = c->point_count;
  out->points = c->points;
  out->segment_count = c->segment_count;
  out->segments = c->segments;
  out->edge_offsets = c->edge_offsets;
  out->edge_points = c->edge_points;
  out->mesh = (SupMesh){c->point_count, c->triangle_count, positions, corners};
  out->owners = owners;
  out->features = vertices;
  return SUP_OK;
}

SupResult sup_patch_cut(SupArena *arena, SupArena *scratch, const SupPatchesDef *def,
                        SupPatchCut *out_cut, SupError *error) {
  Cutter c = {.def = def, .arena = arena, .scratch = scratch, .error = error};
  SupResult result = collect_points(&c);
  if (result == SUP_OK) result = collect_segments(&c);
  if (result == SUP_OK) result = check_touching(&c);
  if (result == SUP_OK) result = sort_segments(&c, &out_cut->across_count);
  if (result == SUP_OK) result = divide_all(&c, out_cut->across_count);
  return result == SUP_OK ? finish(&c, out_cut) : result;
}
