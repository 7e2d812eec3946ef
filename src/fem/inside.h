/* SPDX-License-Identifier: MIT */
/* Which side of a skin a point is on. */
#ifndef SUP_SRC_FEM_INSIDE_H
#define SUP_SRC_FEM_INSIDE_H

#include "supple/geom/winding.h"

typedef struct SupInside {
  const SupBvh *bvh;
  SupWinding winding;
  float outward; /* -1 where the skin is inside out, as mirrored exports have it; 1 otherwise */
  bool hollow;   /* nothing is inside: a sheet */
} SupInside;

/* In `arena`; points into the mesh. Not hollow. */
SupResult sup_inside_create(SupArena *arena, const SupMesh *mesh, SupInside *out_inside,
                            SupError *error);

/* The generalised winding number: 1 deep inside a closed skin, 0 far outside, whichever way its
 * triangles face. 0 everywhere where it is hollow. */
double sup_inside_winding(const SupInside *inside, SupVec3d point);

static inline bool sup_inside(const SupInside *inside, SupVec3d point) {
  return sup_inside_winding(inside, point) > 0.5;
}

#endif
