/* SPDX-License-Identifier: MIT */
/*
 * Supple: volumetric skinning for rigspace: nodes inside as weighted sums of surface nodes, fitted
 * to examples of flesh in balance (Hahn et al. 2013, section 4). docs/techniques/rigspace.md has
 * the equations.
 */
#ifndef SUPPLE_TRAIN_RIGSPACE_WEIGHTS_H
#define SUPPLE_TRAIN_RIGSPACE_WEIGHTS_H

#include "supple/train/rigspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Examples ------------------------------------------------------------------------------- */

/* Shapes of the volume: surface nodes anywhere, nodes inside in balance. */
typedef struct SupRigspaceExamples {
  uint32_t count;
  uint32_t node_count;
  const SupVec3d *nodes; /* [count * node_count] m */
} SupRigspaceExamples;

/* Poses, and every pose shaken. Zeroed numbers mean the defaults in brackets. */
typedef struct SupRigspaceShakeDef {
  uint32_t pose_count;
  const double *poses;      /* [pose_count * parameter_count] scripted and free */
  uint32_t impulse_count;   /* pushes per pose, in directions drawn from the seed; may be 0 */
  uint32_t steps;           /* simulated after each (4); the last is the example */
  double h;                 /* seconds (0.01) */
  double speed;             /* of the push, diagonals of the surface per second (2) */
  double determinant_least; /* no example has det F below (0.3): softer pushes are tried instead */
  uint64_t seed;
} SupRigspaceShakeDef;

typedef struct SupRigspaceShakeReport {
  uint32_t dropped; /* poses and pushes without an example: no balance, or det F too small */
  double determinant_least;
} SupRigspaceShakeReport;

/* Makes examples with `rigspace`, which has nodes inside in balance and a Jacobian per step
 * (SUP_RIGSPACE_STATIC, not deferred); its state is then another. The same for the same seed. Fails
 * when no pose gives an example. */
SupResult sup_rigspace_shake(SupArena *arena, SupRigspace *rigspace, const SupRigspaceShakeDef *def,
                             SupRigspaceExamples *out_examples, SupRigspaceShakeReport *out_report,
                             SupError *error);

/* ---- Weights -------------------------------------------------------------------------------- */

typedef enum SupRigspaceCandidates {
  SUP_RIGSPACE_RAYS,   /* surface nodes at the first hits of rays in all directions: around the node
                        */
  SUP_RIGSPACE_NEAREST /* the nearest along edges of the volume, as printed: on one side of it */
} SupRigspaceCandidates;

/* Zeroed numbers mean the defaults in brackets. */
typedef struct SupRigspaceFitDef {
  SupRigspaceCandidates candidates;
  uint32_t candidate_count; /* rays or nodes (20), at most 500 */
  bool keep_all;            /* no sparsification */
  bool any_rest;            /* the paper's fit: nodes need not be where they are at rest */
  bool as_printed;          /* Algorithm 1 as it is printed: a removal is accepted, then tested, so
                               that the last one violates the bound; for comparison */
  uint32_t least;           /* weights per node that sparsification leaves (4) */
  double tolerance;         /* RMS error per example that it allows, m (0.1 % of the diagonal); at
                               least 1.5 times that of all candidates */
} SupRigspaceFitDef;

typedef struct SupRigspaceFitReport {
  double mean_count;    /* weights per node inside */
  double residual_mean; /* RMS over examples, mean over nodes, m */
  double residual_most; /* of the worst node */
  double excess_most;   /* largest residual over what its node was allowed; at most 1, but as
                           printed */
  uint32_t outside;     /* nodes outside the hull of their candidates: not exact at rest */
  uint32_t released;    /* boundary nodes that the skin does not drive: outside every hull, they
                           follow the surface beside them by weights of any sign */
} SupRigspaceFitReport;

/* Fits weights >= 0 that sum to 1 to the examples, for every node inside (of any sign for those
 * that `released` counts, with rays); and, where that can be, exactly the rest place: sum w_i X_i =
 * X_j, so that the rest shape has no energy and affine maps are reproduced. Sparsification removes
 * the smallest weight and fits the others again, as long as the error allows. */
SupResult sup_rigspace_fit(SupArena *arena, const SupDrivenVolume *volume, double scale,
                           const SupRigspaceExamples *examples, const SupRigspaceFitDef *def,
                           SupRigspaceWeights *out_weights, SupRigspaceFitReport *out_report,
                           SupError *error);

#ifdef __cplusplus
}
#endif
#endif
