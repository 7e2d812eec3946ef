/* SPDX-License-Identifier: MIT */
/* Double vectors made of the mesh's float positions. Sums run x, y, z. */
#ifndef SUP_GEOM_VECTOR_H
#define SUP_GEOM_VECTOR_H

#include "supple/geom/mesh.h"

static inline SupVec3d vec_of(SupVec3 p) {
  return (SupVec3d){(double)p.x, (double)p.y, (double)p.z};
}
static inline SupVec3d vec_add(SupVec3d a, SupVec3d b) {
  return (SupVec3d){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline SupVec3d vec_sub(SupVec3d a, SupVec3d b) {
  return (SupVec3d){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline SupVec3d vec_scale(SupVec3d a, double s) {
  return (SupVec3d){a.x * s, a.y * s, a.z * s};
}
static inline double vec_dot(SupVec3d a, SupVec3d b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline SupVec3d vec_cross(SupVec3d a, SupVec3d b) {
  return (SupVec3d){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double vec_length(SupVec3d a) { return __builtin_sqrt(vec_dot(a, a)); }

/* Corner k of triangle f. */
static inline SupVec3d mesh_corner(const SupMesh *mesh, uint32_t f, unsigned k) {
  return vec_of(mesh->positions[mesh->triangles[3 * (size_t)f + k]]);
}

/* Normal of triangle f, twice its area long. */
static inline SupVec3d mesh_normal(const SupMesh *mesh, uint32_t f) {
  SupVec3d a = mesh_corner(mesh, f, 0);
  return vec_cross(vec_sub(mesh_corner(mesh, f, 1), a), vec_sub(mesh_corner(mesh, f, 2), a));
}

#endif
