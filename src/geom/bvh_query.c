/* SPDX-License-Identifier: MIT */
/*
 * Nearest points and rays.
 *
 * Rays: Woop, Benthin, Wald, "Watertight ray/triangle intersection" (2013), in double: the axis of
 * the largest direction component becomes z, a shear makes the ray that axis, and three edge
 * functions decide. Two triangles compute the function of a common edge with the same operands, so
 * no ray slips through.
 *
 * Boxes are taken a little larger than they are, by more than the rounding of the triangle tests
 * (about 1e-15 of the coordinates), and never dropped at equality: what is found is what testing
 * every triangle would find.
 */
#include "geom/corner.h"
#include "supple/geom/bvh.h"

#define SLACK 1e-14 /* fraction of the largest coordinate */
#define GRAIN 256

static double clamp_unit(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

static double magnitude(double x) { return x < 0 ? -x : x; }

static double largest(SupVec3d p) {
  double x = magnitude(p.x), y = magnitude(p.y), z = magnitude(p.z);
  return x > y ? (x > z ? x : z) : (y > z ? y : z);
}

/* By how much to grow the boxes for a query at q. */
static double slack_for(const SupBvh *bvh, SupVec3d q) {
  if (bvh->node_count == 0) return 0;
  const SupBvhNode *root = bvh->nodes;
  return SLACK * (largest(q) + largest(sup_vec3_to_double(root->low)) +
                  largest(sup_vec3_to_double(root->high)));
}

/* ---- Nearest point -------------------------------------------------------------------------- */

typedef struct Candidate {
  double distance_2;
  double weights[3];
  uint32_t triangle;
} Candidate;

/* The nearest place on the edge from corner i to corner j. */
static void try_edge(const SupVec3d p[3], unsigned i, unsigned j, SupVec3d q, Candidate *best) {
  SupVec3d edge = sup_vec3d_sub(p[j], p[i]);
  double length_2 = sup_vec3d_dot(edge, edge);
  double t = length_2 > 0 ? clamp_unit(sup_vec3d_dot(sup_vec3d_sub(q, p[i]), edge) / length_2) : 0;
  SupVec3d gap = sup_vec3d_sub(q, sup_vec3d_add(p[i], sup_vec3d_scale(edge, t)));
  double distance_2 = sup_vec3d_dot(gap, gap);
  if (!(distance_2 < best->distance_2)) return;
  best->distance_2 = distance_2;
  best->weights[0] = best->weights[1] = best->weights[2] = 0;
  best->weights[i] = 1 - t;
  best->weights[j] = t;
}

/* The place on triangle f nearest to q. The barycentric coordinates of the projection decide: all
 * positive: it is the projection; otherwise it lies on an edge whose opposite one is negative. */
static Candidate nearest_on_triangle(const SupMesh *mesh, uint32_t f, SupVec3d q) {
  SupVec3d p[3] = {sup_mesh_corner(mesh, f, 0), sup_mesh_corner(mesh, f, 1),
                   sup_mesh_corner(mesh, f, 2)};
  Candidate best = {.distance_2 = __builtin_inf(), .triangle = f};
  SupVec3d normal = sup_vec3d_cross(sup_vec3d_sub(p[1], p[0]), sup_vec3d_sub(p[2], p[0]));
  double normal_2 = sup_vec3d_dot(normal, normal);
  double weights[3] = {-1, -1, -1}; /* of a degenerate triangle: all edges are tried */
  for (unsigned k = 0; k < 3 && normal_2 > 0; k++) {
    SupVec3d a = sup_vec3d_sub(p[(k + 1) % 3], q), b = sup_vec3d_sub(p[(k + 2) % 3], q);
    weights[k] = sup_vec3d_dot(sup_vec3d_cross(a, b), normal) / normal_2;
  }
  if (weights[0] >= 0 && weights[1] >= 0 && weights[2] >= 0) {
    double sum = weights[0] + weights[1] + weights[2];
    SupVec3d gap = q;
    for (unsigned k = 0; k < 3; k++) {
      best.weights[k] = weights[k] / sum;
      gap = sup_vec3d_sub(gap, sup_vec3d_scale(p[k], best.weights[k]));
    }
    best.distance_2 = sup_vec3d_dot(gap, gap);
    return best;
  }
  for (unsigned k = 0; k < 3; k++) {
    if (!(weights[k] >= 0)) try_edge(p, (k + 1) % 3, (k + 2) % 3, q, &best);
  }
  return best;
}

double sup_triangle_nearest(const SupMesh *mesh, uint32_t triangle, SupVec3d point,
                            double out_weights[3]) {
  Candidate found = nearest_on_triangle(mesh, triangle, point);
  for (unsigned k = 0; k < 3; k++) out_weights[k] = found.weights[k];
  return found.distance_2;
}

static double gap_to(double x, double low, double high) {
  return x < low ? low - x : x > high ? x - high : 0;
}

static double box_distance_2(const SupBvhNode *node, SupVec3d q, double slack) {
  double x = gap_to(q.x, (double)node->low.x - slack, (double)node->high.x + slack);
  double y = gap_to(q.y, (double)node->low.y - slack, (double)node->high.y + slack);
  double z = gap_to(q.z, (double)node->low.z - slack, (double)node->high.z + slack);
  return x * x + y * y + z * z;
}

static void search_leaf(const SupBvh *bvh, const SupBvhNode *leaf, SupVec3d q, Candidate *best) {
  for (uint32_t i = leaf->first; i < leaf->first + leaf->count; i++) {
    Candidate found = nearest_on_triangle(&bvh->mesh, bvh->triangles[i], q);
    if (found.distance_2 < best->distance_2 ||
        (found.distance_2 == best->distance_2 && found.triangle < best->triangle)) {
      *best = found;
    }
  }
}

static SupNearest finish_nearest(const SupBvh *bvh, const Candidate *best) {
  SupNearest nearest = {.triangle = SUP_NONE};
  if (best->triangle == SUP_NONE) return nearest;
  nearest.triangle = best->triangle;
  nearest.distance = (float)sup_sqrt(best->distance_2);
  SupVec3d point = {0, 0, 0};
  for (unsigned k = 0; k < 3; k++) {
    SupVec3d corner = sup_mesh_corner(&bvh->mesh, best->triangle, k);
    nearest.barycentric[k] = (float)best->weights[k];
    point = sup_vec3d_add(point, sup_vec3d_scale(corner, best->weights[k]));
  }
  nearest.point = (SupVec3){(float)point.x, (float)point.y, (float)point.z};
  return nearest;
}

typedef struct Visit {
  uint32_t node;
  double key; /* squared distance, or entry of the ray */
} Visit;

SupNearest sup_bvh_nearest(const SupBvh *bvh, SupVec3 point, float max_distance) {
  SupVec3d q = sup_vec3_to_double(point);
  double slack = slack_for(bvh, q);
  /* Equality with the limit counts as found, because no triangle number is above SUP_NONE. */
  Candidate best = {.distance_2 = (double)max_distance * (double)max_distance,
                    .triangle = SUP_NONE};
  Visit stack[SUP_BVH_DEPTH_MAX + 1];
  unsigned height = 0;
  bool finite = sup_vec3d_dot(q, q) < __builtin_inf();
  if (bvh->node_count && finite) stack[height++] = (Visit){0, box_distance_2(bvh->nodes, q, slack)};
  while (height) {
    Visit visit = stack[--height];
    if (!(visit.key <= best.distance_2)) continue;
    const SupBvhNode *node = &bvh->nodes[visit.node];
    if (node->count) {
      search_leaf(bvh, node, q, &best);
      continue;
    }
    Visit near = {node->first, box_distance_2(&bvh->nodes[node->first], q, slack)};
    Visit far = {node->first + 1, box_distance_2(&bvh->nodes[node->first + 1], q, slack)};
    if (far.key < near.key) {
      Visit swap = near;
      near = far;
      far = swap;
    }
    if (far.key <= best.distance_2) stack[height++] = far;
    if (near.key <= best.distance_2) stack[height++] = near;
  }
  return finish_nearest(bvh, &best);
}

typedef struct NearestBatch {
  const SupBvh *bvh;
  const SupVec3 *points;
  SupNearest *nearest;
} NearestBatch;

static void nearest_range(void *context, SupRange range) {
  const NearestBatch *batch = (const NearestBatch *)context;
  for (uint32_t i = range.first; i < range.first + range.count; i++) {
    batch->nearest[i] = sup_bvh_nearest(batch->bvh, batch->points[i], __builtin_inff());
  }
}

void sup_bvh_nearest_all(const SupBvh *bvh, const SupVec3 *points, uint32_t count,
                         const SupJobs *jobs, SupNearest *out_nearest) {
  NearestBatch batch = {bvh, points, out_nearest};
  sup_parallel_for(jobs, count, GRAIN, nearest_range, &batch);
}

/* ---- Rays ----------------------------------------------------------------------------------- */

/* A ray, ready for both kinds of test. */
typedef struct Ray {
  SupVec3d origin;
  double direction[3];
  double slack;
  unsigned x, y, z;  /* axes after the permutation; z has the largest component */
  double sx, sy, sz; /* shear */
  double t;          /* of the best hit so far */
  uint32_t triangle;
  double weights[3];
  bool front;
} Ray;

static double axis_of(SupVec3d p, unsigned axis) { return axis == 0 ? p.x : axis == 1 ? p.y : p.z; }

static Ray begin_ray(SupVec3 origin, SupVec3 direction, float max_t) {
  Ray ray = {.origin = sup_vec3_to_double(origin), .t = (double)max_t, .triangle = SUP_NONE};
  for (unsigned k = 0; k < 3; k++) ray.direction[k] = axis_of(sup_vec3_to_double(direction), k);
  for (unsigned k = 1; k < 3; k++) {
    if (magnitude(ray.direction[k]) > magnitude(ray.direction[ray.z])) ray.z = k;
  }
  ray.x = (ray.z + 1) % 3;
  ray.y = (ray.z + 2) % 3;
  ray.sx = ray.direction[ray.x] / ray.direction[ray.z];
  ray.sy = ray.direction[ray.y] / ray.direction[ray.z];
  ray.sz = 1 / ray.direction[ray.z];
  return ray;
}

static void hit_triangle(const SupMesh *mesh, uint32_t f, Ray *ray) {
  double x[3], y[3], z[3];
  for (unsigned k = 0; k < 3; k++) {
    SupVec3d p = sup_vec3d_sub(sup_mesh_corner(mesh, f, k), ray->origin);
    double depth = axis_of(p, ray->z);
    x[k] = axis_of(p, ray->x) - ray->sx * depth;
    y[k] = axis_of(p, ray->y) - ray->sy * depth;
    z[k] = ray->sz * depth;
  }
  double u = x[2] * y[1] - y[2] * x[1];
  double v = x[0] * y[2] - y[0] * x[2];
  double w = x[1] * y[0] - y[1] * x[0];
  if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return;
  double sum = u + v + w;
  if (!(sum != 0)) return;
  double t = (u * z[0] + v * z[1] + w * z[2]) / sum;
  if (!(t >= 0 && (t < ray->t || (t == ray->t && f < ray->triangle)))) return;
  ray->t = t;
  ray->triangle = f;
  ray->weights[0] = u / sum;
  ray->weights[1] = v / sum;
  ray->weights[2] = w / sum;
  /* The permutation keeps the orientation of space; looking along -z turns it. */
  ray->front = (sum > 0) == (ray->sz > 0);
}

/* Where the ray enters the box, or infinity if it misses it before ray->t. */
static double enter_box(const SupBvhNode *node, const Ray *ray) {
  double enter = 0, leave = ray->t;
  for (unsigned k = 0; k < 3; k++) {
    double low = axis_of(sup_vec3_to_double(node->low), k) - ray->slack;
    double high = axis_of(sup_vec3_to_double(node->high), k) + ray->slack;
    double origin = axis_of(ray->origin, k), d = ray->direction[k];
    if (d == 0) {
      if (origin < low || origin > high) return __builtin_inf();
      continue;
    }
    double a = (low - origin) / d, b = (high - origin) / d;
    double first = a < b ? a : b, last = a < b ? b : a;
    if (first > enter) enter = first;
    if (last < leave) leave = last;
  }
  return enter <= leave ? enter : __builtin_inf();
}

SupRayHit sup_bvh_ray(const SupBvh *bvh, SupVec3 origin, SupVec3 direction, float max_t) {
  Ray ray = begin_ray(origin, direction, max_t);
  ray.slack = slack_for(bvh, ray.origin);
  Visit stack[SUP_BVH_DEPTH_MAX + 1];
  unsigned height = 0;
  bool some = bvh->node_count && ray.direction[ray.z] != 0;
  if (some) stack[height++] = (Visit){0, enter_box(bvh->nodes, &ray)};
  while (height) {
    Visit visit = stack[--height];
    if (!(visit.key <= ray.t) || visit.key == __builtin_inf()) continue;
    const SupBvhNode *node = &bvh->nodes[visit.node];
    for (uint32_t i = node->first; i < node->first + node->count; i++) {
      hit_triangle(&bvh->mesh, bvh->triangles[i], &ray);
    }
    if (node->count) continue;
    Visit near = {node->first, enter_box(&bvh->nodes[node->first], &ray)};
    Visit far = {node->first + 1, enter_box(&bvh->nodes[node->first + 1], &ray)};
    bool swap = far.key < near.key;
    stack[height++] = swap ? near : far;
    stack[height++] = swap ? far : near;
  }
  SupRayHit hit = {.triangle = ray.triangle};
  if (ray.triangle != SUP_NONE) {
    hit.t = (float)ray.t;
    hit.front = ray.front;
    for (unsigned k = 0; k < 3; k++) hit.barycentric[k] = (float)ray.weights[k];
  }
  return hit;
}
