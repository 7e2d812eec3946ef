/* SPDX-License-Identifier: MIT */
/* A body with two joints, "hip" at its middle and "head" at (0, 0.5, 0). */
#ifndef SUP_TESTS_PATCHES_BALL_H
#define SUP_TESTS_PATCHES_BALL_H

#include "check.h"
#include "geom/shapes.h"
#include "supple/author/patch_plan.h"
#include "supple/io/file.h"

static inline SupCharacter ball_character(SupArena *arena, SupMesh body) {
  static const int32_t parents[2] = {-1, 0};
  static const char *const names[2] = {"hip", "head"};
  static const uint32_t bone_joints[1] = {0};
  SupTransform *rest = SUP_ALLOC(arena, SupTransform, 2);
  SupAffine *bind = SUP_ALLOC(arena, SupAffine, 1);
  rest[0] = rest[1] = (SupTransform){{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
  rest[1].translation.y = 0.5f;
  bind[0] = sup_affine_compose(rest[0]);
  return (SupCharacter){
      .name = "ball", .body = body, .skeleton = {2, 1, parents, rest, names, bone_joints, bind}};
}

#endif
