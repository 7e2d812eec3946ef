/* SPDX-License-Identifier: MIT */
/*
 * Supple: setting up the subspace technique (supple/subspace.h) from a character's elastic volume.
 * No examples are needed: poses come from the character's own clips and from its joints' ranges.
 */
#ifndef SUPPLE_TRAIN_SUBSPACE_H
#define SUPPLE_TRAIN_SUBSPACE_H

#include "supple/author/character.h"
#include "supple/fem/attach.h"
#include "supple/fem/fill.h"
#include "supple/fem/material.h"
#include "supple/subspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is set up. Start from sup_subspace_train_def. */
typedef struct SupSubspaceTrainDef {
  uint32_t cookie;
  const SupCharacter *character; /* skinned */
  uint32_t function_count;       /* at most so many; 80 */
  uint32_t cluster_count;        /* at most so many; 300 */
  uint32_t iterations;           /* of the minimiser per step; 7 */
  uint32_t mode_count;           /* vibration modes that functions are found from; 15 */
  uint32_t pose_count;           /* poses whose static shapes they are found from; 24 */
  uint32_t affine_count;         /* smooth weights that flesh may be moved by as a whole; 5 */
  uint32_t helper_count;         /* 20; 0: none */
  uint32_t influence_count;      /* helpers of a vertex: 4 or 8; 4 */
  double rho;                    /* how much strain within a cluster counts, 0..1; 0.7 */
  uint64_t seed;                 /* of the poses */
  double unit;                   /* metres per unit of the scene; 1 */
  /* As in SupModesTrainDef. The material is played as neo-Hookean, whatever its kind. */
  SupMaterialDef material;
  const SupMaterialDef *bone_materials;
  double frequency;
  double damping_ratio;
  const float *vertex_stiffness;
  const float *bone_stiffness;
  SupFillDef fill;
  const SupFill *volume;
  SupAttachDef attach;
  double h;            /* seconds of a step; 1/60 */
  double max_distance; /* metres, root mean square over the flesh; 0: a quarter of the size */
  const SupJobs *jobs;
} SupSubspaceTrainDef;

SupSubspaceTrainDef sup_subspace_train_def(const SupCharacter *character);

typedef struct SupSubspaceTrainReport {
  SupFillReport fill;
  SupAttachReport attach;
  uint32_t node_count, tet_count, free_count;
  uint32_t function_count, cluster_count;
  uint32_t pose_count;       /* poses that an equilibrium was found for */
  double scale;              /* metres per unit of body space */
  double mass;               /* kg that can move */
  double size;               /* metres: the diagonal of the box around the volume */
  double correction;         /* stiffness is scaled by this, so that frequencies are right */
  double damping;            /* seconds, as played: less what the steps do by themselves */
  double helper_error;       /* RMS of what helpers leave of the functions, relative */
  uint32_t mode_count;       /* of the lists below */
  const double *frequencies; /* [mode_count] Hz of the whole volume, rising; in the arena */
  const double *reduced;     /* [mode_count] Hz of the reduced one, after the correction */
} SupSubspaceTrainReport;

/* Fills, attaches, finds functions and clusters, projects. The arrays of the view and of the report
 * live in `arena`. The same bits for any number of threads. */
SupResult sup_subspace_train(SupArena *arena, const SupSubspaceTrainDef *def,
                             SupSubspaceView *out_model, SupSubspaceTrainReport *out_report,
                             SupError *error);

#ifdef __cplusplus
}
#endif
#endif
