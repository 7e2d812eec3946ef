/* SPDX-License-Identifier: MIT */
/*
 * Four floats per lane that lie side by side, wherever each lane's are: loaded whole and
 * transposed.
 */
#ifndef SUP_SRC_RUNTIME_LANE_QUADS_H
#define SUP_SRC_RUNTIME_LANE_QUADS_H

#include "math/rotation_fit.h"

#if SUP_WIDTH == 1

SUP_INLINE sup_vquat sup_quads_load(const float *from, const uint32_t *at) {
  const float *q = from + at[0];
  return (sup_vquat){q[0], q[1], q[2], q[3]};
}

#else

typedef float sup_q4 __attribute__((vector_size(16), aligned(4), may_alias));

SUP_INLINE sup_q4 sup_quad(const float *from, uint32_t at) { return *(const sup_q4 *)(from + at); }

#if SUP_WIDTH == 4

typedef sup_q4 sup_quad_row;

SUP_INLINE sup_quad_row sup_quad_every_fourth(const float *from, const uint32_t *at) {
  return sup_quad(from, at[0]);
}
#define SUP_QUAD_LOW 0, 4, 1, 5
#define SUP_QUAD_HIGH 2, 6, 3, 7
#define SUP_QUAD_FIRST 0, 1, 4, 5
#define SUP_QUAD_SECOND 2, 3, 6, 7

#elif SUP_WIDTH == 8

typedef sup_vf sup_quad_row;

SUP_INLINE sup_quad_row sup_quad_every_fourth(const float *from, const uint32_t *at) {
  return __builtin_shufflevector(sup_quad(from, at[0]), sup_quad(from, at[4]), 0, 1, 2, 3, 4, 5, 6,
                                 7);
}
#define SUP_QUAD_LOW 0, 8, 1, 9, 4, 12, 5, 13
#define SUP_QUAD_HIGH 2, 10, 3, 11, 6, 14, 7, 15
#define SUP_QUAD_FIRST 0, 1, 8, 9, 4, 5, 12, 13
#define SUP_QUAD_SECOND 2, 3, 10, 11, 6, 7, 14, 15

#else /* SUP_WIDTH == 16 */

typedef sup_vf sup_quad_row;
typedef float sup_q8 __attribute__((vector_size(32), may_alias));

SUP_INLINE sup_quad_row sup_quad_every_fourth(const float *from, const uint32_t *at) {
  const sup_q8 low =
      __builtin_shufflevector(sup_quad(from, at[0]), sup_quad(from, at[4]), 0, 1, 2, 3, 4, 5, 6, 7);
  const sup_q8 high = __builtin_shufflevector(sup_quad(from, at[8]), sup_quad(from, at[12]), 0, 1,
                                              2, 3, 4, 5, 6, 7);
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
#define SUP_QUAD_LOW 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29
#define SUP_QUAD_HIGH 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31
#define SUP_QUAD_FIRST 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29
#define SUP_QUAD_SECOND 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31

#endif

/* The four numbers from from[at[lane]] on, of SUP_WIDTH lanes. */
SUP_INLINE sup_vquat sup_quads_load(const float *from, const uint32_t *at) {
  const sup_quad_row r0 = sup_quad_every_fourth(from, at);
  const sup_quad_row r1 = sup_quad_every_fourth(from, at + 1);
  const sup_quad_row r2 = sup_quad_every_fourth(from, at + 2);
  const sup_quad_row r3 = sup_quad_every_fourth(from, at + 3);
  const sup_quad_row t0 = __builtin_shufflevector(r0, r1, SUP_QUAD_LOW);
  const sup_quad_row t1 = __builtin_shufflevector(r2, r3, SUP_QUAD_LOW);
  const sup_quad_row t2 = __builtin_shufflevector(r0, r1, SUP_QUAD_HIGH);
  const sup_quad_row t3 = __builtin_shufflevector(r2, r3, SUP_QUAD_HIGH);
  return (sup_vquat){(sup_vf)__builtin_shufflevector(t0, t1, SUP_QUAD_FIRST),
                     (sup_vf)__builtin_shufflevector(t0, t1, SUP_QUAD_SECOND),
                     (sup_vf)__builtin_shufflevector(t2, t3, SUP_QUAD_FIRST),
                     (sup_vf)__builtin_shufflevector(t2, t3, SUP_QUAD_SECOND)};
}

#endif /* SUP_WIDTH > 1 */

#endif
