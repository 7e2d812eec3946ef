/* SPDX-License-Identifier: MIT */
/*
 * Supple: secondary motion as curves of a rig's own parameters (Hahn et al. 2013): simulates clips
 * in the space of a rig and writes what its free parameters did, to be edited by an animator.
 */
#ifndef SUPPLE_APP_PLAY_CURVES_H
#define SUPPLE_APP_PLAY_CURVES_H

#include "supple/app/choose_flesh.h"
#include "supple/app/lock_character.h"
#include "supple/author/rig_curves.h"
#include "supple/author/rigspace_pack.h"
#include "supple/author/samples.h"
#include "supple/train/rigspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How much of the simulation a parameter shows, by the name of parameters or zones. */
typedef struct SupCurveWeight {
  const char *name; /* of a parameter, a zone, or a pattern with * and ? */
  double weight;    /* 0: what the clip's own keys say; 1: what was simulated */
} SupCurveWeight;

/* Keys that are kept: from `first` to `last` a parameter has its keys whatever the flesh does, and
 * the others answer to it; `ramp` seconds before and after it goes there and is let go. */
typedef struct SupCurveKeep {
  const char *name;         /* as above */
  double first, last, ramp; /* seconds; first <= last, ramp >= 0 */
} SupCurveKeep;

/* What flesh cannot enter, and what carries it: nothing, a velocity, a path or a joint. Metres,
 * scene space: at time 0, with a joint as it lies in the character's rest pose. */
typedef struct SupCurvesObstacle {
  SupRigspaceObstacle shape;
  SupVec3d velocity; /* m / s */
  uint32_t path_count;
  const double *path; /* [4 * path_count] seconds, rising, and how far it has gone along x, y, z;
                         linear between, still before and after; in place of the velocity */
  const char *joint;  /* it moves rigidly with this joint; NULL: with none */
  const char *option; /* that gave it, for sentences */
} SupCurvesObstacle;

/* Start from sup_curves_def. */
typedef struct SupCurvesDef {
  uint32_t cookie;
  const char *rig;         /* a rig file; NULL: helper joints where the flesh is thick */
  const char *rig_command; /* starts a rig process (supple/io/rig_process.h) in place of a rig;
                              never from a file. NULL: none */
  double rig_timeout;      /* seconds for its answers; 0 means 30 */
  const char *material;    /* a preset: "fat"; its stiffness is chosen for the body */
  uint32_t influences;     /* bones per vertex that helpers made for the body lead to; 0 means 4 */
  uint32_t tets;           /* about this many tetrahedra; 2000 */
  const char *setup;       /* a set-up that sup_build_rigspace made, in place of rig, material,
                              tetrahedra and weights; NULL: all are made */
  double gravity;          /* m / s^2, downward; 0 */
  uint32_t obstacle_count;
  const SupCurvesObstacle *obstacles;
  SupNames clips;   /* none: all; also @calibration */
  double fps;       /* 60 */
  double amplitude; /* of sup_clips_amplify; 1 */
  double step;      /* seconds, the longest; 0.01 */
  bool balance;     /* nodes inside are in balance in every step, not weighted sums of the
                       surface: exact, and several times slower */
  bool loop;        /* clips that close are repeated until the motion does */
  double tolerance; /* of keys, fraction of a parameter's range; 0.005 */
  SupNames lock;    /* parameters or zones that stay at rest and are not simulated */
  SupNames mute;    /* simulated, but not written */
  uint32_t weight_count;
  const SupCurveWeight *weights;
  uint32_t keep_count;
  const SupCurveKeep *keeps;
  const char *edited; /* where the kept keys are: a .glb or .gltf of an earlier run, edited since,
                         or a .csv; NULL: the clip's own */
  bool additive;      /* the clip's keys plus the simulation's difference from its static balance */
  SupSampleOrder order; /* of point caches */
  const char *save_rig; /* where the rig is written, to be edited and given as `rig`; or NULL */
  const char *states;   /* a file for raw states of every frame, or NULL */
  uint32_t from;        /* go on from this frame of the states in that file; 0: from the start */
  SupLockDef flesh;     /* corrections of what is not flesh */
} SupCurvesDef;

SupCurvesDef sup_curves_def(void);

typedef struct SupCurvesClip {
  const char *name, *path;
  SupRigCurves curves;
  uint32_t key_count, sample_count; /* of all curves */
  uint32_t step_count, halved_count, carried_count, iterations, jacobians;
  uint32_t rounds;          /* of a loop */
  double determinant_least; /* smallest det F */
  double reach;             /* largest change of a parameter, fraction of its range */
  double moved;             /* largest distance from plain skinning, scene units */
  double seconds;           /* that it took */
} SupCurvesClip;

typedef struct SupCurvesReport {
  SupFleshChoice flesh;
  SupHardParts hard;
  const char *rig; /* its name */
  uint32_t parameter_count, free_count, helper_count;
  uint32_t tet_count, surface_count, inside_count;
  uint32_t example_count; /* that weights of nodes inside were fitted to; 0: they are in balance */
  double weight_mean;     /* weights per node inside */
  double frequency;       /* Hz: the lowest of the free parameters at rest, as it is tuned */
  uint32_t clip_count;
  SupCurvesClip *clips; /* [clip_count] */
} SupCurvesReport;

/* Simulates the clips and writes `path`: a .glb or .gltf with keys on exactly the channels that the
 * rig's free parameters drive, a .csv or .json of the parameters, or a .pc2 or .mdd of the skin.
 * The report is in the arena. Refuses, before anything is simulated, a rig that does not fit the
 * character, parameters without effect, names that nothing has, and channels that the output
 * cannot hold. */
SupResult sup_play_curves(const SupAppContext *app, const SupCharacterFile *file,
                          const SupCurvesDef *def, const char *path, SupCurvesReport *out_report,
                          SupError *error);

/* Makes what `setup` above holds: the rig, the volume that its skin drives, the flesh that was
 * chosen, and weights of the nodes inside from poses of the clips. *out_model, in the arena, is a
 * block of supple/author/rigspace_pack.h. Of `def` what belongs to these counts: rig, process,
 * material, tetrahedra, clips, amplitude, locks. With it sup_play_curves gives the same bits as
 * with the same `def` without. */
SupResult sup_build_rigspace(const SupAppContext *app, const SupCharacterFile *file,
                             const SupCurvesDef *def, SupCurvesReport *out_report,
                             const SupModel **out_model, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
