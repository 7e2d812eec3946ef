/* SPDX-License-Identifier: MIT */
/* mochi's joints, for its shape and its clips. Left is +x. */
#ifndef SUP_AUTHOR_BUILTIN_MOCHI_H
#define SUP_AUTHOR_BUILTIN_MOCHI_H

#include "author/builtin/builtin_body.h"

enum {
  SUP_MOCHI_HIPS,
  SUP_MOCHI_SPINE,
  SUP_MOCHI_CHEST,
  SUP_MOCHI_NECK,
  SUP_MOCHI_HEAD,
  SUP_MOCHI_EAR_l1,
  SUP_MOCHI_EAR_l2,
  SUP_MOCHI_UPPER_ARM_l,
  SUP_MOCHI_FOREARM_l,
  SUP_MOCHI_HAND_l,
  SUP_MOCHI_THIGH_l,
  SUP_MOCHI_SHANK_l,
  SUP_MOCHI_FOOT_l,
  SUP_MOCHI_EAR_r1,
  SUP_MOCHI_EAR_r2,
  SUP_MOCHI_UPPER_ARM_r,
  SUP_MOCHI_FOREARM_r,
  SUP_MOCHI_HAND_r,
  SUP_MOCHI_THIGH_r,
  SUP_MOCHI_SHANK_r,
  SUP_MOCHI_FOOT_r,
  SUP_MOCHI_TAIL1,
  SUP_MOCHI_TAIL2,
  SUP_MOCHI_TAIL3,
  SUP_MOCHI_JOINT_COUNT
};

SupResult sup_mochi_clips(SupArena *arena, const SupBody *body, uint32_t *out_count,
                          const SupClip **out_clips);

#endif
