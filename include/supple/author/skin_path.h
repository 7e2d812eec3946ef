/* SPDX-License-Identifier: MIT */
/*
 * Supple: paths on a skin: along edges, across triangles, along its open border, below a curve.
 *
 * A path is a chain of vertices and of points on edges; neighbours in it lie in one triangle
 * (docs/patches.md).
 */
#ifndef SUPPLE_AUTHOR_SKIN_PATH_H
#define SUPPLE_AUTHOR_SKIN_PATH_H

#include "supple/geom/bvh.h"
#include "supple/geom/topology.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A place: vertex a (b is a, t is 0), or (1 - t) a + t b on the edge of a < b, 0 < t < 1. */
typedef struct SupSkinPoint {
  uint32_t a, b;
  double t;
} SupSkinPoint;

static inline SupSkinPoint sup_skin_vertex(uint32_t v) {
  SupSkinPoint r = {v, v, 0};
  return r;
}

/* On the edge of two vertices in any order, t in [0, 1] from the first, rounded to 2^-20; a vertex
 * where it is nearer than `snap`, in edges, to one. */
SupSkinPoint sup_skin_edge_point(uint32_t from, uint32_t to, double t, double snap);

bool sup_skin_point_same(SupSkinPoint p, SupSkinPoint q);

SupVec3d sup_skin_point_place(const SupMesh *mesh, SupSkinPoint p);

/* The nearest vertex or point on an edge, both no farther than `snap` edges from each other being
 * the vertex. SUP_NONE as `a` where there is no triangle. */
SupSkinPoint sup_skin_point_nearest(const SupBvh *bvh, SupVec3 place, double snap);

typedef struct SupSkinPath {
  uint32_t count;             /* at least 2 */
  const SupSkinPoint *points; /* [count] */
  double length;
} SupSkinPath;

/* How long a chain of points is. */
double sup_skin_points_length(const SupMesh *mesh, uint32_t count, const SupSkinPoint *points);

/* Whether one triangle has both points, in its inside or on its border. */
bool sup_skin_points_meet(const SupMesh *mesh, const SupTopology *topology, SupSkinPoint p,
                          SupSkinPoint q);

/* Where paths are looked for. */
typedef struct SupPathDef {
  SupMesh mesh;
  const SupTopology *topology; /* of the mesh */
  SupSkinPoint from, to;
  const uint8_t *closed_vertices; /* [vertex_count] or NULL: not touched, but for the ends */
  const uint8_t *closed_edges;    /* [edge_count] or NULL: neither crossed nor followed */
  /* [triangle_count] or NULL: not crossed; their edges may be followed */
  const uint8_t *closed_triangles;
} SupPathDef;

/* Points that a path may take on an edge, beside its ends, while it is looked for. */
#define SUP_PATH_CUTS_MAX 8

/* The shortest path along edges (`cuts` 0, Dijkstra) or across triangles through `cuts` points on
 * each edge, straightened afterwards: the locally shortest of the triangles that it runs through.
 * A point ends up on a vertex if it is nearer to it than a tenth of the edge. SUP_ERROR_FORMAT
 * where the ends are in different pieces or everything between them is closed. In `arena`. */
SupResult sup_path_shortest(SupArena *arena, const SupPathDef *def, uint32_t cuts,
                            SupSkinPath *out_path, SupError *error);

/* Along the open border, in the direction in which its triangles run, from one vertex of it to
 * another or all the way round to the same. */
SupResult sup_path_rim(SupArena *arena, const SupPathDef *def, SupSkinPath *out_path,
                       SupError *error);

/* A rational B-spline through space: clamped, uniform, cubic where it has four points or more. */
typedef struct SupSpaceCurve {
  uint32_t count;         /* 2 to 64 */
  const SupVec3d *points; /* [count] */
  const double *weights;  /* [count], each > 0, or NULL for 1 */
} SupSpaceCurve;

/* Where it is at u in [0, 1]. */
SupVec3d sup_space_curve_at(const SupSpaceCurve *curve, double u);

/* The curve dropped onto the skin: nearest points, sampled until two of them lie at a common
 * vertex, and traced through its flattened ring; hits nearer than a tenth of an edge to a vertex
 * become it. Its ends are those of `def`, wherever the curve's are. `bvh` is of the mesh. Closed
 * places are not looked at. Fails as sup_path_shortest does. */
SupResult sup_path_curve(SupArena *arena, const SupPathDef *def, const SupBvh *bvh,
                         const SupSpaceCurve *curve, SupSkinPath *out_path, SupError *error);

/* ---- The ring of a vertex -------------------------------------------------------------------- */

/* The triangles around a vertex, counter-clockwise, laid flat: neighbour k at its distance from the
 * vertex, in the direction angles[k]. Around an inner vertex the angles are scaled to a full turn
 * and begin with 0; at the border they are those of the triangles. */
typedef struct SupFlatRing {
  uint32_t vertex;
  bool open;
  uint32_t count;            /* neighbours */
  uint32_t triangle_count;   /* count, or one less at the border */
  const uint32_t *vertices;  /* [count] */
  const uint32_t *triangles; /* [triangle_count] k has vertices k and k + 1, the last 0 again */
  const double *angles;      /* [count + 1] the last one is where the ring ends */
  const double *lengths;     /* [count] */
} SupFlatRing;

/* The ring of triangles around `vertex` that `triangle` is one of. */
SupResult sup_flat_ring(SupArena *arena, const SupMesh *mesh, const SupTopology *topology,
                        uint32_t vertex, uint32_t triangle, SupFlatRing *out_ring, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
