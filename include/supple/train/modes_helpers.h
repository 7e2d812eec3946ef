/* SPDX-License-Identifier: MIT */
/*
 * Supple: vibration modes as helper joints, for engines that know linear blend skinning only.
 *
 * A helper joint hangs on a bone and only moves, by a sum over the modes of a fixed translation
 * times the mode's weight. Vertices give it part of their weight of that bone: where the modes are
 * zero the skin is what it was.
 */
#ifndef SUPPLE_TRAIN_MODES_HELPERS_H
#define SUPPLE_TRAIN_MODES_HELPERS_H

#include "supple/author/character.h"
#include "supple/modes.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SUP_MODES_HELPERS_MOST 512

/* Start from sup_modes_helpers_def. */
typedef struct SupModesHelpersDef {
  uint32_t cookie;
  const SupCharacter *character; /* that the model was made for */
  const SupModel *model;         /* checked, of SUP_MODES_KIND; its turns are not used */
  uint32_t count;                /* helper joints, 1 .. SUP_MODES_HELPERS_MOST; 32 */
  uint32_t influences;           /* most helpers of a vertex, 1 .. 8; 4 */
  uint32_t sweeps;               /* rounds of weights and translations; 20 */
  const SupJobs *jobs;
} SupModesHelpersDef;

SupModesHelpersDef sup_modes_helpers_def(const SupCharacter *character, const SupModel *model);

/* In the caller's arena. Bones of `skin` from bone_count on are the helpers. */
typedef struct SupModesHelpers {
  uint32_t count, mode_count, bone_count;
  const uint32_t *bones;       /* [count] the bone that a helper hangs on */
  const SupVec3 *places;       /* [count] where it is at rest, bind space */
  const SupVec3 *translations; /* [count * mode_count] bind space, per unit of a mode's weight */
  SupSkin skin;                /* of the body: what the bones keep, and the helpers */
  double error;                /* RMS of what is left over RMS of the modes, each as large as a push
                                  of all flesh makes it, by area of the skin */
  double worst;                /* metres: the farthest vertex is off when modes are that large */
} SupModesHelpers;

/* The same bits for any number of threads. */
SupResult sup_modes_helpers(SupArena *arena, const SupModesHelpersDef *def, SupModesHelpers *out,
                            SupError *error);

/* The palette of the helpers, out[count], from that of the bones and the weights of the modes
 * (sup_modes_weights). */
void sup_modes_helpers_palette(const SupModesHelpers *helpers, const SupAffine *palette,
                               const float *weights, SupAffine *out);

#ifdef __cplusplus
}
#endif
#endif
