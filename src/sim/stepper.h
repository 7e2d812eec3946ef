/* SPDX-License-Identifier: MIT */
/*
 * Time for an elastic body: one implicit step at a time.
 */
#ifndef SUP_SRC_SIM_STEPPER_H
#define SUP_SRC_SIM_STEPPER_H

#include "fem/potential.h"
#include "supple/sim/simulate.h"

typedef struct SupStepDef {
  SupIntegrator integrator;
  double h;                   /* seconds; ignored when static */
  const SupVec3d *prescribed; /* [node_count] where prescribed nodes are at the end of the step */
  const SupVec3d *guess;      /* [node_count] where to start looking, or NULL: along the velocity */
  SupPotentialLoads loads;
  double farthest;  /* metres: no node moves farther in one Newton step */
  double tolerance; /* metres: the last Newton step may be this long */
  uint32_t iteration_max;
  bool guarded; /* does not converge to elements inside out, unless there are such already */
} SupStepDef;

typedef struct SupStepReport {
  bool converged;
  uint32_t iterations; /* Newton steps, one factorisation each */
  uint32_t kept_moves; /* moves by a factor that was there already */
  uint32_t backtracks; /* halvings of the line search */
  double last_move;    /* metres: length of the longest node step of the last iteration */
  double elastic;      /* J */
  double kinetic;      /* J */
  double potential;    /* J of gravity */
} SupStepReport;

typedef struct SupStepper SupStepper;

/* A stepper at rest at the body's rest positions. `body` must outlive it. Memory from `arena`,
 * except for the factor: free with sup_stepper_free. */
SupResult sup_stepper_create(SupArena *arena, SupElastic *body, SupStepper **out_stepper,
                             SupError *error);
void sup_stepper_free(SupStepper *stepper);

/* Places the body: positions [node_count], velocities (NULL: at rest); forgets the past. */
void sup_stepper_place(SupStepper *stepper, const SupVec3d *x, const SupVec3d *v);

/* Puts one node somewhere else, at rest; the others keep their past. */
void sup_stepper_put(SupStepper *stepper, uint32_t node, SupVec3d x);

/* How velocities follow from positions in a step from here. */
SupDifference sup_stepper_difference(const SupStepper *stepper, const SupStepDef *def);

/* One step. When it does not converge or a solve fails, the state is as before and
 * report.converged is false: the caller takes a shorter step. Only memory is an error. */
SupResult sup_stepper_step(SupStepper *stepper, const SupStepDef *def, SupStepReport *out_report,
                           SupError *error);

/* What a step from here minimises, at x[node_count], with its gradient [node_count] (right for free
 * nodes) and, with `matrix`, its second derivative, not projected, in the body's matrix. For
 * tests: a step itself needs no help. */
double sup_stepper_functional(SupStepper *stepper, const SupStepDef *def, const SupVec3d *x,
                              bool matrix, SupVec3d *out_gradient);

const SupVec3d *sup_stepper_positions(const SupStepper *stepper);
const SupVec3d *sup_stepper_velocities(const SupStepper *stepper);

/* What was spent so far: for reports. */
typedef struct SupStepperCost {
  uint64_t factorisations;
  size_t factor_nonzeros;
  double factor_seconds, solve_seconds; /* 0 without a clock */
} SupStepperCost;
SupStepperCost sup_stepper_cost(const SupStepper *stepper);

/* Measures with this clock from now on; NULL for none. */
void sup_stepper_clock(SupStepper *stepper, double (*seconds)(void));

#endif
