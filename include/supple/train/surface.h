/* SPDX-License-Identifier: MIT */
/*
 * Supple: learning the numbers of the surface technique (supple/surface.h) from examples.
 *
 * Examples are motions of the skeleton and where the flesh was in every frame: of a simulation, a
 * scan, or markers on a few vertices. docs/techniques/surface.md, "Learning", has the equations.
 */
#ifndef SUPPLE_TRAIN_SURFACE_H
#define SUPPLE_TRAIN_SURFACE_H

#include "supple/author/surface_build.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Examples --------------------------------------------------------------------------------
 */

/* One motion. Frames follow each other by the h that is learned for; at least 4 of them. All
 * positions are in scene space, in the order of the body. */
typedef struct SupSurfaceExample {
  const char *name; /* for the report; may be NULL */
  uint32_t frame_count;
  const SupAffine *palettes; /* [frame_count * bone_count] bind space -> scene space */
  const SupVec3 *goals;      /* [frame_count * vertex_count] what the flesh is pulled to: skinning,
                                with whatever stages come before; NULL: linear blend skinning */
  const SupVec3 *positions;  /* the same shape: where it was. What is not finite is not known. */
  /* The same three in double precision, each instead of its own where it is not NULL. */
  const SupAffined *exact_palettes;
  const SupVec3d *exact_goals, *exact_positions;
  const float *frame_weights; /* [frame_count] >= 0: how much a frame counts; NULL: 1 */
  SupVec3 acceleration;       /* what acts on the flesh and is not in the goals: gravity, m/s^2 */
  bool handed_on;             /* an earlier stage (modes) answers for inertia: eta is 1 in these */
} SupSurfaceExample;

/* Fills palettes of `count` frames from `start` seconds on, 1 / fps apart, of a clip. In `arena`.
 */
SupResult sup_surface_example_clip(SupArena *arena, const SupCharacter *character,
                                   const SupClip *clip, float start, float fps, uint32_t count,
                                   SupSurfaceExample *io_example, SupError *error);

/* ---- Learning --------------------------------------------------------------------------------
 */

/* Start from sup_surface_train_def. */
typedef struct SupSurfaceTrainDef {
  uint32_t cookie;
  const SupCharacter *character; /* skinned */
  uint32_t example_count;
  const SupSurfaceExample *examples;
  float h; /* seconds between frames: 1/60 */
  /* SUP_SURFACE_BONE_ROTATION, SUP_SURFACE_ABSOLUTE, SUP_SURFACE_NORMAL, SUP_SURFACE_UNDELAYED: the
   * last. It is left out where the published algorithm is asked for, or modes answer for inertia.
   */
  uint32_t flags;
  /* What is learned: bit (1u << row) for rows below SUP_SURFACE_TERMS, and with SUP_SURFACE_NORMAL
   * those of SUP_SURFACE_TERM_NORMAL_ALPHA and _DELTA. All of them. Other rows stay as `values`,
   * unless what is built needs them limited (sup_surface_limit). */
  uint32_t rows;
  float values[SUP_SURFACE_ALL_TERMS]; /* 0 */
  /* The published algorithm to the letter: simulate, fit, move by `rate`, from stiffness 1; no
   * drag, absolute velocities, no limiter until the end. */
  bool literal;
  double rate;         /* 0.1 */
  double tolerance;    /* 1e-5 of the first error: stop where it changes less */
  uint32_t iterations; /* 200 at most */
  uint32_t passes;  /* otherwise: how often each length of window is fitted; 0: 2 to 25, by size */
  int32_t descents; /* steps of the final descent; 0: none, -1: 8 to 40, by size */
  double smooth;    /* how much neighbours shall be alike: 0 not at all, 1 strongly. 1 */
  uint32_t basis;   /* 0, or so many smooth patterns instead of a number per vertex */
  double sobolev;   /* weight of velocities (differences of frames) beside positions. 0 */
  double outlier;   /* frames worse than so many usual misfits are dropped; 0: none. 20 */
  const float *vertex_weights; /* [vertex_count] >= 0 beside areas, 0 not seen; NULL: 1 */
  const float *lock; /* [vertex_count] 1: follows its goal in the model; NULL: nothing does */
  /* Fraction of the inertia that was learned which is kept: an oscillator that is driven less is
   * wrong by less on motion that nobody showed it. 0: what the examples explain, 1 - 1.3 error^2 of
   * the clip that is explained best, at least 0.2; with cross_validate what was best on clips left
   * out. 0 */
  double inertia_gain;
  uint32_t rotation_steps; /* Newton steps for each one-ring; 1, as the run time takes */
  bool cross_validate;     /* choose `smooth`, rows and how much is felt by clips left out */
  uint64_t seed;           /* of the probe */
  const SupJobs *jobs;
  /* Told how far it is, from the thread that calls; may be NULL. */
  void (*progress)(void *user, const char *what, double done, double total);
  void *user;
} SupSurfaceTrainDef;

SupSurfaceTrainDef sup_surface_train_def(const SupCharacter *character);

/* Root mean square of (model - example) over that of (goal - example), weighted: 1 is no better
 * than the goal. */
typedef struct SupSurfaceTrainClip {
  const char *name;
  uint32_t frames, dropped; /* frames, and how many of them were not used */
  uint32_t missing;         /* single positions that were not known or not used */
  double error;             /* of the model that is saved */
} SupSurfaceTrainClip;

/* What each stage left. */
typedef enum SupSurfaceStage {
  SUP_SURFACE_UNIFORM, /* the best spring that is the same everywhere */
  SUP_SURFACE_FORCED,  /* teacher forcing */
  SUP_SURFACE_WINDOWS, /* growing windows, or the literal iteration */
  SUP_SURFACE_DESCENT, /* descent on the true error */
  SUP_SURFACE_SAVED,   /* limited and probed: what is in the model */
  SUP_SURFACE_STAGES
} SupSurfaceStage;

#define SUP_SURFACE_CHOICES 16

/* One choice that cross-validation tried. */
typedef struct SupSurfaceChoice {
  double smooth;
  uint32_t rows;
  double inertia_gain; /* fraction of the goal's acceleration that is felt, of what was learned */
  double error;        /* on what was left out */
} SupSurfaceChoice;

typedef struct SupSurfaceTrainReport {
  double errors[SUP_SURFACE_STAGES]; /* root mean square over clips; NaN: not done */
  uint32_t iterations;               /* simulations of all clips */
  uint32_t gradients;                /* of the descent */
  uint32_t clip_count;
  const SupSurfaceTrainClip *clips; /* [clip_count] in the arena */
  uint32_t seen;                    /* vertices that the examples show */
  double smooth;                    /* as used */
  double inertia_gain;              /* as used */
  uint32_t rows;                    /* as used */
  uint32_t choice_count;
  SupSurfaceChoice choices[SUP_SURFACE_CHOICES];
  SupSurfaceBuildReport build;
} SupSurfaceTrainReport;

/* Learns, limits, packs and probes. The model, the maps (which become what was packed, as
 * sup_surface_build leaves them) and the report live in `arena`. The same bits for any number of
 * threads; time grows linearly with vertices and frames. */
SupResult sup_surface_train(SupArena *arena, const SupSurfaceTrainDef *def,
                            SupSurfaceMaps *out_maps, SupModel **out_model,
                            SupSurfaceTrainReport *out_report, SupError *error);

/* The error of a model on examples, in double precision, clips[example_count]; returns that of all
 * together. NaN if memory is short or the model is of another body. */
double sup_surface_error(SupArena *arena, const SupSurfaceTrainDef *def, const SupModel *model,
                         double *out_clips);

#ifdef __cplusplus
}
#endif
#endif
