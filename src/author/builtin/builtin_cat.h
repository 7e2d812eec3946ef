/* SPDX-License-Identifier: MIT */
/* The cat's joints, for its shape and its clips. Left is +x. */
#ifndef SUP_AUTHOR_BUILTIN_CAT_H
#define SUP_AUTHOR_BUILTIN_CAT_H

#include "author/builtin/builtin_body.h"

enum {
  SUP_CAT_HIPS,
  SUP_CAT_SPINE_1,
  SUP_CAT_SPINE_2,
  SUP_CAT_CHEST,
  SUP_CAT_NECK,
  SUP_CAT_HEAD,
  SUP_CAT_EAR_l,
  SUP_CAT_SHOULDER_l,
  SUP_CAT_UPPER_ARM_l,
  SUP_CAT_FOREARM_l,
  SUP_CAT_HAND_l,
  SUP_CAT_THIGH_l,
  SUP_CAT_SHANK_l,
  SUP_CAT_FOOT_l,
  SUP_CAT_TOES_l,
  SUP_CAT_EAR_r,
  SUP_CAT_SHOULDER_r,
  SUP_CAT_UPPER_ARM_r,
  SUP_CAT_FOREARM_r,
  SUP_CAT_HAND_r,
  SUP_CAT_THIGH_r,
  SUP_CAT_SHANK_r,
  SUP_CAT_FOOT_r,
  SUP_CAT_TOES_r,
  SUP_CAT_TAIL_1,
  SUP_CAT_TAIL_2,
  SUP_CAT_TAIL_3,
  SUP_CAT_TAIL_4,
  SUP_CAT_TAIL_5,
  SUP_CAT_TAIL_6,
  SUP_CAT_JOINT_COUNT
};

SupResult sup_cat_clips(SupArena *arena, const SupBody *body, uint32_t *out_count,
                        const SupClip **out_clips);

#endif
