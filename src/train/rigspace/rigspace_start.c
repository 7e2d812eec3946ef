/* SPDX-License-Identifier: MIT */
/*
 * The start, on which the paper is silent: free parameters in balance with the scripted ones, and
 * velocities of the scripted motion: s_-1 = s(p_s(t_0 - h), p_f).
 */
#include <math.h>
#include <string.h>

#include "train/rigspace/rigspace_parts.h"

/* The potential with the rig itself at y around the base; rs->trial has the nodes, which inside
 * begin where rs->x has them. */
static SupResult true_value(SupRigspace *rs, const double *y, double *out_value, SupError *error) {
  bool good = true;
  sup_rigspace_move(rs, rs->base, y);
  memcpy(rs->trial, rs->x, rs->node_count * sizeof *rs->x);
  SupResult result = sup_rigspace_surface(rs, rs->vector, rs->trial, error);
  if (result == SUP_OK) result = sup_rigspace_follow(rs, rs->trial, &good, error);
  if (result != SUP_OK) return result;
  *out_value = sup_potential_evaluate(&rs->potential, &rs->loads, rs->trial, SUP_HESSIAN_NONE) +
               sup_rigspace_springs(rs, y, NULL, NULL);
  if (!good) *out_value = INFINITY;
  return SUP_OK;
}

/* One linearisation and what it finds: moves rs->base as far along rs->y as the potential of the
 * rig itself falls. *out_far is how far the farthest node went. */
static SupResult settle_once(SupRigspace *rs, double *out_far, bool *out_done, SupError *error) {
  double start, value = INFINITY, fraction = 1;
  memset(rs->full_slope, 0, rs->n * sizeof *rs->full_slope);
  SupResult result = sup_rigspace_surface(rs, rs->base, rs->at, error);
  if (result == SUP_OK) result = sup_rigspace_new_jacobian(rs, error);
  if (result == SUP_OK) result = true_value(rs, rs->full_slope, &start, error);
  if (result != SUP_OK) return result;
  memcpy(rs->x, rs->trial, rs->node_count * sizeof *rs->x);
  rs->kept = false; /* steps are far here */
  result = sup_rigspace_minimise(rs, error);
  for (int halving = 0; result == SUP_OK && halving < 10; halving++, fraction *= 0.5) {
    for (uint32_t k = 0; k < rs->n; k++) rs->full_slope[k] = fraction * rs->y[k];
    result = true_value(rs, rs->full_slope, &value, error);
    if (value < start) break;
  }
  *out_done = !(start - value > 1e-12 * fabs(start)); /* it falls no more */
  *out_far = 0;
  if (result != SUP_OK || !(value < start)) return result;
  memset(rs->move, 0, rs->node_count * sizeof *rs->move);
  sup_rigspace_add_linear(rs, rs->full_slope, rs->move);
  for (uint32_t i = 0; i < rs->surface_count; i++) {
    *out_far = fmax(*out_far, sup_vec3d_length(rs->move[i]));
  }
  memcpy(rs->x, rs->trial, rs->node_count * sizeof *rs->x);
  sup_rigspace_move(rs, rs->base, rs->full_slope);
  memcpy(rs->base, rs->vector, rs->def.rig->parameter_count * sizeof *rs->base);
  return SUP_OK;
}

/* Free parameters in balance: linearise, minimise, until nothing moves. rs->base and rs->x are the
 * result. */
static SupResult settle(SupRigspace *rs, SupError *error) {
  const SupDifference still = sup_difference_static();
  bool done = false;
  sup_potential_begin(&rs->potential, &rs->history, &still);
  SupResult result = sup_rigspace_surface(rs, rs->base, rs->x, error);
  if (result == SUP_OK) sup_rigspace_guess_inside(rs, rs->x);
  for (uint32_t k = 0; result == SUP_OK && k < 3 * rs->def.iteration_max && !done; k++) {
    double far = 0;
    result = settle_once(rs, &far, &done, error);
    done |= far <= 10 * rs->def.tolerance * rs->size;
  }
  rs->report.converged = done;
  return result;
}

/* The nodes are at rs->x, and were at rs->trial h seconds before. */
static void begin_history(SupRigspace *rs, double h) {
  for (uint32_t i = 0; i < rs->node_count; i++) {
    rs->from[i] = sup_vec3d_scale(sup_vec3d_sub(rs->x[i], rs->trial[i]), 1 / h);
  }
  sup_history_place(&rs->history, rs->x, rs->from);
  rs->history.h_old = h; /* the predictor knows a step before */
  memcpy(rs->history.x_old, rs->trial, rs->node_count * sizeof *rs->x);
}

/* The nodes of rs->base now and with the scripted parameters of `before`; velocities between. */
static SupResult set_history(SupRigspace *rs, const double *before, double h, SupError *error) {
  const uint32_t all = rs->def.rig->parameter_count;
  bool good;
  memcpy(rs->p, rs->base, all * sizeof *rs->p);
  SupResult result = sup_rigspace_surface(rs, rs->p, rs->x, error);
  if (result == SUP_OK) result = sup_rigspace_follow(rs, rs->x, &good, error);
  if (result != SUP_OK || !good) goto failed;
  sup_rigspace_set_base(rs, before, rs->p);
  memcpy(rs->p_old, rs->base, all * sizeof *rs->p_old);
  memcpy(rs->trial, rs->x, rs->node_count * sizeof *rs->x);
  result = sup_rigspace_surface(rs, rs->p_old, rs->trial, error);
  if (result == SUP_OK) result = sup_rigspace_follow(rs, rs->trial, &good, error);
  if (result != SUP_OK || !good) goto failed;
  begin_history(rs, h);
  return SUP_OK;
failed:
  rs->report.converged = false;
  return result;
}

SupResult sup_rigspace_start(SupRigspace *rs, const double *now, const double *before, double h,
                             SupVec3d gravity, SupRigspaceReport *out_report, SupError *error) {
  const SupRigspaceInside inside = rs->def.inside;
  rs->report = (SupRigspaceReport){0};
  rs->loads = sup_rigspace_loads(rs, gravity);
  sup_rigspace_no_springs(rs);
  sup_rigspace_set_base(rs, now, now);
  for (uint32_t k = 0; k < rs->n; k++) {
    const SupRigParameter *p = &rs->def.rig->parameters[rs->free[k]];
    rs->base[rs->free[k]] = fmin(fmax(rs->base[rs->free[k]], p->low), p->high);
  }
  if (inside == SUP_RIGSPACE_REFERENCE) rs->def.inside = SUP_RIGSPACE_STATIC;
  rs->kept = false;
  SupResult result = settle(rs, error);
  if (result == SUP_OK && rs->report.converged) result = set_history(rs, before, h, error);
  rs->def.inside = inside;
  rs->known = rs->kept = false;
  rs->steps = 0;
  memset(rs->typical, 0, rs->n * sizeof *rs->typical);
  if (out_report) *out_report = rs->report;
  return result;
}

SupResult sup_rigspace_place(SupRigspace *rs, const double *now, const double *before, double h,
                             SupError *error) {
  const uint32_t all = rs->def.rig->parameter_count;
  rs->report = (SupRigspaceReport){.converged = true};
  rs->loads = (SupPotentialLoads){.force = NULL};
  rs->known = rs->kept = false;
  rs->steps = 0;
  memset(rs->typical, 0, rs->n * sizeof *rs->typical);
  memcpy(rs->base, now, all * sizeof *now);
  SupResult result = sup_rigspace_surface(rs, rs->base, rs->x, error);
  if (result != SUP_OK) return result;
  sup_rigspace_guess_inside(rs, rs->x);
  result = set_history(rs, before, h, error);
  if (result != SUP_OK || rs->report.converged) return result;
  /* No balance inside: at rest relative to the surface. */
  result = sup_rigspace_surface(rs, now, rs->x, error);
  if (result == SUP_OK) sup_rigspace_guess_inside(rs, rs->x);
  sup_rigspace_set_base(rs, before, now);
  if (result == SUP_OK) result = sup_rigspace_surface(rs, rs->base, rs->trial, error);
  if (result != SUP_OK) return result;
  sup_rigspace_guess_inside(rs, rs->trial);
  memcpy(rs->p, now, all * sizeof *now);
  memcpy(rs->p_old, rs->base, all * sizeof *now);
  begin_history(rs, h);
  return SUP_OK;
}
