/* SPDX-License-Identifier: MIT */
/* Supple: joints by name, as every option finds them. */
#ifndef SUPPLE_AUTHOR_FIND_JOINT_H
#define SUPPLE_AUTHOR_FIND_JOINT_H

#include "supple/skeleton.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The names of all joints. */
SupNameList sup_joint_names(const SupSkeleton *skeleton);

/* The joint that `name` gives by sup_name_find. Otherwise SUP_ERROR_ARGUMENT and a sentence that
 * begins with --option and says which one may be meant. */
SupResult sup_find_joint(const SupSkeleton *skeleton, const char *option, const char *name,
                         uint32_t *out_joint, SupError *error);

/* Marks the joints that `pattern` gives: all that fit it where it has a * or a ? ("*_l", "Tail?"),
 * else the one of sup_find_joint; "tail" also gives tail1, tail2 and tail3 where all hang below the
 * first. io_marked[joint_count]; other marks stay. Fails, with nothing marked, where no joint fits.
 * Those below are not marked: see sup_mark_below. */
SupResult sup_find_joints(const SupSkeleton *skeleton, const char *option, const char *pattern,
                          bool *io_marked, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
