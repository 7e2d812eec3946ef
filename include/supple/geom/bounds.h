/* SPDX-License-Identifier: MIT */
/* Supple: bounding boxes. */
#ifndef SUPPLE_GEOM_BOUNDS_H
#define SUPPLE_GEOM_BOUNDS_H

#include "supple/geom/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SupBounds {
  SupVec3 low, high; /* low > high in every axis when nothing is inside */
} SupBounds;

/* The smallest box around positions[count]. */
SupBounds sup_bounds(const SupVec3 *positions, uint32_t count);

/* Length of the box's diagonal; 0 for an empty box. */
float sup_bounds_diagonal(SupBounds bounds);

#ifdef __cplusplus
}
#endif
#endif
