/* SPDX-License-Identifier: MIT */
/*
 * The helpers technique, from inputs to local motions, one character: lanes are the outputs and
 * states of a helper, then helpers. Each number is the same sequence of operations as in a crowd
 * (helpers_crowd.kernel.c), hence the same bits.
 *
 *   x    static polynomial, y and the next z: matrix products
 *   q    share x + share y, then the rotation vector's rotation
 */
#include "math/rotation_vector.h"
#include "runtime/helpers/helpers_kernel.h"
#include "runtime/lane_quads.h"

#define OUTPUTS SUP_HELPERS_OUTPUTS

/* ---- One character --------------------------------------------------------------------------- */

#if SUP_WIDTH <= HELPERS_LANES

/* Vectors that hold the outputs of a helper, and those that are summed at a time. */
#define VECTORS (((int)OUTPUTS + SUP_WIDTH - 1) / SUP_WIDTH)
#define GROUP (SUP_WIDTH == 8 ? 2 : 4)

typedef struct Outputs {
  sup_vf v[VECTORS];
} Outputs;

/* io_sums += column times number. */
SUP_INLINE void add_column(int count, const float *column, float number, sup_vf *io_sums) {
  const sup_vf by = sup_vf_splat(number);
  for (int i = 0; i < count; i++) {
    io_sums[i] = io_sums[i] + sup_vf_load(column + SUP_WIDTH * i) * by;
  }
}

/* Feature `f`. */
SUP_INLINE float feature_of(const uint32_t *features, uint32_t f, const float *u) {
  const uint32_t *three = features + 3 * (size_t)f;
  return u[three[0]] * u[three[1]] * u[three[2]];
}

/* Loops go by twos: half of their instructions would count and compare otherwise. */
SUP_INLINE Outputs pose_one(const SupHelpersMoveCall *call, const SupHelpersBone *bone) {
  const float *column = call->matrices + bone->static_at, *u = call->u;
  const uint32_t *list = call->model->lists + bone->features_at, *features = call->model->features;
  const uint32_t *end = list + bone->features;
  Outputs x;
  for (int i = 0; i < VECTORS; i++) x.v[i] = sup_vf_load(column + SUP_WIDTH * i);
  for (column += SUP_BLOCK; end - list >= 2; list += 2, column += 2 * SUP_BLOCK) {
    const float first = feature_of(features, list[0], u), second = feature_of(features, list[1], u);
    add_column(VECTORS, column, first, x.v);
    add_column(VECTORS, column + SUP_BLOCK, second, x.v);
  }
  if (list < end) add_column(VECTORS, column, feature_of(features, list[0], u), x.v);
  return x;
}

/* The outputs and next states of a helper. */
SUP_INLINE void sum_one(const SupHelpersMoveCall *call, const SupHelpersBone *bone, const float *z,
                        float *next) {
  const size_t stride = SUP_BLOCK * (size_t)sup_helpers_rows(bone);
  const uint32_t states = bone->states;
  const float *u = call->u;
  for (uint32_t lane = 0; lane < OUTPUTS + states; lane += SUP_WIDTH * GROUP) {
    const float *column = call->matrices + bone->dynamic_at + lane;
    const float *constant = column + stride * (states + bone->inputs);
    const float *from = z + OUTPUTS, *last = from + states;
    const uint32_t *list = call->model->lists + bone->inputs_at, *end = list + bone->inputs;
    sup_vf sum[GROUP];
    for (int i = 0; i < GROUP; i++) sum[i] = sup_vf_load(constant + SUP_WIDTH * i);
    for (; last - from >= 2; from += 2, column += 2 * stride) {
      add_column(GROUP, column, from[0], sum);
      add_column(GROUP, column + stride, from[1], sum);
    }
    if (from < last) add_column(GROUP, column, from[0], sum), column += stride;
    for (; end - list >= 2; list += 2, column += 2 * stride) {
      add_column(GROUP, column, u[list[0]], sum);
      add_column(GROUP, column + stride, u[list[1]], sum);
    }
    if (list < end) add_column(GROUP, column, u[list[0]], sum);
    for (int i = 0; i < GROUP; i++) sup_vf_store(next + lane + SUP_WIDTH * i, sum[i]);
  }
}

SUP_INLINE void swing_one(const SupHelpersMoveCall *call, uint32_t h, float *z, Outputs *io_q) {
  const SupHelpersBone *bone = &call->model->bones[h];
  const float *limits = call->limits + (size_t)(2 * SUP_BLOCK) * h;
  const sup_vf shown = sup_vf_splat(call->shown_dynamic[0]);
  float next[SUP_BLOCK * ((OUTPUTS + SUP_HELPERS_STATES + SUP_BLOCK - 1) / SUP_BLOCK)];
  float by[SUP_BLOCK];
  if (call->exaggerations) {
    for (uint32_t o = 0; o < SUP_BLOCK; o++) {
      by[o] = o < OUTPUTS ? call->exaggerate * call->exaggerations[OUTPUTS * h + o] : 0;
    }
  }
  sum_one(call, bone, z, next);
  for (int i = 0; i < VECTORS; i++) {
    const int at = SUP_WIDTH * i;
    const sup_vf times =
        call->exaggerations ? sup_vf_load(by + at) : sup_vf_splat(call->exaggerate * 1);
    sup_vf y =
        sup_helpers_shaped(call, sup_vf_load(limits + at), sup_vf_load(limits + SUP_BLOCK + at),
                           times, sup_vf_load(next + at)) *
        shown;
    if (call->last_swings) {
      const sup_vf last = sup_vf_load(call->last_swings + OUTPUTS * h + at);
      y = last + sup_vf_splat(call->part) * (y - last);
    }
    sup_vf_store(call->swings + OUTPUTS * h + at, y);
    io_q->v[i] = io_q->v[i] + y;
  }
  for (uint32_t at = 0; at < OUTPUTS + bone->states && call->advance; at += SUP_WIDTH) {
    sup_vf_store(z + at, sup_vf_load(next + at));
  }
}

/* First b, then a. */
SUP_INLINE sup_vquat turn_both(sup_vquat a, sup_vquat b) {
  return (sup_vquat){
      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

void SUP_KERNEL(helpers_move)(const SupHelpersMoveCall *given) {
  /* Copies that no store can reach, so that nothing is read twice. */
  const SupHelpersView tables = {.helper_count = given->model->helper_count,
                                 .features = given->model->features,
                                 .bones = given->model->bones,
                                 .lists = given->model->lists};
  const SupHelpersView *model = &tables;
  SupHelpersMoveCall mine = *given;
  mine.model = model;
  const SupHelpersMoveCall *call = &mine;
  const size_t pad = HELPERS_PAD((size_t)model->helper_count);
  const bool posed = call->shown_static[0] > 0;
  const sup_vf shown = sup_vf_splat(call->shown_static[0]);
  float *z = call->z;
  for (uint32_t h = 0; h < model->helper_count; h++) {
    const SupHelpersBone *bone = &model->bones[h];
    Outputs q;
    for (int i = 0; i < VECTORS; i++) q.v[i] = SUP_C(0);
    if (posed) q = pose_one(call, bone);
    for (int i = 0; i < VECTORS; i++) q.v[i] = q.v[i] * shown;
    if (call->dynamic) swing_one(call, h, z, &q);
    for (int i = 0; i < VECTORS; i++) {
      sup_vf_store(call->moves + OUTPUTS * h + SUP_WIDTH * i, q.v[i]);
    }
    z += SUP_BLOCK * sup_helpers_rows(bone);
  }
  for (uint32_t h = 0; h < model->helper_count; h += SUP_WIDTH) {
    const sup_vquat move = sup_quads_load(call->moves, call->move_at + h);
    const sup_vquat rest =
        sup_quads_load((const float *)(const void *)model->bones, call->bone_at + h);
    const sup_vquat q = turn_both(rest, sup_vvec3_exp((sup_vvec3){move.y, move.z, move.w}));
    float *out = call->rotations + h;
    sup_vf_store(out, q.x);
    sup_vf_store(out + pad, q.y);
    sup_vf_store(out + 2 * pad, q.z);
    sup_vf_store(out + 3 * pad, q.w);
  }
}

#endif /* HELPERS_LANES */
