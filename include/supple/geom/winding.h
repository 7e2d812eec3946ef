/* SPDX-License-Identifier: MIT */
/*
 * Supple: the generalised winding number, which tells inside from outside for any soup.
 *
 * The solid angle under which the surface is seen, in full spheres: inside a closed surface whose
 * triangles are counter-clockwise from outside it is 1, outside 0, inside two overlapping ones 2.
 * Open surfaces give fractions in between: 0.5 is the natural border.
 */
#ifndef SUPPLE_GEOM_WINDING_H
#define SUPPLE_GEOM_WINDING_H

#include "supple/geom/bvh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All triangles of a node of the tree together, seen from far away: their solid angle from a point
 * at -r from the centre is N(r) / |r|^3 + Q(r) / |r|^5 + C(r) / |r|^7 with polynomials of degree 1
 * to 3. */
typedef struct SupDipole {
  SupVec3 centre;     /* mean place by area */
  float radius;       /* no point of the node is farther from the centre */
  SupVec3 normal;     /* N: x y z; the sum of normals times areas */
  float quadratic[6]; /* Q: xx xy xz yy yz zz */
  float cubic[10];    /* C: xxx xxy xxz xyy xyz xzz yyy yyz yzz zzz */
} SupDipole;

typedef struct SupWinding {
  const SupBvh *bvh;        /* not copied */
  const SupDipole *dipoles; /* [bvh->node_count] */
} SupWinding;

/* Prepares a tree for fast queries, in linear time. The result lives in `arena` and points to
 * `bvh`. Fails only if memory is short; *out_winding is then untouched. `error` may be NULL. */
SupResult sup_winding_build(SupArena *arena, const SupBvh *bvh, SupWinding *out_winding,
                            SupError *error);

/* The winding number at a point. A node is taken as one dipole if the point is farther from its
 * centre than `accuracy` times its radius: 2 is usual and errs by about 1e-3 (docs/geometry.md),
 * INFINITY is exact. At least 1. On the surface itself: the mean of both sides. */
double sup_winding_at(const SupWinding *winding, SupVec3 point, float accuracy);

/* The same, exactly, by looking at every triangle; needs no tree. */
double sup_winding_exact(const SupMesh *mesh, SupVec3 point);

/* sup_winding_at for points[count], split among `jobs` (NULL: here). The same bits for any number
 * of threads. */
void sup_winding_all(const SupWinding *winding, const SupVec3 *points, uint32_t count,
                     float accuracy, const SupJobs *jobs, double *out_numbers);

#ifdef __cplusplus
}
#endif
#endif
