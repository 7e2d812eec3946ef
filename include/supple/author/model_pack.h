/* SPDX-License-Identifier: MIT */
/*
 * Supple: making model blocks.
 */
#ifndef SUPPLE_AUTHOR_MODEL_PACK_H
#define SUPPLE_AUTHOR_MODEL_PACK_H

#include "supple/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A section to be: `count` items of `item_bytes`, copied. */
typedef struct SupModelPart {
  uint32_t id;
  uint32_t item_bytes; /* > 0 */
  uint64_t count;
  const void *items; /* NULL means zeroes */
} SupModelPart;

typedef struct SupModelDef {
  uint32_t kind;
  uint32_t version;
  float h;             /* seconds per step, in (0, 1] */
  SupFingerprint mesh; /* sup_fingerprint of the body; zeroed for a model without a mesh */
  uint32_t part_count; /* at most SUP_MODEL_SECTION_MAX */
  const SupModelPart *parts;
  /* Whoever checks the block looks its kind up here (ended by NULL; NULL: this build's). */
  const struct SupTechnique *const *techniques;
} SupModelDef;

/* Packs a block into `arena`, aligned and sealed; gaps are zero, so equal input gives equal bytes.
 * Fails when memory is short, and when the result would not pass sup_model_check_container. */
SupResult sup_model_pack(SupArena *arena, const SupModelDef *def, SupModel **out_model,
                         SupError *error);

/* Writes the checksum that the block's present contents need, after editing in place. */
void sup_model_seal(SupModel *model);

#ifdef __cplusplus
}
#endif
#endif
