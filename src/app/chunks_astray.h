/* SPDX-License-Identifier: MIT */
/* Internal to src/app: chunks that a character's own clips drive out of shape. */
#ifndef SUP_APP_CHUNKS_ASTRAY_H
#define SUP_APP_CHUNKS_ASTRAY_H

#include "supple/train/chunks.h"

/* How much one vertex of a chunk's skin stands out from those beside it, at most: how differently
 * plain skinning is left, in cube roots of the chunk's volume. Bodies whose chunks look right are
 * below 0.25.
 */
typedef struct ChunksAstray {
  double spike;
  uint32_t clip; /* of the character, in which it does */
} ChunksAstray;

#define CHUNKS_ASTRAY 0.3

/* Plays the character's clips, out_astray[piece_count of trained]. `model` is the packed one. */
SupResult sup_chunks_play_clips(SupArena *arena, const SupCharacter *character,
                                const SupChunksTrained *trained, const SupModel *model,
                                ChunksAstray *out_astray, SupError *error);

#endif
