/* SPDX-License-Identifier: MIT */
/*
 * The helpers technique. One character: lanes are turns, frames, outputs, helpers in turn. A crowd:
 * lanes are characters. Each number is the same sequence of operations in both, hence the same
 * bits.
 *
 *   u    rotation vectors, velocities and accelerations           helpers_read
 *   x    static polynomial, y and the next z: matrix products     helpers_move, helpers_crowd
 *   q    share x + share y, then the rotation vector's rotation
 */
#include "runtime/helpers_kernel.h"

#include "math/elementary.h"

#define OUTPUTS SUP_HELPERS_OUTPUTS

typedef struct Q4 {
  sup_vf x, y, z, w;
} Q4;

typedef struct V3 {
  sup_vf x, y, z;
} V3;

SUP_INLINE Q4 load4(const float *p, uint32_t component) {
  return (Q4){sup_vf_load(p), sup_vf_load(p + component), sup_vf_load(p + 2 * component),
              sup_vf_load(p + 3 * component)};
}

SUP_INLINE V3 load3(const float *p, uint32_t component) {
  return (V3){sup_vf_load(p), sup_vf_load(p + component), sup_vf_load(p + 2 * component)};
}

SUP_INLINE void store3(float *p, uint32_t component, V3 v) {
  sup_vf_store(p, v.x);
  sup_vf_store(p + component, v.y);
  sup_vf_store(p + 2 * component, v.z);
}

/* The conjugate of a, times b. */
SUP_INLINE Q4 turn_between(Q4 a, Q4 b) {
  return (Q4){
      a.w * b.x - a.x * b.w - a.y * b.z + a.z * b.y, a.w * b.y + a.x * b.z - a.y * b.w - a.z * b.x,
      a.w * b.z - a.x * b.y + a.y * b.x - a.z * b.w, a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z};
}

/* The rotation vector, shortest; of any length but zero. */
SUP_INLINE V3 rotation_vector(Q4 q) {
  const sup_vf sign = sup_select(sup_lt(q.w, SUP_C(0)), SUP_C(-1), SUP_C(1));
  const sup_vf x = sign * q.x, y = sign * q.y, z = sign * q.z, w = sign * q.w;
  const sup_vf square = x * x + y * y + z * z;
  const sup_vi small = sup_lt(square, SUP_C(1e-6) * (w * w));
  /* 2 atan(s) / s, s = |v| / w */
  const sup_vf u = square / sup_select(small, w * w, SUP_C(1));
  const sup_vf near =
      SUP_C(2) / sup_select(small, w, SUP_C(1)) * (SUP_C(1) - u / SUP_C(3) + u * u / SUP_C(5));
  const sup_vf length = sup_vf_sqrt(sup_select(small, SUP_C(1), square));
  const sup_vf far = SUP_C(2) * sup_vf_atan2(length, w) / length;
  const sup_vf factor = sup_select(small, near, far);
  return (V3){x * factor, y * factor, z * factor};
}

/* The rotation of a rotation vector. */
SUP_INLINE Q4 rotation_of(V3 v) {
  const sup_vf square = v.x * v.x + v.y * v.y + v.z * v.z;
  const sup_vi small = sup_lt(square, SUP_C(1e-4));
  const sup_vf cube = square * square * square;
  const sup_vf near =
      SUP_C(0.5) - square / SUP_C(48) + square * square / SUP_C(3840) - cube / SUP_C(645120);
  const sup_vf near_c =
      SUP_C(1) - square / SUP_C(8) + square * square / SUP_C(384) - cube / SUP_C(46080);
  const sup_vf angle = sup_vf_sqrt(sup_select(small, SUP_C(1), square));
  sup_vf s, c;
  sup_vf_sincos(SUP_C(0.5) * angle, &s, &c);
  const sup_vf factor = sup_select(small, near, s / angle);
  return (Q4){v.x * factor, v.y * factor, v.z * factor, sup_select(small, near_c, c)};
}

SUP_INLINE sup_vf dot_of(V3 a, V3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/* Length 1; zero stays zero. */
SUP_INLINE V3 unit(V3 v) {
  const sup_vf square = dot_of(v, v);
  const sup_vi some = sup_lt(SUP_C(1e-30), square);
  const sup_vf by =
      sup_select(some, SUP_C(1) / sup_vf_sqrt(sup_select(some, square, SUP_C(1))), SUP_C(0));
  return (V3){v.x * by, v.y * by, v.z * by};
}

/* The columns of a rotation. */
typedef struct Axes {
  V3 x, y, z;
} Axes;

SUP_INLINE Axes load_axes(const float *p, uint32_t component) {
  return (Axes){load3(p, component), load3(p + 3 * component, component),
                load3(p + 6 * component, component)};
}

/* v seen from those axes. */
SUP_INLINE V3 seen_from(const Axes *a, V3 v) {
  return (V3){dot_of(a->x, v), dot_of(a->y, v), dot_of(a->z, v)};
}

/* The rotation vector that leads from some axes to others, in the first; less than half a turn. */
SUP_INLINE V3 turn_of_axes(const Axes *from, const Axes *to) {
  const sup_vf trace = dot_of(from->x, to->x) + dot_of(from->y, to->y) + dot_of(from->z, to->z);
  const sup_vf w = SUP_C(0.5) * sup_vf_sqrt(sup_max(SUP_C(1e-6), SUP_C(1) + trace));
  const sup_vf by = SUP_C(0.25) / w;
  return rotation_vector((Q4){(dot_of(from->z, to->y) - dot_of(from->y, to->z)) * by,
                              (dot_of(from->x, to->z) - dot_of(from->z, to->x)) * by,
                              (dot_of(from->y, to->x) - dot_of(from->x, to->y)) * by, w});
}

/* Within the box of what was seen in learning. */
SUP_INLINE sup_vf boxed(const SupHelpersReadCall *call, size_t input, sup_vf x) {
  const float *low = call->model->box + input, *high = low + call->model->input_count;
  const sup_vf a = call->crowd ? sup_vf_splat(*low) : sup_vf_load(low);
  const sup_vf b = call->crowd ? sup_vf_splat(*high) : sup_vf_load(high);
  return sup_max(a, sup_min(x, b));
}

/* Three inputs from `input` on, `pad` apart. */
SUP_INLINE void put_inputs(const SupHelpersReadCall *call, const HelpersLayout *l, size_t input,
                           uint32_t pad, float *out, V3 v) {
  sup_vf_store(out, boxed(call, input, v.x));
  sup_vf_store(out + l->out_component, boxed(call, input + pad, v.y));
  sup_vf_store(out + 2 * l->out_component, boxed(call, input + 2 * pad, v.z));
}

static void read_turns(const SupHelpersReadCall *call) {
  const HelpersLayout *l = &call->turn;
  const uint32_t pad = call->model->turn_pad;
  for (uint32_t i = 0; i < l->items; i++) {
    for (uint32_t lane = 0; lane < l->lanes; lane += SUP_WIDTH) {
      const size_t index = call->crowd ? i : lane;
      const float *r = call->model->rest + index;
      const Q4 rest = call->crowd ? (Q4){sup_vf_splat(r[0]), sup_vf_splat(r[pad]),
                                         sup_vf_splat(r[2 * pad]), sup_vf_splat(r[3 * pad])}
                                  : load4(r, pad);
      const Q4 q = load4(call->turns + (size_t)i * l->now_item + lane, l->now_component);
      put_inputs(call, l, index, pad, call->u + (size_t)i * l->out_item + lane,
                 rotation_vector(turn_between(rest, q)));
    }
  }
}

SUP_INLINE V3 rate_of(V3 now, V3 last, sup_vf has, sup_vf rate) {
  const sup_vi yes = sup_lt(SUP_C(0), has);
  const sup_vf zero = SUP_C(0);
  return (V3){sup_select(yes, (now.x - last.x) * rate, zero),
              sup_select(yes, (now.y - last.y) * rate, zero),
              sup_select(yes, (now.z - last.z) * rate, zero)};
}

static void read_frames(const SupHelpersReadCall *call) {
  const HelpersLayout *l = &call->frame;
  const uint32_t pad = call->model->frame_pad;
  const size_t first = 3 * (size_t)call->model->turn_pad;
  const sup_vf rate = sup_vf_splat(call->rate), again = sup_vf_splat(call->rate_twice);
  const sup_vf zero = SUP_C(0);
  for (uint32_t i = 0; i < l->items; i++) {
    for (uint32_t lane = 0; lane < l->lanes; lane += SUP_WIDTH) {
      const float *now = call->now + (size_t)i * l->now_item + lane;
      float *past = call->past + (size_t)i * l->past_item + lane;
      const uint32_t nc = l->now_component, pc = l->past_component;
      const sup_vf has_v = call->crowd ? sup_vf_load(call->has + lane) : sup_vf_splat(call->has[0]);
      const sup_vf has_a =
          call->crowd ? sup_vf_load(call->has + SUP_BLOCK + lane) : sup_vf_splat(call->has[1]);
      const V3 at = load3(now + HELPERS_NOW_AT * nc, nc);
      const Axes raw = load_axes(now + HELPERS_NOW_AXES * nc, nc);
      const Axes axes = {unit(raw.x), unit(raw.y), unit(raw.z)};
      const Axes was = load_axes(past + HELPERS_AXES * pc, pc);
      const V3 v = rate_of(at, load3(past + HELPERS_AT * pc, pc), has_v, rate);
      const V3 a = rate_of(v, load3(past + HELPERS_VELOCITY * pc, pc), has_a, again);
      const V3 turned = turn_of_axes(&was, &axes);
      const V3 w = rate_of(turned, (V3){zero, zero, zero}, has_v, rate);
      const V3 b = rate_of(w, load3(past + HELPERS_TURNING * pc, pc), has_a, again);
      const V3 felt = {a.x - sup_vf_splat(call->gravity.x), a.y - sup_vf_splat(call->gravity.y),
                       a.z - sup_vf_splat(call->gravity.z)};
      if (!call->keep) {
        store3(past + HELPERS_AT * pc, pc, at);
        store3(past + HELPERS_VELOCITY * pc, pc, v);
        store3(past + HELPERS_TURNING * pc, pc, w);
        store3(past + HELPERS_AXES * pc, pc, axes.x);
        store3(past + (HELPERS_AXES + 3) * pc, pc, axes.y);
        store3(past + (HELPERS_AXES + 6) * pc, pc, axes.z);
      }
      const size_t index = first + (call->crowd ? i : lane);
      float *out = call->u + first * (call->crowd ? SUP_BLOCK : 1) + (size_t)i * l->out_item + lane;
      const size_t oc = l->out_component;
      put_inputs(call, l, index + SUP_HELPERS_SPEED * (size_t)pad, pad,
                 out + SUP_HELPERS_SPEED * oc, seen_from(&axes, v));
      put_inputs(call, l, index + SUP_HELPERS_SPIN * (size_t)pad, pad, out + SUP_HELPERS_SPIN * oc,
                 w);
      put_inputs(call, l, index + SUP_HELPERS_PUSH * (size_t)pad, pad, out + SUP_HELPERS_PUSH * oc,
                 seen_from(&axes, felt));
      put_inputs(call, l, index + SUP_HELPERS_WHIRL * (size_t)pad, pad,
                 out + SUP_HELPERS_WHIRL * oc, b);
    }
  }
}

void SUP_KERNEL(helpers_read)(const SupHelpersReadCall *call) {
  read_turns(call);
  read_frames(call);
}

/* ---- One character --------------------------------------------------------------------------- */

/* What of y is shown: never much more than in learning; exaggerated; within the caller's limit. */
SUP_INLINE sup_vf shaped(const SupHelpersMoveCall *call, const float *range, sup_vf y, float by,
                         sup_vf shown) {
  const sup_vf low = sup_vf_splat(range[0] * SUP_HELPERS_LIMIT);
  const sup_vf high = sup_vf_splat(range[1] * SUP_HELPERS_LIMIT);
  sup_vf out = sup_max(low, sup_min(y, high)) * sup_vf_splat(call->exaggerate * by);
  if (call->range > 0) {
    out = sup_max(sup_vf_splat(range[0] * call->range),
                  sup_min(out, sup_vf_splat(range[1] * call->range)));
  }
  return out * shown;
}

static float least(float a, float b) { return a < b ? a : b; }
static float most(float a, float b) { return a < b ? b : a; }

/* The same for one. */
static float shaped_one(const SupHelpersMoveCall *call, const float *range, float y, float by) {
  float out = most(range[0] * SUP_HELPERS_LIMIT, least(y, range[1] * SUP_HELPERS_LIMIT)) *
              (call->exaggerate * by);
  if (call->range > 0) {
    out = most(range[0] * call->range, least(out, range[1] * call->range));
  }
  return out;
}

/* out[rows * 16] = sum of columns times numbers. */
SUP_INLINE void columns_times(const float *columns, uint32_t rows, uint32_t used, uint32_t count,
                              const float *numbers, float *out) {
  for (uint32_t lane = 0; lane < used; lane += SUP_WIDTH) {
    sup_vf sum = SUP_C(0);
    for (uint32_t c = 0; c < count; c++) {
      sum = sum +
            sup_vf_load(columns + (size_t)(SUP_BLOCK * rows) * c + lane) * sup_vf_splat(numbers[c]);
    }
    sup_vf_store(out + lane, sum);
  }
}

static void pose_one(const SupHelpersMoveCall *call, uint32_t h) {
  const SupHelpersView *model = call->model;
  const SupHelpersBone *bone = &model->bones[h];
  const uint32_t *list = model->lists + bone->features_at;
  float *out = call->moves + OUTPUTS * h;
  float x[SUP_BLOCK] = {0}, *work = call->work;
  if (call->shown_static[0] > 0) {
    work[0] = 1;
    for (uint32_t k = 0; k < bone->features; k++) work[1 + k] = call->features[list[k]];
    columns_times(model->matrices + bone->static_at, 1, OUTPUTS, 1 + bone->features, work, x);
  }
  for (uint32_t o = 0; o < OUTPUTS; o++) out[o] = x[o] * call->shown_static[0];
}

static void swing_one(const SupHelpersMoveCall *call, uint32_t h) {
  const SupHelpersView *model = call->model;
  const SupHelpersBone *bone = &model->bones[h];
  const uint32_t *list = model->lists + bone->inputs_at;
  const uint32_t rows = sup_helpers_rows(bone), used = OUTPUTS + bone->states;
  const float *range = model->matrices + bone->range_at;
  float *z = call->z + bone->state_first, *work = call->work, *out = call->moves + OUTPUTS * h;
  for (uint32_t k = 0; k < bone->states; k++) work[k] = z[k];
  for (uint32_t k = 0; k < bone->inputs; k++) work[bone->states + k] = call->u[list[k]];
  work[bone->states + bone->inputs] = 1;
  columns_times(model->matrices + bone->dynamic_at, rows, used, bone->states + bone->inputs + 1,
                work, call->next);
  for (uint32_t o = 0; o < OUTPUTS; o++) {
    const float by = call->exaggerations ? call->exaggerations[OUTPUTS * h + o] : 1;
    float y = shaped_one(call, range + 2 * o, call->next[o], by) * call->shown_dynamic[0];
    if (call->last_swings) {
      const float last = call->last_swings[OUTPUTS * h + o];
      y = last + call->part * (y - last);
    }
    call->swings[OUTPUTS * h + o] = y;
    out[o] = out[o] + y;
  }
  for (uint32_t k = 0; k < bone->states && call->advance; k++) z[k] = call->next[OUTPUTS + k];
}

void SUP_KERNEL(helpers_move)(const SupHelpersMoveCall *call) {
  const SupHelpersView *model = call->model;
  const uint32_t pad = (model->helper_count + SUP_BLOCK - 1) / SUP_BLOCK * SUP_BLOCK;
  float *rotations = call->rotations;
  for (uint32_t f = 0; f < model->feature_count && call->shown_static[0] > 0; f++) {
    const uint32_t *three = model->features + 3 * f;
    call->features[f] = call->u[three[0]] * call->u[three[1]] * call->u[three[2]];
  }
  for (uint32_t h = 0; h < model->helper_count; h++) {
    pose_one(call, h);
    if (call->dynamic) swing_one(call, h);
    for (uint32_t c = 0; c < 3; c++) rotations[pad * c + h] = call->moves[OUTPUTS * h + 3 + c];
  }
  for (uint32_t lane = 0; lane < pad; lane += SUP_WIDTH) {
    const Q4 q = rotation_of(load3(rotations + lane, pad));
    sup_vf_store(rotations + lane, q.x);
    sup_vf_store(rotations + pad + lane, q.y);
    sup_vf_store(rotations + 2 * pad + lane, q.z);
    sup_vf_store(rotations + 3 * pad + lane, q.w);
  }
}

/* ---- A block of a crowd ---------------------------------------------------------------------- */

/* One number of one helper for all lanes from `lane`: row o of the columns. */
SUP_INLINE sup_vf row_times(const float *columns, uint32_t stride, uint32_t row, sup_vf first,
                            uint32_t count, const uint32_t *list, const float *rows,
                            uint32_t lane) {
  sup_vf sum = first;
  for (uint32_t k = 0; k < count; k++) {
    sum = sum + sup_vf_splat(columns[(size_t)stride * k + row]) *
                    sup_vf_load(rows + (size_t)SUP_BLOCK * list[k] + lane);
  }
  return sum;
}

SUP_INLINE void pose_crowd(const SupHelpersMoveCall *call, uint32_t h, uint32_t lane) {
  const SupHelpersBone *bone = &call->model->bones[h];
  const float *columns = call->model->matrices + bone->static_at;
  const uint32_t *list = call->model->lists + bone->features_at;
  const sup_vf shown = sup_vf_load(call->shown_static + lane);
  for (uint32_t o = 0; o < OUTPUTS; o++) {
    const sup_vf first = SUP_C(0) + sup_vf_splat(columns[o]) * SUP_C(1);
    const sup_vf x = row_times(columns + SUP_BLOCK, SUP_BLOCK, o, first, bone->features, list,
                               call->features, lane);
    /* Where nothing is shown one character writes 0: so does a lane. */
    const sup_vf out = sup_select(sup_lt(SUP_C(0), shown), x, SUP_C(0)) * shown;
    sup_vf_store(call->moves + (size_t)SUP_BLOCK * (OUTPUTS * h + o) + lane, out);
  }
}

SUP_INLINE void swing_crowd(const SupHelpersMoveCall *call, uint32_t h, uint32_t lane) {
  const SupHelpersView *model = call->model;
  const SupHelpersBone *bone = &model->bones[h];
  const uint32_t stride = SUP_BLOCK * sup_helpers_rows(bone), states = bone->states;
  const float *columns = model->matrices + bone->dynamic_at;
  const float *range = model->matrices + bone->range_at;
  const uint32_t *list = model->lists + bone->inputs_at;
  float *z = call->z + (size_t)SUP_BLOCK * bone->state_first;
  const sup_vf shown = sup_vf_load(call->shown_dynamic + lane);
  float next[SUP_HELPERS_STATES * SUP_WIDTH];
  for (uint32_t row = 0; row < OUTPUTS + states; row++) {
    sup_vf sum = SUP_C(0);
    for (uint32_t k = 0; k < states; k++) {
      sum = sum + sup_vf_splat(columns[(size_t)stride * k + row]) *
                      sup_vf_load(z + (size_t)SUP_BLOCK * k + lane);
    }
    sum = row_times(columns + (size_t)stride * states, stride, row, sum, bone->inputs, list,
                    call->u, lane);
    sum = sum + sup_vf_splat(columns[(size_t)stride * (states + bone->inputs) + row]) * SUP_C(1);
    if (row >= OUTPUTS) {
      sup_vf_store(next + SUP_WIDTH * (row - OUTPUTS), sum);
      continue;
    }
    const float by = call->exaggerations ? call->exaggerations[OUTPUTS * h + row] : 1;
    const sup_vf y = shaped(call, range + 2 * row, sum, by, shown);
    float *out = call->moves + (size_t)SUP_BLOCK * (OUTPUTS * h + row) + lane;
    /* A character without dynamics adds nothing, not even a zero. */
    const sup_vf before = sup_vf_load(out);
    sup_vf_store(out, sup_select(sup_lt(SUP_C(0), shown), before + y, before));
  }
  for (uint32_t k = 0; k < states; k++) {
    sup_vf_store(z + (size_t)SUP_BLOCK * k + lane, sup_vf_load(next + SUP_WIDTH * k));
  }
}

void SUP_KERNEL(helpers_crowd)(const SupHelpersMoveCall *call) {
  const SupHelpersView *model = call->model;
  for (uint32_t f = 0; f < model->feature_count; f++) {
    const uint32_t *three = model->features + 3 * f;
    for (uint32_t lane = 0; lane < SUP_BLOCK; lane += SUP_WIDTH) {
      sup_vf_store(call->features + (size_t)SUP_BLOCK * f + lane,
                   sup_vf_load(call->u + (size_t)SUP_BLOCK * three[0] + lane) *
                       sup_vf_load(call->u + (size_t)SUP_BLOCK * three[1] + lane) *
                       sup_vf_load(call->u + (size_t)SUP_BLOCK * three[2] + lane));
    }
  }
  for (uint32_t h = 0; h < model->helper_count; h++) {
    for (uint32_t lane = 0; lane < SUP_BLOCK; lane += SUP_WIDTH) {
      pose_crowd(call, h, lane);
      if (call->dynamic) swing_crowd(call, h, lane);
      const Q4 q =
          rotation_of(load3(call->moves + (size_t)SUP_BLOCK * (OUTPUTS * h + 3) + lane, SUP_BLOCK));
      float *out = call->rotations + (size_t)(4 * SUP_BLOCK) * h + lane;
      sup_vf_store(out, q.x);
      sup_vf_store(out + SUP_BLOCK, q.y);
      sup_vf_store(out + 2 * SUP_BLOCK, q.z);
      sup_vf_store(out + 3 * SUP_BLOCK, q.w);
    }
  }
}
