/* SPDX-License-Identifier: MIT */
/* Rotations in double. */
#include "supple/math.h"

#define SUP_REAL double
#define SUP_EPSILON 0x1p-52
#define SUP_TYPE(name) Sup##name##d
#define SUP_FN(noun, verb) sup_##noun##d_##verb
#define SUP_SCALAR_FN(name) sup_##name
#include "math/rotation.inl"
