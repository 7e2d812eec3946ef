/* SPDX-License-Identifier: MIT */
/* Helpers learned from random keys, and judged by keys that were not seen. */
#ifndef SUPPLE_CLI_REPRODUCE_STUDY_H
#define SUPPLE_CLI_REPRODUCE_STUDY_H

#include "reproduce_keys.h"
#include "supple/author/metrics.h"
#include "supple/helpers.h"

enum { CLI_SEEN, CLI_RANDOM, CLI_SLOW, CLI_RAPID, CLI_STUDY_CLIPS };

typedef struct CliWay {
  const char *name;
  SupHelpersSystem system;
  SupHelpersOrder order;
  double beta;
  uint32_t lags;
  bool each, published;
  const char *paper; /* centimetres on what it learned from, and states a number */
} CliWay;

typedef struct CliStudy {
  CliContext *cli;
  CliKeysBody body;
  SupCharacter character;
  CliKeysTruth truths[CLI_STUDY_CLIPS];
  float *areas;  /* [vertices] */
  SupVec3 *a;    /* [most frames * vertices] what is judged */
  SupVec3 *base; /* the same without swings */
} CliStudy;

typedef struct CliLearned {
  SupHelpersTrainReport report;
  SupCharacter with;
  SupHelpersView model;
  SupHelpersState *state;
  const SupBackend *backend; /* asked for once: that is slow on a virtual machine */
  SupPose pose;
  SupAffine *globals, *palette;
  uint64_t bytes; /* of the controllers */
  double seconds; /* of the processor */
} CliLearned;

/* Makes the body and its motions. */
SupResult cli_study_make(CliContext *cli, const CliKeysBody *body, CliStudy *s, SupError *error);

/* Learns that many helpers. */
SupResult cli_study_learn(CliStudy *s, const CliWay *way, uint32_t helpers, CliLearned *out,
                          SupError *error);

/* Plays a motion into out[frames * vertices]. */
void cli_study_play(const CliStudy *s, const CliKeysTruth *truth, CliLearned *l,
                    const SupHelpersControls *controls, SupVec3 *out);

/* Microseconds of a step: of every frame the fastest of some runs, their mean. */
double cli_study_time(CliStudy *s, CliLearned *l, SupHelpersLevel level);

/* How far positions are from the truth of a clip. */
SupResult cli_study_judge(CliStudy *s, uint32_t clip, const SupVec3 *a, SupCompareReport *out,
                          SupError *error);

/* How a model does on a clip, by posture alone and at full. */
SupResult cli_study_levels(CliStudy *s, uint32_t clip, CliLearned *l, SupCompareReport out[2],
                           SupError *error);

/* Writes both down. */
void cli_study_report(const CliContext *cli, const char *name, const SupCompareReport r[2]);

#endif
