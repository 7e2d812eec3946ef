/* SPDX-License-Identifier: MIT */
/* The skinning kernels of the instruction set being compiled. */
#ifndef SUP_SRC_ANIM_SKIN_KERNEL_H
#define SUP_SRC_ANIM_SKIN_KERNEL_H

#include "anim/real.h"

/* Blocks range.first .. of the call's model. */
void SUP_KERNEL(skin_lbs_blocks)(const RealSkinCall *call, SupRange range);
void SUP_KERNEL(skin_dqs_blocks)(const RealSkinCall *call, SupRange range);

#endif
