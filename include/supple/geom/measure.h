/* SPDX-License-Identifier: MIT */
/* Supple: areas, volumes and normals of a mesh. Nothing here allocates or fails. */
#ifndef SUPPLE_GEOM_MEASURE_H
#define SUPPLE_GEOM_MEASURE_H

#include "supple/geom/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SupVertexArea {
  SUP_AREA_BARYCENTRIC, /* a third of every triangle at the vertex */
  SUP_AREA_MIXED        /* Voronoi, with halves and quarters of obtuse triangles (Meyer 2003) */
} SupVertexArea;

/* The area of the whole surface, in square units of the positions. */
double sup_mesh_area(const SupMesh *mesh);

/* The volume inside a closed surface whose triangles are counter-clockwise from outside; negative
 * if it is inside out. For an open one it depends on the place of the origin. */
double sup_mesh_volume(const SupMesh *mesh);

/* The fraction of each vertex in the surface: out_areas[vertex_count], which sums to sup_mesh_area
 * for both kinds; 0 for a vertex without triangle. */
void sup_vertex_areas(const SupMesh *mesh, SupVertexArea kind, double *out_areas);

/* Unit normals by the area-weighted sum over triangles: out_normals[vertex_count]. A vertex whose
 * sum vanishes (no triangle, or folded exactly onto itself) gets (0, 0, 0). */
void sup_vertex_normals(const SupMesh *mesh, SupVec3 *out_normals);

#ifdef __cplusplus
}
#endif
#endif
