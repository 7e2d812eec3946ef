/* SPDX-License-Identifier: MIT */
/*
 * The helpers technique, from inputs to local motions, a block of a crowd: lanes are characters.
 * Each number is the same sequence of operations as for one character (helpers.kernel.c), hence the
 * same bits.
 *
 *   x    static polynomial, y and the next z: matrix products
 *   q    share x + share y, then the rotation vector's rotation
 */
#include "math/rotation_vector.h"
#include "runtime/helpers/helpers_kernel.h"

#define OUTPUTS SUP_HELPERS_OUTPUTS

/* Vectors of characters that are worked on side by side: a coefficient is spread once for all of
 * them. Rows that are summed at a time: as many as registers hold. */
#if SUP_WIDTH == 1 || SUP_WIDTH == 16
#define SIDES 1
#define TOGETHER 8
#else
#define SIDES 2
#define TOGETHER 6
#endif
#define LANES (SIDES * SUP_WIDTH)

/* A number of each character. */
typedef struct Row {
  sup_vf v[SIDES];
} Row;

SUP_INLINE Row load_row(const float *p) {
  Row out;
  for (int s = 0; s < SIDES; s++) out.v[s] = sup_vf_load(p + SUP_WIDTH * s);
  return out;
}

SUP_INLINE Row splat_row(float x) {
  Row out;
  for (int s = 0; s < SIDES; s++) out.v[s] = sup_vf_splat(x);
  return out;
}

SUP_INLINE void store_row(float *p, Row row) {
  for (int s = 0; s < SIDES; s++) sup_vf_store(p + SUP_WIDTH * s, row.v[s]);
}

/* sums[r] += columns[r] times row. */
SUP_INLINE void add_column(int count, const float *columns, Row row, Row *io_sums) {
  for (int r = 0; r < count; r++) {
    const sup_vf by = sup_vf_splat(columns[r]);
    for (int s = 0; s < SIDES; s++) io_sums[r].v[s] = io_sums[r].v[s] + by * row.v[s];
  }
}

SUP_INLINE void pose_crowd(const SupHelpersMoveCall *call, const SupHelpersBone *bone,
                           uint32_t lane, Row *out) {
  const float *columns = call->matrices + bone->static_at, *u = call->u + lane;
  const uint32_t *list = call->model->lists + bone->features_at, *at = call->feature_at;
  const Row shown = load_row(call->shown_static + lane);
  Row sums[OUTPUTS];
  for (uint32_t o = 0; o < OUTPUTS; o++) sums[o] = splat_row(columns[o]);
  for (uint32_t k = 0; k < bone->features; k++) {
    columns += SUP_BLOCK;
    add_column(OUTPUTS, columns, load_row(u + (size_t)SUP_BLOCK * at[list[k]]), sums);
  }
  /* Where nothing is shown one character has 0: so does a lane. */
  for (uint32_t o = 0; o < OUTPUTS; o++) {
    for (int s = 0; s < SIDES; s++) {
      const sup_vi some = sup_lt(SUP_C(0), shown.v[s]);
      out[o].v[s] = sup_select(some, sums[o].v[s], SUP_C(0)) * shown.v[s];
    }
  }
}

/* The outputs and next states of a helper from row `row` on. */
SUP_INLINE void sum_crowd(int count, const SupHelpersMoveCall *call, const SupHelpersBone *bone,
                          uint32_t row, uint32_t lane, float *next) {
  const uint32_t stride = SUP_BLOCK * sup_helpers_rows(bone), states = bone->states;
  const float *columns = call->matrices + bone->dynamic_at + row;
  const float *constant = columns + (size_t)stride * (states + bone->inputs);
  const float *z = call->z + (size_t)SUP_BLOCK * bone->state_first + lane, *u = call->u + lane;
  const uint32_t *list = call->model->lists + bone->inputs_at;
  Row sums[TOGETHER];
  for (int r = 0; r < count; r++) sums[r] = splat_row(constant[r]);
  for (uint32_t k = 0; k < states; k++, columns += stride) {
    add_column(count, columns, load_row(z + (size_t)SUP_BLOCK * k), sums);
  }
  for (uint32_t k = 0; k < bone->inputs; k++, columns += stride) {
    add_column(count, columns, load_row(u + (size_t)SUP_BLOCK * list[k]), sums);
  }
  for (int r = 0; r < count; r++) store_row(next + (size_t)LANES * (row + (uint32_t)r), sums[r]);
}

SUP_INLINE void swing_crowd(const SupHelpersMoveCall *call, uint32_t h, uint32_t lane, Row *io_q) {
  const SupHelpersView *model = call->model;
  const SupHelpersBone *bone = &model->bones[h];
  const float *range = call->matrices + bone->range_at;
  const uint32_t rows = OUTPUTS + bone->states;
  float *z = call->z + (size_t)SUP_BLOCK * bone->state_first + lane;
  const Row shown = load_row(call->shown_dynamic + lane);
  float next[(OUTPUTS + SUP_HELPERS_STATES) * LANES];
  if (rows < TOGETHER) {
    for (uint32_t row = 0; row < rows; row++) sum_crowd(1, call, bone, row, lane, next);
  } else { /* the last ones overlap, which gives the same numbers again */
    for (uint32_t row = 0; row < rows; row += TOGETHER) {
      sum_crowd(TOGETHER, call, bone, row + TOGETHER <= rows ? row : rows - TOGETHER, lane, next);
    }
  }
  for (uint32_t o = 0; o < OUTPUTS; o++) {
    const float by = call->exaggerations ? call->exaggerations[OUTPUTS * h + o] : 1;
    const Row y = load_row(next + LANES * o);
    for (int s = 0; s < SIDES; s++) {
      const sup_vf swing =
          sup_helpers_shaped(call, sup_vf_splat(range[2 * o]), sup_vf_splat(range[2 * o + 1]),
                             sup_vf_splat(call->exaggerate * by), y.v[s]) *
          shown.v[s];
      /* A character without dynamics adds nothing, not even a zero. */
      const sup_vi some = sup_lt(SUP_C(0), shown.v[s]);
      io_q[o].v[s] = sup_select(some, io_q[o].v[s] + swing, io_q[o].v[s]);
    }
  }
  for (uint32_t k = 0; k < bone->states; k++) {
    store_row(z + (size_t)SUP_BLOCK * k, load_row(next + LANES * (OUTPUTS + k)));
  }
}

/* Features that are no inputs themselves. */
SUP_INLINE void multiply(const SupHelpersMoveCall *call) {
  const uint32_t *three = call->model->features, inputs = call->model->input_count;
  for (uint32_t f = 0; f < call->model->feature_count; f++, three += 3) {
    if (call->feature_at[f] < inputs) continue;
    const float *a = call->u + (size_t)SUP_BLOCK * three[0];
    const float *b = call->u + (size_t)SUP_BLOCK * three[1];
    const float *c = call->u + (size_t)SUP_BLOCK * three[2];
    float *out = call->features + (size_t)SUP_BLOCK * f;
    for (uint32_t lane = 0; lane < SUP_BLOCK; lane += SUP_WIDTH) {
      sup_vf_store(out + lane,
                   sup_vf_load(a + lane) * sup_vf_load(b + lane) * sup_vf_load(c + lane));
    }
  }
}

SUP_INLINE void show_crowd(const Row *move, float *out) {
  for (int s = 0; s < SIDES; s++, out += SUP_WIDTH) {
    const sup_vquat q = sup_vvec3_exp((sup_vvec3){move[3].v[s], move[4].v[s], move[5].v[s]});
    for (int c = 0; c < 3; c++) sup_vf_store(out + SUP_BLOCK * c, move[c].v[s]);
    sup_vf_store(out + 3 * SUP_BLOCK, q.x);
    sup_vf_store(out + 4 * SUP_BLOCK, q.y);
    sup_vf_store(out + 5 * SUP_BLOCK, q.z);
    sup_vf_store(out + 6 * SUP_BLOCK, q.w);
  }
}

void SUP_KERNEL(helpers_crowd)(const SupHelpersMoveCall *given) {
  /* Copies that no store can reach, so that nothing is read twice. */
  const SupHelpersView model = *given->model;
  SupHelpersMoveCall call = *given;
  call.model = &model;
  multiply(&call);
  for (uint32_t h = 0; h < model.helper_count; h++) {
    float *out = call.rotations + (size_t)(HELPERS_SHOWN * SUP_BLOCK) * h;
    for (uint32_t lane = 0; lane < SUP_BLOCK; lane += LANES) {
      Row move[OUTPUTS];
      pose_crowd(&call, &model.bones[h], lane, move);
      if (call.dynamic) swing_crowd(&call, h, lane, move);
      show_crowd(move, out + lane);
    }
  }
}
