/* SPDX-License-Identifier: MIT */
/*
 * The incremental potential: what one implicit step of an elastic body minimises (Hahn et al. 2013,
 * Eq. 3, with external forces and damping added; potential.c has the formula).
 *
 * It does not say how the minimum is found, nor in which space. The simulator moves every free node
 * (sim/stepper.c); a rig with parameters p and x = x(p) minimises the same potential over p, with
 * the gradient J^T g and the matrix J^T H J, J = dx/dp.
 *
 *   SupHistory       where the body is and was
 *   SupDifference    how velocities follow from positions, for a step of this length
 *   sup_potential_begin(potential, history, difference, ...)
 *   repeat:          sup_potential_evaluate(potential, loads, x, ...) -> value, gradient, blocks
 *                    sup_potential_assemble(potential)                -> the body's matrix
 *   sup_history_advance(history, difference, x)
 */
#ifndef SUP_SRC_FEM_POTENTIAL_H
#define SUP_SRC_FEM_POTENTIAL_H

#include "fem/ties.h"

/* ---- Time ----------------------------------------------------------------------------------- */

/* v = (c[0] x + c[1] x_n + c[2] x_{n-1}) / h, and accelerations from velocities likewise. */
typedef struct SupDifference {
  double h; /* seconds; 0: an equilibrium, in which nothing has a velocity */
  double c[3];
} SupDifference;

SupDifference sup_difference_static(void);
SupDifference sup_difference_euler(double h); /* h > 0 */

/* BDF2 for a step of h after one of h_old seconds; Euler where there was none (h_old 0). */
SupDifference sup_difference_bdf2(double h, double h_old);

/* The present and the step before; arrays [node_count]. */
typedef struct SupHistory {
  uint32_t node_count;
  uint32_t
      serial; /* counts what was placed and advanced: another present, another number. From 1 on */
  double h_old;            /* length of the step before, seconds; 0 when there is none */
  SupVec3d *x, *v;         /* now, m and m/s */
  SupVec3d *x_old, *v_old; /* one step before */
} SupHistory;

/* Arrays in `arena`, all zero; false when memory is short. */
bool sup_history_create(SupArena *arena, uint32_t node_count, SupHistory *out_history);

/* Places the body: positions, velocities (NULL: at rest); forgets the past. */
void sup_history_place(SupHistory *history, const SupVec3d *x, const SupVec3d *v);

/* Takes x[node_count], the end of a step, as the present. */
void sup_history_advance(SupHistory *history, const SupDifference *step, const SupVec3d *x);

/* ---- What is minimised ---------------------------------------------------------------------- */

/* Forces that have an energy and change within a step (contact). Adds to the gradient
 * [node_count], and to the element blocks [144 * tet_count] where given; returns the energy, J. */
typedef double SupContactFn(void *user, const SupVec3d *x, SupVec3d *io_gradient,
                            double *io_blocks);

/* What acts on the body from outside, held during the step. Zeroed: nothing does. */
typedef struct SupPotentialLoads {
  const SupVec3d *force;   /* [node_count] N, or NULL */
  SupVec3d gravity;        /* m / s^2 */
  const SupVec3d *carrier; /* [node_count] m/s at the end of the step: what drag is relative to, or
                              NULL: to the scene */
  SupContactFn *contact;   /* or NULL */
  void *contact_user;
  const SupTies *ties; /* or NULL */
} SupPotentialLoads;

typedef struct SupPotential {
  SupElastic *body;
  /* Of the step, by sup_potential_begin. */
  double inertia;       /* c0^2 / h^2, 1/s^2; 0 when static */
  double rate;          /* c0 / h, 1/s: d velocity / d position; 0 when static */
  SupVec3d *inertial;   /* [node_count] where nothing would accelerate */
  SupVec3d *still;      /* [node_count] where nothing would have a velocity */
  bool damped;          /* the step has a rate and an element damping: `rates` are right */
  SupStrainRate *rates; /* [tet_count] */
  /* Stretches of the present and of the step before, and which present that is. */
  SupStretch *stretch, *stretch_old; /* [tet_count] */
  uint32_t serial;                   /* of the history's present; 0: of none yet */
  /* Of the place, by sup_potential_evaluate. */
  SupVec3d *gradient; /* [node_count] N; right for free nodes */
  double *diagonal;   /* [free_count] kg / s^2 of inertia and drag */
  bool touched;       /* contact or ties have added to `extra` */
  double *extra;      /* [144 * tet_count] contact and ties, with a Hessian asked for */
} SupPotential;

/* Arrays in `arena`; false when memory is short. `body` must outlive it: its element results and
 * its matrix are the potential's as well. */
bool sup_potential_create(SupArena *arena, SupElastic *body, SupPotential *out_potential);

/* Begins a step from `history`, which may change afterwards. A potential belongs to one history: it
 * remembers the stretches of the step before. */
void sup_potential_begin(SupPotential *potential, const SupHistory *history,
                         const SupDifference *step);

/* The potential (J) at x[node_count], and its gradient in potential->gradient. With a Hessian,
 * also the element blocks that sup_potential_assemble adds up. */
double sup_potential_evaluate(SupPotential *potential, const SupPotentialLoads *loads,
                              const SupVec3d *x, SupHessian hessian);

/* The second derivative of the last evaluation that had a Hessian, over the free nodes, in the
 * body's matrix (lower triangle, 3 * free_count unknowns). Later evaluations without one at
 * another place do not disturb it. */
void sup_potential_assemble(SupPotential *potential);

#endif
