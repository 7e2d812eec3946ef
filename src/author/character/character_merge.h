/* SPDX-License-Identifier: MIT */
/* What render vertices carry (weights, morph offsets, map values), merged onto the welded body. */
#ifndef SUP_AUTHOR_CHARACTER_MERGE_H
#define SUP_AUTHOR_CHARACTER_MERGE_H

#include "supple/author/build.h"

typedef struct Influence {
  uint32_t bone;
  float weight;
} Influence;

/* The weights of every render vertex: no zeros, every bone once, by rising bone, summing to 1. */
typedef struct Influences {
  uint32_t *offsets; /* [vertex_count + 1] */
  Influence *items;  /* [offsets[vertex_count]] */
} Influences;

/* Normalises all weights; counts what was odd in the report. */
SupResult sup_influences_gather(SupArena *arena, const SupRawCharacter *raw, uint32_t vertex_count,
                                Influences *out_influences, SupWeldReport *report, SupError *error);

/* A SupMayMerge over Influences: weights equal within 1e-3. */
bool sup_influences_are_close(void *influences, uint32_t a, uint32_t b);

/* These fill skin, morphs and maps of `character`, whose body and render are complete. Merging the
 * skin uses the influences up: it may sort them by weight. */
SupResult sup_merge_skin(SupArena *arena, SupArena *scratch, Influences *influences,
                         SupCharacter *character, SupError *error);
SupResult sup_merge_morphs(SupArena *arena, SupArena *scratch, const SupRawCharacter *raw,
                           SupCharacter *character, SupError *error);
SupResult sup_merge_maps(SupArena *arena, SupArena *scratch, const SupRawCharacter *raw,
                         SupCharacter *character, SupError *error);

#endif
