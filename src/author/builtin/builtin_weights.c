/* SPDX-License-Identifier: MIT */
/*
 * Skin weights of a built-in body as a smooth function of the place.
 *
 * A limb's fraction of a point follows from how much nearer its own flesh is than that of the other
 * limbs, so a hand that hangs beside the belly takes nothing of it. Within a limb each joint is a
 * soft step across its plane; bone i has what passed step i and not step i + 1.
 */
#include "author/builtin/builtin_body.h"

#define BONE_MAX 32

uint32_t sup_body_mirror_joint(const SupBody *body, uint32_t j) {
  SupVec3d p = body->joints[j].position;
  if (p.x == 0) return j;
  for (uint32_t k = 0; k < body->joint_count; k++) {
    SupVec3d q = body->joints[k].position;
    if (q.x == -p.x && q.y == p.y && q.z == p.z) return k;
  }
  return j;
}

/* 0 below -1, 1 above 1, twice continuously differentiable. */
static double soft_step(double t) {
  t = 0.5 * (t + 1);
  t = t < 0 ? 0 : t > 1 ? 1 : t;
  return t * t * t * (t * (6 * t - 15) + 10);
}

static SupVec3d step_normal(const SupBody *body, const SupLimb *limb, uint32_t i) {
  SupVec3d given = limb->across[i];
  if (sup_vec3d_dot(given, given) > 0) return sup_vec3d_normalise(given);
  SupVec3d here = body->joints[limb->bones[i]].position;
  SupVec3d before = body->joints[limb->bones[i - 1]].position;
  SupVec3d n = sup_vec3d_normalise(sup_vec3d_sub(here, before));
  if (i + 1 < limb->bone_count) {
    n = sup_vec3d_add(
        n, sup_vec3d_normalise(sup_vec3d_sub(body->joints[limb->bones[i + 1]].position, here)));
  }
  return sup_vec3d_normalise(n);
}

/* Adds share times the weights along one limb. */
static void add_limb(const SupBody *body, const SupLimb *limb, bool mirror, double fraction,
                     SupVec3d p, double totals[BONE_MAX]) {
  double passed = 1;
  for (uint32_t i = 0; i < limb->bone_count; i++) {
    double through = 0;
    if (i + 1 < limb->bone_count) {
      SupVec3d joint = body->joints[limb->bones[i + 1]].position;
      double t = sup_vec3d_dot(sup_vec3d_sub(p, joint), step_normal(body, limb, i + 1)) /
                 limb->soft[i + 1];
      through = passed * soft_step(t);
    }
    uint32_t bone = limb->bones[i];
    totals[mirror ? sup_body_mirror_joint(body, bone) : bone] += fraction * (passed - through);
    passed = through;
  }
}

/* The four largest, each less the fifth: a bone fades out before another takes its slot. */
static void keep_four(const double totals[BONE_MAX], uint32_t bone_count, uint32_t out_bones[4],
                      float out_weights[4]) {
  uint32_t best[5] = {0};
  double value[5] = {0};
  for (uint32_t b = 0; b < bone_count; b++) {
    uint32_t slot = 5;
    while (slot > 0 && totals[b] > value[slot - 1]) slot--;
    for (uint32_t k = 4; k > slot; k--) {
      best[k] = best[k - 1];
      value[k] = value[k - 1];
    }
    if (slot < 5) {
      best[slot] = b;
      value[slot] = totals[b];
    }
  }
  double sum = 0;
  for (uint32_t k = 0; k < 4; k++) sum += value[k] - value[4];
  for (uint32_t k = 0; k < 4; k++) {
    double weight = (value[k] - value[4]) / sum;
    bool kept = weight >= 1e-4;
    out_bones[k] = kept ? best[k] : 0;
    out_weights[k] = kept ? (float)weight : 0;
  }
  float kept_sum = out_weights[0] + out_weights[1] + out_weights[2] + out_weights[3];
  for (uint32_t k = 0; k < 4; k++) out_weights[k] /= kept_sum;
}

#define SIDE_MAX 32

void sup_body_weights(const SupBody *body, SupVec3d p, uint32_t out_bones[4],
                      float out_weights[4]) {
  double distances[SIDE_MAX] = {0}, nearest = 1e9, sum = 0, totals[BONE_MAX] = {0};
  SupVec3d mirrored = {-p.x, p.y, p.z};
  for (uint32_t side = 0; side < 2 * body->limb_count; side++) {
    const SupLimb *limb = &body->limbs[side / 2];
    if (side % 2 && !limb->mirrored) continue;
    distances[side] = sup_limb_distance(body, side / 2, side % 2 ? mirrored : p);
    nearest = distances[side] < nearest ? distances[side] : nearest;
  }
  for (uint32_t pass = 0; pass < 2; pass++) {
    for (uint32_t side = 0; side < 2 * body->limb_count; side++) {
      const SupLimb *limb = &body->limbs[side / 2];
      if (side % 2 && !limb->mirrored) continue;
      double t = 1 - (distances[side] - nearest) / limb->reach;
      if (t <= 0) continue;
      if (pass == 0) {
        sum += t * t;
      } else {
        add_limb(body, limb, side % 2, t * t / sum, side % 2 ? mirrored : p, totals);
      }
    }
  }
  keep_four(totals, body->joint_count, out_bones, out_weights);
}
