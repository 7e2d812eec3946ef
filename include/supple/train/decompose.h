/* SPDX-License-Identifier: MIT */
/*
 * Supple: skinning decomposition, any deformation into bones. Given a moving mesh, finds rigid
 * bones and skin weights whose linear blend comes nearest to it; bones of a skeleton that are
 * already there keep their motion, and helper bones take what they cannot do.
 * docs/techniques/helpers.md has the equations.
 */
#ifndef SUPPLE_TRAIN_DECOMPOSE_H
#define SUPPLE_TRAIN_DECOMPOSE_H

#include "supple/author/character.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SUP_DECOMPOSE_INFLUENCES 8 /* most bones of a vertex */

/* What is taken apart. Start from sup_decompose_def. Bones 0 .. fixed_count - 1 are the skeleton's,
 * the helpers come after them. */
typedef struct SupDecomposeDef {
  uint32_t cookie;
  uint32_t vertex_count;
  const SupVec3 *rest; /* [vertex_count] */
  uint32_t frame_count;
  const SupVec3 *positions; /* [frame_count * vertex_count], finite */
  uint32_t fixed_count;     /* bones whose motion is given; 0: all bones are free */
  const SupAffine *fixed;   /* [frame_count * fixed_count] rest to frame */
  uint32_t helper_count;
  uint32_t influences; /* most bones of a vertex, 1 .. SUP_DECOMPOSE_INFLUENCES; 4 */
  double least_weight; /* weaker influences are left out in the end; 0. Engines round weights to 8
                        * or 16 bits, and Blender passes over very small ones */
  const float *vertex_weights; /* [vertex_count] how much a vertex counts (its area), or NULL */
  const SupSkin *skin;         /* weights of the fixed bones that locked vertices keep, or NULL */
  const uint8_t *locked;       /* [vertex_count] not 0: keeps its weights of `skin`; or NULL */
  double smooth;               /* resistance of helpers to jumping from frame to frame; 0 */
  uint32_t sweeps;             /* most rounds of the last, long refinement; 100 */
  double tolerance; /* it ends when a round lowers the error by less than this fraction */
  uint32_t reseeds; /* how often a useless helper may be moved to where one is missed */
  uint32_t starts;  /* independent tries, of which the best is kept; 1 */
  uint64_t seed;    /* of the tries after the first */
  const SupJobs *jobs;
} SupDecomposeDef;

SupDecomposeDef sup_decompose_def(void);

/* Bones and weights; everything in the caller's arena. */
typedef struct SupDecomposition {
  uint32_t vertex_count, frame_count, fixed_count, helper_count;
  SupSkin skin;             /* at most `influences` per vertex, by descending weight */
  const SupAffine *helpers; /* [frame_count * helper_count] rigid, rest to frame */
  double rmse;              /* root of the mean squared distance, over all vertices and frames */
  double fixed_rmse;        /* the same of the fixed bones alone with the best weights; 0 without */
  const double *errors;     /* [vertex_count] root of the mean squared distance over the frames */
  uint32_t sweep_count;
  const double *history; /* [sweep_count] the objective's root mean square after every round of the
                            last refinement of the best try */
  uint32_t history_count;
} SupDecomposition;

/* The same bits for any number of threads. */
SupResult sup_decompose(SupArena *arena, const SupDecomposeDef *def, SupDecomposition *out,
                        SupError *error);

#ifdef __cplusplus
}
#endif
#endif
