/* SPDX-License-Identifier: MIT */
/*
 * Supple: the parts of a humanoid skeleton, found by the names of its joints.
 *
 * Names are read as words ("LeftForeArm", "DEF-forearm.L", "lowerarm_l", "J_Bip_L_LowerArm",
 * "Bip01 L Forearm", "lowerarm01.L" are one part), so the conventions of Mixamo, Rigify, VRM and
 * Unity, MakeHuman, Unreal, Biped and Blender need no table each. Order and number along a part
 * come from the tree of joints, never from digits: MakeHuman counts its spine from above.
 */
#ifndef SUPPLE_AUTHOR_HUMANOID_H
#define SUPPLE_AUTHOR_HUMANOID_H

#include "supple/author/sides.h"
#include "supple/skeleton.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SupHumanoidPart {
  SUP_HUMANOID_HIPS,  /* the first four have no side */
  SUP_HUMANOID_SPINE, /* the chest included */
  SUP_HUMANOID_NECK,
  SUP_HUMANOID_HEAD,
  SUP_HUMANOID_SHOULDER, /* the collar bone */
  SUP_HUMANOID_UPPER_ARM,
  SUP_HUMANOID_LOWER_ARM,
  SUP_HUMANOID_HAND,
  SUP_HUMANOID_THUMB,
  SUP_HUMANOID_INDEX,
  SUP_HUMANOID_MIDDLE,
  SUP_HUMANOID_RING,
  SUP_HUMANOID_LITTLE,
  SUP_HUMANOID_UPPER_LEG,
  SUP_HUMANOID_LOWER_LEG,
  SUP_HUMANOID_FOOT,
  SUP_HUMANOID_TOES,
  SUP_HUMANOID_PARTS
} SupHumanoidPart;

/* "hips", "upper arm", ... */
const char *sup_humanoid_part_name(SupHumanoidPart part);

/* The joints of one part, from the hips outwards: one, or several along a spine, a finger, or a
 * limb that has joints for its twist. Each is an ancestor of the next. */
typedef struct SupJointChain {
  uint32_t count;         /* 0: there is none */
  const uint32_t *joints; /* [count] */
  uint32_t rivals[2]; /* two joints that are named alike, where none could be chosen; or SUP_NONE */
} SupJointChain;

/* chains[part][side]: left and right; parts without a side are at 0. */
typedef struct SupHumanoid {
  SupJointChain chains[SUP_HUMANOID_PARTS][2];
} SupHumanoid;

/* Finds the parts; joints of controls, of inverse kinematics and at the ends of chains are none. A
 * skeleton that is not a humanoid has few parts or none. In `arena`. */
SupResult sup_humanoid_find(SupArena *arena, const SupSkeleton *skeleton, SupHumanoid *out_humanoid,
                            SupError *error);

/* The part that a name alone says, or SUP_HUMANOID_PARTS. "Arm" and "Leg" say none: what they mean
 * depends on the joints around ("LeftLeg" is a lower leg in Mixamo's skeleton). */
SupHumanoidPart sup_humanoid_name(const char *name);

#ifdef __cplusplus
}
#endif
#endif
