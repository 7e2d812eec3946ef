/* SPDX-License-Identifier: MIT */
/*
 * The state of a skinning decomposition while it is being found.
 *
 * A bone's motion is four rows of numbers, one per column of its 3x4 matrix, each with three
 * entries per frame: bones[4 b + c][3 t + r]. A vertex's motion is one row. Scalar products of
 * rows over all frames are then all that is needed:
 *
 *   weights     of vertex i: minimise |sum_b w_b a_b - y|^2, a_b = sum_c v_c bones[4 b + c];
 *               a_b . a_c = v^T Q_bc v with Q = bones bones^T, whatever the number of frames
 *   transforms  of frame t: minimise sum_i |y_i - sum_b w_ib X_b v_i|^2; with A_b = sum_i w_ib r_i
 *               v_i^T of the residuals r and W_bc = sum_i w_ib w_ic v_i v_i^T a bone's best motion,
 *               all others fixed, is the rigid fit to A_b + X_b W_bb, and a change D of X_b makes
 *               every A_c less D W_bc: no vertex is touched while the bones of a frame settle
 */
#ifndef SUP_SRC_TRAIN_HELPERS_DECOMPOSE_H
#define SUP_SRC_TRAIN_HELPERS_DECOMPOSE_H

#include "supple/math.h"
#include "supple/train/decompose.h"

#define SUP_DECOMPOSE_SPREAD 16 /* helpers inserted at once */

typedef struct Decompose {
  const SupDecomposeDef *def;
  uint32_t vertices, frames, fixed;
  uint32_t bones;      /* in use: the fixed ones and the helpers inserted so far */
  uint32_t capacity;   /* all of them */
  uint32_t stride;     /* entries of a row, >= 3 * frames, the rest 0 */
  double (*rest)[4];   /* [vertices] from the centre; 1 */
  const float *weight; /* [vertices] how much each counts, or NULL */
  float *targets;      /* [vertices * stride] from the frame's centre */
  float *residuals;    /* [vertices * stride] targets minus skin */
  double *matrices;    /* [4 * capacity * stride] */
  float *narrow;       /* the same in float */
  double *products;    /* [(4 * capacity)^2] Q */
  SupQuatd *turns;     /* [capacity * frames] rotations of the helpers */
  uint32_t *counts;    /* [vertices] influences in use */
  uint32_t *of;        /* [vertices * influences] */
  double *fractions;   /* [vertices * influences] */
  double *errors;      /* [vertices] sum over frames of the squared distance */
  double *losses;      /* [vertices * influences] more of that without this influence, at least */
  /* Scratch. */
  float *lanes;    /* [vertices * 4 * helpers] share times rest position */
  float *moments;  /* [4 * helpers * stride] A */
  double *masses;  /* [helpers^2 * 16] W */
  double *gains;   /* [vertices] */
  double *partial; /* [chunks] sums in chunk order */
} Decompose;

/* What positions are counted from. */
typedef struct DecomposeCentre {
  SupVec3d rest;
  SupVec3d *frames; /* [frames] */
} DecomposeCentre;

bool sup_decompose_allocate(SupArena *arena, const SupDecomposeDef *def, Decompose *d,
                            DecomposeCentre *centre);
void sup_decompose_fill_in(Decompose *d, DecomposeCentre *centre);

/* A helper's motion in one frame, from rest to scene. */
SupAffine sup_decompose_motion(const Decompose *d, const DecomposeCentre *centre, uint32_t helper,
                               uint32_t frame);

/* Motions of all helpers for the frames of `def`, with the weights of `skin`, which has its bones;
 * io_motions[frames * helpers] begin somewhere near. */
SupResult sup_decompose_follow(const SupDecomposeDef *def, SupAllocator allocator,
                               const SupSkin *skin, SupAffine *io_motions, SupError *error);

/* Row c of bone b. */
static inline double *sup_decompose_row(const Decompose *d, uint32_t bone, uint32_t column) {
  return d->matrices + ((size_t)4 * bone + column) * d->stride;
}

/* The scalar product of two rows, in double. */
static inline double sup_decompose_dot(const float *a, const float *b, uint32_t count) {
  double sums[8] = {0}; /* count is a multiple of 16 */
  for (uint32_t t = 0; t < count; t += 8) {
    for (uint32_t k = 0; k < 8; k++) sums[k] += (double)a[t + k] * (double)b[t + k];
  }
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

typedef enum SupDecomposeEffort {
  SUP_DECOMPOSE_PLAIN,
  SUP_DECOMPOSE_THOROUGH, /* also tries to exchange influences one by one */
  SUP_DECOMPOSE_LAST,     /* that too, and leaves out what is weaker than least_weight */
  SUP_DECOMPOSE_LOSSES    /* also leaves `losses` */
} SupDecomposeEffort;

/* One block of coordinate descent each. The weights' step leaves `errors` and `residuals` up to
 * date and returns the objective. After the motions' step sup_decompose_moved is due. */
double sup_decompose_weights(Decompose *d, SupDecomposeEffort effort);
void sup_decompose_transforms(Decompose *d, int rounds);

/* To be called when matrices of bones first .. bones - 1 have changed. */
void sup_decompose_moved(Decompose *d, uint32_t first);

/* The rigid motion that takes weighted points best to their targets, from the sums
 * moment = sum w e v^T (3x4, v with 1 as fourth) and mass = sum w^2 v v^T (4x4):
 * minimises sum |e - w (R v + t)|^2. False, and nothing written, where there is no mass. */
bool sup_rigid_fit(const double moment[12], const double mass[16], SupQuatd *turn, double out[12]);

/* Adds a helper where it helps most; `spread` of them at once, in different places. */
void sup_decompose_insert(Decompose *d, uint32_t spread, SupRng *rng);

/* Puts helper `bone` where one is missed most. */
void sup_decompose_move(Decompose *d, uint32_t bone, SupRng *rng);

#endif
