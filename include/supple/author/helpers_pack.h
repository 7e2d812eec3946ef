/* SPDX-License-Identifier: MIT */
/*
 * Supple: packing controllers of helper joints into a model (supple/helpers.h).
 */
#ifndef SUPPLE_AUTHOR_HELPERS_PACK_H
#define SUPPLE_AUTHOR_HELPERS_PACK_H

#include "supple/author/skin_pack.h"
#include "supple/helpers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One helper's controller; matrices row by row. The input behind the listed ones is 1. */
typedef struct SupHelperDef {
  uint32_t joint;
  SupTransform rest;
  uint32_t state_count, input_count;
  const uint32_t *inputs; /* [input_count] as in SupHelpersView */
  const double *a;        /* [state_count * state_count], eigenvalues inside the unit circle */
  const double *b;        /* [state_count * (input_count + 1)] */
  const double *c;        /* [6 * state_count] */
  const double *d;        /* [6 * (input_count + 1)] */
  uint32_t feature_count;
  const uint32_t *features;  /* [feature_count] of the model's */
  const double *static_part; /* [6 * (1 + feature_count)], the constant first */
  double range[12];          /* least and greatest of each y */
} SupHelperDef;

/* What a helpers model is made of. Start from sup_helpers_def. */
typedef struct SupHelpersDef {
  uint32_t cookie;
  double h; /* seconds of a step; 1/60 */
  uint32_t turn_count;
  const uint32_t *turns; /* [turn_count] joints */
  uint32_t frame_count;
  const SupHelpersFrame *frames;
  uint32_t feature_count;
  const uint32_t *features; /* [3 * feature_count] inputs as in SupHelpersView */
  const double *box;        /* [2 * inputs] least of all inputs, then greatest */
  uint32_t helper_count;
  const SupHelperDef *helpers; /* parents before children */
} SupHelpersDef;

SupHelpersDef sup_helpers_def(void);

/* How many inputs a model with so many turns and frames has, the constant included; and their
 * indices: number c (0..2) of a turn, number r (0..11) of a frame. */
uint32_t sup_helpers_inputs(uint32_t turn_count, uint32_t frame_count);
uint32_t sup_helpers_turn_input(uint32_t turn_count, uint32_t turn, uint32_t c);
uint32_t sup_helpers_frame_input(uint32_t turn_count, uint32_t frame_count, uint32_t frame,
                                 uint32_t r);

/* Packs the body of a character whose skeleton and weights have the helpers already. The model
 * lives in `arena` and has passed sup_model_check. */
SupResult sup_helpers_pack(SupArena *arena, const SupCharacter *character, const SupHelpersDef *def,
                           SupModel **out_model, SupError *error);

/* What the same helpers do in one material. */
typedef struct SupHelpersMaterialDef {
  const char *name;         /* another one for each */
  double frequency;         /* how fast it swings, in any unit that is the same for all; all alike:
                           a blend keeps the frequencies of all */
  const SupHelpersDef *def; /* joints, rests, turns, frames, features and h as the others' */
} SupHelpersMaterialDef;

/* Packs up to SUP_HELPERS_MATERIALS materials into one model, whose states begin as the first alone
 * (sup_helpers_blend). The states of a helper in all materials together are SUP_HELPERS_STATES at
 * most; inputs are cut where the widest box does. */
SupResult sup_helpers_pack_materials(SupArena *arena, const SupCharacter *character, uint32_t count,
                                     const SupHelpersMaterialDef *materials, SupModel **out_model,
                                     SupError *error);

/* The same controllers for the character as it is now: after its vertices were reordered. */
SupResult sup_helpers_repack(SupArena *arena, const SupCharacter *character, const SupModel *model,
                             SupModel **out_model, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
