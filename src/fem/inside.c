/* SPDX-License-Identifier: MIT */
/* Which side of a skin a point is on, by generalised winding number. */
#include "fem/inside.h"

SupResult sup_inside_create(SupArena *arena, const SupMesh *mesh, SupInside *out_inside,
                            SupError *error) {
  SupInside inside;
  SupBvh *bvh = SUP_ALLOC(arena, SupBvh, 1);
  if (!bvh) return sup_fail_memory(error, "inside of a skin");
  inside.bvh = bvh;
  SupResult result = sup_bvh_build(arena, mesh, bvh, error);
  if (result == SUP_OK) result = sup_winding_build(arena, bvh, &inside.winding, error);
  if (result == SUP_OK) *out_inside = inside;
  return result;
}

double sup_inside_winding(const SupInside *inside, SupVec3d point) {
  const float accuracy = 2; /* errs by about 1e-3, and we ask which side of one half */
  return sup_winding_at(&inside->winding, sup_vec3d_to_float(point), accuracy);
}
