/* SPDX-License-Identifier: MIT */
/* Raw states: parameters, nodes and velocities of two steps, the Jacobian and the matrix that are
 * kept. */
#include <string.h>

#include "train/rigspace/rigspace_parts.h"

/* Calls `copy` for every array of a state; returns how many numbers there are. */
static size_t each(const SupRigspace *rs, double *state,
                   void (*copy)(double *state, double *own, size_t count)) {
  const size_t all = rs->def.rig->parameter_count, nodes = 3 * (size_t)rs->node_count;
  const size_t columns = rs->def.deferred ? rs->n * 3 * (size_t)rs->surface_count : 0;
  const size_t inside = rs->def.deferred ? rs->n * 3 * (size_t)rs->inside_count : 0;
  const struct {
    double *own;
    size_t count;
  } arrays[] = {{rs->p, all},
                {rs->p_old, all},
                {rs->typical, rs->n},
                {&rs->history.x->x, nodes},
                {&rs->history.v->x, nodes},
                {&rs->history.x_old->x, nodes},
                {&rs->history.v_old->x, nodes},
                {rs->surface, columns},
                {rs->inside, inside},
                {rs->hessian, rs->def.inside == SUP_RIGSPACE_SKINNED ? rs->n * (size_t)rs->n : 0}};
  size_t count = 0;
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
    if (copy) copy(&state[count], arrays[k].own, arrays[k].count);
    count += arrays[k].count;
  }
  return count;
}

static void copy_out(double *state, double *own, size_t count) {
  memcpy(state, own, count * sizeof *own);
}

static void copy_in(double *state, double *own, size_t count) {
  memcpy(own, state, count * sizeof *own);
}

size_t sup_rigspace_state_count(const SupRigspace *rigspace) {
  return 4 + each(rigspace, NULL, NULL);
}

void sup_rigspace_store(const SupRigspace *rs, double *out_state) {
  out_state[0] = rs->history.h_old;
  out_state[1] = (double)rs->steps;
  out_state[2] = rs->known;
  out_state[3] = rs->kept;
  each(rs, &out_state[4], copy_out);
}

void sup_rigspace_restore(SupRigspace *rs, const double *state) {
  rs->history.h_old = state[0];
  rs->steps = (uint64_t)state[1];
  rs->known = rs->def.deferred && state[2] != 0;
  rs->kept = state[3] != 0;
  each(rs, (double *)&state[4], copy_in);
  if (rs->known) {
    sup_rigspace_mark_moved(rs);
    sup_rigspace_find_moving(rs);
  }
  rs->history.serial += 2; /* another present: what was known of it is not that of this one */
}
