/* SPDX-License-Identifier: MIT */
/*
 * Records of eight reals per lane, x y z 0 and u v w 0: what a kernel reads of vertices that are
 * not its own. A group of lanes loads its neighbours' records whole (one aligned load each) and
 * transposes them, which costs half of what gather instructions do and works everywhere.
 */
#ifndef SUP_SRC_RUNTIME_LANE_RECORDS_H
#define SUP_SRC_RUNTIME_LANE_RECORDS_H

#include "math/rotation_fit.h"

#define SUP_RECORD 8

/* Halves of records can be loaded by themselves: sup_halves_load. */
#define SUP_HALVES (SUP_WIDTH == 4 || SUP_WIDTH == 8)

/* Both halves of SUP_WIDTH records. */
typedef struct sup_vpair {
  sup_vvec3 a, b;
} sup_vpair;

SUP_INLINE sup_vvec3 sup_vvec3_add(sup_vvec3 a, sup_vvec3 b) {
  return (sup_vvec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
SUP_INLINE sup_vvec3 sup_vvec3_sub(sup_vvec3 a, sup_vvec3 b) {
  return (sup_vvec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
SUP_INLINE sup_vvec3 sup_vvec3_scale(sup_vvec3 a, sup_vf s) {
  return (sup_vvec3){a.x * s, a.y * s, a.z * s};
}
/* a + b s */
SUP_INLINE sup_vvec3 sup_vvec3_add_scaled(sup_vvec3 a, sup_vvec3 b, sup_vf s) {
  return (sup_vvec3){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}
SUP_INLINE sup_vvec3 sup_vvec3_cross(sup_vvec3 a, sup_vvec3 b) {
  return (sup_vvec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
SUP_INLINE sup_vvec3 sup_vvec3_select(sup_vi mask, sup_vvec3 yes, sup_vvec3 no) {
  return (sup_vvec3){sup_select(mask, yes.x, no.x), sup_select(mask, yes.y, no.y),
                     sup_select(mask, yes.z, no.z)};
}
/* Turns v by the unit quaternion q. */
SUP_INLINE sup_vvec3 sup_vquat_turn(sup_vquat q, sup_vvec3 v) {
  const sup_vvec3 axis = {q.x, q.y, q.z};
  const sup_vvec3 t = sup_vvec3_scale(sup_vvec3_cross(axis, v), SUP_C(2));
  return sup_vvec3_add(sup_vvec3_add_scaled(v, t, q.w), sup_vvec3_cross(axis, t));
}

/* Rows of a block. */
SUP_INLINE sup_vvec3 sup_vvec3_load(const sup_real *rows, int lane) {
  return (sup_vvec3){sup_vf_load(rows + lane), sup_vf_load(rows + SUP_BLOCK + lane),
                     sup_vf_load(rows + 2 * SUP_BLOCK + lane)};
}
SUP_INLINE void sup_vvec3_store(sup_real *rows, int lane, sup_vvec3 v) {
  sup_vf_store(rows + lane, v.x);
  sup_vf_store(rows + SUP_BLOCK + lane, v.y);
  sup_vf_store(rows + 2 * SUP_BLOCK + lane, v.z);
}

#if SUP_WIDTH == 1

SUP_INLINE sup_vpair sup_records_load(const sup_real *records, const uint32_t *lanes) {
  const sup_real *r = records + (size_t)SUP_RECORD * lanes[0];
  return (sup_vpair){{r[0], r[1], r[2]}, {r[4], r[5], r[6]}};
}

SUP_INLINE void sup_records_store(sup_real *records, sup_vpair p) {
  records[0] = p.a.x, records[1] = p.a.y, records[2] = p.a.z, records[3] = 0;
  records[4] = p.b.x, records[5] = p.b.y, records[6] = p.b.z, records[7] = 0;
}

#else

typedef sup_real sup_v4 __attribute__((vector_size(4 * sizeof(sup_real)), may_alias));
typedef sup_real sup_v8 __attribute__((vector_size(8 * sizeof(sup_real)), may_alias));

SUP_INLINE sup_v4 sup_half_load(const sup_real *records, uint32_t lane, int half) {
  return *(const sup_v4 *)(records + (size_t)SUP_RECORD * lane + 4 * half);
}

/* Four lanes: a 4 x 4 transpose whose last column is not wanted. */
#define SUP_TRANSPOSE4(r0, r1, r2, r3, out)                        \
  do {                                                             \
    const sup_v4 t0 = __builtin_shufflevector(r0, r1, 0, 4, 1, 5); \
    const sup_v4 t1 = __builtin_shufflevector(r2, r3, 0, 4, 1, 5); \
    const sup_v4 t2 = __builtin_shufflevector(r0, r1, 2, 6, 3, 7); \
    const sup_v4 t3 = __builtin_shufflevector(r2, r3, 2, 6, 3, 7); \
    (out).x = __builtin_shufflevector(t0, t1, 0, 1, 4, 5);         \
    (out).y = __builtin_shufflevector(t0, t1, 2, 3, 6, 7);         \
    (out).z = __builtin_shufflevector(t2, t3, 0, 1, 4, 5);         \
  } while (0)

#if SUP_WIDTH == 4

SUP_INLINE sup_vvec3 sup_halves_load(const sup_real *records, const uint32_t *lanes, int half) {
  const sup_v4 r0 = sup_half_load(records, lanes[0], half);
  const sup_v4 r1 = sup_half_load(records, lanes[1], half);
  const sup_v4 r2 = sup_half_load(records, lanes[2], half);
  const sup_v4 r3 = sup_half_load(records, lanes[3], half);
  sup_vvec3 out;
  SUP_TRANSPOSE4(r0, r1, r2, r3, out);
  return out;
}

SUP_INLINE sup_vpair sup_records_load(const sup_real *records, const uint32_t *lanes) {
  return (sup_vpair){sup_halves_load(records, lanes, 0), sup_halves_load(records, lanes, 1)};
}

#elif SUP_WIDTH == 8

/* Halves of lanes i and i + 4 side by side, then four lanes in each 128 bits. */
SUP_INLINE sup_v8 sup_two_halves(const sup_real *records, const uint32_t *lanes, int i, int half) {
  const sup_v4 low = sup_half_load(records, lanes[i], half);
  const sup_v4 high = sup_half_load(records, lanes[i + 4], half);
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

SUP_INLINE sup_vvec3 sup_halves_load(const sup_real *records, const uint32_t *lanes, int half) {
  const sup_v8 r0 = sup_two_halves(records, lanes, 0, half);
  const sup_v8 r1 = sup_two_halves(records, lanes, 1, half);
  const sup_v8 r2 = sup_two_halves(records, lanes, 2, half);
  const sup_v8 r3 = sup_two_halves(records, lanes, 3, half);
  const sup_v8 t0 = __builtin_shufflevector(r0, r1, 0, 8, 1, 9, 4, 12, 5, 13);
  const sup_v8 t1 = __builtin_shufflevector(r2, r3, 0, 8, 1, 9, 4, 12, 5, 13);
  const sup_v8 t2 = __builtin_shufflevector(r0, r1, 2, 10, 3, 11, 6, 14, 7, 15);
  const sup_v8 t3 = __builtin_shufflevector(r2, r3, 2, 10, 3, 11, 6, 14, 7, 15);
  return (sup_vvec3){__builtin_shufflevector(t0, t1, 0, 1, 8, 9, 4, 5, 12, 13),
                     __builtin_shufflevector(t0, t1, 2, 3, 10, 11, 6, 7, 14, 15),
                     __builtin_shufflevector(t2, t3, 0, 1, 8, 9, 4, 5, 12, 13)};
}

SUP_INLINE sup_vpair sup_records_load(const sup_real *records, const uint32_t *lanes) {
  return (sup_vpair){sup_halves_load(records, lanes, 0), sup_halves_load(records, lanes, 1)};
}

#else /* SUP_WIDTH == 16 */

/* Whole records of lanes i and i + 4. */
SUP_INLINE sup_vf sup_two_records(const sup_real *records, const uint32_t *lanes, int i) {
  const sup_v8 low = *(const sup_v8 *)(records + (size_t)SUP_RECORD * lanes[i]);
  const sup_v8 high = *(const sup_v8 *)(records + (size_t)SUP_RECORD * lanes[i + 4]);
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* Of eight records: component k of both halves, lanes in rising order within each half. */
typedef struct sup_vthree {
  sup_vf k0, k1, k2;
} sup_vthree;

SUP_INLINE sup_vthree sup_eight_records(const sup_real *records, const uint32_t *lanes) {
  const sup_vf r0 = sup_two_records(records, lanes, 0), r1 = sup_two_records(records, lanes, 1);
  const sup_vf r2 = sup_two_records(records, lanes, 2), r3 = sup_two_records(records, lanes, 3);
#define LOW 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29
#define HIGH 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31
#define FIRST 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29
#define SECOND 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31
  const sup_vf t0 = __builtin_shufflevector(r0, r1, LOW);
  const sup_vf t1 = __builtin_shufflevector(r2, r3, LOW);
  const sup_vf t2 = __builtin_shufflevector(r0, r1, HIGH);
  const sup_vf t3 = __builtin_shufflevector(r2, r3, HIGH);
  return (sup_vthree){__builtin_shufflevector(t0, t1, FIRST),
                      __builtin_shufflevector(t0, t1, SECOND),
                      __builtin_shufflevector(t2, t3, FIRST)};
}

SUP_INLINE sup_vpair sup_records_load(const sup_real *records, const uint32_t *lanes) {
  const sup_vthree l = sup_eight_records(records, lanes);
  const sup_vthree h = sup_eight_records(records, lanes + 8);
#define EVEN 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27
#define ODD 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31
  return (sup_vpair){
      {__builtin_shufflevector(l.k0, h.k0, EVEN), __builtin_shufflevector(l.k1, h.k1, EVEN),
       __builtin_shufflevector(l.k2, h.k2, EVEN)},
      {__builtin_shufflevector(l.k0, h.k0, ODD), __builtin_shufflevector(l.k1, h.k1, ODD),
       __builtin_shufflevector(l.k2, h.k2, ODD)}};
}

#endif /* SUP_WIDTH */

/* Four lanes of one half, from lane i of the vectors. */
SUP_INLINE void sup_halves_store(sup_real *records, const sup_real *x, const sup_real *y,
                                 const sup_real *z) {
  const sup_v4 vx = *(const sup_v4 *)x, vy = *(const sup_v4 *)y, vz = *(const sup_v4 *)z;
  const sup_v4 zero = {0, 0, 0, 0};
  const sup_v4 t0 = __builtin_shufflevector(vx, vy, 0, 4, 1, 5);
  const sup_v4 t1 = __builtin_shufflevector(vx, vy, 2, 6, 3, 7);
  const sup_v4 t2 = __builtin_shufflevector(vz, zero, 0, 4, 1, 5);
  const sup_v4 t3 = __builtin_shufflevector(vz, zero, 2, 6, 3, 7);
  *(sup_v4 *)records = __builtin_shufflevector(t0, t2, 0, 1, 4, 5);
  *(sup_v4 *)(records + SUP_RECORD) = __builtin_shufflevector(t0, t2, 2, 3, 6, 7);
  *(sup_v4 *)(records + 2 * SUP_RECORD) = __builtin_shufflevector(t1, t3, 0, 1, 4, 5);
  *(sup_v4 *)(records + 3 * SUP_RECORD) = __builtin_shufflevector(t1, t3, 2, 3, 6, 7);
}

/* The records of SUP_WIDTH lanes in a row. */
SUP_INLINE void sup_records_store(sup_real *records, sup_vpair p) {
  const sup_real *rows = (const sup_real *)&p;
  for (int i = 0; i < SUP_WIDTH; i += 4) {
    const sup_real *a = rows + i;
    sup_real *to = records + SUP_RECORD * i;
    sup_halves_store(to, a, a + SUP_WIDTH, a + 2 * SUP_WIDTH);
    sup_halves_store(to + 4, a + 3 * SUP_WIDTH, a + 4 * SUP_WIDTH, a + 5 * SUP_WIDTH);
  }
}

#endif /* SUP_WIDTH > 1 */

#endif
