/* SPDX-License-Identifier: MIT */
/*
 * Supple: poses and clips of one skeleton on another that names, counts and poses its joints in
 * another way. Where two skeletons share their names, supple/retarget.h is enough and exact.
 *
 * Joints are mapped by equal names, by names that are equal but for prefix, side and capitals
 * ("mixamorig:LeftHand", "hand_l"), and by the parts of a humanoid (supple/author/humanoid.h), in
 * which parts of unequal numbers of joints are laid along each other by their ends and by shares of
 * their lengths. Turns are those of joints away from rest, in the space of the whole character; so
 * joints that only one skeleton has lose nothing. Before, the target's limbs are turned in its rest
 * pose until they point as the source's do: a character in A-pose plays one in T-pose. A target
 * that faces another way (by quarter turns) goes on facing it.
 */
#ifndef SUPPLE_AUTHOR_JOINT_MAP_H
#define SUPPLE_AUTHOR_JOINT_MAP_H

#include "supple/author/character.h"
#include "supple/author/humanoid.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why a joint follows the one that it follows. */
typedef enum SupJointRule {
  SUP_JOINT_FREE, /* it follows none: it keeps its rest pose on its parent */
  SUP_JOINT_EQUAL_NAME,
  SUP_JOINT_LIKE_NAME,
  SUP_JOINT_PART,  /* the same joint of the same part of a humanoid */
  SUP_JOINT_SHARE, /* a part of it that has another number of joints */
  SUP_JOINT_RULES
} SupJointRule;

/* "equal name", "like name", "part", "share of a part". */
const char *sup_joint_rule_name(SupJointRule rule);

/* How one joint of the target follows. */
typedef struct SupJointFollow {
  SupJointRule rule;
  uint32_t source; /* joint of the source whose turn it shows, or SUP_NONE */
  uint32_t
      before;     /* with share < 1: another one before it in the source, or SUP_NONE: none moves */
  float share;    /* 0: shows the turn of `before`, 1: that of `source` */
  bool twists;    /* with share < 1: all of the swing, and that share of the twist about `axis` */
  SupVec3 axis;   /* of the source's part, in rest, scene space */
  bool moves;     /* also translates: hips as far as legs are long, others in their own scale */
  SupQuat repose; /* scene space: from the target's rest to its rest as the source stands */
} SupJointFollow;

typedef struct SupJointMap {
  const SupSkeleton *source, *target;
  const SupJointFollow *joints;     /* [target->joint_count] */
  uint32_t counts[SUP_JOINT_RULES]; /* joints of the target by rule */
  SupHumanoid source_parts, target_parts;
  SupQuat facing; /* from the source's forward direction to the target's */
  float scale;    /* size of the target over that of the source: by legs, else by all joints */
  const SupQuat *source_rest, *target_rest;     /* [joint_count] rotations, scene space */
  const SupVec3 *source_places, *target_places; /* [joint_count] */
} SupJointMap;

/* Maps `source` onto `target`; in `arena`, and both skeletons must live as long. */
SupResult sup_joint_map_make(SupArena *arena, const SupSkeleton *source, const SupSkeleton *target,
                             SupJointMap *out_map, SupError *error);

/* Says that the map is good enough to play clips: half of the target's bones follow, or all large
 * joints of a humanoid do. Otherwise SUP_ERROR_UNSUPPORTED and a sentence with the joints that have
 * no partner, in which the skeletons are called by these names. */
SupResult sup_joint_map_check(const SupJointMap *map, const char *source_name,
                              const char *target_name, SupError *error);

/* For each joint of the source the target's that does most nearly the same (the last of a part
 * where it has fewer), or SUP_NONE: out_partners[source->joint_count]. */
void sup_joint_map_partners(const SupJointMap *map, uint32_t *out_partners);

/* What sup_joint_map_pose works in. */
typedef struct SupJointMapWork {
  SupQuat *turns;     /* [source joint_count] */
  SupAffine *globals; /* [source joint_count], then [target joint_count] */
  SupQuat *rotations; /* [target joint_count] */
} SupJointMapWork;

SupResult sup_joint_map_work(SupArena *arena, const SupJointMap *map, SupJointMapWork *out_work,
                             SupError *error);

/* A whole pose; out_pose has the target's joint_count, `source` the source's. The root placement is
 * copied. */
void sup_joint_map_pose(const SupJointMap *map, const SupJointMapWork *work, const SupPose *source,
                        SupPose *out_pose);

/* The clip in poses of the target, at the times of all keys and at least 30 times per second, since
 * a joint may follow several; steps become short ramps. Morph weights are left to
 * sup_clip_retarget_weights. The result lives in `arena` and shares nothing with `clip`. */
SupResult sup_joint_map_clip(SupArena *arena, const SupJointMap *map, const SupClip *clip,
                             SupClip *out_clip, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
