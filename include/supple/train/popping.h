/* SPDX-License-Identifier: MIT */
/*
 * Supple: popping (supple/popping.h) from pairs of relaxed and clenched shapes.
 */
#ifndef SUPPLE_TRAIN_POPPING_H
#define SUPPLE_TRAIN_POPPING_H

#include "supple/author/popping_pack.h"
#include "supple/author/samples.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One pose with its muscles relaxed and clenched. B stands for the number of body vertices. */
typedef struct SupPoppingPair {
  const SupTransform *pose; /* [joint_count]; NULL: the rest pose */
  const SupVec3 *relaxed;   /* [B] where the vertices are; NULL: where skinning puts them */
  const SupVec3 *clenched;  /* [B] */
  bool offsets;             /* both are offsets in rest space, as morph targets have them, not
                               positions in scene space */
} SupPoppingPair;

/* What is built. Start from sup_popping_train_def. */
typedef struct SupPoppingTrainDef {
  uint32_t cookie;
  const SupCharacter *character; /* skinned */
  uint32_t pair_count;           /* 1 or more, in different poses */
  const SupPoppingPair *pairs;
  double softest;        /* alpha where the bulge is largest, in (0, 1], per 1/60 s; 0.25 */
  double frequency;      /* Hz, in place of alpha; 0: not */
  double damping;        /* ratio at the largest bulge, with a frequency; 0.15 */
  const float *stiff;    /* [B] alpha of every vertex, painted; NULL: from the bulge */
  double h;              /* seconds per step; 1/60 */
  SupPoppingTimes times; /* still 0: a ten-thousandth of the character's height */
  uint32_t group_count;
  const SupPoppingMask *groups;
  const SupJobs *jobs;
} SupPoppingTrainDef;

SupPoppingTrainDef sup_popping_train_def(const SupCharacter *character);

typedef struct SupPoppingTrainReport {
  uint32_t pair_count, group_count, driver_count;
  uint32_t moving;  /* vertices that bulge by more than a thousandth of the largest bulge */
  double bulge;     /* body units: how far a vertex moves at most */
  double left;      /* body units: how far from a given shape the model is at most, in its pose */
  double frequency; /* Hz, and damping ratio, where the bulge is largest */
  double damping;
} SupPoppingTrainReport;

/* Un-poses the shapes, finds how to interpolate them and how every vertex swings, and packs; the
 * model lives in `arena`. Fails with a sentence when two pairs have one pose. */
SupResult sup_popping_train(SupArena *arena, const SupPoppingTrainDef *def, SupModel **out_model,
                            SupPoppingTrainReport *out_report, SupError *error);

/* ---- A twitch, measured -----------------------------------------------------------------------
 */

/* How far along the way from relaxed to clenched a body is: the fraction s for which
 * relaxed + s (clenched - relaxed) is nearest to the positions, all [vertex_count]. */
double sup_popping_fraction(uint32_t vertex_count, const SupVec3 *relaxed, const SupVec3 *clenched,
                            const SupVec3 *positions);

/* A contraction as it was seen: fractions at fps, the muscle pulling from frame 0 on. */
typedef struct SupPoppingTwitch {
  uint32_t frame_count;
  const double *fractions; /* [frame_count] */
  double fps;
  double rise; /* seconds in which the pull grew from 0 to all of it, evenly; 0: at once */
} SupPoppingTwitch;

typedef struct SupPoppingFit {
  double frequency, damping; /* of the two-parameter form */
  double left;               /* RMS of what it leaves, in fractions */
  double alpha;              /* of Son and Han's form, per 1/60 s */
  double alpha_left;
} SupPoppingFit;

/* The frequency and damping, and the alpha, whose step response is nearest to what was seen. */
SupResult sup_popping_fit(const SupPoppingTwitch *twitch, SupPoppingFit *out_fit, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
