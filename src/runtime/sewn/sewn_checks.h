/* SPDX-License-Identifier: MIT */
/* What the checks of sewn skins have in common: angles, seams, the skin's order. */
#ifndef SUP_SRC_RUNTIME_SEWN_CHECKS_H
#define SUP_SRC_RUNTIME_SEWN_CHECKS_H

#include "runtime/model_checks.h"
#include "runtime/sewn/sewn_skin.h"

#define SUP_SEWN_MOST_TURN 6.3f /* radians, a little more than 2 pi */

static inline bool sup_within(float x, float low, float high) { return x >= low && x <= high; }

/* The square of a length that is 1. */
static inline bool sup_is_unit(float square) { return sup_within(square, 0.99f, 1.01f); }

static inline bool sup_lengths_sensible(const SupVec3 *points, uint64_t count, float most) {
  for (uint64_t i = 0; i < count; i++) {
    if (!sup_all_within(&points[i].x, 3, most)) return false;
  }
  return true;
}

static inline bool sup_pose_angles_sensible(const SupPoseAngle *angles, uint64_t count,
                                            uint32_t joint_count) {
  for (uint64_t a = 0; a < count; a++) {
    const SupPoseAngle *angle = &angles[a];
    if (angle->joint >= joint_count || !sup_is_unit(sup_quat_dot(angle->rest, angle->rest)) ||
        !sup_is_unit(sup_vec3_dot(angle->axis, angle->axis)) ||
        !sup_within(angle->low, -SUP_SEWN_MOST_TURN, 0) ||
        !sup_within(angle->high, 0, SUP_SEWN_MOST_TURN)) {
      return false;
    }
  }
  return true;
}

static inline bool sup_seams_sensible(const SupSeam *seams, uint64_t count, uint32_t vertex_count) {
  for (uint64_t s = 0; s < count; s++) {
    if (seams[s].a >= vertex_count || seams[s].b >= vertex_count ||
        !sup_within(seams[s].ratio, 0, 1) || seams[s].open > 1) {
      return false;
    }
  }
  return true;
}

/* lanes[vertex_count] is the skin's order, the other way round. */
static inline bool sup_lanes_fit(const SupSkinView *skin, const uint32_t *lanes, uint64_t count) {
  if (count != skin->vertex_count) return false;
  for (uint32_t v = 0; v < skin->vertex_count; v++) {
    if (lanes[v] >= skin->vertex_count || skin->order[lanes[v]] != v) return false;
  }
  return true;
}

/* The row of every lane, or none. */
static inline bool sup_sources_fit(const SupSkinView *skin, const uint32_t *sources, uint64_t count,
                                   uint64_t rows) {
  if (count != (uint64_t)SUP_SKIN_BLOCK * skin->block_count) return false;
  for (uint64_t lane = 0; lane < count; lane++) {
    if (sources[lane] >= rows && sources[lane] != SUP_SEWN_NONE) return false;
  }
  return true;
}

#endif
