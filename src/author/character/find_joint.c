/* SPDX-License-Identifier: MIT */
/* Joints by the names and patterns that options give. */
#include "supple/author/find_joint.h"

SupNameList sup_joint_names(const SupSkeleton *skeleton) {
  return (SupNameList){skeleton->names, sizeof *skeleton->names, skeleton->joint_count};
}

SupResult sup_find_joint(const SupSkeleton *skeleton, const char *option, const char *name,
                         uint32_t *out_joint, SupError *error) {
  const SupNameList names = sup_joint_names(skeleton);
  const size_t found = sup_name_find(name, names);
  char hint[200];
  if (found < skeleton->joint_count) {
    *out_joint = (uint32_t)found;
    return SUP_OK;
  }
  sup_name_hint(hint, sizeof hint, name, names);
  const char *advice = *hint ? "" : "; `supple info --bones` shows them all";
  for (const char *at = name; *at; at++) {
    if (*at == ',') advice = "; for several bones give the option once for each";
  }
  return sup_fail(error, SUP_ERROR_ARGUMENT, "--%s: there is no bone '%s'%s%s", option, name, hint,
                  advice);
}

/* Whether the joint, or one that it hangs below, fits. */
static bool fits_above(const SupSkeleton *skeleton, const char *pattern, int32_t joint) {
  while (joint >= 0 && !sup_name_fits(pattern, skeleton->names[joint])) {
    joint = skeleton->parents[joint];
  }
  return joint >= 0;
}

/* Marks what fits; returns how many of these hang below no other. */
static uint32_t mark_fitting(const SupSkeleton *skeleton, const char *pattern, bool *io_marked) {
  uint32_t tops = 0;
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    if (!sup_name_fits(pattern, skeleton->names[j])) continue;
    if (io_marked) io_marked[j] = true;
    tops += !fits_above(skeleton, pattern, skeleton->parents[j]);
  }
  return tops;
}

SupResult sup_find_joints(const SupSkeleton *skeleton, const char *option, const char *pattern,
                          bool *io_marked, SupError *error) {
  uint32_t joint = 0;
  char within[260], hint[200];
  const SupNameList names = sup_joint_names(skeleton);
  if (!sup_name_is_pattern(pattern) && sup_name_find(pattern, names) != SUP_NAME_SEVERAL) {
    SupResult result = sup_find_joint(skeleton, option, pattern, &joint, error);
    if (result == SUP_OK) io_marked[joint] = true;
    return result;
  }
  if (!sup_name_is_pattern(pattern)) {
    const size_t length = sup_format(within, sizeof within, "*%s*", pattern);
    if (length < sizeof within && mark_fitting(skeleton, within, NULL) == 1) {
      mark_fitting(skeleton, within, io_marked);
      return SUP_OK;
    }
    sup_name_hint(hint, sizeof hint, pattern, names);
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--%s: there is no bone '%s'%s, or '*%s*' for all of them", option, pattern,
                    hint, pattern);
  }
  if (mark_fitting(skeleton, pattern, io_marked)) return SUP_OK;
  return sup_fail(error, SUP_ERROR_ARGUMENT,
                  "--%s: no bone fits '%s'; `supple info --bones` shows them all", option, pattern);
}
