/* SPDX-License-Identifier: MIT */
/* How vertices turn, to carry normals and tangents: the linear part of the blended bones, then the
 * turn from one ring of triangles to another. */
#include "runtime/lane_frames.h"

#include "anim/skin_block.h"
#include "runtime/lane_records.h"

#define FRAME 12

/* The normals of the rings of triangles, shown and of the goal: any length, weighted by area. */
SUP_INLINE sup_vpair ring_normals(const SupLaneFramesCall *call, uint32_t block, int lane,
                                  sup_vpair own) {
  const sup_vvec3 none = {SUP_C(0), SUP_C(0), SUP_C(0)};
  sup_vpair sum = {none, none};
  for (uint32_t s = call->rings.first[block]; s < call->rings.first[block + 1]; s++) {
    const uint32_t *one_ring = call->rings.corners + (size_t)(2 * SUP_BLOCK) * s + lane;
    const sup_vpair a = sup_records_load(call->pairs, one_ring);
    const sup_vpair b = sup_records_load(call->pairs, one_ring + SUP_BLOCK);
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

SUP_INLINE void frame_lanes(const SupLaneFramesCall *call, uint32_t block, int lane) {
  const size_t first = (size_t)SUP_BLOCK * block + (size_t)lane;
  uint32_t lanes[SUP_BLOCK];
  for (int i = 0; i < SUP_WIDTH; i++) lanes[i] = (uint32_t)(first + (size_t)i);
  const sup_vpair own = sup_records_load(call->pairs, lanes);
  sup_vquat q = {SUP_C(0), SUP_C(0), SUP_C(0), SUP_C(1)};
  if (call->rings.first) {
    const sup_vpair normals = ring_normals(call, block, lane, own);
    q = turn_between(normals.a, normals.b);
  }
  const SkinBlock b = skin_block(call->skin, block);
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

void SUP_KERNEL(lane_frames_blocks)(const SupLaneFramesCall *call, SupRange blocks) {
  for (uint32_t block = blocks.first; block < blocks.first + blocks.count; block++) {
    for (int lane = 0; lane < SUP_BLOCK; lane += SUP_WIDTH) frame_lanes(call, block, lane);
  }
}
