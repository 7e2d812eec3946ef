/* SPDX-License-Identifier: MIT */
/*
 * What a frame shows of the surface technique: positions between two steps.
 *
 * Between steps k and k + 1, at part t: the positions x_k and x_k+1 are known, the goals g_k-1, g_k
 * and g(t), but not g_k+1. The parabola through the three goals stands in for it, and the offset
 * from the goal is interpolated linearly and added to g(t). With D = g(t) - g_k and d = g_k - g_k-1
 * all goals at k + 1 cancel:
 *
 *   x(t) = (1 - t) x_k + t x_k+1 - (D - t d) (1 - t) / (1 + t)
 *
 * With SUP_SURFACE_UNDELAYED x_k+1 still lacks eta times the goal's bend: the fraction eta of the
 * flesh keeps its offset from (1 - t) x_k + t x_k+1 - (1 - t) g_k - t (g_k + d) on to g(t), by D -
 * t d.
 *
 * No delay, exact at the steps, and the goal's own curve is kept to second order. Where the goal
 * jumps (another clip, an edited pose) there is no parabola, and flesh stays where its inertia
 * keeps it: D - t d counts up to t (1 + t) / 2 times |d| + |x_k+1 - x_k|, which is a change of
 * velocity by as much as there was, in one step.
 */
#include "runtime/surface/surface_kernel.h"

#include "runtime/lane_records.h"

#define PAIR SUP_RECORD

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
  const sup_vf fraction = sup_select(jumps, most / sup_select(jumps, length, SUP_C(1)), SUP_C(1));
  const sup_vf late = fraction * sup_vf_splat(-(1 - t) / (1 + t));
  if (!call->owed) return sup_vvec3_add_scaled(line, bend, late);
  const float *etas =
      call->model->parameters + SUP_BLOCK * ((size_t)SUP_SURFACE_ROWS * block + SUP_SURFACE_ETA);
  const sup_vf eta = sup_vf_load(etas + lane);
  return sup_vvec3_add_scaled(line, bend, eta + (SUP_C(1) - eta) * late);
}

void SUP_KERNEL(surface_show_blocks)(const SupSurfaceShowCall *call, SupRange blocks) {
  for (uint32_t block = blocks.first; block < blocks.first + blocks.count; block++) {
    const float *max_distances =
        call->model->parameters +
        SUP_BLOCK * ((size_t)SUP_SURFACE_ROWS * block + SUP_SURFACE_MAX_DISTANCE);
    for (int lane = 0; lane < SUP_BLOCK; lane += SUP_WIDTH) {
      sup_vvec3 goal;
      const sup_vvec3 place = shown(call, block, lane, &goal);
      const sup_vvec3 offset = sup_vvec3_sub(place, goal);
      sup_vf max_distance = sup_vf_load(max_distances + lane);
      if (call->scales) {
        max_distance *= sup_abs(sup_lane_scale(&call->model->skin, call->scales, block, lane));
      }
      const sup_vf square = sup_vvec3_dot(offset, offset);
      const sup_vi far = sup_lt(max_distance * max_distance, square);
      const sup_vf length = sup_vf_sqrt(sup_select(far, square, SUP_C(1)));
      const sup_vf scale = sup_select(far, max_distance / length, SUP_C(1)) * call->fade;
      const sup_vi whole = sup_eq(scale, SUP_C(1)); /* then nothing is rounded */
      const sup_vvec3 less = sup_vvec3_add_scaled(goal, offset, scale);
      const sup_vpair pair = {sup_vvec3_select(whole, place, less), goal};
      sup_records_store(call->pairs + PAIR * ((size_t)SUP_BLOCK * block + (size_t)lane), pair);
    }
  }
}
