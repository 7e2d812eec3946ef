/* SPDX-License-Identifier: MIT */
/* Rotations in float. */
#include "supple/math.h"

#define SUP_REAL float
#define SUP_EPSILON 0x1p-23f
#define SUP_TYPE(name) Sup##name
#define SUP_FN(noun, verb) sup_##noun##_##verb
#define SUP_SCALAR_FN(name) sup_##name##f
#include "math/rotation.inl"
