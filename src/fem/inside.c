/* SPDX-License-Identifier: MIT */
/* Which side of a skin a point is on, by generalised winding number. */
#include "fem/inside.h"

/* By the volume that the triangles enclose, seen from one of the vertices. */
static bool is_inside_out(const SupMesh *mesh) {
  double six_volumes = 0;
  for (uint32_t t = 0; t < mesh->triangle_count; t++) {
    const uint32_t *corners = mesh->triangles + 3 * (size_t)t;
    SupVec3d p[3];
    for (int k = 0; k < 3; k++) {
      p[k] = sup_vec3_to_double(sup_vec3_sub(mesh->positions[corners[k]], mesh->positions[0]));
    }
    six_volumes += sup_vec3d_dot(p[0], sup_vec3d_cross(p[1], p[2]));
  }
  return six_volumes < 0;
}

SupResult sup_inside_create(SupArena *arena, const SupMesh *mesh, SupInside *out_inside,
                            SupError *error) {
  SupInside inside = {0};
  SupBvh *bvh = SUP_ALLOC(arena, SupBvh, 1);
  if (!bvh) return sup_fail_memory(error, "inside of a skin");
  inside.bvh = bvh;
  inside.outward = is_inside_out(mesh) ? -1 : 1;
  SupResult result = sup_bvh_build(arena, mesh, bvh, error);
  if (result == SUP_OK) result = sup_winding_build(arena, bvh, &inside.winding, error);
  if (result == SUP_OK) *out_inside = inside;
  return result;
}

double sup_inside_winding(const SupInside *inside, SupVec3d point) {
  if (inside->hollow) return 0;
  const float accuracy = 2; /* errs by about 1e-3, and we ask which side of one half */
  const double winding = sup_winding_at(&inside->winding, sup_vec3d_to_float(point), accuracy);
  return (double)inside->outward * winding;
}
