/* SPDX-License-Identifier: MIT */
/*
 * Supple: learning correctives (supple/correctives.h) from examples: equilibrium poses, or motion
 * whose slow part is taken.
 */
#ifndef SUPPLE_TRAIN_CORRECTIVES_H
#define SUPPLE_TRAIN_CORRECTIVES_H

#include "supple/author/samples.h"
#include "supple/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Examples of one kind. */
typedef struct SupCorrectivesExample {
  SupSamples samples; /* SUP_ORDER_BODY, with the poses of all joints */
  bool moving;        /* frames of a motion at samples.fps: only what is slow in it counts */
} SupCorrectivesExample;

/* What is learned. Start from sup_correctives_train_def. */
typedef struct SupCorrectivesTrainDef {
  uint32_t cookie;
  const SupCharacter *character; /* skinned */
  uint32_t example_count;
  const SupCorrectivesExample *examples;
  uint32_t component_count; /* at most so many; 48 */
  double fraction;          /* of the offsets' size that the components may lose; 0.01 */
  double ridge;    /* relative to the features' size; 0: per region, by leaving examples out */
  double falloff;  /* how much less a joint counts for every joint in between; 0.7 */
  double products; /* how much products of neighbouring joints count beside rotations; 0: they are
                      no features; 0.1 */
  double slow;     /* seconds: motion slower than this is pose; 0.25 */
  uint32_t centre_count; /* example poses as features, for few joints; 0 */
  /* m/s^2 that the examples have felt, scene space. Not 0: the direction of gravity in the bones'
   * frames is learned too, and a stack leaves gravity to this model. */
  SupVec3 gravity;
  double gain;   /* factor of what was learned, 0..1; 1 */
  bool constant; /* the rest pose may have an offset, as in sculpted examples; false */
  const SupJobs *jobs;
} SupCorrectivesTrainDef;

SupCorrectivesTrainDef sup_correctives_train_def(const SupCharacter *character);

typedef struct SupCorrectivesTrainReport {
  uint32_t example_count; /* poses used */
  uint32_t driver_count, heavy_count, feature_count, component_count;
  uint32_t product_count; /* of the features */
  uint32_t group_count;   /* sets of bones whose vertices are fitted together */
  double ridge;           /* as used in the largest region */
  double size;            /* body units: RMS of the offsets in the examples */
  double left;            /* fraction of it that the model leaves in the examples */
  double left_out;        /* ... in examples that were left out one by one (a sample of vertices) */
  double lost;            /* ... that the components lose of the regression; all three with large
                             offsets counted as usual ones */
} SupCorrectivesTrainReport;

/* Learns and packs; the model lives in `arena`. Fails with a sentence when no joint moves in the
 * examples. The same bits for any number of threads. */
SupResult sup_correctives_train(SupArena *arena, const SupCorrectivesTrainDef *def,
                                SupModel **out_model, SupCorrectivesTrainReport *out_report,
                                SupError *error);

#ifdef __cplusplus
}
#endif
#endif
