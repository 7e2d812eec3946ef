/* SPDX-License-Identifier: MIT */
/*
 * Thickness of flesh: rays inwards and distances to bones.
 *
 * The width of a body below a point is the median over a cone of rays, as in the shape diameter
 * function (Shapira, Shamir, Cohen-Or 2008): one ray alone jumps where it just misses a fold.
 */
#include "supple/author/thickness.h"

#include "base/scratch.h"
#include "supple/geom/bounds.h"
#include "supple/geom/bvh.h"
#include "supple/geom/measure.h"
#include "supple/geom/topology.h"

#define RAYS 7          /* one along the normal, six around it */
#define CONE 0.5f       /* tangent of the angle of those: 27 degrees */
#define HITS 8          /* surfaces that a ray may enter before it leaves the body */
#define SMOOTHING 0.05f /* radius of the smoothing, in diagonals */
#define SMALL_PIECE 0.25
#define PIECE_DISTANCE 0.1f /* how near to a large piece a small one rides on it, in diagonals */
#define LEAST 1e-3f         /* thickness, in diagonals */
#define GRAIN 256

typedef struct Work {
  const SupThicknessDef *def;
  const SupMesh *mesh;
  float diagonal;
  SupTopology topology;
  SupBvh bvh;
  SupVec3 *normals;
  uint32_t *first_segment, *next_segment; /* lists of the segments of each bone */
  float *thickness;
} Work;

/* ---- One vertex -------------------------------------------------------------------------------
 */

/* Mean distance to the bones that carry a vertex, by weight. */
static float bone_distance(const Work *w, uint32_t v) {
  const SupSkin *skin = &w->def->character->skin;
  const SupVec3 point = w->mesh->positions[v];
  float sum = 0, weights = 0;
  for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
    float best = -1;
    for (uint32_t s = w->first_segment[skin->bones[k]]; s != SUP_NONE; s = w->next_segment[s]) {
      const float d = sup_vec3_distance(point, sup_segment_foot(&w->def->segments[s], point));
      if (best < 0 || d < best) best = d;
    }
    if (best < 0) continue;
    sum += skin->weights[k] * best;
    weights += skin->weights[k];
  }
  return weights > 0 ? sum / weights : w->diagonal;
}

/* How far a ray goes until it leaves the body; `far` if it never does. */
static float ray_width(const Work *w, SupVec3 origin, SupVec3 direction, float far) {
  const float step = 1e-5f * w->diagonal;
  float gone = step;
  for (int hit = 0; hit < HITS; hit++) {
    const SupVec3 from = sup_vec3_add_scaled(origin, direction, gone);
    const SupRayHit found = sup_bvh_ray(&w->bvh, from, direction, far);
    if (found.triangle == SUP_NONE) return far;
    gone += found.t;
    if (!found.front) return gone; /* came from inside */
    gone += step;
  }
  return far;
}

static float median(float *values, int count) {
  for (int i = 1; i < count; i++) {
    const float x = values[i];
    int k = i;
    for (; k > 0 && values[k - 1] > x; k--) values[k] = values[k - 1];
    values[k] = x;
  }
  return values[count / 2];
}

/* A unit vector across n. */
static SupVec3 across(SupVec3 n) {
  const float ax = n.x < 0 ? -n.x : n.x, ay = n.y < 0 ? -n.y : n.y;
  const SupVec3 other = ax < 0.6f   ? sup_vec3_make(1, 0, 0)
                        : ay < 0.6f ? sup_vec3_make(0, 1, 0)
                                    : sup_vec3_make(0, 0, 1);
  const SupVec3 a = sup_vec3_cross(n, other);
  return sup_vec3_scale(a, 1 / sup_vec3_length(a));
}

static float body_width(const Work *w, uint32_t v, float far) {
  const SupVec3 n = w->normals[v], origin = w->mesh->positions[v];
  if (!(sup_vec3_dot(n, n) > 0.5f)) return far;
  const SupVec3 a = across(n), b = sup_vec3_cross(n, a);
  float widths[RAYS];
  for (int k = 0; k < RAYS; k++) {
    SupVec3 direction = sup_vec3_negate(n);
    if (k > 0) {
      float s, c;
      sup_sincosf((float)(2 * SUP_PI / (RAYS - 1)) * (float)k, &s, &c);
      direction = sup_vec3_add_scaled(direction, a, CONE * c);
      direction = sup_vec3_add_scaled(direction, b, CONE * s);
      direction = sup_vec3_scale(direction, 1 / sup_vec3_length(direction));
    }
    widths[k] = ray_width(w, origin, direction, far);
  }
  return median(widths, RAYS);
}

static void measure(void *context, SupRange range) {
  const Work *w = (const Work *)context;
  const float least = LEAST * w->diagonal;
  for (uint32_t v = range.first; v < range.first + range.count; v++) {
    const float bone = bone_distance(w, v);
    const float width = 0.5f * body_width(w, v, 2 * w->diagonal);
    const float depth = bone < width ? bone : width;
    w->thickness[v] = depth > least ? depth : least;
  }
}

/* ---- Small pieces -----------------------------------------------------------------------------
 */

static bool is_small(const Work *w, const double *areas, double largest, uint32_t v) {
  const uint32_t piece = w->topology.vertex_components[v];
  return piece == SUP_NONE || areas[piece] < SMALL_PIECE * largest;
}

/* The triangles of the large pieces as a mesh of their own. */
static SupResult large_pieces(SupArena *scratch, const Work *w, const double *areas, double largest,
                              SupMesh *out_mesh, SupError *error) {
  uint32_t *triangles = SUP_ALLOC(scratch, uint32_t, 3 * (size_t)w->mesh->triangle_count);
  if (!triangles) return sup_fail_memory(error, "thickness");
  *out_mesh = *w->mesh;
  out_mesh->triangles = triangles;
  out_mesh->triangle_count = 0;
  for (uint32_t f = 0; f < w->mesh->triangle_count; f++) {
    const uint32_t *corners = w->mesh->triangles + 3 * (size_t)f;
    if (is_small(w, areas, largest, corners[0])) continue;
    sup_copy(triangles + 3 * (size_t)out_mesh->triangle_count++, corners, 3 * sizeof *corners);
  }
  return SUP_OK;
}

static SupResult ride(SupArena *scratch, Work *w, SupError *error) {
  const uint32_t pieces = w->topology.component_count;
  double *areas = SUP_ALLOC(scratch, double, pieces), largest = 0;
  if (!areas) return sup_fail_memory(error, "thickness");
  double *vertex_areas = SUP_ALLOC(scratch, double, w->mesh->vertex_count);
  if (!vertex_areas) return sup_fail_memory(error, "thickness");
  sup_vertex_areas(w->mesh, SUP_AREA_BARYCENTRIC, vertex_areas);
  for (uint32_t v = 0; v < w->mesh->vertex_count; v++) {
    const uint32_t piece = w->topology.vertex_components[v];
    if (piece != SUP_NONE) areas[piece] += vertex_areas[v];
  }
  for (uint32_t k = 0; k < pieces; k++) largest = areas[k] > largest ? areas[k] : largest;
  SupMesh large;
  SupBvh bvh;
  SupResult result = large_pieces(scratch, w, areas, largest, &large, error);
  if (result == SUP_OK) result = sup_bvh_build(scratch, &large, &bvh, error);
  for (uint32_t v = 0; v < w->mesh->vertex_count && result == SUP_OK; v++) {
    if (!is_small(w, areas, largest, v)) continue;
    const SupNearest near =
        sup_bvh_nearest(&bvh, w->mesh->positions[v], PIECE_DISTANCE * w->diagonal);
    if (near.triangle == SUP_NONE) continue;
    const uint32_t *corners = large.triangles + 3 * (size_t)near.triangle;
    w->thickness[v] = 0;
    for (int k = 0; k < 3; k++) {
      w->thickness[v] += near.barycentric[k] * w->thickness[corners[k]];
    }
  }
  return result;
}

/* ---- Smoothing --------------------------------------------------------------------------------
 */

static double mean_edge(const Work *w) {
  double sum = 0;
  for (uint32_t e = 0; e < w->topology.edge_count; e++) {
    const uint32_t *ends = w->topology.edges + 2 * (size_t)e;
    sum += (double)sup_vec3_distance(w->mesh->positions[ends[0]], w->mesh->positions[ends[1]]);
  }
  return w->topology.edge_count ? sum / w->topology.edge_count : 1;
}

/* Averaging over rings k times spreads by about the square root of k edges. */
static SupResult smooth(SupArena *scratch, Work *w, SupError *error) {
  const SupRings *rings = &w->topology.rings;
  const double ratio = (double)(SMOOTHING * w->diagonal) / mean_edge(w);
  int rounds = ratio * ratio < 4 ? 4 : ratio * ratio > 400 ? 400 : (int)(ratio * ratio);
  float *other = SUP_ALLOC(scratch, float, w->mesh->vertex_count);
  if (!other) return sup_fail_memory(error, "thickness");
  for (; rounds > 0; rounds--) {
    for (uint32_t v = 0; v < w->mesh->vertex_count; v++) {
      float sum = w->thickness[v];
      const uint32_t first = rings->offsets[v], end = rings->offsets[v + 1];
      for (uint32_t k = first; k < end; k++) sum += w->thickness[rings->neighbours[k]];
      other[v] = sum / (float)(end - first + 1);
    }
    sup_copy(w->thickness, other, w->mesh->vertex_count * sizeof *other);
  }
  return SUP_OK;
}

/* ---- All together -----------------------------------------------------------------------------
 */

static SupResult prepare(SupArena *scratch, Work *w, SupError *error) {
  const uint32_t bones = w->def->character->skeleton.bone_count;
  w->normals = SUP_ALLOC(scratch, SupVec3, w->mesh->vertex_count);
  w->first_segment = SUP_ALLOC(scratch, uint32_t, bones);
  w->next_segment = SUP_ALLOC(scratch, uint32_t, w->def->segment_count);
  if (!w->normals || !w->first_segment || !w->next_segment) {
    return sup_fail_memory(error, "thickness");
  }
  for (uint32_t k = 0; k < bones; k++) w->first_segment[k] = SUP_NONE;
  for (uint32_t s = w->def->segment_count; s-- > 0;) {
    const uint32_t bone = w->def->segments[s].bone;
    w->next_segment[s] = w->first_segment[bone];
    w->first_segment[bone] = s;
  }
  sup_vertex_normals(w->mesh, w->normals);
  SupResult result = sup_topology(scratch, w->mesh, &w->topology, error);
  if (result == SUP_OK) result = sup_bvh_build(scratch, w->mesh, &w->bvh, error);
  return result;
}

SupResult sup_thickness(SupArena *arena, const SupThicknessDef *def, float *out_thickness,
                        SupError *error) {
  SupArena scratch = sup_scratch(arena);
  const SupMesh *mesh = &def->character->body;
  Work w = {.def = def,
            .mesh = mesh,
            .diagonal = sup_bounds_diagonal(sup_bounds(mesh->positions, mesh->vertex_count)),
            .thickness = out_thickness};
  SupResult result = prepare(&scratch, &w, error);
  if (result == SUP_OK) {
    sup_parallel_for(def->jobs, mesh->vertex_count, GRAIN, measure, &w);
    if (w.topology.component_count > 1) result = ride(&scratch, &w, error);
  }
  if (result == SUP_OK) result = smooth(&scratch, &w, error);
  sup_arena_free(&scratch);
  return result;
}

float sup_area_quantile(const SupMesh *mesh, const float *values, float fraction) {
  enum { BINS = 1024 };
  double bins[BINS] = {0}, total = 0, sum = 0;
  float most = 0;
  for (uint32_t v = 0; v < mesh->vertex_count; v++) most = values[v] > most ? values[v] : most;
  if (!(most > 0)) return 0;
  for (uint32_t f = 0; f < mesh->triangle_count; f++) {
    const uint32_t *c = mesh->triangles + 3 * (size_t)f;
    const SupVec3 a = mesh->positions[c[0]];
    const SupVec3 normal = sup_vec3_cross(sup_vec3_sub(mesh->positions[c[1]], a),
                                          sup_vec3_sub(mesh->positions[c[2]], a));
    const double area = (double)sup_vec3_length(normal);
    for (int k = 0; k < 3; k++) {
      int bin = (int)(values[c[k]] / most * BINS);
      bins[bin < BINS ? bin : BINS - 1] += area;
    }
    total += 3 * area;
  }
  for (int bin = 0; bin < BINS; bin++) {
    sum += bins[bin];
    if (sum >= (double)fraction * total) return most * (float)(bin + 1) / BINS;
  }
  return most;
}
