/* SPDX-License-Identifier: MIT */
#include "fem/dihedral.h"

#include <math.h>

/* The normals of the faces, all inward or all outward, sum to zero. */
void sup_dihedral_cosines(const SupVec3d x[4], double *io_least, double *io_most) {
  SupVec3d edges[3], normals[4] = {{0, 0, 0}};
  double scales[4];
  for (int a = 0; a < 3; a++) edges[a] = sup_vec3d_sub(x[a + 1], x[0]);
  for (int a = 0; a < 3; a++) {
    normals[a + 1] = sup_vec3d_cross(edges[(a + 1) % 3], edges[(a + 2) % 3]);
    normals[0] = sup_vec3d_sub(normals[0], normals[a + 1]);
  }
  for (int a = 0; a < 4; a++) {
    const double square = sup_vec3d_dot(normals[a], normals[a]);
    scales[a] = square > 0 ? 1 / sup_sqrt(square) : 0;
  }
  for (int a = 0; a < 4; a++) {
    for (int b = a + 1; b < 4; b++) {
      const double cosine = -sup_vec3d_dot(normals[a], normals[b]) * scales[a] * scales[b];
      if (cosine < *io_least) *io_least = cosine;
      if (cosine > *io_most) *io_most = cosine;
    }
  }
}

double sup_dihedral_degrees(double cosine) {
  return acos(fmax(-1, fmin(1, cosine))) * 57.29577951308232;
}
