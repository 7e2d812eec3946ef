/* SPDX-License-Identifier: MIT */
/* Supple: what acts on a character from outside: gravity, wind, colliders, hands, blows. */
#ifndef SUPPLE_EXTERNAL_FORCES_H
#define SUPPLE_EXTERNAL_FORCES_H

#include "supple/math.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SUP_COLLIDERS 32 /* what a step looks at; more are ignored */

/* A ball, or the set of points within `radius` of the segment from a to b. */
typedef struct SupCollider {
  SupVec3 a, b;      /* equal for a ball */
  SupVec3 motion;    /* metres in one step h of the model */
  float radius;      /* metres */
  float restitution; /* 0: what hits it stops; 1: it bounces off as fast as it came */
} SupCollider;

/* The same in double precision. */
typedef struct SupColliderd {
  SupVec3d a, b, motion;
  double radius, restitution;
} SupColliderd;

/* A vertex that somebody holds. */
typedef struct SupPull {
  uint32_t vertex; /* of the body */
  SupVec3 target;
  float strength; /* 1 or more: exactly at the target; below: fraction of the way per step, soft */
} SupPull;

/* A blow: velocity added at the centre, falling to nothing at the radius. */
typedef struct SupImpulse {
  SupVec3 centre;
  float radius;     /* metres, > 0 */
  SupVec3 velocity; /* m/s */
} SupImpulse;

/* What acts on the vertices all the time. */
typedef struct SupExternalForces {
  SupVec3 acceleration;    /* of every vertex, m/s^2: gravity beyond what the pose already shows */
  SupVec3 wind;            /* velocity of the air, m/s */
  float wind_drag;         /* how fast flesh takes on the air's velocity, 1/s; 0: no wind */
  const SupVec3 *vertices; /* [vertex_count] accelerations by body vertex, or NULL */
  uint32_t collider_count;
  const SupCollider *colliders;
  uint32_t pull_count;
  const SupPull *pulls;
  float feed_forward; /* least fraction of the goal's acceleration that is handed on; 1 where an
                         earlier stage answers for inertia already */
  const SupAffine
      *space; /* from where all this is measured to the space of the goals; NULL: same */
} SupExternalForces;

#ifdef __cplusplus
}
#endif
#endif
