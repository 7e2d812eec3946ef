/* SPDX-License-Identifier: MIT */
/*
 * Helpers below helpers, as the links of a tail are.
 *
 * Those that move least against the bones are learned first. Each of the others may hang below one
 * that is learned already and that it moves clearly less against than against its bone. What it has
 * to do is counted from where its parent's controller really puts that one, so that errors of a
 * parent are made good by its children as far as they can. Whether that pays is tried: both ways
 * are learned in passing, and what they leave of parts that they were not taught, in metres of
 * flesh, is compared.
 *
 * A helper's joint stands where it turns: at the point near its flesh that moves least as its
 * parent sees it, so that far swings are turns and little is left to move.
 *
 * What is felt, and the joints that are looked at, are those of the bone above the first link.
 */
#include "train/helpers/controllers.h"

enum { TRIED = 2 };
#define CALMER 0.5 /* of the square that a helper moves against its bone */
#define PAYS 0.75  /* of the square that is left below a bone */
#define STAYS 0.05 /* how much a pivot is held in the flesh */
#define TURNS 1e-4 /* square radians that are no turning */

/* A parent that is tried. */
typedef struct Trial {
  uint32_t bone, helper;
  double moves; /* against it */
  double left;  /* square metres of flesh that learning leaves below it */
} Trial;

/* ---- How helpers move ------------------------------------------------------------------------ */

/* How much helper h moves against helper p, in square metres of its flesh. */
static double restless(const Learner *l, uint32_t h, uint32_t p) {
  const HelperBaker *b = &l->baker;
  const uint32_t step = 1 + b->frames.basis_count / 200;
  const SupVec3d at = b->places[h], still = sup_vec3d_sub(at, b->places[p]);
  const double radius = b->radii[h];
  double sum = 0;
  for (uint32_t k = 0; k < b->frames.basis_count; k += step) {
    const uint32_t t = b->frames.basis[k];
    const SupAffined parent = sup_bake_global(b, t, p, b->places[p]);
    const SupAffined now =
        sup_affined_mul(sup_affined_inverse(parent), sup_bake_global(b, t, h, at));
    const SupVec3d gap = sup_vec3d_sub(sup_affined_translation(now), still);
    sum += sup_vec3d_dot(gap, gap);
    for (int i = 0; i < 9; i++) {
      const double apart = now.m[i] - (i % 4 == 0);
      sum += radius * radius * apart * apart;
    }
  }
  return sum;
}

/* Where a helper goes in all frames, with its controller as it is. */
static SupResult go(Learner *l, uint32_t h) {
  Controller *c = &l->controllers[h];
  const SupTransform *rest = &c->joint.rest;
  if (!c->goes) c->goes = SUP_ALLOC(l->arena, SupAffined, l->frames);
  if (!c->goes) return sup_fail_memory(l->error, "learning helpers");
  for (uint32_t t = 0; t < l->frames; t++) {
    double q[OUTPUTS];
    for (uint32_t o = 0; o < OUTPUTS; o++) {
      const size_t k = (size_t)OUTPUTS * t + o;
      q[o] = c->x[k] + (c->y ? c->y[k] : 0);
    }
    const SupVec3d moved = {q[0], q[1], q[2]}, turned = {q[3], q[4], q[5]};
    const SupTransformd local = {
        sup_vec3d_add(sup_vec3_to_double(rest->translation), moved),
        sup_quatd_mul(sup_quat_to_double(rest->rotation), sup_quatd_exp(turned)),
        sup_vec3_to_double(rest->scale)};
    c->goes[t] = sup_affined_mul(sup_learner_carrier(l, c, t), sup_affined_compose(local));
  }
  return SUP_OK;
}

/* ---- Where it turns -------------------------------------------------------------------------- */

/* A helper's motion in one frame as its parent sees it, from rest to the scene at rest. */
static SupAffined seen_from(const Learner *l, uint32_t frame, uint32_t h, const Trial *trial) {
  const HelperBaker *b = &l->baker;
  const SupVec3d origin = {0, 0, 0};
  const SupAffined own = sup_bake_global(b, frame, h, origin);
  if (trial->helper != SUP_NONE) {
    return sup_affined_mul(sup_affined_inverse(sup_bake_global(b, frame, trial->helper, origin)),
                           own);
  }
  const SupSkeleton *skeleton = &b->character->skeleton;
  const SupAffined bind = sup_affined_inverse(sup_bake_local_rest(b, trial->bone, origin));
  const uint32_t joint = skeleton->bone_joints[trial->bone];
  return sup_affined_mul(bind, sup_bake_local(b, frame, h, joint, origin));
}

/* The point that moves least, near the helper's flesh: there it hangs. Far swings are turns about
 * it, and what is left to move is little. */
static SupVec3d pivot(const Learner *l, uint32_t h, const Trial *trial) {
  const HelperBaker *b = &l->baker;
  const uint32_t step = 1 + b->frames.basis_count / 200;
  const SupVec3d centre = b->places[h];
  SupMat3d square = {{0}};
  SupVec3d sum = {0, 0, 0};
  double count = 0;
  for (uint32_t k = 0; k < b->frames.basis_count; k += step, count++) {
    const SupAffined m = seen_from(l, b->frames.basis[k], h, trial);
    SupMat3d turn = sup_affined_linear(m);
    for (int i = 0; i < 3; i++) turn.m[4 * i] -= 1;
    const SupMat3d back = sup_mat3d_transpose(turn), both = sup_mat3d_mul(back, turn);
    const SupVec3d moved = sup_vec3d_sub(sup_affined_point(m, centre), centre);
    for (int i = 0; i < 9; i++) square.m[i] += both.m[i];
    sum = sup_vec3d_add(sum, sup_mat3d_mul_vec3(back, moved));
  }
  const double hold = STAYS * (square.m[0] + square.m[4] + square.m[8]) / 3 + TURNS * count;
  for (int i = 0; i < 3; i++) square.m[4 * i] += hold;
  return sup_vec3d_sub(centre, sup_mat3d_mul_vec3(sup_mat3d_inverse(square), sum));
}

/* ---- Which parent ---------------------------------------------------------------------------- */

static SupResult hang(Learner *l, uint32_t h, const Trial *trial) {
  Controller *c = &l->controllers[h];
  const bool elsewhere = c->parent_bone != trial->bone;
  sup_learner_hang(l, h, trial->bone, trial->helper, pivot(l, h, trial));
  sup_zero(c->choices, sizeof c->choices);
  c->y = NULL;
  c->cut = 0;
  SupResult result = elsewhere ? sup_learner_feel(l) : SUP_OK;
  return result == SUP_OK ? sup_learner_pose_again(l, h) : result;
}

/* What learning leaves: of parts that were left out where that was asked, else of all frames that
 * move. */
static double left_of(const Learner *l, const Controller *c) {
  double left = 0;
  for (uint32_t o = 0; o < OUTPUTS; o++) left += c->choices[o].left;
  if (left > 0 || !c->y) return left;
  size_t at = 0;
  for (uint32_t m = 0; m < l->def->motion_count; m++) {
    const size_t numbers = (size_t)OUTPUTS * l->def->motions[m].frame_count;
    for (size_t k = 0; k < numbers && !l->def->motions[m].still; k++) {
      const double off = (c->q[at + k] - c->x[at + k] - c->y[at + k]) * c->scale[k % OUTPUTS];
      left += off * off;
    }
    at += numbers;
  }
  return left;
}

/* Learns in passing. */
static SupResult try_out(Learner *l, uint32_t h, Trial *trial) {
  SupResult result = hang(l, h, trial);
  if (result == SUP_OK) result = sup_learner_swing(l, h, false);
  if (result == SUP_OK) trial->left = left_of(l, &l->controllers[h]);
  return result;
}

/* Of the first `count` in `order` the helpers that h moves least against, below `most`. */
static uint32_t candidates(const Learner *l, uint32_t h, const uint32_t *order, uint32_t count,
                           double most, Trial out[TRIED]) {
  uint32_t found = 0;
  for (uint32_t k = 0; k < count; k++) {
    const uint32_t p = order[k];
    Trial next = {l->controllers[p].parent_bone, p, restless(l, h, p), 0};
    if (!(next.moves < most)) continue;
    for (uint32_t i = 0; i < found; i++) { /* the calmest first */
      if (!(next.moves < out[i].moves)) continue;
      const Trial other = out[i];
      out[i] = next, next = other;
    }
    if (found < TRIED) out[found++] = next;
  }
  return found;
}

static SupResult choose_parent(Learner *l, uint32_t h, const uint32_t *order, uint32_t count,
                               double moves) {
  const bool all = l->def->chains == SUP_HELPERS_CHAINS_ALL;
  Trial below[TRIED], bone = {l->controllers[h].parent_bone, SUP_NONE, moves, 0};
  const uint32_t found = candidates(l, h, order, count, (all ? 1 : CALMER) * moves, below);
  if (found == 0) return hang(l, h, &bone);
  const Trial *best = all ? &below[0] : &bone;
  SupResult result = all ? SUP_OK : try_out(l, h, &bone);
  double least = PAYS * bone.left;
  for (uint32_t k = 0; k < found && !all && result == SUP_OK; k++) {
    result = try_out(l, h, &below[k]);
    if (result == SUP_OK && below[k].left < least) best = &below[k], least = best->left;
  }
  return result == SUP_OK ? hang(l, h, best) : result;
}

/* ---- All of them ----------------------------------------------------------------------------- */

static uint32_t depth_of(const Learner *l, uint32_t h) {
  uint32_t depth = 0;
  while (l->controllers[h].parent_helper != SUP_NONE) {
    h = l->controllers[h].parent_helper;
    depth++;
  }
  return depth;
}

/* Parents before children, otherwise as they were found. */
static void put_in_order(Learner *l) {
  const uint32_t helpers = l->baker.parts.helper_count;
  uint32_t placed = 0;
  for (uint32_t depth = 0; placed < helpers; depth++) {
    for (uint32_t h = 0; h < helpers; h++) {
      if (depth_of(l, h) != depth) continue;
      l->rank[h] = placed;
      l->order[placed++] = h;
    }
  }
}

SupResult sup_learner_learn_all(Learner *l) {
  const uint32_t helpers = l->baker.parts.helper_count;
  double *moves = SUP_ALLOC(l->arena, double, helpers);
  l->order = SUP_ALLOC(l->arena, uint32_t, helpers);
  l->rank = SUP_ALLOC(l->arena, uint32_t, helpers);
  if (!moves || !l->order || !l->rank) return sup_fail_memory(l->error, "learning helpers");
  const bool chains = l->def->chains != SUP_HELPERS_NO_CHAINS;
  for (uint32_t h = 0; h < helpers; h++) {
    const HelperBaker *b = &l->baker;
    moves[h] = sup_bake_restless(b, h, b->parents[h], b->places[h], b->radii[h]);
    uint32_t k = h;
    for (; k > 0 && chains && moves[l->order[k - 1]] > moves[h]; k--) {
      l->order[k] = l->order[k - 1];
    }
    l->order[k] = h;
  }
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < helpers && result == SUP_OK; k++) {
    const uint32_t h = l->order[k];
    if (chains) result = choose_parent(l, h, l->order, k, moves[h]);
    /* Of several materials each is learned for itself; here they only say which parent is good. */
    if (result == SUP_OK && l->def->material_count == 1) {
      result = sup_learner_learn(l, h);
    } else if (result == SUP_OK && chains) {
      result = sup_learner_swing(l, h, false);
    }
    if (result == SUP_OK && chains) result = go(l, h);
  }
  put_in_order(l);
  return result;
}

SupResult sup_learner_learn_again(Learner *l) {
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < l->baker.parts.helper_count && result == SUP_OK; k++) {
    const uint32_t h = l->order[k];
    if (l->controllers[h].parent_helper != SUP_NONE) sup_learner_follow(l, h);
    result = sup_learner_pose_again(l, h);
    if (result == SUP_OK) result = sup_learner_learn(l, h);
    if (result == SUP_OK && l->def->chains != SUP_HELPERS_NO_CHAINS) result = go(l, h);
  }
  return result;
}
