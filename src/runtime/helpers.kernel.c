/* SPDX-License-Identifier: MIT */
/*
 * The helpers technique, from inputs to local motions. One character: lanes are the outputs and
 * states of a helper, then helpers. A crowd: lanes are characters. Each number is the same sequence
 * of operations in both, hence the same bits.
 *
 *   x    static polynomial, y and the next z: matrix products
 *   q    share x + share y, then the rotation vector's rotation
 */
#include "math/rotation_vector.h"
#include "runtime/helpers_kernel.h"
#include "runtime/lane_quads.h"

#define OUTPUTS SUP_HELPERS_OUTPUTS

/* What of y is shown: never much more than in learning; exaggerated; within the caller's limit. */
SUP_INLINE sup_vf shaped(const SupHelpersMoveCall *call, sup_vf low, sup_vf high, sup_vf by,
                         sup_vf y) {
  const sup_vf limit = SUP_C(SUP_HELPERS_LIMIT);
  sup_vf out = sup_max(low * limit, sup_min(y, high * limit)) * by;
  if (call->range > 0) {
    const sup_vf range = sup_vf_splat(call->range);
    out = sup_max(low * range, sup_min(out, high * range));
  }
  return out;
}

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
  const float *column = call->model->matrices + bone->static_at, *u = call->u;
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
    const float *column = call->model->matrices + bone->dynamic_at + lane;
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
    sup_vf y = shaped(call, sup_vf_load(limits + at), sup_vf_load(limits + SUP_BLOCK + at), times,
                      sup_vf_load(next + at)) *
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
                                 .lists = given->model->lists,
                                 .matrices = given->model->matrices};
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

/* ---- A block of a crowd ---------------------------------------------------------------------- */

/* Rows that are summed at a time. */
#define TOGETHER 8

/* sums[r] += sum of columns[k][row + r] times row list[k] (or k) of `numbers`. */
SUP_INLINE void add_rows(int count, const float *columns, uint32_t stride, uint32_t terms,
                         const uint32_t *list, const float *numbers, uint32_t lane, sup_vf *sums) {
  for (uint32_t k = 0; k < terms; k++, columns += stride) {
    const sup_vf number = sup_vf_load(numbers + (size_t)SUP_BLOCK * (list ? list[k] : k) + lane);
    for (int r = 0; r < count; r++) sums[r] = sums[r] + sup_vf_splat(columns[r]) * number;
  }
}

SUP_INLINE void pose_crowd(const SupHelpersMoveCall *call, const SupHelpersBone *bone,
                           uint32_t lane, sup_vf *out) {
  const float *columns = call->model->matrices + bone->static_at;
  const sup_vf shown = sup_vf_load(call->shown_static + lane);
  const sup_vi some = sup_lt(SUP_C(0), shown);
  for (uint32_t o = 0; o < OUTPUTS; o++) out[o] = sup_vf_splat(columns[o]);
  add_rows(OUTPUTS, columns + SUP_BLOCK, SUP_BLOCK, bone->features,
           call->model->lists + bone->features_at, call->features, lane, out);
  /* Where nothing is shown one character has 0: so does a lane. */
  for (uint32_t o = 0; o < OUTPUTS; o++) out[o] = sup_select(some, out[o], SUP_C(0)) * shown;
}

/* The outputs and next states of a helper from row `row` on. */
SUP_INLINE void sum_crowd(int count, const SupHelpersMoveCall *call, const SupHelpersBone *bone,
                          uint32_t row, uint32_t lane, float *next) {
  const uint32_t stride = SUP_BLOCK * sup_helpers_rows(bone), states = bone->states;
  const float *columns = call->model->matrices + bone->dynamic_at + row;
  const float *inputs = columns + (size_t)stride * states;
  const float *constant = inputs + (size_t)stride * bone->inputs;
  sup_vf sums[TOGETHER];
  for (int r = 0; r < count; r++) sums[r] = sup_vf_splat(constant[r]);
  add_rows(count, columns, stride, states, NULL, call->z + (size_t)SUP_BLOCK * bone->state_first,
           lane, sums);
  add_rows(count, inputs, stride, bone->inputs, call->model->lists + bone->inputs_at, call->u, lane,
           sums);
  for (int r = 0; r < count; r++) {
    sup_vf_store(next + (size_t)SUP_WIDTH * (row + (uint32_t)r), sums[r]);
  }
}

SUP_INLINE void swing_crowd(const SupHelpersMoveCall *call, uint32_t h, uint32_t lane,
                            sup_vf *io_q) {
  const SupHelpersView *model = call->model;
  const SupHelpersBone *bone = &model->bones[h];
  const float *range = model->matrices + bone->range_at;
  const uint32_t rows = OUTPUTS + bone->states;
  float *z = call->z + (size_t)SUP_BLOCK * bone->state_first + lane;
  const sup_vf shown = sup_vf_load(call->shown_dynamic + lane);
  const sup_vi some = sup_lt(SUP_C(0), shown);
  float next[(OUTPUTS + SUP_HELPERS_STATES) * SUP_WIDTH];
  if (rows < TOGETHER) {
    for (uint32_t row = 0; row < rows; row++) sum_crowd(1, call, bone, row, lane, next);
  } else { /* the last ones overlap, which gives the same numbers again */
    for (uint32_t row = 0; row < rows; row += TOGETHER) {
      sum_crowd(TOGETHER, call, bone, row + TOGETHER <= rows ? row : rows - TOGETHER, lane, next);
    }
  }
  for (uint32_t o = 0; o < OUTPUTS; o++) {
    const float by = call->exaggerations ? call->exaggerations[OUTPUTS * h + o] : 1;
    const sup_vf y =
        shaped(call, sup_vf_splat(range[2 * o]), sup_vf_splat(range[2 * o + 1]),
               sup_vf_splat(call->exaggerate * by), sup_vf_load(next + SUP_WIDTH * o)) *
        shown;
    /* A character without dynamics adds nothing, not even a zero. */
    io_q[o] = sup_select(some, io_q[o] + y, io_q[o]);
  }
  for (uint32_t k = 0; k < bone->states; k++) {
    sup_vf_store(z + (size_t)SUP_BLOCK * k, sup_vf_load(next + SUP_WIDTH * (OUTPUTS + k)));
  }
}

void SUP_KERNEL(helpers_crowd)(const SupHelpersMoveCall *call) {
  const SupHelpersView *model = call->model;
  const uint32_t *three = model->features;
  for (uint32_t f = 0; f < model->feature_count; f++, three += 3) {
    for (uint32_t lane = 0; lane < SUP_BLOCK; lane += SUP_WIDTH) {
      const float *u = call->u + lane;
      sup_vf_store(call->features + (size_t)SUP_BLOCK * f + lane,
                   sup_vf_load(u + (size_t)SUP_BLOCK * three[0]) *
                       sup_vf_load(u + (size_t)SUP_BLOCK * three[1]) *
                       sup_vf_load(u + (size_t)SUP_BLOCK * three[2]));
    }
  }
  for (uint32_t h = 0; h < model->helper_count; h++) {
    for (uint32_t lane = 0; lane < SUP_BLOCK; lane += SUP_WIDTH) {
      float *out = call->rotations + (size_t)(HELPERS_SHOWN * SUP_BLOCK) * h + lane;
      sup_vf move[OUTPUTS];
      pose_crowd(call, &model->bones[h], lane, move);
      if (call->dynamic) swing_crowd(call, h, lane, move);
      const sup_vquat q = sup_vvec3_exp((sup_vvec3){move[3], move[4], move[5]});
      for (int c = 0; c < 3; c++) sup_vf_store(out + SUP_BLOCK * c, move[c]);
      sup_vf_store(out + 3 * SUP_BLOCK, q.x);
      sup_vf_store(out + 4 * SUP_BLOCK, q.y);
      sup_vf_store(out + 5 * SUP_BLOCK, q.z);
      sup_vf_store(out + 6 * SUP_BLOCK, q.w);
    }
  }
}
