/* SPDX-License-Identifier: MIT */
/*
 * Shape functions, Gauss points and volumes of wedges.
 *
 * Guo 2007, Tables 4.1 and 4.2, corrected (docs/techniques/chunks.md): the derivatives by a3 have
 * lost a factor a2 there (GUO-E20), and the points of Table 4.2 are the element's nodes, where the
 * rule is exact neither for bending nor for the volume of a distorted wedge (GUO-E21). The second
 * and third corner are exchanged, so that wedges drawn upwards have positive determinants.
 */
#include "fem/wedge.h"

#define ROOT3 1.7320508075688772
#define LEVEL 0.57735026918962576 /* 1 / sqrt(3): Gauss's two points along the axis */

/* The corners of the reference triangle. */
static const double corner_x[3] = {1, -0.5, -0.5};
static const double corner_y[3] = {0, ROOT3 / 2, -ROOT3 / 2};

/* Half of the triangle's barycentric coordinates. */
static void halves(const double at[3], double out[3]) {
  for (uint32_t k = 0; k < 3; k++) {
    out[k] = (1 + 2 * (corner_x[k] * at[0] + corner_y[k] * at[1])) / 6;
  }
}

void sup_wedge_shape(const double at[3], double out_shape[6]) {
  double t[3];
  halves(at, t);
  for (uint32_t k = 0; k < 3; k++) {
    out_shape[k] = t[k] * (1 - at[2]);
    out_shape[k + 3] = t[k] * (1 + at[2]);
  }
}

void sup_wedge_slopes(const double at[3], double out_slopes[6][3]) {
  double t[3];
  halves(at, t);
  for (uint32_t k = 0; k < 6; k++) {
    const double side = k < 3 ? -1 : 1, part = (1 + side * at[2]) / 3;
    out_slopes[k][0] = corner_x[k % 3] * part;
    out_slopes[k][1] = corner_y[k % 3] * part;
    out_slopes[k][2] = side * t[k % 3];
  }
}

void sup_wedge_point(uint32_t k, double out_at[3]) {
  out_at[0] = corner_x[k % 3] / 2;
  out_at[1] = corner_y[k % 3] / 2;
  out_at[2] = k < 3 ? -LEVEL : LEVEL;
}

/* Column c of the Jacobian is the derivative of the place by a_c. */
static SupMat3d jacobian(const SupVec3d corners[6], double slopes[6][3]) {
  SupVec3d columns[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  for (uint32_t k = 0; k < 6; k++) {
    for (uint32_t c = 0; c < 3; c++) {
      columns[c] = sup_vec3d_add_scaled(columns[c], corners[k], slopes[k][c]);
    }
  }
  return sup_mat3d_from_columns(columns[0], columns[1], columns[2]);
}

double sup_wedge_gradients(const SupVec3d corners[6], const double at[3], SupVec3d out[6]) {
  double slopes[6][3];
  sup_wedge_slopes(at, slopes);
  const SupMat3d map = jacobian(corners, slopes);
  const SupMat3d back = sup_mat3d_transpose(sup_mat3d_inverse(map));
  for (uint32_t k = 0; k < 6; k++) {
    out[k] = sup_mat3d_mul_vec3(back, (SupVec3d){slopes[k][0], slopes[k][1], slopes[k][2]});
  }
  return sup_mat3d_determinant(map);
}

static double determinant_at(const SupVec3d corners[6], uint32_t point) {
  double at[3], slopes[6][3];
  sup_wedge_point(point, at);
  sup_wedge_slopes(at, slopes);
  return sup_mat3d_determinant(jacobian(corners, slopes));
}

SupWedgeSize sup_wedge_size(const SupVec3d corners[6]) {
  SupWedgeSize size = {0, __builtin_inf()};
  for (uint32_t k = 0; k < SUP_WEDGE_POINTS; k++) {
    const double determinant = determinant_at(corners, k);
    size.volume += SUP_WEDGE_WEIGHT * determinant;
    if (!(determinant >= size.least)) size.least = determinant;
  }
  return size;
}

void sup_wedge_corners(const SupWedgeMesh *mesh, const SupVec3d *nodes, uint32_t w,
                       SupVec3d out_corners[6]) {
  for (uint32_t k = 0; k < 6; k++) out_corners[k] = nodes[mesh->wedges[6 * (size_t)w + k]];
}

SupWedgeSize sup_wedge_mesh_size(const SupWedgeMesh *mesh, const SupVec3d *nodes) {
  SupWedgeSize size = {0, __builtin_inf()};
  for (uint32_t w = 0; w < mesh->wedge_count; w++) {
    SupVec3d rest[6], now[6];
    sup_wedge_corners(mesh, mesh->nodes, w, rest);
    sup_wedge_corners(mesh, nodes, w, now);
    for (uint32_t k = 0; k < SUP_WEDGE_POINTS; k++) {
      const double determinant = determinant_at(now, k);
      const double ratio = determinant / determinant_at(rest, k);
      size.volume += SUP_WEDGE_WEIGHT * determinant;
      if (!(ratio >= size.least)) size.least = ratio;
    }
  }
  return size;
}
