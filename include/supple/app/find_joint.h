/* SPDX-License-Identifier: MIT */
/* Supple: the name that was meant, for sentences that say "did you mean". */
#ifndef SUPPLE_APP_FIND_JOINT_H
#define SUPPLE_APP_FIND_JOINT_H

#include "supple/skeleton.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The joint of a name that `option` gives; the sentence says which one may be meant. */
SupResult sup_find_joint(const SupSkeleton *skeleton, const char *option, const char *name,
                         uint32_t *out_joint, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
