/* SPDX-License-Identifier: MIT */
#include "naive_math.h"

#include <math.h>

/* S = R^T A: its axial part, and H = tr(S) I - sym(S). */
static SupVec3 expand(SupMat3 a, SupQuat q, float h[3][3]) {
  SupMat3 s = sup_mat3_mul(sup_mat3_transpose(sup_mat3_from_quat(q)), a);
  float trace = s.m[0] + s.m[4] + s.m[8];
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) {
      h[r][c] = (r == c ? trace : 0) - 0.5f * (s.m[3 * c + r] + s.m[3 * r + c]);
    }
  }
  return sup_vec3_make(s.m[5] - s.m[7], s.m[6] - s.m[2], s.m[1] - s.m[3]);
}

static SupQuat turn(SupQuat q, SupVec3 w) {
  SupQuat r = sup_quat_mul(q, sup_quat_make(0.5f * w.x, 0.5f * w.y, 0.5f * w.z, 1));
  float length = sqrtf(sup_quat_dot(r, r));
  return sup_quat_make(r.x / length, r.y / length, r.z / length, r.w / length);
}

void naive_newton(const SupMat3 *matrices, uint32_t count, SupQuat *io_rotations) {
  for (uint32_t v = 0; v < count; v++) {
    float h[3][3];
    SupVec3 g = expand(matrices[v], io_rotations[v], h);
    float c00 = h[1][1] * h[2][2] - h[1][2] * h[2][1];
    float c01 = h[0][2] * h[2][1] - h[0][1] * h[2][2];
    float c02 = h[0][1] * h[1][2] - h[0][2] * h[1][1];
    float c11 = h[0][0] * h[2][2] - h[0][2] * h[2][0];
    float c12 = h[0][2] * h[1][0] - h[0][0] * h[1][2];
    float c22 = h[0][0] * h[1][1] - h[0][1] * h[1][0];
    float det = h[0][0] * c00 + h[1][0] * c01 + h[2][0] * c02;
    SupVec3 w;
    if (h[0][0] > 0 && c22 > 0 && det > 0) {
      w = sup_vec3_make((c00 * g.x + c01 * g.y + c02 * g.z) / det,
                        (c01 * g.x + c11 * g.y + c12 * g.z) / det,
                        (c02 * g.x + c12 * g.y + c22 * g.z) / det);
    } else {
      w = sup_vec3_scale(g, 1 / (fabsf(0.5f * (h[0][0] + h[1][1] + h[2][2])) + 1e-9f));
    }
    io_rotations[v] = turn(io_rotations[v], w);
  }
}

void naive_mueller(const SupMat3 *matrices, uint32_t count, SupQuat *io_rotations) {
  for (uint32_t v = 0; v < count; v++) {
    for (int step = 0; step < 50; step++) {
      float h[3][3];
      SupVec3 g = expand(matrices[v], io_rotations[v], h);
      float trace = 0.5f * (h[0][0] + h[1][1] + h[2][2]);
      SupVec3 w = sup_vec3_scale(g, 1 / (fabsf(trace) + 1e-9f));
      io_rotations[v] = turn(io_rotations[v], w);
      if (sup_vec3_length(w) < 1e-4f) break;
    }
  }
}
