/* SPDX-License-Identifier: MIT */
/* One body, rigged and named in the way of many programs. */
#ifndef SUP_TESTS_RIGNAMES_MANNEQUIN_H
#define SUP_TESTS_RIGNAMES_MANNEQUIN_H

#include "supple/author/humanoid.h"

enum { MANNEQUIN_JOINTS = 128, CONVENTIONS = 9 };

/* A skeleton with what is known of each joint. */
typedef struct Mannequin {
  SupSkeleton skeleton;
  char text[MANNEQUIN_JOINTS][48];
  const char *names[MANNEQUIN_JOINTS];
  int32_t parents[MANNEQUIN_JOINTS];
  SupTransform rest[MANNEQUIN_JOINTS];
  uint32_t bone_joints[MANNEQUIN_JOINTS];
  SupAffine inverse_bind[MANNEQUIN_JOINTS];
  SupVec3 places[MANNEQUIN_JOINTS];
  SupHumanoidPart parts[MANNEQUIN_JOINTS]; /* or SUP_HUMANOID_PARTS */
  uint32_t sides[MANNEQUIN_JOINTS];        /* 0: left or none, 1: right */
  float shares[MANNEQUIN_JOINTS];          /* where it lies along its part: 0 its beginning */
} Mannequin;

extern const char *const convention_names[CONVENTIONS];

/* The body in that convention, `size` large, with arms that hang by `slope` radians and joints
 * whose axes point anywhere; facing: quarter turns about the vertical. */
void mannequin_make(Mannequin *out, uint32_t convention, float size, float slope, uint32_t facing);

/* The first joint of the part; SUP_NONE without one. */
uint32_t mannequin_joint(const Mannequin *mannequin, SupHumanoidPart part, uint32_t side);

#endif
