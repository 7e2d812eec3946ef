/* SPDX-License-Identifier: MIT */
/* One step of a surface model in double precision or in float, for tests. */
#ifndef SUP_TESTS_SURFACE_FLESH_H
#define SUP_TESTS_SURFACE_FLESH_H

#include "check.h"
#include "supple/stack.h"
#include "supple/surface.h"
#include "tube.h"

/* A model in both precisions with the arrays of one state, blocks in double. */
typedef struct Flesh {
  SupModel *model;
  SupSurfaceView view;
  SupSurfaceViewd wide;
  uint32_t lanes;
  double *x, *dx, *goal, *goal_step, *rotation, *records, *next_goal, *terms, *forces, *normals;
  double *bends; /* NULL, or how the goal's step will change: steps in double only */
  SupAffined palette[64];
  SupSurfacePlacedd placed[256];
  SupVec3d push;
  uint32_t rotation_steps, collider_count;
  const SupColliderd *colliders;
  bool forced, stopped;      /* whether forces and normals are used */
  bool owed;                 /* the last was a step, not a start */
  const SupBackend *backend; /* whose instructions take steps in double: this processor's */
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

/* What a test runs in: 0 double precision, 1 float. */
typedef struct Precision {
  const SupBackend *backend; /* NULL: double */
  double tolerance;
} Precision;

Precision precision(int k);

SupArena new_arena(void);

/* A tube with the same numbers everywhere. */
SupSurfaceDef def_of(float alpha, float beta, float gamma, float lambda, float delta);

SupVec3d random_vector(SupRng *rng, double size); /* each component in [-size, size) */
SupQuatd random_rotation(SupRng *rng);
SupAffined rigid(SupQuatd q, SupVec3d t);

/* Everything that can differ between vertices, at random around next_goal. */
void randomise(Flesh *f, SupRng *rng);

SupQuatd get_rotation(const Flesh *f, uint32_t lane);
void set_rotation(Flesh *f, uint32_t lane, SupQuatd q);

SupVec3d flesh_get(const double *rows, uint32_t lane); /* of blocks of 3 */
void flesh_set(double *rows, uint32_t lane, SupVec3d v);

#endif
