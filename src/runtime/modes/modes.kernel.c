/* SPDX-License-Identifier: MIT */
/*
 * The modes technique, 16 modes at a time.
 *
 *   drive     sum over pairs of <D_cb, L_c^T a_b + L_b^T a_c>     modes_drive
 *   step      two by two products per mode                       modes_advance
 *
 * L_c is the linear part of bone c, a_b the 3 x 4 acceleration of bone b; for c = b one of the two
 * terms. The sum over the 12 numbers of a pair is a tree, so that pairs do not wait for each other.
 */
#include "runtime/modes/modes_kernel.h"

#define ELEMENTS 12
/* Amplitudes stay finite whatever comes in; nothing sensible is near this. A mode that gets there
 * begins again from rest. */
#define FARTHEST 1e18

SUP_INLINE float dot3(const float *a, const float *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* L^T a, row by row: out[4 * i + j] is column i of L times column j of a. */
#if SUP_WIDTH == 1

SUP_INLINE void products(const float *l, const float *a, float *out) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 4; j++) out[4 * i + j] = dot3(l + 3 * i, a + 3 * j);
  }
}

SUP_INLINE void both_products(const float *lc, const float *ab, const float *lb, const float *ac,
                              float *out) {
  float other[ELEMENTS];
  products(lc, ab, out);
  products(lb, ac, other);
  for (int e = 0; e < ELEMENTS; e++) out[e] += other[e];
}

#else

typedef float four __attribute__((vector_size(16), aligned(4), may_alias));

/* The rows of a 3 x 4 matrix that is stored by columns. */
typedef struct Rows {
  four x, y, z;
} Rows;

SUP_INLINE Rows rows_of(const float *m) {
  const four a = *(const four *)m, b = *(const four *)(m + 4), c = *(const four *)(m + 8);
  const four x = __builtin_shufflevector(a, b, 0, 3, 6, 6);
  const four y = __builtin_shufflevector(a, b, 1, 4, 7, 7);
  const four z = __builtin_shufflevector(a, b, 2, 5, 5, 5);
  Rows r;
  r.x = __builtin_shufflevector(x, c, 0, 1, 2, 5);
  r.y = __builtin_shufflevector(y, c, 0, 1, 2, 6);
  r.z = __builtin_shufflevector(z, c, 0, 1, 4, 7);
  return r;
}

SUP_INLINE four product(const float *l, const Rows *a) {
  return l[0] * a->x + l[1] * a->y + l[2] * a->z;
}

SUP_INLINE void products(const float *l, const float *a, float *out) {
  const Rows rows = rows_of(a);
  for (int i = 0; i < 3; i++) *(four *)(out + 4 * i) = product(l + 3 * i, &rows);
}

SUP_INLINE void both_products(const float *lc, const float *ab, const float *lb, const float *ac,
                              float *out) {
  const Rows b = rows_of(ab), c = rows_of(ac);
  for (int i = 0; i < 3; i++) {
    *(four *)(out + 4 * i) = product(lc + 3 * i, &b) + product(lb + 3 * i, &c);
  }
}

#endif

SUP_INLINE sup_vf twelve(const float *drive, const float *s, int lane) {
/* The table is stored by columns. */
#define TERM(e) (sup_vf_load(drive + SUP_BLOCK * (e) + lane) * s[(e) % 3 * 4 + (e) / 3])
  const sup_vf a = (TERM(0) + TERM(1)) + TERM(2), b = (TERM(3) + TERM(4)) + TERM(5);
  const sup_vf c = (TERM(6) + TERM(7)) + TERM(8), d = (TERM(9) + TERM(10)) + TERM(11);
  return (a + b) + (c + d);
#undef TERM
}

SUP_INLINE sup_vf three(const float *drive, const float *s, int lane) {
#define TERM(e) (sup_vf_load(drive + SUP_BLOCK * (e) + lane) * s[e])
  return (TERM(9) + TERM(10)) + TERM(11);
#undef TERM
}

static void drive_general(const SupModesDriveCall *call) {
  const SupModesView *model = call->model;
  for (uint32_t p = 0; p < model->pair_count; p++) {
    const uint32_t c = model->pairs[2 * p], b = model->pairs[2 * p + 1];
    float s[ELEMENTS];
    if (c == b) {
      products(call->palette[c].m, call->accelerations[c].m, s);
    } else {
      both_products(call->palette[c].m, call->accelerations[b].m, call->palette[b].m,
                    call->accelerations[c].m, s);
    }
    for (uint32_t k = 0; k < model->block_count; k++) {
      const float *drive =
          model->drive + (size_t)(ELEMENTS * SUP_BLOCK) * ((size_t)k * model->pair_count + p);
      float *out = call->out + (size_t)SUP_BLOCK * k;
      for (int lane = 0; lane < SUP_BLOCK; lane += SUP_WIDTH) {
        sup_vf_store(out + lane, sup_vf_load(out + lane) + twelve(drive, s, lane));
      }
    }
  }
}

/* The same translation for all bones: only the last column of the table counts. */
static void drive_uniform(const SupModesDriveCall *call) {
  const SupModesView *model = call->model;
  const float a[3] = {call->uniform.x, call->uniform.y, call->uniform.z};
  for (uint32_t p = 0; p < model->pair_count; p++) {
    const uint32_t c = model->pairs[2 * p], b = model->pairs[2 * p + 1];
    float s[ELEMENTS];
    for (int i = 0; i < 3; i++) {
      s[9 + i] = dot3(call->palette[c].m + 3 * i, a);
      if (c != b) s[9 + i] += dot3(call->palette[b].m + 3 * i, a);
    }
    for (uint32_t k = 0; k < model->block_count; k++) {
      const float *drive =
          model->drive + (size_t)(ELEMENTS * SUP_BLOCK) * ((size_t)k * model->pair_count + p);
      float *out = call->out + (size_t)SUP_BLOCK * k;
      for (int lane = 0; lane < SUP_BLOCK; lane += SUP_WIDTH) {
        sup_vf_store(out + lane, sup_vf_load(out + lane) + three(drive, s, lane));
      }
    }
  }
}

void SUP_KERNEL(modes_drive)(const SupModesDriveCall *call) {
  for (uint32_t i = 0; i < SUP_BLOCK * call->model->block_count; i++) call->out[i] = 0;
  if (call->accelerations) {
    drive_general(call);
  } else {
    drive_uniform(call);
  }
}

void SUP_KERNEL(modes_advance)(const SupModesAdvanceCall *call) {
  for (uint32_t at = 0; at < SUP_BLOCK * call->block_count; at += SUP_WIDTH) {
    const float *rows = call->transitions +
                        (size_t)(MODES_TRANSITION_ROWS * SUP_BLOCK) * (at / SUP_BLOCK) +
                        at % SUP_BLOCK;
#define ROW(r) sup_vf_load(rows + SUP_BLOCK * (r))
    const sup_vf q = sup_vf_load(call->q + at), v = sup_vf_load(call->v + at);
    sup_vf q1 = ROW(MODES_Q_Q) * q + ROW(MODES_Q_V) * v;
    sup_vf v1 = ROW(MODES_V_Q) * q + ROW(MODES_V_V) * v;
    for (uint32_t j = 0; j < call->force_count; j++) {
      const sup_vf f = sup_vf_load(call->forces[j] + at);
      q1 += sup_vf_load(rows + SUP_BLOCK * (MODES_Q_F + j)) * f;
      v1 += sup_vf_load(rows + SUP_BLOCK * (MODES_V_F + j)) * f;
    }
#undef ROW
    const sup_vi sound =
        sup_lt(sup_abs(q1), SUP_C(FARTHEST)) & sup_lt(sup_abs(v1), SUP_C(FARTHEST));
    sup_vf_store(call->q + at, sup_select(sound, q1, SUP_C(0)));
    sup_vf_store(call->v + at, sup_select(sound, v1, SUP_C(0)));
  }
}
