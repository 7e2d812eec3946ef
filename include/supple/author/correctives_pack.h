/* SPDX-License-Identifier: MIT */
/*
 * Supple: packing correctives into a model (supple/correctives.h).
 */
#ifndef SUPPLE_AUTHOR_CORRECTIVES_PACK_H
#define SUPPLE_AUTHOR_CORRECTIVES_PACK_H

#include "supple/author/skin_pack.h"
#include "supple/correctives.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a correctives model is made of. Start from sup_correctives_def. B stands for the character's
 * number of body vertices, F for the number of features (SupCorrectivesView). */
typedef struct SupCorrectivesDef {
  uint32_t cookie;          /* set by sup_correctives_def */
  uint32_t component_count; /* 1 .. SUP_CORRECTIVES_MOST */
  const SupVec3 *shapes;    /* [component_count * B] body units of offset per unit of weight */
  uint32_t driver_count;
  const uint32_t *drivers; /* [driver_count] joints, rising */
  uint32_t heavy_count;
  const uint32_t *heavy; /* [heavy_count] bones, rising */
  uint32_t axis_count;
  const uint32_t *axis_drivers;   /* [axis_count] indices of drivers, rising */
  const SupCorrectivesAxis *axes; /* [axis_count] */
  uint32_t pair_count;
  const uint32_t *pairs; /* [2 * pair_count] two axes, the smaller first */
  uint32_t centre_count;
  const float *centres; /* [centre_count * (1 + 9 * driver_count)] */
  const double *matrix; /* [component_count * F] */
  const float *limits;  /* [2 * component_count] smallest and largest weight */
} SupCorrectivesDef;

SupCorrectivesDef sup_correctives_def(void);

/* Packs the character's body; the rest rotations are the character's. The character's own morph
 * targets come first in the skin, the components after them. The model lives in `arena` and has
 * passed sup_model_check. */
SupResult sup_correctives_pack(SupArena *arena, const SupCharacter *character,
                               const SupCorrectivesDef *def, SupModel **out_model, SupError *error);

/* What a packed model was made of: arrays in `arena`, shapes by the body vertices that it was made
 * for. Packing it again for the same character gives the same bytes. */
SupResult sup_correctives_unpack(SupArena *arena, const SupModel *model, SupCorrectivesDef *out_def,
                                 SupError *error);

#ifdef __cplusplus
}
#endif
#endif
