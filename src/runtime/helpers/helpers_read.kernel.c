/* SPDX-License-Identifier: MIT */
/*
 * What helpers are driven by: rotation vectors, velocities and accelerations. One character: lanes
 * are turns, then frames. A crowd: lanes are characters. Each number is the same sequence of
 * operations in both, hence the same bits.
 */
#include "math/rotation_vector.h"
#include "runtime/helpers/helpers_kernel.h"
#include "runtime/lane_quads.h"

SUP_INLINE sup_vvec3 load3(const float *p, size_t component) {
  return (sup_vvec3){sup_vf_load(p), sup_vf_load(p + component), sup_vf_load(p + 2 * component)};
}

SUP_INLINE void store3(float *p, size_t component, sup_vvec3 v) {
  sup_vf_store(p, v.x);
  sup_vf_store(p + component, v.y);
  sup_vf_store(p + 2 * component, v.z);
}

/* The conjugate of a, times b. */
SUP_INLINE sup_vquat turn_between(sup_vquat a, sup_vquat b) {
  return (sup_vquat){
      a.w * b.x - a.x * b.w - a.y * b.z + a.z * b.y, a.w * b.y + a.x * b.z - a.y * b.w - a.z * b.x,
      a.w * b.z - a.x * b.y + a.y * b.x - a.z * b.w, a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z};
}

SUP_INLINE sup_vf dot_of(sup_vvec3 a, sup_vvec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/* Length 1; zero stays zero. */
SUP_INLINE sup_vvec3 unit(sup_vvec3 v) {
  const sup_vf by = SUP_C(1) / sup_vf_sqrt(sup_max(SUP_C(1e-30), dot_of(v, v)));
  return (sup_vvec3){v.x * by, v.y * by, v.z * by};
}

/* The columns of a rotation. */
typedef struct Axes {
  sup_vvec3 x, y, z;
} Axes;

SUP_INLINE Axes load_axes(const float *p, size_t component) {
  return (Axes){load3(p, component), load3(p + 3 * component, component),
                load3(p + 6 * component, component)};
}

/* v seen from those axes. */
SUP_INLINE sup_vvec3 seen_from(const Axes *a, sup_vvec3 v) {
  return (sup_vvec3){dot_of(a->x, v), dot_of(a->y, v), dot_of(a->z, v)};
}

/* The rotation vector that leads from some axes to others, in the first; less than half a turn. The
 * quaternion of the rotation is taken times 4 w, which its logarithm does not see. */
SUP_INLINE sup_vvec3 turn_of_axes(const Axes *from, const Axes *to) {
  const sup_vf trace = dot_of(from->x, to->x) + dot_of(from->y, to->y) + dot_of(from->z, to->z);
  return sup_vquat_log((sup_vquat){dot_of(from->z, to->y) - dot_of(from->y, to->z),
                                   dot_of(from->x, to->z) - dot_of(from->z, to->x),
                                   dot_of(from->y, to->x) - dot_of(from->x, to->y),
                                   sup_max(SUP_C(1e-6), SUP_C(1) + trace)});
}

/* Within the box of what was seen in learning. */
SUP_INLINE sup_vf boxed(const SupHelpersReadCall *call, bool crowd, size_t input, sup_vf x) {
  const float *low = call->model->box + input, *high = low + call->model->input_count;
  const sup_vf a = crowd ? sup_vf_splat(*low) : sup_vf_load(low);
  const sup_vf b = crowd ? sup_vf_splat(*high) : sup_vf_load(high);
  return sup_max(a, sup_min(x, b));
}

/* Three inputs of a lane from `input` on, `pad` apart. */
SUP_INLINE void put_inputs(const SupHelpersReadCall *call, bool crowd, size_t input, uint32_t pad,
                           uint32_t lane, sup_vvec3 v) {
  const size_t row = crowd ? SUP_BLOCK : 1;
  float *out = call->u + row * input + (crowd ? lane : 0);
  sup_vf_store(out, boxed(call, crowd, input, v.x));
  sup_vf_store(out + row * pad, boxed(call, crowd, input + pad, v.y));
  sup_vf_store(out + 2 * row * pad, boxed(call, crowd, input + 2 * pad, v.z));
}

/* The rotation of a turn from rest. */
SUP_INLINE sup_vquat turn_from_rest(const SupHelpersReadCall *call, bool crowd, uint32_t t,
                                    uint32_t lane) {
  const uint32_t pad = call->model->turn_pad;
  const float *r = call->model->rest + t;
  const sup_vquat rest = crowd ? (sup_vquat){sup_vf_splat(r[0]), sup_vf_splat(r[pad]),
                                             sup_vf_splat(r[2 * pad]), sup_vf_splat(r[3 * pad])}
                               : (sup_vquat){sup_vf_load(r), sup_vf_load(r + pad),
                                             sup_vf_load(r + 2 * pad), sup_vf_load(r + 3 * pad)};
  const sup_vquat q = sup_quads_load(call->turns + (crowd ? (size_t)HELPERS_TURN * t : 0),
                                     call->turn_at + (crowd ? lane : t));
  return turn_between(rest, q);
}

SUP_INLINE sup_vvec3 rate_of(sup_vvec3 now, sup_vvec3 last, sup_vi has, sup_vf rate) {
  const sup_vf zero = SUP_C(0);
  return (sup_vvec3){sup_select(has, (now.x - last.x) * rate, zero),
                     sup_select(has, (now.y - last.y) * rate, zero),
                     sup_select(has, (now.z - last.z) * rate, zero)};
}

/* Where a frame is now, and its axes. */
SUP_INLINE sup_vvec3 place(const SupHelpersReadCall *call, bool crowd, uint32_t f, uint32_t lane,
                           Axes *out_axes) {
  const float *from = call->frames + (crowd ? (size_t)HELPERS_FRAME * f : 0);
  const uint32_t *at = call->frame_at + (crowd ? lane : f);
  const sup_vquat a = sup_quads_load(from, at), b = sup_quads_load(from + 4, at);
  const sup_vquat c = sup_quads_load(from + 8, at);
  const SupVec3 p = call->model->frames[f].point;
  const sup_vquat point =
      crowd ? (sup_vquat){SUP_C(0), sup_vf_splat(p.x), sup_vf_splat(p.y), sup_vf_splat(p.z)}
            : sup_quads_load((const float *)(const void *)call->model->frames, call->point_at + f);
  const Axes axes = {{a.x, a.y, a.z}, {a.w, b.x, b.y}, {b.z, b.w, c.x}};
  *out_axes = (Axes){unit(axes.x), unit(axes.y), unit(axes.z)};
  return (sup_vvec3){
      axes.x.x * point.y + axes.y.x * point.z + axes.z.x * point.w + c.y,
      axes.x.y * point.y + axes.y.y * point.z + axes.z.y * point.w + c.z,
      axes.x.z * point.y + axes.y.z * point.z + axes.z.z * point.w + c.w,
  };
}

SUP_INLINE void read_frame(const SupHelpersReadCall *call, bool crowd, uint32_t f, uint32_t lane) {
  const uint32_t pad = call->model->frame_pad, uses = call->uses;
  const sup_vf rate = sup_vf_splat(call->rate), again = sup_vf_splat(call->rate_twice);
  const sup_vf has_1 = crowd ? sup_vf_load(call->has + lane) : sup_vf_splat(call->has[0]);
  const sup_vf has_2 =
      crowd ? sup_vf_load(call->has + SUP_BLOCK + lane) : sup_vf_splat(call->has[1]);
  const sup_vi has_v = sup_lt(SUP_C(0), has_1), has_a = sup_lt(SUP_C(0), has_2);
  const size_t pc = crowd ? SUP_BLOCK : HELPERS_PAD(call->model->frame_count);
  float *past = call->past + (crowd ? (size_t)(HELPERS_PAST * SUP_BLOCK) * f + lane : f);
  Axes axes;
  const sup_vvec3 at = place(call, crowd, f, lane, &axes), zero = {SUP_C(0), SUP_C(0), SUP_C(0)};
  const Axes was = load_axes(past + HELPERS_AXES * pc, pc);
  const sup_vvec3 v = rate_of(at, load3(past + HELPERS_AT * pc, pc), has_v, rate);
  const sup_vvec3 a = rate_of(v, load3(past + HELPERS_VELOCITY * pc, pc), has_a, again);
  const sup_vvec3 w = rate_of(turn_of_axes(&was, &axes), zero, has_v, rate);
  const sup_vvec3 b = rate_of(w, load3(past + HELPERS_TURNING * pc, pc), has_a, again);
  if (!call->keep) {
    store3(past + HELPERS_AT * pc, pc, at);
    store3(past + HELPERS_VELOCITY * pc, pc, v);
    store3(past + HELPERS_TURNING * pc, pc, w);
    store3(past + HELPERS_AXES * pc, pc, axes.x);
    store3(past + (HELPERS_AXES + 3) * pc, pc, axes.y);
    store3(past + (HELPERS_AXES + 6) * pc, pc, axes.z);
  }
  const size_t input = 3 * (size_t)call->model->turn_pad + f;
  if (uses & HELPERS_USES(SUP_HELPERS_SPEED)) {
    put_inputs(call, crowd, input + SUP_HELPERS_SPEED * (size_t)pad, pad, lane,
               seen_from(&axes, v));
  }
  if (uses & HELPERS_USES(SUP_HELPERS_SPIN)) {
    put_inputs(call, crowd, input + SUP_HELPERS_SPIN * (size_t)pad, pad, lane, w);
  }
  if (uses & HELPERS_USES(SUP_HELPERS_PUSH)) {
    const sup_vvec3 felt = {a.x - sup_vf_splat(call->gravity.x),
                            a.y - sup_vf_splat(call->gravity.y),
                            a.z - sup_vf_splat(call->gravity.z)};
    put_inputs(call, crowd, input + SUP_HELPERS_PUSH * (size_t)pad, pad, lane,
               seen_from(&axes, felt));
  }
  if (uses & HELPERS_USES(SUP_HELPERS_WHIRL)) {
    put_inputs(call, crowd, input + SUP_HELPERS_WHIRL * (size_t)pad, pad, lane, b);
  }
}

#if SUP_WIDTH <= HELPERS_LANES
/* Frames first: they take longest, and what follows needs turns first. */
void SUP_KERNEL(helpers_read)(const SupHelpersReadCall *call) {
  const uint32_t frames = call->moving ? call->model->frame_count : 0;
  for (uint32_t f = 0; f < frames; f += SUP_WIDTH) read_frame(call, false, f, 0);
  for (uint32_t t = 0; t < call->model->turn_count; t += SUP_WIDTH) {
    put_inputs(call, false, t, call->model->turn_pad, 0,
               sup_vquat_log(turn_from_rest(call, false, t, 0)));
  }
}
#endif

/* Turns at a time. A logarithm is a chain in which each operation waits for the one before: with
 * nothing in between, those of several turns go side by side. */
#define TURNS 4

SUP_INLINE void read_turns(const SupHelpersReadCall *call, uint32_t first, uint32_t count) {
  float q[TURNS][4 * SUP_BLOCK];
  for (uint32_t t = 0; t < count; t++) {
    for (uint32_t lane = 0; lane < SUP_BLOCK; lane += SUP_WIDTH) {
      const sup_vquat turn = turn_from_rest(call, true, first + t, lane);
      store3(q[t] + lane, SUP_BLOCK, (sup_vvec3){turn.x, turn.y, turn.z});
      sup_vf_store(q[t] + 3 * SUP_BLOCK + lane, turn.w);
    }
  }
  for (uint32_t t = 0; t < count; t++) {
    for (uint32_t lane = 0; lane < SUP_BLOCK; lane += SUP_WIDTH) {
      const sup_vvec3 v = load3(q[t] + lane, SUP_BLOCK);
      const sup_vquat turn = {v.x, v.y, v.z, sup_vf_load(q[t] + 3 * SUP_BLOCK + lane)};
      put_inputs(call, true, first + t, call->model->turn_pad, lane, sup_vquat_log(turn));
    }
  }
}

void SUP_KERNEL(helpers_crowd_read)(const SupHelpersReadCall *given) {
  /* Copies that no store can reach, so that nothing is read twice. */
  const SupHelpersView model = *given->model;
  SupHelpersReadCall call = *given;
  call.model = &model;
  const uint32_t frames = call.moving ? model.frame_count : 0;
  for (uint32_t t = 0; t < model.turn_count; t += TURNS) {
    const uint32_t left = model.turn_count - t;
    read_turns(&call, t, left < TURNS ? left : TURNS);
  }
  for (uint32_t f = 0; f < frames; f++) {
    for (uint32_t lane = 0; lane < SUP_BLOCK; lane += SUP_WIDTH) read_frame(&call, true, f, lane);
  }
}
