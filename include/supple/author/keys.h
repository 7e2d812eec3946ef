/* SPDX-License-Identifier: MIT */
/*
 * Supple: fewer keys. Sampled curves keep only the keys that linear interpolation needs.
 */
#ifndef SUPPLE_AUTHOR_KEYS_H
#define SUPPLE_AUTHOR_KEYS_H

#include "supple/skeleton.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Chooses keys of a sampled curve, values[count * width], such that interpolating linearly between
 * them (rotations: slerp, width 4) stays within `tolerance` of every sample: the greatest distance,
 * for rotations the angle in radians. The first sample is always kept, the last unless the curve
 * rests there from the key before it on. out_kept[count] gets their indices, rising; returns how
 * many. scratch[count]. count > 0. */
uint32_t sup_keys_reduce(SupChannel channel, uint32_t width, uint32_t count, const float *times,
                         const float *values, double tolerance, uint32_t *scratch,
                         uint32_t *out_kept);

#ifdef __cplusplus
}
#endif
#endif
