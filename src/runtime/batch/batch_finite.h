/* SPDX-License-Identifier: MIT */
/*
 * What acts on all characters of a batch, with a value that is no finite number: nothing acts, as
 * in a stack (stack_repair.c). Poses are looked at character by character, where they are read.
 */
#ifndef SUP_SRC_RUNTIME_BATCH_FINITE_H
#define SUP_SRC_RUNTIME_BATCH_FINITE_H

#include "base/finite.h"
#include "supple/batch.h"

static inline SupVec3 sup_batch_gravity(SupVec3 given) {
  return sup_finite_all(&given, 3) ? given : (SupVec3){0, 0, 0};
}

/* Time goes on. */
static inline bool sup_batch_seconds(float dt) { return dt > 0 && sup_finite_all(&dt, 1); }

/* These, or NULL. */
static inline const SupBatchForces *sup_batch_forces(const SupBatchForces *f) {
  if (!f) return NULL;
  const float single[2] = {f->wind_drag, f->feed_forward};
  const uint32_t count = f->collider_count < SUP_COLLIDERS ? f->collider_count : SUP_COLLIDERS;
  const bool finite = sup_finite_all(&f->acceleration, 3) && sup_finite_all(&f->wind, 3) &&
                      sup_finite_all(single, 2) &&
                      sup_finite_all(f->colliders, count * sizeof *f->colliders / sizeof(float));
  return finite ? f : NULL;
}

#endif
