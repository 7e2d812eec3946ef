/* SPDX-License-Identifier: MIT */
/*
 * How much of its bones' acceleration flesh feels.
 *
 * Keys set bones in motion within a thirtieth of a second: a man's head that stands still has 19
 * m/s at the next key, which would tear any flesh that swings visibly when he walks. Up to `most`
 * flesh feels everything, of more that much at most: the rest moves it along with its bones.
 */
#ifndef SUP_SRC_SIM_FELT_H
#define SUP_SRC_SIM_FELT_H

#include "fem/potential.h"

/* Seconds before and after in which an acceleration is measured, so that neither keys nor steps,
 * however close, say how strong it is. */
#define SUP_FELT_WINDOW (1 / 30.0)

typedef struct SupFelt {
  double most;               /* m/s^2; 0: whatever there is, and nothing else is set */
  uint32_t node_count;       /* of all arrays */
  const double *masses;      /* kg */
  SupVec3d *earlier, *later; /* where the bones put the nodes a window away */
  SupVec3d *velocities,
      *velocities_old; /* m/s of that place when the last step ended, and before */
  SupVec3d *force;     /* N */
} SupFelt;

SupResult sup_felt_create(SupArena *arena, double most, uint32_t node_count, const double *masses,
                          SupFelt *out_felt, SupError *error);

/* Motion begins, with these velocities. */
void sup_felt_begin(SupFelt *felt, const SupVec3d *velocities);

/* One node was put somewhere else, at rest. */
void sup_felt_put(SupFelt *felt, uint32_t node);

/* What carries flesh along in a step, besides `force` (NULL: nothing): at its end the bones put the
 * nodes at `places`, with `velocities`, and a window away at felt->earlier and felt->later. */
const SupVec3d *sup_felt_force(SupFelt *felt, SupDifference step, const SupVec3d *places,
                               const SupVec3d *velocities, const SupVec3d *force);

/* The step has ended. */
void sup_felt_follow(SupFelt *felt, const SupVec3d *velocities);

#endif
