/* SPDX-License-Identifier: MIT */
/* A tube on two bones, and one step of it in double precision or in float, for tests. */
#ifndef SUP_TESTS_SURFACE_FLESH_H
#define SUP_TESTS_SURFACE_FLESH_H

#include "check.h"
#include "supple/author/surface_pack.h"
#include "supple/stack.h"

/* Axis y from 0 to 2, radius 0.4, closed by two vertices; joints at 0 and 1, smooth weights.
 * `order` renumbers the vertices: new number of each, or NULL. Everything in the arena. */
void tube_make(SupArena *arena, uint32_t around, uint32_t along, const uint32_t *order,
               SupCharacter *out);

/* One segment per bone of the tube. */
extern const SupSurfaceSegment tube_segments[2];

/* From each joint to each of its children, and a point for a leaf. */
SupSurfaceSegment *bone_segments(SupArena *arena, const SupSkeleton *skeleton, uint32_t *out_count);

/* A model in both precisions with the arrays of one state, blocks in double. */
typedef struct Flesh {
  SupModel *model;
  SupSurfaceView view;
  SupSurfaceViewd wide;
  uint32_t lanes;
  double *x, *dx, *goal, *goal_step, *rotation, *records, *next_goal, *terms, *forces, *normals;
  SupAffined palette[64];
  SupSurfacePlacedd placed[256];
  SupVec3d push;
  uint32_t rotation_steps, collider_count;
  const SupSurfaceColliderd *colliders;
  bool forced, stopped; /* whether forces and normals are used */
} Flesh;

void flesh_make(SupArena *arena, const SupCharacter *character, const SupSurfaceDef *def,
                Flesh *out);

/* Goals by linear blend skinning with flesh->palette, into next_goal. */
void flesh_goal(Flesh *flesh);

/* At the present next_goal, at rest. */
void flesh_start(Flesh *flesh);

/* One step; in float, by the given backend, when that is not NULL. */
void flesh_step(Flesh *flesh, const SupBackend *backend);

/* Component k of a lane in blocks of n. */
static inline double *flesh_at(double *rows, uint32_t n, uint32_t lane, uint32_t k) {
  return rows + ((size_t)n * (lane / 16) + k) * 16 + lane % 16;
}

SupVec3d flesh_get(const double *rows, uint32_t lane); /* of blocks of 3 */
void flesh_set(double *rows, uint32_t lane, SupVec3d v);

#endif
