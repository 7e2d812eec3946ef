/* SPDX-License-Identifier: MIT */
/* What the files of the envelope share: the layout of a state, and the stages of a shape. */
#ifndef SUP_SRC_RUNTIME_ENVELOPE_PARTS_H
#define SUP_SRC_RUNTIME_ENVELOPE_PARTS_H

#include "supple/envelope.h"

/* Offsets are in bytes from the start of the state. */
struct SupEnvelopeState {
  uint64_t bytes;
  uint64_t known;     /* 1: angles, strengths and shaped are those of an earlier shape */
  uint64_t palette;   /* [bone_count] SupAffine without the root */
  uint64_t angles;    /* [angle_count] now, then [angle_count] at the earlier shape */
  uint64_t omegas;    /* [shape_count] doubles: cardinal functions of one blend */
  uint64_t mixes;     /* [blend_count * shape_count] how much of each shape */
  uint64_t controls;  /* [control_count] SupVec3 */
  uint64_t turns;     /* [9 * patch_count] from the frame of the face to the palette's space */
  uint64_t changed;   /* [patch_count] whether the residual is another one than before */
  uint64_t strengths; /* [patch_count] */
  uint64_t values;    /* [value_count] what the tables say, times the strength */
  uint64_t shaped;    /* [48 * block_count] offsets with the residual, in the frame of the face */
  uint64_t rows;      /* [48 * block_count] positions */
  uint64_t seams;     /* [4 * seam_count] sum and number, then the place */
  uint64_t reserved[2];
};

static inline void *sup_envelope_at(const SupEnvelopeState *state, uint64_t offset) {
  return (char *)(uintptr_t)state + offset;
}

/* Angles, how the shapes are blended, values of the tables, what has changed. */
void sup_envelope_read(const SupEnvelopeView *model, SupEnvelopeState *state, const SupPose *pose,
                       const float *strengths);

/* The control mesh and its frames, in the space of the palette. False where the root has no
 * inverse. */
bool sup_envelope_control(const SupEnvelopeView *model, SupEnvelopeState *state,
                          const SupAffine *palette);

#endif
