/* SPDX-License-Identifier: MIT */
/*
 * Supple: a bounding volume hierarchy over triangles; nearest points and rays.
 *
 * Any soup of triangles will do: open, cut through itself, non-manifold, degenerate. All queries
 * are const and may run on any number of threads; answers are computed in double from the float
 * positions, and of equal answers the triangle with the lowest number is given, so a query gives
 * what testing every triangle would give, bit for bit.
 */
#ifndef SUPPLE_GEOM_BVH_H
#define SUPPLE_GEOM_BVH_H

#include "supple/geom/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Deepest level of any tree; the root is level 0. */
#define SUP_BVH_DEPTH_MAX 64

/* A box around triangles. Inner nodes have count 0 and their children at first and first + 1. */
typedef struct SupBvhNode {
  SupVec3 low;
  uint32_t first; /* of a leaf: into SupBvh.triangles */
  SupVec3 high;
  uint32_t count; /* triangles of a leaf, 1 to 4; 0 for an inner node */
} SupBvhNode;

typedef struct SupBvh {
  SupMesh mesh; /* not copied: its arrays must outlive the tree */
  uint32_t node_count;
  const SupBvhNode *nodes;   /* [node_count] the root first, children behind their parent */
  const uint32_t *triangles; /* [triangle_count] in the order of the leaves */
} SupBvh;

/* Builds the tree in O(n log n). Fails if memory is short, or if a triangle names a vertex that
 * does not exist or lies at no finite place. The result lives in `arena` and points into the mesh;
 * *out_bvh is untouched on failure. `error` may be NULL. */
SupResult sup_bvh_build(SupArena *arena, const SupMesh *mesh, SupBvh *out_bvh, SupError *error);

/* A place on the surface. */
typedef struct SupNearest {
  uint32_t triangle;    /* SUP_NONE if nothing was found; the rest is then 0 */
  float distance;       /* from the query point */
  float barycentric[3]; /* weights of the triangle's corners, each >= 0, summing to 1 */
  SupVec3 point;
} SupNearest;

/* The nearest place on the surface within max_distance (INFINITY for any). Nothing is found for a
 * point that is not finite. */
SupNearest sup_bvh_nearest(const SupBvh *bvh, SupVec3 point, float max_distance);

/* The place on one triangle nearest to `point`: weights of its corners, each >= 0, summing to 1.
 * Returns the squared distance. */
double sup_triangle_nearest(const SupMesh *mesh, uint32_t triangle, SupVec3d point,
                            double out_weights[3]);

/* Where a ray meets the surface. */
typedef struct SupRayHit {
  uint32_t triangle; /* SUP_NONE if nothing was hit; the rest is then 0 */
  float t;           /* the place is origin + t direction */
  float barycentric[3];
  bool front; /* did the ray come from the side where the corners are counter-clockwise? */
} SupRayHit;

/* The first triangle that the ray meets for t in [0, max_t], both sides. `direction` need not have
 * unit length. A ray through an edge or a vertex hits at least one of the triangles there: a closed
 * surface has no cracks. Degenerate triangles, and triangles seen exactly edge-on, are never hit.
 */
SupRayHit sup_bvh_ray(const SupBvh *bvh, SupVec3 origin, SupVec3 direction, float max_t);

/* sup_bvh_nearest for points[count], split among `jobs` (NULL: here). The same bits for any number
 * of threads. */
void sup_bvh_nearest_all(const SupBvh *bvh, const SupVec3 *points, uint32_t count,
                         const SupJobs *jobs, SupNearest *out_nearest);

#ifdef __cplusplus
}
#endif
#endif
