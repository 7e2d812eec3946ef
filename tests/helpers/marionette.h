/* SPDX-License-Identifier: MIT */
/* A chain of joints with helpers below them and random controllers. */
#ifndef SUP_TESTS_HELPERS_MARIONETTE_H
#define SUP_TESTS_HELPERS_MARIONETTE_H

#include "supple/author/helpers_pack.h"

typedef struct Marionette {
  SupCharacter character;
  SupHelpersDef def;
  SupModel *model;
  SupHelpersView view;
  uint32_t own; /* joints that are not helpers */
} Marionette;

/* `own` joints, `helpers` helpers of `states` states each (even), everything in `arena`. */
bool marionette_make(SupArena *arena, uint32_t own, uint32_t helpers, uint32_t states,
                     Marionette *out);

/* A pose at a time: joints turn, the root wanders. Both arrays have room for all joints. */
void marionette_pose(const Marionette *marionette, double time, uint32_t who, SupTransform *joints,
                     SupAffine *globals);

#endif
