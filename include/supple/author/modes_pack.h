/* SPDX-License-Identifier: MIT */
/*
 * Supple: packing vibration modes into a model (supple/modes.h).
 */
#ifndef SUPPLE_AUTHOR_MODES_PACK_H
#define SUPPLE_AUTHOR_MODES_PACK_H

#include "supple/author/skin_pack.h"
#include "supple/modes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a modes model is made of. Start from sup_modes_def. B stands for the character's number of
 * body vertices. */
typedef struct SupModesDef {
  uint32_t cookie;         /* set by sup_modes_def */
  uint32_t mode_count;     /* 1 .. SUP_MODES_MOST */
  const SupVec3 *shapes;   /* [mode_count * B] body units of offset per unit of weight */
  const SupVec3 *turns;    /* [mode_count * B] radians per unit of weight, or NULL: not warped */
  const double *stiffness; /* [mode_count] 1/s^2, > 0 */
  const double *decay;     /* [mode_count] 1/s, >= 0 */
  const double *gain;      /* [mode_count] or NULL: 1 */
  uint32_t pair_count;
  const uint32_t *pairs; /* [2 * pair_count] bones c <= b, rising */
  const double *drive;   /* [12 * pair_count * mode_count] D_cb by mode, pair, column and row */
  double h;              /* 1/120 */
  double scale;          /* metres per body unit; 1 */
  double worst;          /* metres per m/s^2; 0 */
  double max_distance;   /* greatest offset by one mode, in diagonals of the body; 0.25 */
} SupModesDef;

/* Everything at its default, no modes. */
SupModesDef sup_modes_def(void);

/* Packs the character's body. The character's own morph targets come first in the skin, the modes
 * after them. The model lives in `arena` and has passed sup_model_check. */
SupResult sup_modes_pack(SupArena *arena, const SupCharacter *character, const SupModesDef *def,
                         SupModel **out_model, SupError *error);

/* What a packed model was made of: arrays in `arena`, shapes by the body vertices that it was made
 * for. Packing it again for the same character gives the same bytes. */
SupResult sup_modes_unpack(SupArena *arena, const SupModel *model, SupModesDef *out_def,
                           SupError *error);

/* Changes one mode of a packed model in place and seals it: a fitted frequency, damping or gain.
 * Nobody may step with the model meanwhile; states made before must be reset. */
void sup_modes_tune(SupModel *io_model, uint32_t mode, double stiffness, double decay, double gain);

#ifdef __cplusplus
}
#endif
#endif
