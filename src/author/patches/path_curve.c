/* SPDX-License-Identifier: MIT */
/*
 * A curve in space, dropped onto the skin (docs/patches.md).
 *
 * Two samples in one triangle need no point between them. Two samples at a common vertex are joined
 * by a straight line in its flattened ring, which crosses some of its edges. Others are too far
 * apart: the curve is halved between them, and where that does not help, because the nearest point
 * jumps, the shortest path leads from one to the other.
 */
#include "base/scratch.h"
#include "supple/author/skin_path.h"

#define SNAP 0.1
#define FIRST_SAMPLES 32u
#define HALVINGS 16u
#define TURN 6.283185307179586

typedef struct Sample {
  double u;
  uint32_t triangle;
  double weights[3];
} Sample;

typedef struct Trace {
  const SupPathDef *def;
  const SupBvh *bvh;
  const SupSpaceCurve *curve;
  SupArena *scratch;
  SupSkinPoint *points; /* [count] */
  uint32_t count, capacity;
  SupError *error;
} Trace;

/* ---- The curve ------------------------------------------------------------------------------ */

/* De Boor's algorithm on weighted points; knots 0 .. spans, clamped. */
SupVec3d sup_space_curve_at(const SupSpaceCurve *curve, double u) {
  const uint32_t degree = curve->count > 3 ? 3 : curve->count - 1;
  const uint32_t spans = curve->count - degree;
  const double x = (u > 0 ? u < 1 ? u : 1 : 0) * spans;
  const uint32_t span = x < spans ? (uint32_t)x : spans - 1;
  SupVec3d p[4];
  double w[4];
  for (uint32_t k = 0; k <= degree; k++) {
    w[k] = curve->weights ? curve->weights[span + k] : 1;
    p[k] = sup_vec3d_scale(curve->points[span + k], w[k]);
  }
  for (uint32_t r = 1; r <= degree; r++) {
    for (uint32_t k = degree; k >= r; k--) {
      /* Knots of point span + k: number i of the clamped row is max(0, min(spans, i - degree)). */
      const int32_t low = (int32_t)(span + k) - (int32_t)degree;
      const int32_t high = low + (int32_t)degree + 1 - (int32_t)r;
      const double a = low > 0 ? low : 0;
      const double b = high < (int32_t)spans ? high : (double)spans;
      const double t = b > a ? (x - a) / (b - a) : 0;
      p[k] = sup_vec3d_add(sup_vec3d_scale(p[k - 1], 1 - t), sup_vec3d_scale(p[k], t));
      w[k] = w[k - 1] * (1 - t) + w[k] * t;
    }
  }
  return sup_vec3d_scale(p[degree], 1 / w[degree]);
}

static Sample sample_at(const Trace *trace, double u) {
  const SupVec3 place = sup_vec3d_to_float(sup_space_curve_at(trace->curve, u));
  const SupNearest nearest = sup_bvh_nearest(trace->bvh, place, __builtin_inff());
  Sample sample = {.u = u, .triangle = nearest.triangle};
  for (unsigned k = 0; k < 3; k++) sample.weights[k] = (double)nearest.barycentric[k];
  return sample;
}

/* One of the ends, in the first triangle that it lies in. */
static Sample sample_of(const Trace *trace, SupSkinPoint p, double u) {
  const SupTopology *topology = trace->def->topology;
  const uint32_t *triangles = trace->def->mesh.triangles;
  Sample sample = {.u = u, .triangle = SUP_NONE};
  for (uint32_t i = topology->corner_offsets[p.a]; i < topology->corner_offsets[p.a + 1]; i++) {
    const uint32_t *c = triangles + 3 * (size_t)(topology->corners[i] / 3);
    if (c[0] != p.b && c[1] != p.b && c[2] != p.b) continue;
    sample.triangle = topology->corners[i] / 3;
    for (unsigned k = 0; k < 3; k++) {
      if (c[k] == p.b) sample.weights[k] = p.t;
    }
    for (unsigned k = 0; k < 3; k++) {
      if (c[k] == p.a) sample.weights[k] = 1 - p.t;
    }
    break;
  }
  return sample;
}

/* ---- The path ------------------------------------------------------------------------------- */

static SupResult add_point(Trace *trace, SupSkinPoint p) {
  if (trace->count && sup_skin_point_same(trace->points[trace->count - 1], p)) return SUP_OK;
  /* There and back again is nowhere. */
  if (trace->count > 1 && sup_skin_point_same(trace->points[trace->count - 2], p)) {
    trace->count--;
    return SUP_OK;
  }
  if (trace->count == trace->capacity) {
    const uint32_t capacity = trace->capacity ? 2 * trace->capacity : 64;
    SupSkinPoint *points = SUP_ALLOC(trace->scratch, SupSkinPoint, capacity);
    if (!points) return sup_fail_memory(trace->error, NULL);
    for (uint32_t k = 0; k < trace->count; k++) points[k] = trace->points[k];
    trace->points = points;
    trace->capacity = capacity;
  }
  trace->points[trace->count++] = p;
  return SUP_OK;
}

typedef struct Flat {
  double x, y, angle;
} Flat;

/* A sample in the flattened ring; the origin has angle -1. */
static Flat flat_of(const Trace *trace, const SupFlatRing *ring, const Sample *sample) {
  Flat r = {0, 0, -1};
  const uint32_t *c = trace->def->mesh.triangles + 3 * (size_t)sample->triangle;
  for (uint32_t k = 0; k < ring->triangle_count; k++) {
    if (ring->triangles[k] != sample->triangle) continue;
    double polar[2] = {0, 0};
    for (unsigned i = 0; i < 3; i++) {
      const uint32_t next = (k + 1) % ring->count;
      for (unsigned side = 0; side < 2; side++) {
        const uint32_t j = side ? next : k;
        if (c[i] != ring->vertices[j] || c[i] == ring->vertex) continue;
        const double angle = ring->angles[side ? k + 1 : k], away = sample->weights[i];
        r.x += away * ring->lengths[j] * sup_cos(angle);
        r.y += away * ring->lengths[j] * sup_sin(angle);
        polar[side] = away * ring->lengths[j];
      }
    }
    if (!(polar[0] + polar[1] > 0)) return r;
    /* Measured from the middle of the triangle, so that a full turn does not matter. */
    const double middle = (ring->angles[k] + ring->angles[k + 1]) / 2;
    const double s = sup_sin(middle), q = sup_cos(middle);
    r.angle = middle + sup_atan2(q * r.y - s * r.x, q * r.x + s * r.y);
    return r;
  }
  return r;
}

/* Where the line from p to q crosses the edge to neighbour k. */
static SupSkinPoint crossing(const SupFlatRing *ring, uint32_t k, double angle, Flat p, Flat q) {
  const double x = sup_cos(angle), y = sup_sin(angle), dx = q.x - p.x, dy = q.y - p.y;
  const double across = x * dy - y * dx;
  double t = across != 0 ? (p.x * dy - p.y * dx) / across / ring->lengths[k] : 1;
  t = t > 0 ? t < 1 ? t : 1 : 0;
  return sup_skin_edge_point(ring->vertex, ring->vertices[k], t, SNAP);
}

/* The straight line between two samples of a ring. */
static SupResult cross_ring(Trace *trace, const SupFlatRing *ring, const Sample *from,
                            const Sample *to) {
  const Flat p = flat_of(trace, ring, from), q = flat_of(trace, ring, to);
  if (p.angle < 0 || q.angle < 0) return add_point(trace, sup_skin_vertex(ring->vertex));
  double turn = q.angle - p.angle;
  if (!ring->open && turn > TURN / 2) turn -= TURN;
  if (!ring->open && turn < -TURN / 2) turn += TURN;
  /* Half a turn or more, about: through the vertex itself. */
  if (turn > 0.49 * TURN || turn < -0.49 * TURN) {
    return add_point(trace, sup_skin_vertex(ring->vertex));
  }
  const uint32_t rounds = ring->open ? 1 : 3;
  SupResult result = SUP_OK;
  for (uint32_t i = 0; i < rounds * ring->count && result == SUP_OK; i++) {
    const uint32_t at = turn > 0 ? i : rounds * ring->count - 1 - i, k = at % ring->count;
    const double angle =
        ring->angles[k] + (ring->open ? 0 : TURN * ((double)(at / ring->count) - 1));
    const double way = turn > 0 ? angle - p.angle : p.angle - angle;
    const double all = turn > 0 ? turn : -turn;
    if (way > 0 && way < all) result = add_point(trace, crossing(ring, k, angle, p, q));
  }
  return result;
}

/* A vertex that both triangles have, an exact one of the samples before others; or SUP_NONE. */
static uint32_t common_vertex(const Trace *trace, const Sample *p, const Sample *q) {
  const uint32_t *a = trace->def->mesh.triangles + 3 * (size_t)p->triangle;
  const uint32_t *b = trace->def->mesh.triangles + 3 * (size_t)q->triangle;
  uint32_t best = SUP_NONE;
  double most = -1;
  for (unsigned i = 0; i < 3; i++) {
    for (unsigned k = 0; k < 3; k++) {
      const double near = p->weights[i] > q->weights[k] ? p->weights[i] : q->weights[k];
      if (a[i] != b[k] || near <= most) continue;
      best = a[i];
      most = near;
    }
  }
  return best;
}

static uint32_t nearest_corner(const Trace *trace, const Sample *s) {
  unsigned best = 0;
  for (unsigned k = 1; k < 3; k++) {
    if (s->weights[k] > s->weights[best]) best = k;
  }
  return trace->def->mesh.triangles[3 * (size_t)s->triangle + best];
}

/* The shortest way, where the nearest point jumps. */
static SupResult leap(Trace *trace, const Sample *from, const Sample *to) {
  SupPathDef def = *trace->def;
  SupSkinPath path;
  def.closed_vertices = def.closed_edges = def.closed_triangles = NULL;
  def.from = sup_skin_vertex(nearest_corner(trace, from));
  def.to = sup_skin_vertex(nearest_corner(trace, to));
  SupResult result = add_point(trace, def.from);
  if (result != SUP_OK || def.from.a == def.to.a) return result;
  result = sup_path_shortest(trace->scratch, &def, 2, &path, trace->error);
  for (uint32_t k = 0; result == SUP_OK && k < path.count; k++) {
    result = add_point(trace, path.points[k]);
  }
  return result;
}

static SupResult join(Trace *trace, const Sample *from, const Sample *to, uint32_t halvings) {
  if (to->triangle == SUP_NONE) {
    return sup_fail(trace->error, SUP_ERROR_FORMAT, "a place of it is nowhere near the skin");
  }
  if (from->triangle == to->triangle) return SUP_OK;
  const uint32_t vertex = common_vertex(trace, from, to);
  if (vertex != SUP_NONE) {
    SupFlatRing ring;
    SupResult result = sup_flat_ring(trace->scratch, &trace->def->mesh, trace->def->topology,
                                     vertex, from->triangle, &ring, trace->error);
    return result == SUP_OK ? cross_ring(trace, &ring, from, to) : result;
  }
  if (halvings == 0) return leap(trace, from, to);
  const Sample middle = sample_at(trace, (from->u + to->u) / 2);
  SupResult result = join(trace, from, &middle, halvings - 1);
  return result == SUP_OK ? join(trace, &middle, to, halvings - 1) : result;
}

static SupResult trace_curve(Trace *trace) {
  Sample from = sample_of(trace, trace->def->from, 0);
  const Sample last = sample_of(trace, trace->def->to, 1);
  if (from.triangle == SUP_NONE || last.triangle == SUP_NONE) {
    return sup_fail(trace->error, SUP_ERROR_FORMAT, "an end of it lies on no triangle");
  }
  SupResult result = add_point(trace, trace->def->from);
  for (uint32_t k = 1; k <= FIRST_SAMPLES && result == SUP_OK; k++) {
    const Sample to = k < FIRST_SAMPLES ? sample_at(trace, (double)k / FIRST_SAMPLES) : last;
    result = join(trace, &from, &to, HALVINGS);
    from = to;
  }
  return result == SUP_OK ? add_point(trace, trace->def->to) : result;
}

/* Neighbours that no triangle holds together get a path between them: at wrinkled places. */
static SupResult bridge(SupArena *arena, Trace *trace, SupSkinPath *out_path) {
  Trace whole = *trace;
  whole.points = NULL;
  whole.count = whole.capacity = 0;
  SupResult result = add_point(&whole, trace->points[0]);
  for (uint32_t k = 1; k < trace->count && result == SUP_OK; k++) {
    const SupSkinPoint p = whole.points[whole.count - 1], q = trace->points[k];
    SupPathDef def = *trace->def;
    SupSkinPath path = {0};
    if (!sup_skin_points_meet(&def.mesh, def.topology, p, q)) {
      def.closed_vertices = def.closed_edges = def.closed_triangles = NULL;
      def.from = p;
      def.to = q;
      result = sup_path_shortest(trace->scratch, &def, 2, &path, trace->error);
    }
    for (uint32_t i = 0; i < path.count && result == SUP_OK; i++) {
      result = add_point(&whole, path.points[i]);
    }
    if (result == SUP_OK) result = add_point(&whole, q);
  }
  if (result != SUP_OK) return result;
  if (whole.count < 2) return sup_fail(trace->error, SUP_ERROR_FORMAT, "it ends where it begins");
  SupSkinPoint *points = SUP_COPY(arena, SupSkinPoint, whole.points, whole.count);
  if (!points) return sup_fail_memory(trace->error, NULL);
  const double length = sup_skin_points_length(&trace->def->mesh, whole.count, points);
  *out_path = (SupSkinPath){whole.count, points, length};
  return SUP_OK;
}

SupResult sup_path_curve(SupArena *arena, const SupPathDef *def, const SupBvh *bvh,
                         const SupSpaceCurve *curve, SupSkinPath *out_path, SupError *error) {
  if (sup_skin_point_same(def->from, def->to)) {
    return sup_fail(error, SUP_ERROR_FORMAT, "it ends where it begins");
  }
  SupArena scratch = sup_scratch(arena);
  Trace trace = {.def = def, .bvh = bvh, .curve = curve, .scratch = &scratch, .error = error};
  SupResult result = trace_curve(&trace);
  if (result == SUP_OK) result = bridge(arena, &trace, out_path);
  sup_arena_free(&scratch);
  return result;
}
