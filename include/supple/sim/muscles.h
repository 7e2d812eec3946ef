/* SPDX-License-Identifier: MIT */
/*
 * Supple: flesh that pulls. Under tension T a muscle adds T/2 (|F d|^2 - 1) to the energy density
 * along its rest direction d: it shortens there, and swells across, since flesh keeps its volume.
 */
#ifndef SUPPLE_SIM_MUSCLES_H
#define SUPPLE_SIM_MUSCLES_H

#include "supple/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A direction somewhere: a field is known by samples of it. */
typedef struct SupFibre {
  SupVec3d place;     /* body space, bind pose */
  SupVec3d direction; /* any length but 0; its sign does not matter */
} SupFibre;

/* Where muscles are and which way they pull. All zero: there are none. */
typedef struct SupMuscleDef {
  double tension;             /* Pa at full contraction; 0: no muscles */
  const float *bone_fraction; /* [bone_count] 0..1 how much of the flesh that follows each bone is
                              muscle; NULL: all of it */
  const float
      *vertex_fraction;   /* [body.vertex_count] the same by skin vertex, or NULL; both multiply */
  uint32_t fibre_count;   /* 0: fibres run along the bones */
  const SupFibre *fibres; /* [fibre_count] the field between them falls off with the fourth power
                             of distance; one sample is a constant field */
} SupMuscleDef;

#ifdef __cplusplus
}
#endif
#endif
