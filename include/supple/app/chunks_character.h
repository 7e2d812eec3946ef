/* SPDX-License-Identifier: MIT */
/* Supple: chunks for a character in a file, from its patches alone. */
#ifndef SUPPLE_APP_CHUNKS_CHARACTER_H
#define SUPPLE_APP_CHUNKS_CHARACTER_H

#include "supple/app/character_file.h"
#include "supple/train/chunks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A bulge in the middle of a patch. */
typedef struct SupChunksFlex {
  const char *patch;
  double height;     /* body units */
  const char *joint; /* NULL: it grows as the face of the shell below it shrinks */
  double from, to;   /* radians: of the joint's turn, where it has none and all of its height */
} SupChunksFlex;

/* Start from sup_chunks_character_def. */
typedef struct SupChunksCharacterDef {
  uint32_t cookie;
  const char *patches; /* a patch file of the character; NULL: sup_patch_auto decides */
  /* As in SupChunksTrainDef. */
  uint32_t option_count;
  const SupChunksOption *options;
  uint32_t bulge_count;
  const SupChunksFlex *bulges; /* a patch of a limb needs a joint */
  uint32_t slices, levels;
  double poisson;
} SupChunksCharacterDef;

SupChunksCharacterDef sup_chunks_character_def(void);

typedef struct SupChunksCharacterReport {
  SupChunksTrainReport trained;
  uint32_t patch_count; /* of the character */
  bool automatic;       /* found without a patch file */
  double seconds;       /* from patches to a model */
} SupChunksCharacterReport;

/* Takes the skin apart, makes chunks and packs them. What is wrong with the input is refused with a
 * sentence before anything is made. */
SupResult sup_chunks_character(const SupAppContext *app, const SupCharacterFile *file,
                               const SupChunksCharacterDef *def, SupModel **out_model,
                               SupChunksCharacterReport *out_report, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
