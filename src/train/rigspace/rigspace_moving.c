/* SPDX-License-Identifier: MIT */
/*
 * What moves. A free parameter of a belly moves no node of a foot; with nodes inside that are sums
 * of surface nodes, the elements between such nodes have the same energy whatever the parameters
 * are, and rows of zeros in T. They are left out of the step. Where nodes inside are unknowns or in
 * balance, every element with one of them stays.
 */
#include <string.h>

#include "train/rigspace/rigspace_parts.h"

SupResult sup_rigspace_moving_create(SupArena *arena, SupRigspace *rs, SupError *error) {
  rs->moves = SUP_ALLOC(arena, bool, rs->node_count);
  rs->moving = SUP_ALLOC(arena, uint32_t, rs->body.mesh.tet_count);
  rs->all_tets = rs->body.active;
  rs->all_count = rs->body.active_count;
  return rs->moves && rs->moving ? SUP_OK : sup_fail_memory(error, "rigspace");
}

/* Surface nodes with a derivative by any parameter. */
static void find_surface(SupRigspace *rs) {
  const size_t rows = 3 * (size_t)rs->surface_count;
  memset(rs->moves, 0, rs->surface_count * sizeof *rs->moves);
  for (uint32_t k = 0; k < rs->n; k++) {
    const double *c = &rs->surface[k * rows];
    for (size_t r = 0; r < rows; r++) {
      if (c[r] != 0) rs->moves[r / 3] = true;
    }
  }
}

void sup_rigspace_find_moving(SupRigspace *rs) {
  const SupRigspaceWeights *w = rs->def.weights;
  const bool skinned = rs->def.inside == SUP_RIGSPACE_SKINNED;
  uint32_t count = 0;
  bool changed = false;
  find_surface(rs);
  for (uint32_t q = 0; q < rs->inside_count; q++) {
    bool *moves = &rs->moves[rs->surface_count + q];
    *moves = !skinned;
    for (uint32_t k = skinned ? w->offsets[q] : 0; skinned && k < w->offsets[q + 1]; k++) {
      *moves |= w->weights[k] != 0 && rs->moves[w->nodes[k]];
    }
  }
  for (uint32_t i = 0; i < rs->all_count; i++) {
    const uint32_t t = rs->all_tets[i], *n = &rs->body.mesh.tets[4 * (size_t)t];
    if (!(rs->moves[n[0]] || rs->moves[n[1]] || rs->moves[n[2]] || rs->moves[n[3]])) continue;
    changed |= count >= rs->moving_count || rs->moving[count] != t;
    rs->moving[count++] = t;
  }
  changed |= count != rs->moving_count;
  rs->moving_count = count;
  if (changed) rs->potential.serial = 0; /* it knows the stretches of other elements */
}

void sup_rigspace_look_at_moving(SupRigspace *rs) {
  if (rs->def.inside != SUP_RIGSPACE_SKINNED) return;
  rs->body.active = rs->moving;
  rs->body.active_count = rs->moving_count;
  /* What is left of others must not be counted. */
  memset(rs->body.energies, 0, rs->body.mesh.tet_count * sizeof *rs->body.energies);
}

void sup_rigspace_look_at_all(SupRigspace *rs) {
  rs->body.active = rs->all_tets;
  rs->body.active_count = rs->all_count;
}
