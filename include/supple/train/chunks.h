/* SPDX-License-Identifier: MIT */
/*
 * Supple: chunks from a character and its patches (docs/techniques/chunks.md; Guo 2007, SWDC).
 *
 * No examples: zones say which flesh is a layer above a shell and which is solid around a bone, and
 * everything else is found. What comes of it is a SupChunksPackDef, which sup_chunks_pack turns
 * into a model.
 */
#ifndef SUPPLE_TRAIN_CHUNKS_H
#define SUPPLE_TRAIN_CHUNKS_H

#include "supple/author/chunks_pack.h"
#include "supple/author/patch_chart.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SUP_CHUNKS_AUTOMATIC UINT32_MAX

/* A bulge below a patch: of the bottom of its ordinary chunk, or of the centre line of its sector
 * of a limb. Start from sup_chunks_train_bulge. */
typedef struct SupChunksTrainBulge {
  const char *patch; /* each at most once */
  double centre[2];  /* above the shell: from the middle of the patch, in distances from there to
                        the nearest side; limbs: [0] along the chunk, 0 to 1 */
  double width;      /* in the same units, > 0 */
  double height;     /* body units */
  SupChunksDriver driver;
  const char *joint; /* BY_ANGLE: the height is `height` times a ramp from 0 at `from` to 1 at */
  SupVec3 axis; /* `to` (radians), of the turn of the joint about the axis, in its own frame; a */
  double from, to; /* zero axis: the one about which the clips turn it most */
  bool no_dents;   /* never below 0 */
} SupChunksTrainBulge;

/* In the middle of the patch, of half its size, 0 high and moved by hand. */
SupChunksTrainBulge sup_chunks_train_bulge(const char *patch, bool limb);

/* What is said about a zone or a chunk beside the plan. Chunks above the shell are called after
 * their patch, those of limbs after their zone, with "-2", "-3" behind the first ring. Later
 * options win. Start from sup_chunks_option. */
typedef struct SupChunksOption {
  const char *name;
  uint32_t slices; /* 3 .. 256, both ends counted; 0: automatic */
  uint32_t levels; /* 0 .. 5, or SUP_CHUNKS_AUTOMATIC */
  double poisson;  /* above 0, below 0.5; 0: automatic */
  double depth;    /* of the shell below the skin; 0: automatic; of zones alone */
  bool skinned;    /* no chunks */
} SupChunksOption;

SupChunksOption sup_chunks_option(const char *name);

/* Start from sup_chunks_train_def. */
typedef struct SupChunksTrainDef {
  uint32_t cookie;
  const SupCharacter *character;    /* skinned */
  const SupPatchPlan *plan;         /* its zones count */
  const SupPatchesDef *patches_def; /* of the character's body */
  const SupPatches *patches;        /* of it */
  const SupPatchCharts *charts;     /* of them */
  uint32_t option_count;
  const SupChunksOption *options;
  uint32_t bulge_count;
  const SupChunksTrainBulge *bulges; /* every other patch has one of height 0, for controls */
  const float *stiffness;            /* [body.vertex_count] relative, > 0; NULL: even */
  double poisson;                    /* 0.45 */
  uint32_t slices;                   /* of all chunks; 0: automatic */
  uint32_t levels;                   /* SUP_CHUNKS_AUTOMATIC */
  uint32_t relaxations;              /* 10 */
  const SupJobs *jobs;               /* place the skin; or NULL */
} SupChunksTrainDef;

SupChunksTrainDef sup_chunks_train_def(const SupCharacter *character);

typedef struct SupChunksPieceReport {
  const char *name, *zone;
  bool limb;
  uint32_t side_count, slice_count, levels;
  uint32_t node_count, wedge_count, column_count;
  uint32_t vertex_count; /* of the body, that it moves */
  double poisson, volume;
} SupChunksPieceReport;

/* A chunk that was wanted and is not: its patches are plainly skinned. */
typedef struct SupChunksRefusal {
  const char *name, *zone;
  const char *reason; /* a sentence without full stop */
} SupChunksRefusal;

typedef struct SupChunksTrainReport {
  uint32_t piece_count, refusal_count, note_count;
  const SupChunksPieceReport *pieces; /* as those of the definition */
  const SupChunksRefusal *refusals;
  const char *const *notes;                       /* sentences without full stop */
  uint32_t node_count, wedge_count, column_count; /* of all chunks */
  uint32_t shell_vertex_count, shell_face_count;
  uint32_t raised_count; /* vertices of the shell brought nearer to the skin than they were to be */
  double depth;          /* the automatic depth of the shell; 0: there is none */
  uint32_t seam_count, open_count;
  uint32_t moved_count; /* body vertices that chunks move */
} SupChunksTrainReport;

typedef struct SupChunksTrained {
  SupChunksPackDef def;
  SupChunksTrainReport report;
} SupChunksTrained;

/* Everything of *out_trained lives in `arena` and points into what the definition points to. Fails
 * with a sentence, before any work, on what sup_patch_plan_check refuses, a solid zone without bone
 * or with a joint that there is not, options and bulges of what there is not or out of range; and
 * where a shell that is given crosses itself, or not one chunk can be made. The same bits for any
 * number of threads. */
SupResult sup_chunks_train(SupArena *arena, const SupChunksTrainDef *def,
                           SupChunksTrained *out_trained, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
