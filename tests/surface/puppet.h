/* SPDX-License-Identifier: MIT */
/* mochi with 500 vertices and a surface model, in a stack: what the tests of whole frames play. */
#ifndef SUP_TESTS_SURFACE_PUPPET_H
#define SUP_TESTS_SURFACE_PUPPET_H

#include "check.h"
#include "supple/author/surface_pack.h"
#include "supple/clip.h"
#include "supple/stack.h"

typedef struct Puppet {
  SupArena arena;
  SupCharacter character;
  SupModel *model;
  const SupModel *models[1];
  SupStackDef def;
  SupStack stack;
  const SupClip *clip;
  SupTransform *joints; /* of `pose` */
  SupPose pose;
  uint32_t vertices;            /* of the output */
  SupVec3 *positions, *normals; /* the last frame's */
  SupVec3 *goal;                /* what puppet_goal gave */
} Puppet;

/* `vertices` of the body; def's segments are filled in (every bone) unless it has some. The stack
 * gives render vertices if `render`. Plays the clip "jump". */
void puppet_make(Puppet *p, uint32_t vertices, const SupSurfaceDef *def, bool render);
void puppet_free(Puppet *p);

/* Makes p->stack again after p->def was changed. */
void puppet_stack(Puppet *p);

SupStackState *puppet_state(Puppet *p); /* a new one, in the arena */

/* The clip's pose at a time, looped, the root where it is. */
void puppet_pose(Puppet *p, double time);

/* One frame of p->pose into positions and normals. */
void puppet_step(Puppet *p, SupStackState *state, double dt);

/* Plain skinning of p->pose, into p->goal: render vertices if the stack has them. */
void puppet_goal(Puppet *p);

/* The greatest distance between two sets of output vertices. */
double puppet_distance(const Puppet *p, const SupVec3 *a, const SupVec3 *b);

/* Good numbers: 3 Hz or so, well damped, some of everything. */
SupSurfaceDef puppet_def(void);

/* The surface model's view in the stack. */
static inline const SupSurfaceView *puppet_surface(const Puppet *p) {
  return (const SupSurfaceView *)sup_stack_view(&p->stack, SUP_SURFACE_KIND);
}

#endif
