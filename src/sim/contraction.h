/* SPDX-License-Identifier: MIT */
/* From muscles as people describe them to a direction and a fraction for every element. */
#ifndef SUP_SRC_SIM_CONTRACTION_H
#define SUP_SRC_SIM_CONTRACTION_H

#include "supple/author/character.h"
#include "supple/fem/attach.h"
#include "supple/fem/fill.h"
#include "supple/sim/muscles.h"

/* What the elements get: NULL both where there are no muscles. */
typedef struct SupMuscles {
  SupVec3d *directions; /* [tet_count] unit, at rest */
  double *tension;      /* [tet_count] Pa at full contraction */
} SupMuscles;

/* Built in `arena`. Refuses a tension or a fraction that makes no sense, and a field of length 0.
 */
SupResult sup_muscles_create(SupArena *arena, const SupMuscleDef *def,
                             const SupCharacter *character, const SupFill *fill,
                             const SupAttachment *attachment, SupMuscles *out_muscles,
                             SupError *error);

#endif
