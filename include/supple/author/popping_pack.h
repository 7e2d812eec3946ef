/* SPDX-License-Identifier: MIT */
/*
 * Supple: packing pairs of relaxed and clenched shapes into a model (supple/popping.h).
 */
#ifndef SUPPLE_AUTHOR_POPPING_PACK_H
#define SUPPLE_AUTHOR_POPPING_PACK_H

#include "supple/author/correctives_pack.h"
#include "supple/popping.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A muscle, or some that always pull together. */
typedef struct SupPoppingMask {
  const char *name;    /* below SUP_POPPING_NAME bytes */
  const float *values; /* [B] 0 .. 1 how much of the vertex is of it; NULL: all, everywhere */
} SupPoppingMask;

/* What a popping model is made of. Start from sup_popping_def. B stands for the character's number
 * of body vertices. */
typedef struct SupPoppingDef {
  uint32_t cookie;           /* set by sup_popping_def */
  SupCorrectivesDef poses;   /* component k of it: the relaxed shape of pair k */
  const SupVec3 *bulges;     /* [pairs * B] clenched less relaxed, rest space, body units */
  const double *keep, *pull; /* [B] how each vertex swings, per step of h (SupPoppingSwing) */
  double h;                  /* 1/60 */
  SupPoppingTimes times;     /* rise 0.03 s, no fall, relax 8 /s, still 0.001 */
  uint32_t group_count;      /* 0: one, named "all", of the whole body */
  const SupPoppingMask *groups;
} SupPoppingDef;

SupPoppingDef sup_popping_def(void);

/* Packs the character's body. The character's own morph targets come first in the skin, the relaxed
 * shapes after them. Where no muscle is, nothing is kept of the bulges. The model lives in `arena`
 * and has passed sup_model_check. */
SupResult sup_popping_pack(SupArena *arena, const SupCharacter *character, const SupPoppingDef *def,
                           SupModel **out_model, SupError *error);

/* What a packed model was made of: arrays in `arena`, by the body vertices that it was made for.
 * Packing it again for the same character gives the same bytes. */
SupResult sup_popping_unpack(SupArena *arena, const SupModel *model, SupPoppingDef *out_def,
                             SupError *error);

#ifdef __cplusplus
}
#endif
#endif
