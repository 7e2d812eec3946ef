/* SPDX-License-Identifier: MIT */
/*
 * Supple: fitting the frequencies, dampings and gains of a modes model (supple/modes.h) to examples
 * of motion. docs/learning.md has the equations.
 */
#ifndef SUPPLE_TRAIN_MODES_FIT_H
#define SUPPLE_TRAIN_MODES_FIT_H

#include "supple/author/samples.h"
#include "supple/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One motion: where the flesh was, and what the bones did, between the frames too. */
typedef struct SupModesExample {
  SupSamples samples; /* SUP_ORDER_BODY */
  const SupClip *clip;
} SupModesExample;

/* Start from sup_modes_fit_def. */
typedef struct SupModesFitDef {
  uint32_t cookie;
  const SupCharacter *character;
  const SupModel *correctives; /* what the modes swing about, or NULL: plain skinning */
  uint32_t example_count;
  const SupModesExample *examples;
  bool global_only; /* only the three numbers that all modes share */
  double prior;     /* how much a mode is held to what all share, where examples say little; 0.02 */
  SupVec3 gravity;  /* m/s^2 that the examples have felt, scene space */
  const SupJobs *jobs;
} SupModesFitDef;

SupModesFitDef sup_modes_fit_def(const SupCharacter *character);

typedef struct SupModesFitReport {
  double frequency, damping, gain; /* factors on all modes: Hz, damping ratio, what is shown */
  double size;                     /* body units: RMS of the swing that the modes can show */
  double before, shared,
      after; /* fraction of it that is left: as it was, by three numbers, by all */
  uint32_t mode_count;
  const double *frequencies, *ratios, *gains; /* [mode_count] as fitted; in the arena */
} SupModesFitReport;

/* Fits and writes the numbers into the model. Every mode stays stable: frequencies and dampings are
 * positive, and the step is exact. The same bits for any number of threads. */
SupResult sup_modes_fit(SupArena *arena, const SupModesFitDef *def, SupModel *io_model,
                        SupModesFitReport *out_report, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
