/* SPDX-License-Identifier: MIT */
/*
 * Areas, volumes, normals. Sums are taken in double, in the order of the triangles.
 *
 * The mixed area is that of Meyer, Desbrun, Schroeder, Barr, "Discrete differential-geometry
 * operators for triangulated 2-manifolds" (2003), section 3.3.
 */
#include "supple/geom/measure.h"

#include "geom/corner.h"

double sup_mesh_area(const SupMesh *mesh) {
  double area = 0;
  for (uint32_t f = 0; f < mesh->triangle_count; f++)
    area += 0.5 * sup_vec3d_length(sup_mesh_normal(mesh, f));
  return area;
}

double sup_mesh_volume(const SupMesh *mesh) {
  double volume = 0;
  for (uint32_t f = 0; f < mesh->triangle_count; f++) {
    volume += sup_vec3d_dot(sup_mesh_corner(mesh, f, 0), sup_mesh_normal(mesh, f)) / 6;
  }
  return volume;
}

/* The three fractions of a triangle: Voronoi cells, or a half and two quarters where obtuse. */
static void mixed_fractions(const SupVec3d p[3], double area, double out_fractions[3]) {
  double square[3], dot[3]; /* edge opposite to each corner; cosine there times both edges */
  for (unsigned k = 0; k < 3; k++) {
    SupVec3d opposite = sup_vec3d_sub(p[(k + 2) % 3], p[(k + 1) % 3]);
    square[k] = sup_vec3d_dot(opposite, opposite);
    dot[k] =
        sup_vec3d_dot(sup_vec3d_sub(p[(k + 1) % 3], p[k]), sup_vec3d_sub(p[(k + 2) % 3], p[k]));
  }
  for (unsigned k = 0; k < 3; k++) {
    unsigned i = (k + 1) % 3, j = (k + 2) % 3;
    if (dot[k] <= 0) {
      out_fractions[k] = area / 2;
    } else if (dot[i] <= 0 || dot[j] <= 0) {
      out_fractions[k] = area / 4;
    } else { /* cot = dot / (2 area); an edge's cell is |edge|^2 cot(opposite angle) / 8 */
      out_fractions[k] = (square[i] * dot[i] + square[j] * dot[j]) / (16 * area);
    }
  }
}

void sup_vertex_areas(const SupMesh *mesh, SupVertexArea kind, double *out_areas) {
  for (uint32_t v = 0; v < mesh->vertex_count; v++) out_areas[v] = 0;
  for (uint32_t f = 0; f < mesh->triangle_count; f++) {
    double area = 0.5 * sup_vec3d_length(sup_mesh_normal(mesh, f));
    double fractions[3] = {area / 3, area / 3, area / 3};
    if (kind == SUP_AREA_MIXED && area > 0) {
      SupVec3d p[3] = {sup_mesh_corner(mesh, f, 0), sup_mesh_corner(mesh, f, 1),
                       sup_mesh_corner(mesh, f, 2)};
      mixed_fractions(p, area, fractions);
    }
    for (unsigned k = 0; k < 3; k++) out_areas[mesh->triangles[3 * (size_t)f + k]] += fractions[k];
  }
}

void sup_vertex_normals(const SupMesh *mesh, SupVec3 *out_normals) {
  for (uint32_t v = 0; v < mesh->vertex_count; v++) out_normals[v] = (SupVec3){0, 0, 0};
  for (uint32_t f = 0; f < mesh->triangle_count; f++) {
    SupVec3d n = sup_mesh_normal(mesh, f);
    for (unsigned k = 0; k < 3; k++) {
      SupVec3 *sum = &out_normals[mesh->triangles[3 * (size_t)f + k]];
      sum->x += (float)n.x;
      sum->y += (float)n.y;
      sum->z += (float)n.z;
    }
  }
  for (uint32_t v = 0; v < mesh->vertex_count; v++) {
    SupVec3d n = sup_vec3_to_double(out_normals[v]);
    double length = sup_vec3d_length(n);
    if (length > 0) {
      n = sup_vec3d_scale(n, 1 / length);
      out_normals[v] = (SupVec3){(float)n.x, (float)n.y, (float)n.z};
    }
  }
}
