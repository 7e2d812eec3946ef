/* SPDX-License-Identifier: MIT */
/*
 * Supple: what acts on simulated flesh besides its bones. All in scene space and SI units.
 */
#ifndef SUPPLE_SIM_FORCES_H
#define SUPPLE_SIM_FORCES_H

#include "supple/math.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SupObstacleShape {
  SUP_OBSTACLE_CAPSULE, /* around the segment a b; a sphere where both are equal */
  SUP_OBSTACLE_PLANE    /* the half-space below the plane through a with upward normal b */
} SupObstacleShape;

/* A thing that flesh cannot enter. */
typedef struct SupObstacle {
  SupObstacleShape shape;
  SupVec3d a, b;     /* metres at time 0 */
  double radius;     /* metres, capsules */
  SupVec3d velocity; /* m / s: it moves evenly */
} SupObstacle;

/* A push: `impulse` (N s) in all, spread over the skin within `radius` of `point` with a smooth
 * falloff, evenly during `duration`. */
typedef struct SupPush {
  double time, duration; /* seconds; shorter than a step acts during one step */
  SupVec3d point;
  double radius;
  SupVec3d impulse;
} SupPush;

/* A force on the skin near a place, linear between keys: a force track. */
typedef struct SupForceKey {
  double time;
  SupVec3d point;
  double radius;
  SupVec3d force; /* N in all */
} SupForceKey;

typedef struct SupForces {
  SupVec3d gravity;   /* m / s^2 */
  SupVec3d wind;      /* m / s: how the air moves */
  double air_density; /* kg / m^3: 1.2 for air, 0 for none */
  uint32_t obstacle_count;
  const SupObstacle *obstacles;
  double contact_stiffness; /* N / m^3: pressure per depth; 0 takes one from the material */
  bool bone_contact;        /* keep the skin off capsules around the bones */
  uint32_t push_count;
  const SupPush *pushes;
  uint32_t key_count;
  const SupForceKey *keys; /* by rising time; nothing acts before the first and after the last */
} SupForces;

#ifdef __cplusplus
}
#endif
#endif
