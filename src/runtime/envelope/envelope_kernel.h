/* SPDX-License-Identifier: MIT */
/* The kernels of the envelope technique for the instruction set being compiled. */
#ifndef SUP_SRC_RUNTIME_ENVELOPE_KERNEL_H
#define SUP_SRC_RUNTIME_ENVELOPE_KERNEL_H

#include "anim/real.h"
#include "supple/envelope.h"

/* What the kernels of patches read and write: parts of a state (envelope_parts.h). */
typedef struct SupEnvelopePatchesCall {
  const SupEnvelopeView *model;
  const SupVec3 *controls; /* [control_count] */
  const SupMat3 *turns;    /* [patch_count] */
  const uint32_t *changed; /* [patch_count] */
  const float *values;     /* [value_count] */
  const float *seams;      /* [4 * seam_count] x y z of the place */
  float *shaped, *rows;    /* [48 * block_count] */
} SupEnvelopePatchesCall;

typedef struct SupEnvelopeFramesCall {
  const SupSkinView *skin;
  const SupAffine *palette; /* [bone_count] */
  float *frames;            /* [blocks of 9] */
} SupEnvelopeFramesCall;

/* Rows of the patches' own positions: p = q + Mrot (d + residual). */
void SUP_KERNEL(envelope_hang)(const SupEnvelopePatchesCall *call, SupRange patches);

/* Moves borders to their seams, and interiors by what that spreads to them. */
void SUP_KERNEL(envelope_spread)(const SupEnvelopePatchesCall *call, SupRange patches);

/* The linear part of the blended bones. */
void SUP_KERNEL(envelope_frames)(const SupEnvelopeFramesCall *call, SupRange blocks);

#endif
