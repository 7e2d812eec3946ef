/* SPDX-License-Identifier: MIT */
/*
 * What a frame shows of the surface technique: positions between two steps, and how vertices turn.
 *
 * Between steps k and k + 1, at part t: the positions x_k and x_k+1 are known, the goals g_k-1, g_k
 * and g(t), but not g_k+1. The parabola through the three goals stands in for it, and the offset
 * from the goal is interpolated linearly and added to g(t). With D = g(t) - g_k and d = g_k - g_k-1
 * all goals at k + 1 cancel:
 *
 *   x(t) = (1 - t) x_k + t x_k+1 - (D - t d) (1 - t) / (1 + t)
 *
 * With SUP_SURFACE_PUNCTUAL x_k+1 still lacks eta times the goal's bend: the share eta of the flesh
 * keeps its offset from (1 - t) x_k + t x_k+1 - (1 - t) g_k - t (g_k + d) on to g(t), by D - t d.
 *
 * No delay, exact at the steps, and the goal's own curve is kept to second order. Where the goal
 * jumps (another clip, an edited pose) there is no parabola, and flesh stays where its inertia
 * keeps it: D - t d counts up to t (1 + t) / 2 times |d| + |x_k+1 - x_k|, which is a change of
 * velocity by as much as there was, in one step.
 */
#include "runtime/surface_kernel.h"

#include "runtime/lane_records.h"

#define PAIR SUP_RECORD
#define FRAME 12

SUP_INLINE sup_vvec3 load_own_x(const float *records, uint32_t block, int lane) {
  uint32_t lanes[SUP_BLOCK];
  for (int i = 0; i < SUP_WIDTH; i++) lanes[i] = SUP_BLOCK * block + (uint32_t)(lane + i);
  return sup_records_load(records, lanes).a;
}

SUP_INLINE sup_vvec3 shown(const SupSurfaceShowCall *call, uint32_t block, int lane,
                           sup_vvec3 *out_goal) {
  const size_t rows = (size_t)(3 * SUP_BLOCK) * block;
  const sup_vvec3 goal = sup_vvec3_load(call->goal + rows, lane);
  *out_goal = call->now ? sup_vvec3_load(call->now + rows, lane) : goal;
  if (call->at_goal) return *out_goal;
  const sup_vvec3 x = load_own_x(call->records, block, lane);
  if (!call->now) return x;
  const float t = call->part;
  const sup_vvec3 next = sup_vvec3_load(call->x + rows, lane);
  const sup_vvec3 step = sup_vvec3_load(call->goal_step + rows, lane);
  const sup_vvec3 way = sup_vvec3_sub(*out_goal, goal);
  const sup_vvec3 bend = sup_vvec3_add_scaled(way, step, sup_vf_splat(-t));
  const sup_vvec3 line =
      sup_vvec3_add_scaled(sup_vvec3_scale(x, sup_vf_splat(1 - t)), next, sup_vf_splat(t));
  const sup_vvec3 moved = sup_vvec3_sub(next, x);
  const sup_vf speed =
      sup_vf_sqrt(sup_vvec3_dot(step, step)) + sup_vf_sqrt(sup_vvec3_dot(moved, moved));
  const sup_vf most = speed * sup_vf_splat(t * (1 + t) / 2);
  const sup_vf length = sup_vf_sqrt(sup_vvec3_dot(bend, bend));
  const sup_vi jumps = sup_lt(most, length);
  const sup_vf share = sup_select(jumps, most / sup_select(jumps, length, SUP_C(1)), SUP_C(1));
  const sup_vf late = share * sup_vf_splat(-(1 - t) / (1 + t));
  if (!call->owed) return sup_vvec3_add_scaled(line, bend, late);
  const float *etas =
      call->model->parameters + SUP_BLOCK * ((size_t)SUP_SURFACE_ROWS * block + SUP_SURFACE_ETA);
  const sup_vf eta = sup_vf_load(etas + lane);
  return sup_vvec3_add_scaled(line, bend, eta + (SUP_C(1) - eta) * late);
}

void SUP_KERNEL(surface_show_blocks)(const SupSurfaceShowCall *call, SupRange blocks) {
  for (uint32_t block = blocks.first; block < blocks.first + blocks.count; block++) {
    const float *reaches = call->model->parameters +
                           SUP_BLOCK * ((size_t)SUP_SURFACE_ROWS * block + SUP_SURFACE_REACH);
    for (int lane = 0; lane < SUP_BLOCK; lane += SUP_WIDTH) {
      sup_vvec3 goal;
      const sup_vvec3 place = shown(call, block, lane, &goal);
      const sup_vvec3 offset = sup_vvec3_sub(place, goal);
      sup_vf reach = sup_vf_load(reaches + lane);
      if (call->scales) {
        reach *= sup_abs(sup_lane_scale(&call->model->skin, call->scales, block, lane));
      }
      const sup_vf square = sup_vvec3_dot(offset, offset);
      const sup_vi far = sup_lt(reach * reach, square);
      const sup_vf length = sup_vf_sqrt(sup_select(far, square, SUP_C(1)));
      const sup_vf scale = sup_select(far, reach / length, SUP_C(1)) * call->fade;
      const sup_vi whole = sup_eq(scale, SUP_C(1)); /* then nothing is rounded */
      const sup_vvec3 less = sup_vvec3_add_scaled(goal, offset, scale);
      const sup_vpair pair = {sup_vvec3_select(whole, place, less), goal};
      sup_records_store(call->pairs + PAIR * ((size_t)SUP_BLOCK * block + (size_t)lane), pair);
    }
  }
}

/* The normals of the rings of triangles, shown and of the goal: any length, weighted by area. */
SUP_INLINE sup_vpair ring_normals(const SupSurfaceShowCall *call, uint32_t block, int lane,
                                  sup_vpair own) {
  const SupSurfaceView *model = call->model;
  const sup_vvec3 none = {SUP_C(0), SUP_C(0), SUP_C(0)};
  sup_vpair sum = {none, none};
  for (uint32_t s = model->fan_first[block]; s < model->fan_first[block + 1]; s++) {
    const uint32_t *fan = model->fans + (size_t)(2 * SUP_BLOCK) * s + lane;
    const sup_vpair a = sup_records_load(call->pairs, fan);
    const sup_vpair b = sup_records_load(call->pairs, fan + SUP_BLOCK);
    sum.a =
        sup_vvec3_add(sum.a, sup_vvec3_cross(sup_vvec3_sub(a.a, own.a), sup_vvec3_sub(b.a, own.a)));
    sum.b =
        sup_vvec3_add(sum.b, sup_vvec3_cross(sup_vvec3_sub(a.b, own.b), sup_vvec3_sub(b.b, own.b)));
  }
  return sum;
}

/* The shortest turn from direction b to direction a; none where one is unknown or they oppose. */
SUP_INLINE sup_vquat turn_between(sup_vvec3 a, sup_vvec3 b) {
  const sup_vvec3 axis = sup_vvec3_cross(b, a);
  const sup_vf lengths = sup_vf_sqrt(sup_vvec3_dot(a, a)) * sup_vf_sqrt(sup_vvec3_dot(b, b));
  const sup_vf w = lengths + sup_vvec3_dot(a, b);
  const sup_vf square = sup_vvec3_dot(axis, axis) + w * w;
  const sup_vi known = sup_lt(SUP_C(1e-6) * lengths, w) & sup_lt(SUP_C(1e-30), square);
  const sup_vf scale = SUP_C(1) / sup_vf_sqrt(sup_select(known, square, SUP_C(1)));
  const sup_vquat turn = {axis.x * scale, axis.y * scale, axis.z * scale, w * scale};
  const sup_vquat none = {SUP_C(0), SUP_C(0), SUP_C(0), SUP_C(1)};
  return sup_vquat_select(known, turn, none);
}

SUP_INLINE void frame_lanes(const SupSurfaceShowCall *call, uint32_t block, int lane) {
  const size_t first = (size_t)SUP_BLOCK * block + (size_t)lane;
  uint32_t lanes[SUP_BLOCK];
  for (int i = 0; i < SUP_WIDTH; i++) lanes[i] = (uint32_t)(first + (size_t)i);
  const sup_vpair own = sup_records_load(call->pairs, lanes);
  const sup_vpair normals = ring_normals(call, block, lane, own);
  const sup_vquat q = turn_between(normals.a, normals.b);
  const SkinBlock b = skin_block(&call->model->skin, block);
  const SkinBlend t = skin_blend(&b, call->palette, lane);
  const sup_vvec3 columns[4] = {sup_vquat_turn(q, (sup_vvec3){t.xx, t.xy, t.xz}),
                                sup_vquat_turn(q, (sup_vvec3){t.yx, t.yy, t.yz}),
                                sup_vquat_turn(q, (sup_vvec3){t.zx, t.zy, t.zz}), own.a};
  for (int i = 0; i < SUP_WIDTH; i++) {
    float *frame = call->frames + FRAME * (first + (size_t)i);
    for (int c = 0; c < 4; c++) {
      frame[3 * c] = sup_lane(columns[c].x, i);
      frame[3 * c + 1] = sup_lane(columns[c].y, i);
      frame[3 * c + 2] = sup_lane(columns[c].z, i);
    }
  }
}

void SUP_KERNEL(surface_frames_blocks)(const SupSurfaceShowCall *call, SupRange blocks) {
  for (uint32_t block = blocks.first; block < blocks.first + blocks.count; block++) {
    for (int lane = 0; lane < SUP_BLOCK; lane += SUP_WIDTH) frame_lanes(call, block, lane);
  }
}
