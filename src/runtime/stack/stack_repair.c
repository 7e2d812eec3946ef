/* SPDX-License-Identifier: MIT */
/*
 * A frame with a value that is no finite number: the part that has it is left out. No time passes,
 * the last sound pose is held, nothing acts. So no state ever sees such a value, and what is shown
 * is finite at once; with the next sound frame everything goes on.
 */
#include "base/finite.h"
#include "runtime/stack/stack_context.h"

#define FAR 1e30f /* from where any root has jumped */

static bool finite3(SupVec3 v) { return sup_finite_all(&v, 3); }
static bool finite1(float x) { return sup_finite_all(&x, 1); }

bool sup_pose_finite(const SupPose *pose) {
  const size_t numbers = sizeof(SupTransform) / sizeof(float);
  return sup_finite_all(&pose->root, numbers) &&
         sup_finite_all(pose->joints, numbers * pose->joint_count);
}

/* Has a frame been remembered? Joints that were have a rotation. */
static bool has_last(const SupTransform *joint) {
  const SupQuat r = joint->rotation;
  return r.x != 0 || r.y != 0 || r.z != 0 || r.w != 0;
}

static void hold_pose(SupStackContext *c, SupFrameRepair *repair) {
  const SupSkeleton *skeleton = c->stack->def.skeleton;
  repair->afresh = skeleton->joint_count > 0 && !has_last(&c->last[0]);
  if (repair->afresh) {
    c->state->root = sup_transform_identity();
    sup_copy(c->last, skeleton->rest, skeleton->joint_count * sizeof(SupTransform));
  }
  repair->pose = (SupPose){repair->frame.pose->joint_count, c->state->root, c->last};
  repair->frame.pose = &repair->pose;
  repair->frame.pose_at = NULL;
}

static bool colliders_finite(const SupExternalForces *f) {
  for (uint32_t k = 0; k < f->collider_count && k < SUP_COLLIDERS; k++) {
    if (!sup_finite_all(&f->colliders[k], sizeof *f->colliders / sizeof(float))) return false;
  }
  return true;
}

static bool pulls_finite(const SupExternalForces *f) {
  for (uint32_t k = 0; k < f->pull_count; k++) {
    if (!finite3(f->pulls[k].target) || !finite1(f->pulls[k].strength)) return false;
  }
  return true;
}

static bool forces_finite(const SupStackContext *c, const SupExternalForces *f) {
  return finite3(f->acceleration) && finite3(f->wind) && finite1(f->wind_drag) &&
         finite1(f->feed_forward) && colliders_finite(f) && pulls_finite(f) &&
         (!f->vertices || sup_finite_all(f->vertices, 3 * (size_t)c->stack->skin.vertex_count));
}

void sup_context_repair(SupStackContext *c, SupFrameRepair *out) {
  SupStackFrame *f = &out->frame;
  *f = *c->frame;
  out->afresh = false;
  if (!finite1(f->dt)) f->dt = 0;
  if (!sup_pose_finite(f->pose)) hold_pose(c, out);
  if (f->forces && !forces_finite(c, f->forces)) f->forces = NULL;
  if (!sup_finite_all(f->impulses, f->impulse_count * sizeof(SupImpulse) / sizeof(float))) {
    f->impulse_count = 0;
  }
  if (f->morph_weights && !sup_finite_all(f->morph_weights, sup_stack_own_morphs(c->stack))) {
    f->morph_weights = c->last_morphs;
    f->morphs_at = NULL;
    c->own = c->last_morphs;
  }
  c->frame = f;
}

void sup_context_forget(SupStackContext *c) {
  c->state->root.translation = (SupVec3){FAR, 0, 0};
  c->last[0].rotation = (SupQuat){0, 0, 0, 0};
}
