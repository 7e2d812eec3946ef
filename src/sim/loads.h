/* SPDX-License-Identifier: MIT */
/*
 * Forces and contact on the skin, carried to the nodes by the embedding.
 */
#ifndef SUP_SRC_SIM_LOADS_H
#define SUP_SRC_SIM_LOADS_H

#include "fem/elastic.h"
#include "supple/author/segments.h"
#include "supple/fem/fill.h"
#include "supple/sim/forces.h"

typedef struct SupLoads {
  SupForces forces;
  const SupMesh *skin;
  const SupFill *fill;
  double *areas;    /* [vertex_count] m^2 at rest */
  SupVec3d *force;  /* [node_count] result of sup_loads_apply */
  SupVec3d *place;  /* [vertex_count] scratch: the skin now */
  SupVec3d *speed;  /* [vertex_count] scratch */
  double stiffness; /* N / m^3 */
  double step;      /* seconds of a whole step: no push is shorter, however steps are halved */
  /* The obstacles of the present step, bones included. */
  SupObstacle *obstacles;
  uint32_t obstacle_count;
  const SupSegment *segments; /* for bone contact, or NULL */
  const double *radii;        /* [segment_count] metres */
  uint32_t segment_count;
} SupLoads;

typedef struct SupLoadsDef {
  SupForces forces;
  const SupMesh *skin;
  const SupFill *fill;
  double scale;     /* metres per body unit */
  double stiffness; /* N / m^3, when forces do not say */
  const SupSegment *segments;
  const double *radii; /* [segment_count] metres */
  uint32_t segment_count;
} SupLoadsDef;

SupResult sup_loads_create(SupArena *arena, const SupLoadsDef *def, SupLoads *out_loads,
                           SupError *error);

/* Wind, pushes and force track at the middle of a step of h, at positions x and velocities v of the
 * nodes. With h = 0 the body stands still: v is not looked at, and pushes do not act. Returns
 * loads->force, or NULL when nothing acts. */
const SupVec3d *sup_loads_apply(SupLoads *loads, double time, double h, const SupVec3d *x,
                                const SupVec3d *v);

/* Where the obstacles are at `time`; `palette` moves the bones' capsules. Returns whether there
 * are any. */
bool sup_loads_place_obstacles(SupLoads *loads, double time, const SupAffined *palette);

/* Contact as an energy (SupContactFn); user is the SupLoads. */
double sup_loads_contact(void *user, const SupVec3d *x, SupVec3d *io_gradient, double *io_blocks);

#endif
