/* SPDX-License-Identifier: MIT */
/*
 * From a plan to boundaries on a skin.
 *
 * What lies where it lies comes first: open borders and curves. The shortest paths follow in their
 * order, each around what is there: vertices and edges that a path takes are closed for the next
 * ones, and triangles that it crosses may not be crossed again. So boundaries keep clear of each
 * other on any mesh that is fine enough; elsewhere there is no way, and a sentence says where.
 */
#include "base/scratch.h"
#include "patches_work.h"
#include "plan_work.h"

#define ROUNDS 16u
#define FEW 8u  /* places that are hints */
#define CUTS 3u /* points on each edge while a geodesic is looked for */

typedef struct Tracer {
  const SupPatchPlan *plan;
  SupArena *arena, *scratch;
  const SupBvh *bvh;
  SupPathDef path; /* the mesh, and what is closed */
  SupPatchBoundary *boundaries;
  const SupSkinPoint *features;                               /* [plan->feature_count] */
  uint8_t *closed_vertices, *closed_edges, *closed_triangles; /* path's, to be written */
  bool around;     /* places are hints: what another boundary has taken is left out */
  bool strict;     /* no way is no way */
  unsigned rounds; /* that are left */
  uint8_t *kept;   /* [closed_count] as closed_vertices, which begins a block of all three */
  SupError *error;
} Tracer;

/* ---- What is closed ------------------------------------------------------------------------- */

static void close_segment(Tracer *t, SupSkinPoint p, SupSkinPoint q) {
  const SupTopology *topology = t->path.topology;
  const uint32_t edge = sup_edge_of_both(topology, p, q);
  if (edge != SUP_NONE) {
    t->closed_edges[edge] = 1;
    return;
  }
  const uint32_t triangle = sup_triangle_of_both(&t->path.mesh, topology, p, q);
  if (triangle != SUP_NONE) t->closed_triangles[triangle] = 1;
}

static void close_path(Tracer *t, const SupSkinPath *path) {
  for (uint32_t k = 0; k < path->count; k++) {
    const SupSkinPoint p = path->points[k];
    if (p.a == p.b) {
      t->closed_vertices[p.a] = 1;
    } else if (k && k + 1 < path->count) { /* ends are features, which are closed anyway */
      t->closed_edges[sup_edge_between(t->path.topology, p.a, p.b)] = 1;
    }
    if (k) close_segment(t, path->points[k - 1], p);
  }
}

static uint32_t closed_count(const Tracer *t) {
  const SupTopology *topology = t->path.topology;
  return t->path.mesh.vertex_count + topology->edge_count + topology->triangle_count;
}

static bool begin(Tracer *t) {
  t->closed_vertices = SUP_ALLOC(t->scratch, uint8_t, closed_count(t));
  t->kept = SUP_ALLOC(t->scratch, uint8_t, t->around ? closed_count(t) : 0);
  if (!t->closed_vertices || !t->kept) return false;
  t->closed_edges = t->closed_vertices + t->path.mesh.vertex_count;
  t->closed_triangles = t->closed_edges + t->path.topology->edge_count;
  t->path.closed_vertices = t->closed_vertices;
  t->path.closed_edges = t->closed_edges;
  t->path.closed_triangles = t->closed_triangles;
  return true;
}

/* All but the features. */
static void open_all(Tracer *t) {
  sup_zero(t->closed_vertices, closed_count(t));
  for (uint32_t k = 0; k < t->plan->feature_count; k++) {
    const SupSkinPoint p = t->features[k];
    if (p.a == p.b) {
      t->closed_vertices[p.a] = 1;
    } else {
      t->closed_edges[sup_edge_between(t->path.topology, p.a, p.b)] = 1;
    }
  }
}

/* ---- Boundaries ----------------------------------------------------------------------------- */

/* Between places on one triangle a geodesic is straight, whatever else is there.
 */
static bool is_straight(const Tracer *t, SupSkinPoint from, SupSkinPoint to) {
  if (sup_edge_of_both(t->path.topology, from, to) != SUP_NONE) return true;
  return sup_triangle_of_both(&t->path.mesh, t->path.topology, from, to) != SUP_NONE;
}

static SupResult trace_straight(Tracer *t, SupSkinPoint from, SupSkinPoint to,
                                SupSkinPath *out_path) {
  const SupSkinPoint ends[2] = {from, to};
  SupSkinPoint *points = SUP_COPY(t->arena, SupSkinPoint, ends, 2);
  if (!points) return sup_fail_memory(t->error, NULL);
  *out_path = (SupSkinPath){2, points, sup_skin_points_length(&t->path.mesh, 2, points)};
  close_path(t, out_path);
  return SUP_OK;
}

/* One shortest path, along the edges of its own ends too, and closed behind it. */
static SupResult trace_leg(Tracer *t, SupSkinPoint from, SupSkinPoint to, uint32_t cuts,
                           SupSkinPath *out_path) {
  const SupSkinPoint ends[2] = {from, to};
  uint32_t edges[2];
  uint8_t closed[2];
  for (unsigned k = 0; k < 2; k++) {
    const SupSkinPoint p = ends[k];
    edges[k] = p.a == p.b ? SUP_NONE : sup_edge_between(t->path.topology, p.a, p.b);
    closed[k] = 0;
    if (edges[k] == SUP_NONE) continue;
    closed[k] = t->closed_edges[edges[k]];
    t->closed_edges[edges[k]] = 0;
  }
  t->path.from = from;
  t->path.to = to;
  SupResult result = sup_path_shortest(t->arena, &t->path, cuts, out_path, t->error);
  if (result == SUP_ERROR_FORMAT && !t->strict) {
    /* Two may share a triangle without crossing, at a feature with few of them: cutting will tell.
     */
    SupPathDef beside = t->path;
    SupError other;
    beside.closed_edges = beside.closed_triangles = NULL;
    SupResult again = sup_path_shortest(t->arena, &beside, cuts, out_path, &other);
    if (again != SUP_ERROR_FORMAT) result = again;
    if (again == SUP_ERROR_MEMORY) result = sup_fail_memory(t->error, NULL);
  }
  for (unsigned k = 2; k-- > 0;) {
    if (edges[k] != SUP_NONE) t->closed_edges[edges[k]] = closed[k];
  }
  if (result == SUP_OK) close_path(t, out_path);
  return result;
}

static SupResult append(Tracer *t, SupSkinPath *io_path, const SupSkinPath *leg) {
  if (io_path->count == 0) {
    *io_path = *leg;
    return SUP_OK;
  }
  const uint32_t count = io_path->count + leg->count - 1;
  SupSkinPoint *points = SUP_ALLOC(t->arena, SupSkinPoint, count);
  if (!points) return sup_fail_memory(t->error, NULL);
  for (uint32_t k = 0; k < io_path->count; k++) points[k] = io_path->points[k];
  for (uint32_t k = 1; k < leg->count; k++) points[io_path->count + k - 1] = leg->points[k];
  *io_path = (SupSkinPath){count, points, io_path->length + leg->length};
  return SUP_OK;
}

/* Whether another boundary has been there, or this one. */
static bool is_taken(const Tracer *t, SupSkinPoint p) {
  if (p.a == p.b) return t->closed_vertices[p.a];
  return t->closed_edges[sup_edge_between(t->path.topology, p.a, p.b)];
}

/* From place to place, every `step`-th of them, 0 for none. */
static SupResult trace_places(Tracer *t, const SupPatchPlanBoundary *b, uint32_t step,
                              SupSkinPath *out_path) {
  const uint32_t cuts = b->kind == SUP_PATCH_EDGES ? 0 : CUTS;
  SupSkinPath path = {0};
  SupSkinPoint from = t->features[b->from];
  for (uint32_t k = 0; k <= b->point_count; k++) {
    SupSkinPoint to = t->features[b->to];
    if (k < b->point_count) {
      if (step == 0 || k % step != step / 2) continue;
      /* Along edges from vertex to vertex. */
      const double snap = cuts ? SUP_PLAN_SNAP : 0.5;
      to = sup_skin_point_nearest(t->bvh, sup_vec3d_to_float(b->points[k]), snap);
      if (to.a == SUP_NONE) {
        return sup_fail(t->error, SUP_ERROR_FORMAT,
                        "goes through a place that is nowhere near the skin");
      }
      if (t->around && is_taken(t, to)) continue;
    }
    SupSkinPath leg;
    if (sup_skin_point_same(from, to)) continue;
    SupResult result = !t->around && cuts && is_straight(t, from, to)
                           ? trace_straight(t, from, to, &leg)
                           : trace_leg(t, from, to, cuts, &leg);
    if (result == SUP_OK) result = append(t, &path, &leg);
    if (result != SUP_OK) return result;
    from = to;
  }
  close_path(t, &path); /* its places as well, which are features of no other */
  *out_path = path;
  return SUP_OK;
}

/* Exactly through its places; or, where these are hints, through a few of them, else through none;
 * in the last round wherever there is a way. */
static SupResult trace_shortest(Tracer *t, const SupPatchPlanBoundary *b, SupSkinPath *out_path) {
  if (!t->around) return trace_places(t, b, 1, out_path);
  const uint32_t steps[3] = {(b->point_count + FEW - 1) / FEW, 0, 0};
  SupResult result = SUP_ERROR_FORMAT;
  const unsigned tries = t->rounds ? 2 : 3;
  for (unsigned n = 0; n < tries && result == SUP_ERROR_FORMAT; n++) {
    if (n == 0 && b->point_count == 0) continue;
    sup_copy(t->kept, t->closed_vertices, closed_count(t));
    t->strict = n < 2;
    result = trace_places(t, b, steps[n], out_path);
    if (result == SUP_ERROR_FORMAT) sup_copy(t->closed_vertices, t->kept, closed_count(t));
  }
  return result;
}

/* The curve, with its ends at the features: other boundaries begin there as well. */
static SupResult trace_curve(Tracer *t, const SupPatchPlanBoundary *b, const SupPathDef *def,
                             SupSkinPath *out_path) {
  SupVec3d *points = SUP_COPY(t->scratch, SupVec3d, b->points, b->point_count);
  if (!points) return sup_fail_memory(t->error, NULL);
  points[0] = sup_skin_point_place(&def->mesh, def->from);
  points[b->point_count - 1] = sup_skin_point_place(&def->mesh, def->to);
  const SupSpaceCurve curve = {b->point_count, points, b->weights};
  return sup_path_curve(t->arena, def, t->bvh, &curve, out_path, t->error);
}

/* What lies where it lies, whatever else there is. */
static SupResult trace_given(Tracer *t, const SupPatchPlanBoundary *b, SupSkinPath *out_path) {
  SupPathDef def = {.mesh = t->path.mesh, .topology = t->path.topology};
  def.from = t->features[b->from];
  def.to = t->features[b->to];
  SupResult result = b->kind == SUP_PATCH_RIM ? sup_path_rim(t->arena, &def, out_path, t->error)
                                              : trace_curve(t, b, &def, out_path);
  if (result == SUP_OK) close_path(t, out_path);
  return result;
}

static bool is_given(const SupPatchPlanBoundary *b) {
  return b->kind == SUP_PATCH_RIM || b->kind == SUP_PATCH_CURVE;
}

/* In the order of `order`; *out_at is where it failed. */
static SupResult trace_round(Tracer *t, const uint32_t *order, uint32_t *out_at) {
  open_all(t);
  for (uint32_t i = 0; i < t->plan->boundary_count; i++) {
    const uint32_t k = order[i];
    const SupPatchPlanBoundary *b = &t->plan->boundaries[k];
    SupPatchBoundary *out = &t->boundaries[k];
    *out = (SupPatchBoundary){.name = b->name, .from = b->from, .to = b->to, .line = b->line};
    SupResult result =
        is_given(b) ? trace_given(t, b, &out->path) : trace_shortest(t, b, &out->path);
    *out_at = i;
    if (result == SUP_OK) continue;
    sup_error_prefix(t->error, "boundary '%s'", b->name);
    return sup_plan_prefix(t->plan, b->line, result, t->error);
  }
  return SUP_OK;
}

/* Where a boundary finds no way, it comes first in another round, a few times. */
static SupResult trace_all(Tracer *t) {
  const uint32_t count = t->plan->boundary_count;
  uint32_t *order = SUP_ALLOC(t->scratch, uint32_t, count);
  uint32_t given = 0, at = 0;
  if (!order) return sup_fail_memory(t->error, NULL);
  for (uint32_t k = 0; k < count; k++) {
    if (is_given(&t->plan->boundaries[k])) order[given++] = k;
  }
  for (uint32_t k = 0, n = given; k < count; k++) {
    if (!is_given(&t->plan->boundaries[k])) order[n++] = k;
  }
  for (t->rounds = t->around ? ROUNDS : 0;; t->rounds--) {
    SupResult result = trace_round(t, order, &at);
    if (result != SUP_ERROR_FORMAT || t->rounds == 0 || at < given) return result;
    const uint32_t first = order[at];
    for (; at > given; at--) order[at] = order[at - 1];
    order[given] = first;
  }
}

/* ---- All of it ------------------------------------------------------------------------------ */

static SupResult trace(SupArena *arena, SupArena *scratch, const SupPatchPlan *plan,
                       const SupCharacter *character, Tracer *t, SupPatchesDef *out_def) {
  SupBvh bvh;
  SupResult result = sup_bvh_build(scratch, &character->body, &bvh, t->error);
  SupSkinPoint *points = SUP_ALLOC(scratch, SupSkinPoint, plan->feature_count);
  SupPatchFeature *features = SUP_ALLOC(arena, SupPatchFeature, plan->feature_count);
  SupPatchBoundary *boundaries = SUP_ALLOC(arena, SupPatchBoundary, plan->boundary_count);
  if (result != SUP_OK) return result;
  if (!points || !features || !boundaries) return sup_fail_memory(t->error, NULL);
  /* A point on an edge has two triangles, too few for four boundaries that keep clear. */
  const double snap = t->around ? 0.5 : SUP_PLAN_SNAP;
  result = sup_plan_features(scratch, plan, character, &bvh, snap, points, t->error);
  if (result != SUP_OK) return result;
  for (uint32_t k = 0; k < plan->feature_count; k++) {
    const SupPatchPlanFeature *f = &plan->features[k];
    features[k] = (SupPatchFeature){f->name, points[k], f->line};
  }
  t->bvh = &bvh;
  t->features = points;
  t->boundaries = boundaries;
  if (!begin(t)) return sup_fail_memory(t->error, NULL);
  result = trace_all(t);
  if (result != SUP_OK) return result;
  *out_def = (SupPatchesDef){.mesh = character->body,
                             .topology = t->path.topology,
                             .source = plan->source,
                             .feature_count = plan->feature_count,
                             .boundary_count = plan->boundary_count,
                             .name_count = plan->name_count,
                             .features = features,
                             .boundaries = boundaries,
                             .names = plan->names};
  return SUP_OK;
}

static SupResult trace_plan(SupArena *arena, const SupPatchPlan *plan,
                            const SupCharacter *character, const SupTopology *topology, bool around,
                            SupPatchesDef *out_def, SupError *error) {
  SupResult result = sup_patch_plan_check(plan, error);
  if (result != SUP_OK) return result;
  SupArena scratch = sup_scratch(arena);
  Tracer t = {.plan = plan,
              .arena = arena,
              .scratch = &scratch,
              .path = {.mesh = character->body, .topology = topology},
              .around = around,
              .error = error};
  result = trace(arena, &scratch, plan, character, &t, out_def);
  sup_arena_free(&scratch);
  return result;
}

SupResult sup_patch_plan_trace(SupArena *arena, const SupPatchPlan *plan,
                               const SupCharacter *character, const SupTopology *topology,
                               SupPatchesDef *out_def, SupError *error) {
  return trace_plan(arena, plan, character, topology, false, out_def, error);
}

SupResult sup_patch_plan_trace_around(SupArena *arena, const SupPatchPlan *plan,
                                      const SupCharacter *character, const SupTopology *topology,
                                      SupPatchesDef *out_def, SupError *error) {
  return trace_plan(arena, plan, character, topology, true, out_def, error);
}
