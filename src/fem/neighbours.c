/* SPDX-License-Identifier: MIT */
#include "fem/neighbours.h"

bool sup_tet_neighbours(SupArena *arena, const SupTetMesh *mesh, SupTetNeighbours *out_neighbours) {
  uint32_t *offsets = SUP_ALLOC(arena, uint32_t, (size_t)mesh->node_count + 2);
  uint32_t *nodes = SUP_ALLOC(arena, uint32_t, 12 * (size_t)mesh->tet_count);
  if (!offsets || !nodes) return false;
  /* Counted two places up, so that after filling offsets[n] is where node n begins. */
  for (size_t k = 0; k < 4 * (size_t)mesh->tet_count; k++) offsets[mesh->tets[k] + 2] += 3;
  for (uint32_t n = 0; n < mesh->node_count; n++) offsets[n + 2] += offsets[n + 1];
  for (uint32_t t = 0; t < mesh->tet_count; t++) {
    const uint32_t *corners = mesh->tets + 4 * (size_t)t;
    for (uint32_t a = 0; a < 4; a++) {
      for (uint32_t b = 1; b < 4; b++) nodes[offsets[corners[a] + 1]++] = corners[(a + b) % 4];
    }
  }
  *out_neighbours = (SupTetNeighbours){offsets, nodes};
  return true;
}
