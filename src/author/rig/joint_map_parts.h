/* SPDX-License-Identifier: MIT */
/* Inside of sup_joint_map_make. */
#ifndef SUP_SRC_AUTHOR_RIG_JOINT_MAP_PARTS_H
#define SUP_SRC_AUTHOR_RIG_JOINT_MAP_PARTS_H

#include "supple/author/joint_map.h"

/* For each joint of the target the source's with the same name; *out_like where the names are equal
 * but for prefix, side and capitals only. SUP_NONE where there is none or are several.
 * out_same[target->joint_count], out_like likewise. */
SupResult sup_joint_names_match(SupArena *arena, const SupSkeleton *source,
                                const SupSkeleton *target, uint32_t *out_same, uint32_t *out_like,
                                SupError *error);

/* Lays the parts of both humanoids along each other: fills rule (PART or SHARE), source, before,
 * share, twists, axis and moves of their joints. */
void sup_joint_map_follow_parts(const SupJointMap *map, SupJointFollow *io_joints);

/* Fills `repose` of all joints; facing is known. */
void sup_joint_map_repose(const SupJointMap *map, SupJointFollow *io_joints);

#endif
