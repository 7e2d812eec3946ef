/* SPDX-License-Identifier: MIT */
/* Corners and normals of a mesh's triangles, in double. */
#ifndef SUP_GEOM_CORNER_H
#define SUP_GEOM_CORNER_H

#include "supple/geom/mesh.h"

/* Corner k of triangle f. */
static inline SupVec3d sup_mesh_corner(const SupMesh *mesh, uint32_t f, unsigned k) {
  return sup_vec3_to_double(mesh->positions[mesh->triangles[3 * (size_t)f + k]]);
}

/* Normal of triangle f, twice its area long. */
static inline SupVec3d sup_mesh_normal(const SupMesh *mesh, uint32_t f) {
  SupVec3d a = sup_mesh_corner(mesh, f, 0);
  return sup_vec3d_cross(sup_vec3d_sub(sup_mesh_corner(mesh, f, 1), a),
                         sup_vec3d_sub(sup_mesh_corner(mesh, f, 2), a));
}

#endif
