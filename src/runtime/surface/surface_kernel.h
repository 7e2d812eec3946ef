/* SPDX-License-Identifier: MIT */
/* The surface kernels of the instruction set being compiled, and their precision. */
#ifndef SUP_SRC_RUNTIME_SURFACE_KERNEL_H
#define SUP_SRC_RUNTIME_SURFACE_KERNEL_H

#include "anim/real.h"
#include "anim/skin_block.h"
#include "supple/surface.h"

#if SUP_DOUBLE
typedef SupSurfaceViewd RealSurfaceView;
typedef SupSurfaceCalld RealSurfaceCall;
typedef SupSurfacePlacedd RealPlaced;
typedef SupColliderd RealCollider;
#else
typedef SupSurfaceView RealSurfaceView;
typedef SupSurfaceCall RealSurfaceCall;
typedef SupSurfacePlaced RealPlaced;
typedef SupCollider RealCollider;
#endif

/* How much larger than at rest the flesh of each lane is; negative where it is mirrored. */
SUP_INLINE sup_vf sup_lane_scale(const RealSkinView *skin, const sup_real *scales, uint32_t block,
                                 int lane) {
  const SkinBlock b = skin_block(skin, block);
  sup_vf sum = SUP_C(0);
  for (uint32_t k = 0; k < b.bone_count; k++) {
    sum += sup_vf_load(b.weights + SUP_BLOCK * k + lane) * scales[b.bones[k]];
  }
  return sum;
}

void SUP_KERNEL(surface_start_blocks)(const RealSurfaceCall *call, SupRange blocks, bool moving);
void SUP_KERNEL(surface_prepare_blocks)(const RealSurfaceCall *call, SupRange blocks);
void SUP_KERNEL(surface_solve_blocks)(const RealSurfaceCall *call, SupRange blocks);

/* Showing a state, in float only. */
typedef struct SupSurfaceShowCall {
  const SupSurfaceView *model;
  const float *scales; /* [bone_count] or NULL, as in SupSurfaceCall */
  const float *x, *goal, *goal_step, *records;
  const float *now; /* [blocks of 3] the goal now; NULL: that of the last step, and part is 0 */
  float part, fade;
  bool at_goal; /* show the goal itself */
  bool owed;    /* as in SupSurfaceState */
  float *pairs; /* [8 per lane] */
} SupSurfaceShowCall;

void SUP_KERNEL(surface_show_blocks)(const SupSurfaceShowCall *call, SupRange blocks);

#endif
