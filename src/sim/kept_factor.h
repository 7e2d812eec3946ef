/* SPDX-License-Identifier: MIT */
/*
 * A factor that is kept: an inverse of the second derivative of the potential, of an earlier place.
 *
 * Factors are most of the cost of a step, and flesh changes little from one step to the next. What
 * changes most is that it turns, and a stiffness turns along: the kept factor is applied in axes
 * that turn with each node. What else has changed is learned from the moves made since.
 */
#ifndef SUP_SRC_SIM_KEPT_FACTOR_H
#define SUP_SRC_SIM_KEPT_FACTOR_H

#include "fem/elastic.h"
#include "numerics/sparse.h"

/* Moves that are remembered. */
#define SUP_KEPT_PAIRS 6

typedef struct SupKeptFactor {
  const SupElastic *body;
  SupCholesky *factor;
  bool known;         /* there is a factor, of this place: */
  double inertia;     /* 1/s^2: c0^2 / h^2 of its step */
  SupVec3d *place;    /* [node_count] */
  SupQuatd *turns;    /* [free_count] how each node has turned since */
  SupMat3d *matrices; /* [free_count] the same as matrices */
  SupMat3d *spread;   /* [free_count] scratch */
  /* Moves, and how the gradient changed along them; the last one is at (pair_end - 1) % PAIRS. */
  uint32_t pair_count, pair_end;
  double *moves[SUP_KEPT_PAIRS];   /* [3 * free_count] each, m */
  double *changes[SUP_KEPT_PAIRS]; /* [3 * free_count] each, N */
  double products[SUP_KEPT_PAIRS]; /* J: move . change > 0 */
  double *before;                  /* [3 * free_count] N: the gradient where the move began */
  double *right;                   /* [3 * free_count] scratch */
} SupKeptFactor;

/* Nothing kept yet; arrays in `arena`, false when memory is short. `factor` belongs to the caller.
 */
bool sup_kept_factor_create(SupArena *arena, const SupElastic *body, SupCholesky *factor,
                            SupKeptFactor *out_kept);

/* The factor has been computed anew, at x[node_count], for a step with this inertia. */
void sup_kept_factor_renew(SupKeptFactor *kept, const SupVec3d *x, double inertia);

/* Is there a factor, of steps of this inertia within rounding? */
bool sup_kept_factor_fits(const SupKeptFactor *kept, double inertia);

/* A step begins near x[node_count]: finds how the flesh has turned since the factor was computed.
 */
void sup_kept_factor_turn(SupKeptFactor *kept, const SupVec3d *x);

/* out_move[node_count] of the free nodes: where the gradient [node_count] would be zero. It points
 * downhill. */
SupResult sup_kept_factor_solve(SupKeptFactor *kept, const SupVec3d *gradient, SupVec3d *out_move,
                                SupError *error);

/* The body has made `move`, solved for last, as a whole, and the gradient is this one now. */
void sup_kept_factor_learn(SupKeptFactor *kept, const SupVec3d *move, const SupVec3d *gradient);

#endif
