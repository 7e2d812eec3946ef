/* SPDX-License-Identifier: MIT */
/*
 * The skinning everyone writes first: arrays of structures, four bones per vertex, one vertex
 * after the other. The anchor of `supple bench skin`; compiled with the same optimisation and
 * instruction set flags as the kernels it is compared with.
 */
#include "naive_skin.h"

void NAIVE_SKIN(const NaiveVertex *vertices, uint32_t vertex_count, const SupAffine *palette,
                SupVec3 *out_positions, SupVec3 *out_normals) {
  for (uint32_t v = 0; v < vertex_count; v++) {
    const NaiveVertex *a = &vertices[v];
    float m[12] = {0};
    for (int k = 0; k < 4; k++) {
      for (int i = 0; i < 12; i++) m[i] += a->weights[k] * palette[a->bones[k]].m[i];
    }
    SupVec3 p = a->position, n = a->normal;
    out_positions[v].x = m[0] * p.x + m[3] * p.y + m[6] * p.z + m[9];
    out_positions[v].y = m[1] * p.x + m[4] * p.y + m[7] * p.z + m[10];
    out_positions[v].z = m[2] * p.x + m[5] * p.y + m[8] * p.z + m[11];
    out_normals[v].x = m[0] * n.x + m[3] * n.y + m[6] * n.z;
    out_normals[v].y = m[1] * n.x + m[4] * n.y + m[7] * n.z;
    out_normals[v].z = m[2] * n.x + m[5] * n.y + m[8] * n.z;
  }
}
