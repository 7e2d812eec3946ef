/* SPDX-License-Identifier: MIT */
/*
 * How a mode turns the flesh that it moves: half the curl of its shape (Choi and Ko 2005, section
 * 3.2). In a linear tetrahedron that is constant; a node gets the mean of its elements, by volume.
 */
#include "train/modes/modes_volume.h"

static SupVec3d shape_at(const ModesVolume *volume, uint32_t k, uint32_t node) {
  const int32_t i = volume->body.free_index[node];
  return i < 0 ? (SupVec3d){0, 0, 0} : modes_at_node(volume, k, (uint32_t)i);
}

/* Half the curl in one element. */
static SupVec3d element_turn(const ModesVolume *volume, uint32_t k, uint32_t tet) {
  const uint32_t *corners = volume->body.mesh.tets + 4 * (size_t)tet;
  const SupMat3d inverse = volume->body.shape[tet];
  const SupVec3d first = shape_at(volume, k, corners[0]);
  SupMat3d edges;
  for (int c = 0; c < 3; c++) {
    const SupVec3d edge = sup_vec3d_sub(shape_at(volume, k, corners[c + 1]), first);
    edges.m[3 * c] = edge.x, edges.m[3 * c + 1] = edge.y, edges.m[3 * c + 2] = edge.z;
  }
  const SupMat3d g = sup_mat3d_mul(edges, inverse); /* element (row, column) is m[3 column + row] */
  return (SupVec3d){(g.m[5] - g.m[7]) / 2, (g.m[6] - g.m[2]) / 2, (g.m[1] - g.m[3]) / 2};
}

void sup_modes_turns(const ModesVolume *volume, uint32_t k, SupVec3d *out_turns) {
  const SupElastic *body = &volume->body;
  for (uint32_t n = 0; n < body->mesh.node_count; n++) {
    SupVec3d sum = {0, 0, 0};
    double total = 0;
    for (uint32_t c = body->corner_offsets[n]; c < body->corner_offsets[n + 1]; c++) {
      const uint32_t tet = body->corners[c] / 4;
      sum = sup_vec3d_add_scaled(sum, element_turn(volume, k, tet), body->volumes[tet]);
      total += body->volumes[tet];
    }
    out_turns[n] = sup_vec3d_scale(sum, total > 0 ? 1 / total : 0);
  }
}

SupVec3d sup_modes_turn_at_vertex(const ModesVolume *volume, const SupVec3d *turns, uint32_t v) {
  const SupSmooth *smooth = &volume->smooth;
  SupVec3d sum = {0, 0, 0};
  for (uint32_t s = smooth->offsets[v]; s < smooth->offsets[v + 1]; s++) {
    sum = sup_vec3d_add_scaled(sum, turns[smooth->nodes[s]], smooth->weights[s]);
  }
  return sum;
}
