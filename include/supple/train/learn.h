/* SPDX-License-Identifier: MIT */
/*
 * Supple: learning a character's secondary motion as a whole. From examples, or from a teacher that
 * is asked for them, stacks of rising effort are built; the one that is best on motion which was
 * held back is kept. docs/learning.md says what is tried and why.
 */
#ifndef SUPPLE_TRAIN_LEARN_H
#define SUPPLE_TRAIN_LEARN_H

#include "supple/author/metrics.h"
#include "supple/train/correctives.h"
#include "supple/train/modes.h"
#include "supple/train/modes_fit.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Somebody who knows how the flesh moves: a simulator. Positions are in body order. */
typedef struct SupTeacher {
  /* In balance, joints[count * joint_count] -> out_positions[count * vertex_count]. */
  SupResult (*poses)(void *user, const SupTransform *joints, uint32_t count, SupVec3 *out_positions,
                     SupError *error);
  /* With inertia, from balance in the first pose on: frames 0, 1 / fps, ... of the clip. */
  SupResult (*motion)(void *user, const SupClip *clip, float fps, uint32_t frame_count,
                      SupVec3 *out_positions, SupError *error);
  void *user;
} SupTeacher;

/* An example. */
typedef struct SupLearnMotion {
  const char *name;
  const SupClip *clip; /* NULL: equilibrium poses, a frame each */
  SupSamples samples;  /* SUP_ORDER_BODY, with the poses of all joints */
  bool held;           /* to choose by; learned from only when everything has been chosen */
  bool test;           /* only measured */
  /* The same frames without inertia, [frame_count * vertex_count], for the dynamic error; or NULL.
   */
  const SupVec3 *quasistatic;
} SupLearnMotion;

/* Start from sup_learn_def. */
typedef struct SupLearnDef {
  uint32_t cookie;
  const SupCharacter *character;
  /* Examples; where none but tests are given the teacher makes some: poses, the calibration
   * clip, and one of the character's own clips to choose by. Where none is held, the last motion
   * is, or the last third of the only one. */
  uint32_t motion_count;
  const SupLearnMotion *motions;
  const SupTeacher *teacher; /* or NULL */
  uint32_t pose_count;       /* that the teacher is asked for, within what the clips show; 120 */
  uint32_t far_count;        /* and beyond it; 60 */
  float fps;                 /* of the teacher's motion; 60 */
  uint64_t seed;
  SupVec3 gravity;        /* m/s^2 that the examples have felt; 0 */
  SupModesTrainDef modes; /* the flesh for the modes */
  const float *lock;      /* [body.vertex_count] 1: no motion of its own is learned there, whatever
                             the examples show; or NULL */
  bool skip_surface;      /* do not learn a surface: the slowest candidate */
  const SupJobs *jobs;
  double (*seconds)(void);                                                   /* a clock, or NULL */
  void (*progress)(void *user, const char *what, double done, double total); /* or NULL */
  void *user;
} SupLearnDef;

SupLearnDef sup_learn_def(const SupCharacter *character);

/* What is tried, in this order: of two that are equally good the first is kept. */
typedef enum SupLearnStack {
  SUP_LEARN_SKINNING,    /* nothing */
  SUP_LEARN_PRESET,      /* the surface's preset `soft` */
  SUP_LEARN_SURFACE,     /* a learned surface */
  SUP_LEARN_CORRECTIVES, /* poses only */
  SUP_LEARN_MODES,       /* modes as the flesh gives them */
  SUP_LEARN_BOTH,        /* correctives and modes */
  SUP_LEARN_FITTED,      /* the same, modes fitted */
  SUP_LEARN_LAYERED,     /* the same under a surface that only answers to contact and forces */
  SUP_LEARN_STACKS
} SupLearnStack;

/* "correctives + modes", ... */
const char *sup_learn_stack_name(SupLearnStack stack);

/* How a stack does on one motion. */
typedef struct SupLearnMeasure {
  SupCompareReport compare;       /* errors are NaN for poses; the vibration is the example's */
  SupVolumeReport volume;         /* of what is shown */
  SupVolumeReport example_volume; /* of the example */
} SupLearnMeasure;

typedef struct SupLearnCandidate {
  bool tried;
  uint32_t model_count;
  const SupModel *models[3]; /* in the arena */
  size_t bytes;              /* of all models */
  double seconds;            /* that building it took beyond the ones before */
  double held;               /* mean relative error on what was held back */
  /* [motion_count]. Tests are measured again for what is kept, after it was fitted to everything.
   */
  const SupLearnMeasure *measures;
} SupLearnCandidate;

typedef struct SupLearnReport {
  uint32_t motion_count;
  const SupLearnMotion *motions; /* as used */
  SupLearnCandidate candidates[SUP_LEARN_STACKS];
  SupLearnStack chosen;
  SupModesTrainReport modes;
  SupCorrectivesTrainReport correctives;
  SupModesFitReport fit;
  double swing;    /* fraction of the fitted swing that is shown: the best on what was held back */
  double teaching; /* seconds of the teacher */
  double learning; /* seconds of everything else */
} SupLearnReport;

/* Learns and chooses. Models, examples and report live in `arena`; the chosen stack is
 * report->candidates[report->chosen]. The same bits for any number of threads. */
SupResult sup_learn(SupArena *arena, const SupLearnDef *def, SupLearnReport *out_report,
                    SupError *error);

#ifdef __cplusplus
}
#endif
#endif
