/* SPDX-License-Identifier: MIT */
#include "fem/dihedral.h"

#include <math.h>

void sup_dihedral_cosines(const SupVec3d x[4], double *io_least, double *io_most) {
  SupVec3d normals[4];
  for (int a = 0; a < 4; a++) { /* outward: away from corner a */
    const SupVec3d p = x[(a + 1) % 4], q = x[(a + 2) % 4], r = x[(a + 3) % 4];
    SupVec3d n = sup_vec3d_cross(sup_vec3d_sub(q, p), sup_vec3d_sub(r, p));
    if (sup_vec3d_dot(n, sup_vec3d_sub(x[a], p)) > 0) n = sup_vec3d_scale(n, -1);
    normals[a] = sup_vec3d_normalise(n);
  }
  for (int a = 0; a < 4; a++) {
    for (int b = a + 1; b < 4; b++) {
      const double cosine = -sup_vec3d_dot(normals[a], normals[b]);
      *io_least = fmin(*io_least, cosine);
      *io_most = fmax(*io_most, cosine);
    }
  }
}

double sup_dihedral_degrees(double cosine) {
  return acos(fmax(-1, fmin(1, cosine))) * 57.29577951308232;
}
