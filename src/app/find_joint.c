/* SPDX-License-Identifier: MIT */
/* A joint by the name that an option gives. */
#include "supple/app/find_joint.h"

#include <string.h>

SupResult sup_find_joint(const SupSkeleton *skeleton, const char *option, const char *name,
                         uint32_t *out_joint, SupError *error) {
  char hint[120];
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    if (strcmp(skeleton->names[j], name) == 0) {
      *out_joint = j;
      return SUP_OK;
    }
  }
  const char *nearest = sup_nearest_name(name, skeleton->names, skeleton->joint_count);
  sup_did_you_mean(hint, sizeof hint, nearest);
  return sup_fail(error, SUP_ERROR_ARGUMENT, "--%s: there is no bone '%s'%s", option, name, hint);
}
