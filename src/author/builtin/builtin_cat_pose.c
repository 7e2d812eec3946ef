/* SPDX-License-Identifier: MIT */
/* Poses of the cat: from a few numbers per part to the turns of the joints. */
#include "author/builtin/builtin_cat_pose.h"

/* Joints of the right side follow those of the left in the same order. */
#define TO_RIGHT (SUP_CAT_EAR_r - SUP_CAT_EAR_l)

/* Forepaws turn about this line on the ground, under the toes. */
#define FORE_BALL 0.250

static uint32_t of_side(uint32_t side, uint32_t left_joint) {
  return left_joint + (side == SUP_CAT_RIGHT ? TO_RIGHT : 0);
}

void sup_cat_trunk(SupBodyPose *pose, const SupCatTrunk *trunk) {
  static const uint32_t spine[] = {SUP_CAT_SPINE_1, SUP_CAT_SPINE_2, SUP_CAT_CHEST};
  pose->shift = trunk->shift;
  sup_body_pose_turn(pose, SUP_CAT_HIPS, trunk->pitch - trunk->arch, trunk->yaw, trunk->roll);
  for (uint32_t i = 0; i < 3; i++) {
    sup_body_pose_turn(pose, spine[i], 2 * trunk->arch / 3, trunk->bend / 3, trunk->twist / 3);
  }
}

double sup_cat_chest_rise(const SupCatTrunk *trunk) {
  return trunk->shift.y - SUP_CAT_TRUNK_LENGTH * sup_sin(trunk->pitch);
}

double sup_cat_pitch(double hips, double chest) { return (hips - chest) / SUP_CAT_TRUNK_LENGTH; }

void sup_cat_head(SupBodyPose *pose, const SupCatTrunk *trunk, double x, double y, double z) {
  x -= 0.9 * (trunk->pitch + trunk->arch);
  y -= 0.8 * (trunk->yaw + trunk->bend);
  z -= 0.8 * (trunk->roll + trunk->twist);
  sup_body_pose_turn(pose, SUP_CAT_NECK, 0.45 * x, 0.45 * y, 0.45 * z);
  sup_body_pose_turn(pose, SUP_CAT_HEAD, 0.55 * x, 0.55 * y, 0.55 * z);
}

void sup_cat_ear(SupBodyPose *pose, uint32_t side, double back, double out) {
  double sign = side == SUP_CAT_RIGHT ? -1 : 1;
  sup_body_pose_turn(pose, of_side(side, SUP_CAT_EAR_l), -back, 0.4 * sign * out, -sign * out);
}

/* A joint turns left about the axis at right angles to the tail and to x. */
void sup_cat_tail(const SupBody *body, SupBodyPose *pose, SupCatTail tail) {
  SupVec3d along = {0, 0, -1};
  for (uint32_t j = SUP_CAT_TAIL_1; j <= SUP_CAT_TAIL_6; j++) {
    uint32_t k = j - SUP_CAT_TAIL_1;
    if (j < SUP_CAT_TAIL_6) {
      along = sup_vec3d_normalise(
          sup_vec3d_sub(body->joints[j + 1].position, body->joints[j].position));
    }
    double left = tail.side + tail.left * sup_wave(tail.turns - tail.lag * k);
    double up = tail.up + (k >= 3 ? tail.curl : 0);
    sup_body_pose_turn(pose, j, up, left * along.z, -left * along.y);
  }
}

void sup_cat_forepaw(const SupBody *body, SupBodyPose *pose, uint32_t side, double shoulder,
                     SupCatStep step) {
  SupLegJoints leg = {of_side(side, SUP_CAT_UPPER_ARM_l), of_side(side, SUP_CAT_FOREARM_l),
                      of_side(side, SUP_CAT_HAND_l)};
  sup_body_pose_turn(pose, of_side(side, SUP_CAT_SHOULDER_l), -shoulder, 0, 0);
  sup_body_pose_step(
      body, pose, leg,
      (SupFootstep){step.shift, step.heel + step.toes, 0, FORE_BALL, FORE_BALL, .knee_back = true});
}

void sup_cat_hind_paw(const SupBody *body, SupBodyPose *pose, uint32_t side, SupCatStep step) {
  SupLegJoints leg = {of_side(side, SUP_CAT_THIGH_l), of_side(side, SUP_CAT_SHANK_l),
                      of_side(side, SUP_CAT_FOOT_l)};
  uint32_t toes = of_side(side, SUP_CAT_TOES_l);
  SupVec3d rest = body->joints[toes].position;
  SupVec3d arm = sup_vec3d_sub(body->joints[leg.foot].position, rest);
  SupQuatd turn = sup_quatd_exp((SupVec3d){step.heel + step.toes, 0, 0});
  SupVec3d ankle = sup_vec3d_add(sup_vec3d_add(rest, sup_quatd_rotate(turn, arm)), step.shift);
  sup_body_pose_reach(body, pose, leg, (SupReach){ankle, turn, .knee_back = false});
  sup_body_pose_turn(pose, toes, -step.heel, 0, 0);
}

void sup_cat_stand(const SupBody *body, SupBodyPose *pose) {
  for (uint32_t side = SUP_CAT_LEFT; side <= SUP_CAT_RIGHT; side++) {
    sup_cat_forepaw(body, pose, side, 0, (SupCatStep){0});
    sup_cat_hind_paw(body, pose, side, (SupCatStep){0});
  }
}
