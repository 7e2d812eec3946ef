/* SPDX-License-Identifier: MIT */
/*
 * Supple: an envelope as morph targets that joint angles drive, for engines that know neither
 * Supple nor the clips to come (docs/techniques/envelope.md, "In any engine").
 */
#ifndef SUPPLE_TRAIN_DRIVE_H
#define SUPPLE_TRAIN_DRIVE_H

#include "supple/envelope.h"
#include "supple/train/bake.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Start from sup_drive_def. */
typedef struct SupDriveDef {
  uint32_t cookie;
  const SupCharacter *character; /* its clips say how far angles go, and which poses matter */
  const SupModel *envelope;      /* checked, of that character */
  uint32_t morph_count;          /* at most, the constant one included; 64 */
  const SupJobs *jobs;
} SupDriveDef;

SupDriveDef sup_drive_def(const SupCharacter *character, const SupModel *envelope);

/* A target and its weight: a function of one angle, linear between its samples and constant beyond
 * them. */
typedef struct SupDrivenMorph {
  const SupVec3 *offsets; /* [body.vertex_count] body space */
  uint32_t angle;         /* of SupDrivenMorphs; SUP_NONE: the weight is always 1 */
  uint32_t count;         /* at least 2 */
  const float *at;        /* [count] radians, rising */
  const float *weights;   /* [count] 0 .. 1 */
  double energy;          /* body units: root mean square of what it adds */
} SupDrivenMorph;

typedef struct SupDrivenMorphs {
  uint32_t angle_count;
  const SupEnvelopeAngle *angles; /* [angle_count] the envelope's, then others of its joints; low
                                     and high as far as samples go */
  uint32_t morph_count;
  const SupDrivenMorph *morphs; /* [morph_count] the constant one first, then by energy */
  uint32_t sample_count;        /* poses that the envelope was played in */
} SupDrivenMorphs;

/* Everything in `arena`. The same bits for any number of threads. */
SupResult sup_drive_morphs(SupArena *arena, const SupDriveDef *def, SupDrivenMorphs *out,
                           SupError *error);

/* The weights of a pose, out_weights[morph_count]. */
void sup_driven_weights(const SupDrivenMorphs *driven, const SupPose *pose, float *out_weights);

/* The same as sup_bake_morphs gives, with these targets and their weights at the frames of motions,
 * and how far that is from them; `morph_count` of the definition has no say. */
SupResult sup_bake_driven(SupArena *arena, const SupBakeMorphsDef *def,
                          const SupDrivenMorphs *driven, SupBakedMorphs *out, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
