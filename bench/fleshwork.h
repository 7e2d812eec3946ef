/* SPDX-License-Identifier: MIT */
/*
 * Chunks under the tube of a patchwork: bands of ordinary chunks, one per patch, and bands with one
 * limb's chunk around the tube. What holds them and what they follow is real; the matrices are
 * smooth blends in place of condensed flesh, of the same size. Needs no C library.
 */
#ifndef SUP_BENCH_FLESHWORK_H
#define SUP_BENCH_FLESHWORK_H

#include "patchwork.h"
#include "supple/author/chunks_pack.h"

typedef struct FleshworkDef {
  const char *bands; /* from the bottom: 'o' ordinary chunks, 'l' a limb; as many as `along` */
  uint32_t parts;    /* of a patch's side: nodes */
  uint32_t slices;   /* of limbs; ordinary chunks have four */
} FleshworkDef;

typedef struct Fleshwork {
  SupChunksPackDef def;
  uint32_t node_count; /* of all chunks, those inside counted: what the thesis counts */
} Fleshwork;

/* Chunks for the patches of the patchwork, whose arrays it points into. False when memory is short.
 */
bool fleshwork_make(SupArena *arena, const PatchworkDef *plan, const Patchwork *patchwork,
                    const FleshworkDef *def, Fleshwork *out);

#endif
