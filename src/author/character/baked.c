/* SPDX-License-Identifier: MIT */
#include "supple/author/baked.h"

/* `start` and then nothing but two digits or more. */
static bool is_numbered(const char *name, const char *start) {
  for (; *start; start++, name++) {
    if (*name != *start) return false;
  }
  const char *digits = name;
  while (*name >= '0' && *name <= '9') name++;
  return *name == 0 && name - digits >= 2;
}

bool sup_is_baked_joint(const SupCharacter *character, uint32_t joint) {
  const SupSkeleton *skeleton = &character->skeleton;
  if (!is_numbered(skeleton->names[joint], SUP_BAKED_JOINT)) return false;
  if (character->helper_joints && character->helper_joints[joint]) return false;
  for (uint32_t b = 0; b < skeleton->bone_count; b++) {
    if (skeleton->bone_joints[b] == joint) return true;
  }
  return false;
}

SupBakedParts sup_baked_parts(const SupCharacter *character) {
  SupBakedParts parts = {0};
  for (uint32_t j = 0; j < character->skeleton.joint_count; j++) {
    if (!sup_is_baked_joint(character, j)) continue;
    if (!parts.joint_count++) parts.first = character->skeleton.names[j];
  }
  for (uint32_t m = 0; m < character->morph_count; m++) {
    const char *name = character->morphs[m].name;
    bool seen = !is_numbered(name, SUP_BAKED_MORPH);
    for (uint32_t k = 0; k < m && !seen; k++) {
      seen = sup_string_equal(character->morphs[k].name, name);
    }
    if (seen) continue;
    if (!parts.first) parts.first = name;
    parts.morph_count++;
  }
  return parts;
}
