/* SPDX-License-Identifier: MIT */
/* What the name of a joint says about its place in a humanoid. */
#ifndef SUP_SRC_AUTHOR_RIG_HUMANOID_WORDS_H
#define SUP_SRC_AUTHOR_RIG_HUMANOID_WORDS_H

#include "supple/author/humanoid.h"

/* Parts, and what may be one of several parts. */
enum {
  SUP_HUMANOID_HIP = SUP_HUMANOID_PARTS, /* hips without a side, an upper leg with one */
  SUP_HUMANOID_SHOULDER_OR_ARM,
  SUP_HUMANOID_ARM,
  SUP_HUMANOID_LEG,
  SUP_HUMANOID_FINGER, /* numbered */
  SUP_HUMANOID_NOTHING
};

typedef struct SupHumanoidName {
  uint32_t meaning; /* as above */
  SupSide side;
  uint32_t digit; /* of a numbered finger, as it stands; else 0 */
  bool deforms;   /* says that the joint is one that moves flesh (Rigify's DEF) */
} SupHumanoidName;

SupHumanoidName sup_humanoid_read(const char *name);

#endif
