/* SPDX-License-Identifier: MIT */
/*
 * Supple: physics in the space of a rig (Hahn et al. 2013): an elastic volume behind a rig moves
 * the rig's free parameters. docs/techniques/rigspace.md has the equations.
 *
 *   sup_rigspace_create -> sup_rigspace_start -> sup_rigspace_step, as often as wanted -> _free
 */
#ifndef SUPPLE_TRAIN_RIGSPACE_H
#define SUPPLE_TRAIN_RIGSPACE_H

#include "supple/author/rig_def.h"
#include "supple/fem/driven_volume.h"
#include "supple/fem/material.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the nodes inside do: the rows of the paper's table. */
typedef enum SupRigspaceInside {
  SUP_RIGSPACE_REFERENCE, /* they are unknowns beside the parameters, and the rig is nonlinear: the
                             reference of 2012. Each iteration asks the rig some n^2 / 2 times */
  SUP_RIGSPACE_STATIC,    /* they are in balance with the surface (IV1) */
  SUP_RIGSPACE_SKINNED    /* they are weighted sums of surface nodes (IV2) */
} SupRigspaceInside;

/* Nodes inside as sums of surface nodes, by rows (CSR); weights that sum to 1, hardly any below 0.
 */
typedef struct SupRigspaceWeights {
  uint32_t inside_count;   /* nodes inside, in the order of the volume */
  const uint32_t *offsets; /* [inside_count + 1] */
  const uint32_t *nodes;   /* surface nodes */
  const double *weights;
} SupRigspaceWeights;

/* A thing that flesh cannot enter: the half-space below the plane through a with upward normal b,
 * or a capsule around the segment a b, which is a sphere where both are equal. */
typedef struct SupRigspaceObstacle {
  bool plane;
  SupVec3d a, b; /* where the rig answers; a normal of any length but 0 */
  double radius; /* > 0, of a capsule */
} SupRigspaceObstacle;

typedef struct SupRigspaceDef {
  const SupRig *rig;             /* answers with the vertices volume->skin, in that order, metres */
  const SupDrivenVolume *volume; /* both must outlive what is created */
  double scale;                  /* metres per unit of the volume; 0 means 1 */
  const SupMaterialDef *materials; /* [material_count] */
  uint32_t material_count;
  const uint32_t *material_of; /* [tet_count] or NULL: material 0 */
  const double *stiffness;     /* [tet_count] factors on Young's modulus, or NULL */
  SupRigspaceInside inside;
  const SupRigspaceWeights *weights; /* of SUP_RIGSPACE_SKINNED */
  /* Deferred Jacobian: keep the last one as long as the rig is linear enough. theta is the squared
   * relative error of the free motion that may pass; 0 means a new one in every step. */
  bool deferred;
  double theta;                      /* 3e-4 is the default of sup_rigspace_def */
  bool no_prediction;                /* a deferred Jacobian is looked at only after a step, which
                                        is then done again: for comparison */
  const double *parameter_stiffness; /* [free] J per squared unit around the rest, or NULL */
  uint32_t obstacle_count;
  const SupRigspaceObstacle *obstacles; /* [obstacle_count] must outlive it, and may be moved
                                           between steps; springs hold the surface nodes off that
                                           free parameters move */
  double tolerance;                     /* of a step, fraction of the surface's diagonal */
  uint32_t iteration_max;
  uint64_t seed; /* of the signs of probes */
  const SupJobs *jobs;
} SupRigspaceDef;

/* The defaults: static inside, a Jacobian per step, tolerance 1e-6, 30 iterations. */
SupRigspaceDef sup_rigspace_def(const SupRig *rig, const SupDrivenVolume *volume);

typedef struct SupRigspace SupRigspace;

/* What a step took and gave. */
typedef struct SupRigspaceReport {
  bool converged;
  uint32_t iterations;    /* Newton steps, each with a matrix of its own */
  uint32_t kept_moves;    /* moves by the matrix of an earlier one (skinned nodes inside) */
  uint32_t rig_calls;     /* parameter vectors that were asked for; columns of exact Jacobians */
  uint32_t jacobians;     /* Jacobians computed */
  uint32_t foreseen;      /* of these because of the prediction or the probe */
  uint32_t roll_backs;    /* steps done again with a new Jacobian */
  double kinetic;         /* J at the end */
  double linearity_error; /* J: error of the linearised rig as kinetic energy (Eq. 7, corrected) */
  double determinant_least; /* smallest det F */
} SupRigspaceReport;

/* Makes it in `arena` and on the heap (the factors); free it before the arena. Refuses a rig whose
 * vertices are not those of the volume, one without free parameters, materials that make no sense.
 */
SupResult sup_rigspace_create(SupArena *arena, const SupRigspaceDef *def, SupRigspace **out,
                              SupError *error);
void sup_rigspace_free(SupRigspace *rigspace);

/* The start: free parameters in balance with the scripted ones of `now` and gravity; velocities
 * from those of `before`, `h` seconds earlier. Both [parameter_count]; free entries of `now` are
 * where the search begins. */
SupResult sup_rigspace_start(SupRigspace *rigspace, const double *now, const double *before,
                             double h, SupVec3d gravity, SupRigspaceReport *out_report,
                             SupError *error);

/* One implicit Euler step of h seconds to scripted parameters next[parameter_count] (free entries
 * are not looked at). Steps may differ in length. Where it does not converge, the state is still
 * that of before, and the report says so. */
SupResult sup_rigspace_step(SupRigspace *rigspace, const double *next, double h, SupVec3d gravity,
                            SupRigspaceReport *out_report, SupError *error);

/* Holds free parameters where somebody has put them, from the next start or step on: rates[number
 * of free parameters] in 1 / s, 0 for what is free, and values[of as many], within their bounds.
 * Both are copied and stay until the next call; NULL: all are free. With an infinite rate a
 * parameter is exactly there, and the others answer to it. With a finite one a spring draws it
 * there: alone, it would end a step of h seconds at e^(-rate h) of where it would go and the rest
 * of the value. A start knows 0 and infinity only. */
void sup_rigspace_hold(SupRigspace *rigspace, const double *rates, const double *values);

/* The natural frequencies of the free parameters around parameters[parameter_count], usually at
 * rest, in Hz, rising: out_hz[number of free parameters], of which *out_count are written; what has
 * no mass is left out. Of the reference, whose nodes inside swing by themselves, the lowest is
 * exact and the others are bounds. The state is then another: start again. */
SupResult sup_rigspace_frequencies(SupRigspace *rigspace, const double *parameters,
                                   uint32_t *out_count, double *out_hz, SupError *error);

/* Where a start or a step cannot be solved: `place` starts with the free parameters of `now` as
 * they are; `carry` goes h seconds on to the scripted parameters of `next` with the free ones of
 * the present. Nodes inside follow the surface as well as they can. */
SupResult sup_rigspace_place(SupRigspace *rigspace, const double *now, const double *before,
                             double h, SupError *error);
SupResult sup_rigspace_carry(SupRigspace *rigspace, const double *next, double h, SupError *error);

/* ---- Steps as short as they have to be ------------------------------------------------------- */

/* How `advance` steps; zeroed numbers mean the defaults in brackets. */
typedef struct SupRigspaceAdvance {
  /* Sets the scripted parameters at a time: io_parameters[parameter_count] has those of an earlier
   * one, from which rotations are continued. */
  void (*script)(void *user, double time, double *io_parameters);
  void *user;
  SupVec3d gravity;         /* m / s^2 */
  uint32_t level_max;       /* a step is halved at most so many times (6, at most 16) */
  double determinant_least; /* steps that squash flesh below this det F are tried in halves (0.1) */
  /* Kept between calls; zeroed before the first. */
  uint32_t level, easy; /* how often the step is halved now; steps that went well at that length */
  /* Sums of all calls. */
  uint32_t step_count;    /* steps taken */
  uint32_t halved_count;  /* steps that were tried again in halves */
  uint32_t carried_count; /* shortest steps that could not be solved: carried along */
  uint32_t iterations, jacobians, roll_backs, rig_calls;
  double determinant_least_seen; /* 1 before the first */
} SupRigspaceAdvance;

/* From `time` to time + seconds, in one step, or in halves of it, quarters and so on where Newton
 * does not converge or flesh is squashed; after 8 steps that went well they are twice as long
 * again. It always ends at time + seconds exactly. Implicit Euler damps less in shorter steps:
 * halved_count says whether there were any. `arena` for scratch. */
SupResult sup_rigspace_advance(SupArena *arena, SupRigspace *rigspace, double time, double seconds,
                               SupRigspaceAdvance *io_advance, SupError *error);

/* The elastic energy (J) of now. */
double sup_rigspace_elastic_energy(SupRigspace *rigspace);

/* The elastic energy (J) that the surface of now has with the nodes inside skinned by `weights`,
 * which need not be those of the definition; nothing changes. */
double sup_rigspace_skinned_energy(SupRigspace *rigspace, const SupRigspaceWeights *weights);

/* The parameters now: [parameter_count]. */
const double *sup_rigspace_parameters(const SupRigspace *rigspace);

/* The nodes now: [volume's node_count], metres. */
const SupVec3d *sup_rigspace_nodes(const SupRigspace *rigspace);

/* Raw states, to go on from a frame: numbers of one, copies out and in. */
size_t sup_rigspace_state_count(const SupRigspace *rigspace);
void sup_rigspace_store(const SupRigspace *rigspace, double *out_state);
void sup_rigspace_restore(SupRigspace *rigspace, const double *state);

#ifdef __cplusplus
}
#endif
#endif
