/* SPDX-License-Identifier: MIT */
/* What the parts of learning correctives hand to each other. */
#ifndef SUP_SRC_TRAIN_CORRECTIVES_FIT_H
#define SUP_SRC_TRAIN_CORRECTIVES_FIT_H

#include "supple/correctives.h"
#include "supple/train/correctives.h"

#define CORRECTIVES_ENTRIES 9

/* Poses as rows: their features, and the offsets they should have. */
typedef struct CorrectivesRows {
  const SupCorrectivesTrainDef *def;
  SupCorrectivesView reader; /* drivers, heavy bones and centres; no matrix and no skin */
  uint32_t count;
  uint32_t feature_count;
  double *features; /* [count * feature_count] */
  float *offsets;   /* [count * 3 * vertex_count]; later the dual coefficients */
  double *weights; /* [count] in (0, 1]: features and offsets of a row have been multiplied by it */
  double *areas;   /* [vertex_count] with sum 1 */
} CorrectivesRows;

/* Chooses drivers and heavy bones, reads all examples. Arrays in `arena`. */
SupResult sup_correctives_rows(SupArena *arena, const SupCorrectivesTrainDef *def,
                               CorrectivesRows *out_rows, SupError *error);

/* The ways in which the examples turn joints, and which of them are multiplied: fills the reader of
 * rows that has its drivers. */
SupResult sup_correctives_axes(SupArena *arena, CorrectivesRows *rows, SupError *error);

/* Frames of a motion between two that are looked at. */
uint32_t sup_correctives_stride(const SupCorrectivesTrainDef *def,
                                const SupCorrectivesExample *example);

/* Vertices that the same bones move: joints count for them by their distance in the skeleton. */
typedef struct CorrectivesGroup {
  uint32_t vertex_count;
  uint32_t *vertices;
  double *scales; /* [feature_count] squared: how much each feature counts */
} CorrectivesGroup;

typedef struct CorrectivesFit {
  uint32_t group_count;
  CorrectivesGroup *groups;
  float *predictions; /* [count * 3 * vertex_count] what the regression says for the examples */
} CorrectivesFit;

/* Ridge regression of every group; rows->offsets become the dual coefficients: the offset of a
 * vertex is sum over rows of <features, scales row's features> coefficient. */
SupResult sup_correctives_fit(SupArena *arena, CorrectivesRows *rows, CorrectivesFit *out_fit,
                              SupCorrectivesTrainReport *report, SupError *error);

/* The fit as few components: fills shapes, matrix and limits of *out_def, in `arena`. */
SupResult sup_correctives_compress(SupArena *arena, const CorrectivesRows *rows,
                                   const CorrectivesFit *fit, SupCorrectivesTrainReport *report,
                                   uint32_t *out_count, SupVec3 **out_shapes, double **out_matrix,
                                   float **out_limits, SupError *error);

#endif
