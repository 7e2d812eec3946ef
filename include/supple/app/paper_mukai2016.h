/* SPDX-License-Identifier: MIT */
/*
 * Supple: Mukai and Kuriyama 2016 again: helper bones taught by an elastic body that goes through
 * random keys as in the paper (4,000 frames, 250 keys, half of them splines and half of them held),
 * and judged by keys that were not seen.
 *
 * Errors are the root mean square over vertices (by area) and frames; relative ones are over those
 * of plain skinning, dynamic ones over those of the body without inertia.
 */
#ifndef SUPPLE_APP_PAPER_MUKAI2016_H
#define SUPPLE_APP_PAPER_MUKAI2016_H

#include "supple/app/app_context.h"
#include "supple/author/metrics.h"
#include "supple/train/helpers.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SUP_KEYS_FPS = 60, SUP_KEYS_DOFS = 8 };

/* A rotation about one axis of a joint, from rest. */
typedef struct SupKeysDof {
  uint32_t joint, axis;
  double low, high; /* radians: keys lie between */
} SupKeysDof;

typedef struct SupKeysBody {
  const char *builtin;
  uint32_t vertices, tets;
  double young; /* Pa; all else is fat */
  uint32_t dof_count;
  SupKeysDof dofs[SUP_KEYS_DOFS];
} SupKeysBody;

typedef struct SupKeysTruth {
  const char *name;
  SupHelpersMotion motion;
  const SupVec3 *skinning;    /* [frames * vertices] */
  const SupVec3 *quasistatic; /* the same, or NULL */
} SupKeysTruth;

enum { SUP_MUKAI_SEEN, SUP_MUKAI_RANDOM, SUP_MUKAI_SLOW, SUP_MUKAI_RAPID, SUP_MUKAI_CLIPS };

typedef struct SupMukaiWay {
  const char *name;
  SupHelpersSystem system;
  SupHelpersOrder order;
  double beta;
  uint32_t lags;
  bool each, published;
  const char *paper; /* centimetres on what it learned from, and states a number */
} SupMukaiWay;

typedef struct SupMukaiStudy {
  const SupAppContext *app;
  bool quick;
  SupKeysBody body;
  SupCharacter character;
  SupKeysTruth truths[SUP_MUKAI_CLIPS];
  float *areas;  /* [vertices] */
  SupVec3 *a;    /* [most frames * vertices] what is judged */
  SupVec3 *base; /* the same without swings */
} SupMukaiStudy;

typedef struct SupMukaiLearned {
  SupHelpersTrainReport report;
  SupCharacter with;
  SupHelpersView model;
  SupHelpersState *state;
  const SupBackend *backend; /* asked for once: that is slow on a virtual machine */
  SupPose pose;
  SupAffine *globals, *palette;
  uint64_t bytes; /* of the controllers */
  double seconds; /* of the processor */
} SupMukaiLearned;

/* Start from sup_mukai_def. */
typedef struct SupMukaiDef {
  uint32_t cookie;
  bool sheet;        /* a flat body on an H-shaped skeleton; false: a leg */
  bool quick;        /* far less of everything, to see it run */
  const char *cache; /* folder that keeps the simulations, or NULL */
} SupMukaiDef;

SupMukaiDef sup_mukai_def(void);

/* Makes the body and its motions. */
SupResult sup_mukai_make(const SupAppContext *app, const SupMukaiDef *def, SupMukaiStudy *s,
                         SupError *error);

/* Learns that many helpers. */
SupResult sup_mukai_learn(SupMukaiStudy *s, const SupMukaiWay *way, uint32_t helpers,
                          SupMukaiLearned *out, SupError *error);

/* Plays a motion into out[frames * vertices]. */
void sup_mukai_play(const SupMukaiStudy *s, const SupKeysTruth *truth, SupMukaiLearned *l,
                    const SupHelpersControls *controls, SupVec3 *out);

/* Microseconds of a step: of every frame the fastest of some runs, their mean. */
double sup_mukai_time(SupMukaiStudy *s, SupMukaiLearned *l, SupHelpersLod lod);

/* How far positions are from the truth of a clip. */
SupResult sup_mukai_judge(SupMukaiStudy *s, uint32_t clip, const SupVec3 *a, SupCompareReport *out,
                          SupError *error);

/* How a model does on a clip, by the pose alone and at full. */
SupResult sup_mukai_levels(SupMukaiStudy *s, uint32_t clip, SupMukaiLearned *l,
                           SupCompareReport out[2], SupError *error);

/* ---- Rows of its tables ---------------------------------------------------------------------- */

/* Ways to find the dynamics; the first is ours. */
extern const SupMukaiWay sup_mukai_ways[];
#define SUP_MUKAI_WAYS 12

/* Tables 1 and 2: that many helpers. */
typedef struct SupMukaiHelpersRow {
  SupCompareReport seen[2], random[2]; /* by pose alone, and at full */
  double micros[2];                    /* of a step, likewise */
  SupMukaiLearned learned;
} SupMukaiHelpersRow;

SupResult sup_mukai_helpers(SupMukaiStudy *s, uint32_t helpers, SupMukaiHelpersRow *out,
                            SupError *error);

/* Tables 3 to 5: learned in one of the ways, and all clips by pose alone and at full. */
SupResult sup_mukai_way(SupMukaiStudy *s, const SupMukaiWay *way, uint32_t helpers,
                        SupMukaiLearned *out_learned, SupCompareReport out[SUP_MUKAI_CLIPS][2],
                        SupError *error);

/* How far the rapid clip swings when that is exaggerated: metres, free and within
 * SUP_HELPERS_LIMIT times what was seen. */
void sup_mukai_exaggerate(SupMukaiStudy *s, SupMukaiLearned *l, float factor, double out[2]);

#ifdef __cplusplus
}
#endif
#endif
