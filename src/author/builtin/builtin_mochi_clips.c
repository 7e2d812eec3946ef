/* SPDX-License-Identifier: MIT */
/*
 * How mochi moves. Every clip is a sum of simple curves; hips first, then the legs reach for the
 * ground (sup_body_pose_step), so that feet stay where they are put.
 */
#include "author/builtin/builtin_clip.h"
#include "author/builtin/builtin_mochi.h"

enum { LEFT, RIGHT };

/* Joints of the right side follow those of the left in the same order. */
#define TO_RIGHT (SUP_MOCHI_EAR_r1 - SUP_MOCHI_EAR_l1)

/* Turns a joint of the left side, or its mirror image the mirrored way. */
static void turn_side(SupBodyPose *pose, uint32_t side, uint32_t left_joint, double x, double y,
                      double z) {
  double sign = side == RIGHT ? -1 : 1;
  sup_body_pose_turn(pose, left_joint + (side == RIGHT ? TO_RIGHT : 0), x, sign * y, sign * z);
}

static void turn_both(SupBodyPose *pose, uint32_t left_joint, double x, double y, double z) {
  turn_side(pose, LEFT, left_joint, x, y, z);
  turn_side(pose, RIGHT, left_joint, x, y, z);
}

/* Spine, chest, neck and head share one bend; `head` is what the head adds. */
static void bend_trunk(SupBodyPose *pose, double x, double y, double z) {
  sup_body_pose_turn(pose, SUP_MOCHI_SPINE, 0.5 * x, 0.5 * y, 0.5 * z);
  sup_body_pose_turn(pose, SUP_MOCHI_CHEST, 0.5 * x, 0.5 * y, 0.5 * z);
}

static void bend_head(SupBodyPose *pose, double x, double y, double z) {
  sup_body_pose_turn(pose, SUP_MOCHI_NECK, 0.4 * x, 0.4 * y, 0.4 * z);
  sup_body_pose_turn(pose, SUP_MOCHI_HEAD, 0.6 * x, 0.6 * y, 0.6 * z);
}

/* Ears: back (x) and outwards (z), the tip twice as far. */
static void bend_ear(SupBodyPose *pose, uint32_t side, double back, double out) {
  turn_side(pose, side, SUP_MOCHI_EAR_l1, -back, 0, -out);
  turn_side(pose, side, SUP_MOCHI_EAR_l2, -1.4 * back, 0, -1.4 * out);
}

static void bend_tail(SupBodyPose *pose, double up, double left) {
  for (uint32_t j = SUP_MOCHI_TAIL1; j <= SUP_MOCHI_TAIL3; j++) {
    sup_body_pose_turn(pose, j, up / 2, -left / 2, 0);
  }
}

static void step_foot(const SupBody *body, SupBodyPose *pose, uint32_t side, SupVec3d shift,
                      double pitch, double yaw) {
  uint32_t to = side == RIGHT ? TO_RIGHT : 0;
  SupLegJoints leg = {SUP_MOCHI_THIGH_l + to, SUP_MOCHI_SHANK_l + to, SUP_MOCHI_FOOT_l + to};
  sup_body_pose_step(body, pose, leg, (SupFootstep){shift, pitch, yaw, 0.125, -0.02, false});
}

static void stand(const SupBody *body, SupBodyPose *pose) {
  step_foot(body, pose, LEFT, (SupVec3d){0, 0, 0}, 0, 0);
  step_foot(body, pose, RIGHT, (SupVec3d){0, 0, 0}, 0, 0);
}

/* ---- idle: breathing, weight from foot to foot, a look, a twitch of one ear -------------------
 */

static void pose_idle(const SupBody *body, double t, SupBodyPose *pose) {
  double sway = sup_wave(t / 4), breath = sup_wave(t / 2 - 0.1), late = sup_wave(t / 2 - 0.2);
  double look = SUP_CURVE(t, {0.6, 0, 0}, {1.1, 1, 0}, {2.0, 1, 0}, {2.5, -0.7, 0}, {3.2, -0.7, 0},
                          {3.7, 0, 0});
  double twitch = sup_ring(t - 1.5, 6, 0.12) - sup_ring(t - 2.9, 6, 0.12);
  pose->shift = (SupVec3d){0.014 * sway, -0.006 + 0.003 * breath, 0};
  sup_body_pose_turn(pose, SUP_MOCHI_HIPS, 0, 0.03 * sway, -0.03 * sway);
  bend_trunk(pose, -0.030 * breath, -0.02 * sway, 0.04 * sway);
  bend_head(pose, 0.025 * late - 0.02, 0.32 * look, 0.08 * look - 0.02 * sway);
  turn_both(pose, SUP_MOCHI_UPPER_ARM_l, 0, 0, -0.10 + 0.035 * breath);
  turn_both(pose, SUP_MOCHI_FOREARM_l, 0, -0.15, 0.03 * late);
  bend_ear(pose, LEFT, 0.03 * late + 0.35 * (twitch > 0 ? twitch : 0), 0.06 * sway);
  bend_ear(pose, RIGHT, 0.03 * late - 0.35 * (twitch < 0 ? twitch : 0), -0.06 * sway);
  bend_tail(pose, 0.05 * breath, 0.30 * sup_wave(t / 2));
  stand(body, pose);
}

/* ---- walk and run --------------------------------------------------------------------------- */

/* A gait: seconds per two steps, fraction of a cycle that a foot stands, half the length of a step,
 * height of the foot in the swing and how far the heel kicks up behind. */
typedef struct Gait {
  double seconds, stance, stride, lift, kick;
} Gait;

/* The foot goes back at the speed of the ground while it stands, then swings forward and meets the
 * ground at its speed. */
static void step_gait(const SupBody *body, SupBodyPose *pose, const Gait *gait, uint32_t side,
                      double phase) {
  double ground = -2 * gait->stride / gait->stance;
  double u = (phase - gait->stance) / (1 - gait->stance);
  SupVec3d shift = {side == LEFT ? -0.012 : 0.012, 0, 0};
  shift.z = SUP_CURVE(phase, {0, gait->stride, ground}, {gait->stance, -gait->stride, ground},
                      {1, gait->stride, ground});
  double pitch = SUP_CURVE(phase, {0, -0.30, 0}, {0.12, 0, 0}, {0.7 * gait->stance, 0, 0},
                           {gait->stance + 0.04, gait->kick, 0}, {0.88, -0.30, 0}, {1, -0.30, 0});
  if (u > 0) {
    double arc = u * u * (1 - u) * 6.75; /* 1 at 2/3 */
    double early = 16 * u * u * (1 - u) * (1 - u);
    shift.y = gait->lift * (0.4 * arc + 0.6 * early);
  }
  step_foot(body, pose, side, shift, pitch, 0);
}

static void pose_walk(const SupBody *body, double t, SupBodyPose *pose) {
  static const Gait gait = {1.0, 0.60, 0.055, 0.035, 0.55};
  double p = sup_wrap(t / gait.seconds), step = 2 * p; /* the left foot lands at p = 0 */
  double side = sup_wave(p - 0.05), twist = sup_wave(p + 0.25), bob = sup_wave(step - 0.36);
  pose->shift = (SupVec3d){0.028 * side, -0.014 + 0.010 * bob, 0};
  sup_body_pose_turn(pose, SUP_MOCHI_HIPS, 0.03, -0.12 * twist, -0.09 * side);
  bend_trunk(pose, 0.03 - 0.03 * bob, 0.26 * twist, 0.13 * side);
  bend_head(pose, -0.05 + 0.05 * sup_wave(step - 0.5), -0.14 * twist, -0.02 * side);
  for (uint32_t s = LEFT; s <= RIGHT; s++) {
    double swing = (s == LEFT ? 1 : -1) * sup_wave(p + 0.22);
    double late = (s == LEFT ? 1 : -1) * sup_wave(p + 0.12);
    turn_side(pose, s, SUP_MOCHI_UPPER_ARM_l, 0.45 * swing, 0.35 * swing, -0.12);
    turn_side(pose, s, SUP_MOCHI_FOREARM_l, 0, -0.35 + 0.25 * late, 0);
    turn_side(pose, s, SUP_MOCHI_HAND_l, 0.15 * late, 0, 0.12 * late);
    bend_ear(pose, s, 0.05 + 0.12 * sup_wave(step - 0.55),
             (s == LEFT ? 0.10 : -0.10) * sup_wave(p - 0.2));
  }
  bend_tail(pose, 0.10 * sup_wave(step - 0.6), 0.45 * sup_wave(p - 0.25));
  step_gait(body, pose, &gait, LEFT, p);
  step_gait(body, pose, &gait, RIGHT, sup_wrap(p + 0.5));
}

static void pose_run(const SupBody *body, double t, SupBodyPose *pose) {
  static const Gait gait = {0.5, 0.38, 0.062, 0.055, 0.80};
  double p = sup_wrap(t / gait.seconds), step = 2 * p;
  double side = sup_wave(p + 0.02), twist = sup_wave(p + 0.22), bob = sup_wave(step - 0.58);
  pose->shift = (SupVec3d){0.016 * side, -0.010 + 0.020 * bob, 0};
  sup_body_pose_turn(pose, SUP_MOCHI_HIPS, 0.14, -0.16 * twist, -0.06 * side);
  bend_trunk(pose, 0.12 - 0.07 * bob, 0.36 * twist, 0.08 * side);
  bend_head(pose, -0.20 + 0.09 * sup_wave(step - 0.75), -0.20 * twist, 0);
  for (uint32_t s = LEFT; s <= RIGHT; s++) {
    double sign = s == LEFT ? 1 : -1;
    double swing = sign * sup_wave(p + 0.20), late = sign * sup_wave(p + 0.10);
    turn_side(pose, s, SUP_MOCHI_UPPER_ARM_l, 0.80 * swing, 0.55 * swing, -0.05);
    turn_side(pose, s, SUP_MOCHI_FOREARM_l, 0, -0.90 + 0.35 * late, 0.1);
    bend_ear(pose, s, 0.22 + 0.15 * sup_wave(step - 0.80), sign * 0.06 * sup_wave(p - 0.2));
  }
  bend_tail(pose, 0.15 + 0.22 * sup_wave(step - 0.85), 0.35 * sup_wave(p - 0.3));
  step_gait(body, pose, &gait, LEFT, p);
  step_gait(body, pose, &gait, RIGHT, sup_wrap(p + 0.5));
}

/* ---- jump: crouch, up, land, settle -----------------------------------------------------------
 */

static void pose_jump(const SupBody *body, double t, SupBodyPose *pose) {
  /* The legs are stretched at take-off, toes down, and a little bent at the landing. */
  const double off = 0.62, land = 1.02, fall = 9.81, stretch = 0.018;
  double flight = land - off, up = 0.5 * fall * flight - stretch / flight;
  double high = SUP_CURVE(t, {0.10, 0, 0}, {0.46, -0.058, 0}, {0.53, -0.058, 0}, {off, stretch, up},
                          {land, 0, up - fall * flight}, {land + 0.09, -0.060, 0}, {1.50, 0.004, 0},
                          {1.80, -0.003, 0}, {2.1, 0, 0});
  bool flies = t > off && t < land;
  if (flies) high = stretch + up * (t - off) - 0.5 * fall * (t - off) * (t - off);
  pose->shift = (SupVec3d){0, high,
                           SUP_CURVE(t, {0.1, 0, 0}, {0.46, -0.022, 0}, {0.62, 0, 0}, {land, 0, 0},
                                     {1.14, -0.016, 0}, {1.6, 0, 0})};
  double lean = SUP_CURVE(t, {0.1, 0, 0}, {0.46, 0.42, 0}, {0.53, 0.42, 0}, {0.66, -0.16, 0},
                          {0.95, 0.06, 0}, {1.14, 0.38, 0}, {1.55, -0.05, 0}, {1.9, 0, 0});
  double arms = SUP_CURVE(t, {0.1, 0, 0}, {0.46, -0.9, 0}, {0.53, -0.9, 0}, {0.70, 1.0, 0},
                          {0.92, 0.85, 0}, {1.20, -0.45, 0}, {1.6, 0.08, 0}, {2.0, 0, 0});
  double ears =
      SUP_CURVE(t, {0.2, 0, 0}, {0.50, -0.10, 0}, {0.64, 0.42, 0}, {0.84, 0.05, 0},
                {1.02, -0.22, 0}, {1.22, 0.40, 0}, {1.50, -0.12, 0}, {1.75, 0.04, 0}, {2.1, 0, 0});
  sup_body_pose_turn(pose, SUP_MOCHI_HIPS, 0.45 * lean, 0, 0);
  bend_trunk(pose, 0.55 * lean, 0, 0);
  bend_head(pose, -0.60 * lean, 0, 0);
  turn_both(pose, SUP_MOCHI_UPPER_ARM_l, -0.35 * arms, -0.35 * arms,
            0.85 * (arms > 0 ? arms : 0.35 * arms));
  turn_both(pose, SUP_MOCHI_FOREARM_l, 0, -0.15 - 0.20 * (arms < 0 ? -arms : arms), 0.12 * arms);
  bend_ear(pose, LEFT, ears, 0.3 * ears);
  bend_ear(pose, RIGHT, ears, 0.3 * ears);
  bend_tail(pose, -0.9 * ears, 0);
  double pitch = SUP_CURVE(t, {0.52, 0, 0}, {off, 0.50, 0}, {off + 0.10, 0.70, 0}, {0.96, -0.12, 0},
                           {land, 0, 0});
  double tuck = flies ? sup_ease(t, off, off + 0.2) * (1 - sup_ease(t, 0.88, land)) : 0;
  double legs = stretch * (1 - sup_ease(t, off, land));
  SupVec3d feet = {0, flies ? high - legs + 0.050 * tuck : 0, 0};
  step_foot(body, pose, LEFT, feet, pitch, 0);
  step_foot(body, pose, RIGHT, feet, pitch, 0);
}

/* ---- stomp: one foot, then the other ----------------------------------------------------------
 */

static void pose_stomp(const SupBody *body, double t, SupBodyPose *pose) {
  double lean = 0, jolt = 0;
  double high[2], out[2];
  for (uint32_t s = LEFT; s <= RIGHT; s++) {
    double u = t - (s == LEFT ? 0 : 1.15);
    high[s] = SUP_CURVE(u, {0.12, 0, 0}, {0.50, 0.085, 0}, {0.60, 0.090, 0}, {0.70, 0, -1.2},
                        {0.701, 0, 0});
    out[s] = SUP_CURVE(u, {0.12, 0, 0}, {0.50, 1, 0}, {0.60, 1, 0}, {0.70, 0.55, 0}, {1.15, 0, 0});
    lean += (s == LEFT ? -1 : 1) *
            SUP_CURVE(u, {0, 0, 0}, {0.45, 1, 0}, {0.60, 1.1, 0}, {0.72, -0.25, 0}, {1.1, 0, 0});
    jolt += sup_ring(u - 0.70, 3.2, 0.16);
  }
  pose->shift = (SupVec3d){0.042 * lean, -0.008 * (lean < 0 ? -lean : lean) - 0.034 * jolt, 0};
  sup_body_pose_turn(pose, SUP_MOCHI_HIPS, 0.04 * jolt, 0, 0.13 * lean);
  bend_trunk(pose, 0.16 * jolt, 0.12 * lean, -0.30 * lean);
  bend_head(pose, 0.22 * jolt, -0.10 * lean, -0.06 * lean);
  for (uint32_t s = LEFT; s <= RIGHT; s++) {
    double up = 0.45 * out[s] + 0.80 * out[1 - s];
    turn_side(pose, s, SUP_MOCHI_UPPER_ARM_l, 0, 0, up - 0.30 * jolt);
    turn_side(pose, s, SUP_MOCHI_FOREARM_l, 0, -0.5 * out[s] - 0.1, 0.15 * out[1 - s] - 0.2 * jolt);
    bend_ear(pose, s, 0.10 * out[s] + 0.45 * jolt, 0.25 * jolt + (s == LEFT ? 0.12 : -0.12) * lean);
    SupVec3d shift = {(s == LEFT ? 0.015 : -0.015) * out[s], high[s],
                      0.030 * out[s] * (high[s] > 0 ? 1 : out[s])};
    step_foot(body, pose, s, shift, 0, 0);
  }
  bend_tail(pose, 0.5 * jolt, 0.35 * lean);
}

/* ---- shake: a wet dog's wave from the head to the tail ----------------------------------------
 */

static void pose_shake(const SupBody *body, double t, SupBodyPose *pose) {
  double p = 3 * t; /* six turns in two seconds */
  double hips = sup_wave(p - 0.30), chest = sup_wave(p - 0.15), head = sup_wave(p);
  pose->shift = (SupVec3d){0.012 * hips, -0.026 + 0.003 * sup_wave(2 * p), -0.005};
  sup_body_pose_turn(pose, SUP_MOCHI_HIPS, 0.10, 0.13 * hips, 0.05 * hips);
  bend_trunk(pose, 0.16, 0.34 * chest - 0.13 * hips, 0.06 * chest);
  bend_head(pose, 0.06, 0.52 * head - 0.28 * chest, 0.16 * head);
  for (uint32_t s = LEFT; s <= RIGHT; s++) {
    double sign = s == LEFT ? 1 : -1, flap = sign * sup_wave(p - 0.25);
    turn_side(pose, s, SUP_MOCHI_UPPER_ARM_l, 0.22 * flap, 0.25 * flap, 0.15 + 0.25 * flap);
    turn_side(pose, s, SUP_MOCHI_FOREARM_l, 0, -0.3, 0.25 * sign * sup_wave(p - 0.40));
    turn_side(pose, s, SUP_MOCHI_HAND_l, 0, 0, 0.30 * sign * sup_wave(p - 0.50));
    bend_ear(pose, s, 0.22 + 0.10 * sup_wave(2 * p - 0.3), 0.30 * sign * sup_wave(p - 0.28));
  }
  bend_tail(pose, 0.12, -0.55 * sup_wave(p - 0.45));
  stand(body, pose);
}

/* ---- twist: the upper body winds one way and the other -----------------------------------------
 */

static void pose_twist(const SupBody *body, double t, SupBodyPose *pose) {
  double p = t / 1.5;
  double hips = sup_wave(p - 0.04), chest = sup_wave(p), head = sup_wave(p - 0.09);
  double dip = sup_wave(2 * p + 0.25);
  pose->shift = (SupVec3d){0.018 * sup_wave(p + 0.02), -0.022 - 0.012 * dip, 0};
  sup_body_pose_turn(pose, SUP_MOCHI_HIPS, 0.03, -0.30 * hips, 0.03 * hips);
  bend_trunk(pose, 0.03, 0.95 * chest, -0.06 * chest);
  bend_head(pose, 0, 0.20 * head - 0.35 * chest, 0.05 * head);
  for (uint32_t s = LEFT; s <= RIGHT; s++) {
    double sign = s == LEFT ? 1 : -1, drag = sign * sup_wave(p - 0.14);
    turn_side(pose, s, SUP_MOCHI_UPPER_ARM_l, 0, -0.30 * drag, 0.45 + 0.08 * dip);
    turn_side(pose, s, SUP_MOCHI_FOREARM_l, 0, -0.25 - 0.30 * sign * sup_wave(p - 0.2), 0.05);
    bend_ear(pose, s, 0.08 + 0.08 * dip, 0.18 * sign * sup_wave(p - 0.22));
  }
  bend_tail(pose, 0.05, 0.50 * sup_wave(p - 0.15));
  stand(body, pose);
}

/* ---- wave: hello ------------------------------------------------------------------------------
 */

static void pose_wave(const SupBody *body, double t, SupBodyPose *pose) {
  double up = SUP_CURVE(t, {0.15, 0, 0}, {0.30, -0.12, 0}, {0.70, 1.08, 0}, {0.85, 1, 0},
                        {2.35, 1, 0}, {2.48, 1.06, 0}, {2.90, 0, 0});
  double on = sup_ease(t, 0.55, 0.85) * (1 - sup_ease(t, 2.15, 2.5));
  double swing = on * sup_wave(2.2 * (t - 0.7)), late = on * sup_wave(2.2 * (t - 0.7) - 0.16);
  pose->shift =
      (SupVec3d){-0.020 * up, -0.010 + 0.004 * up + 0.004 * on * sup_wave(2.2 * (t - 0.7) * 2), 0};
  sup_body_pose_turn(pose, SUP_MOCHI_HIPS, 0, 0, 0.05 * up);
  bend_trunk(pose, -0.05 * up, 0.08 * up, 0.10 * up + 0.05 * swing);
  bend_head(pose, -0.04 * up, 0.06 * up, -0.22 * up + 0.07 * late);
  turn_side(pose, LEFT, SUP_MOCHI_UPPER_ARM_l, 0, -0.15 * up, 0.62 * up + 0.10 * swing);
  turn_side(pose, LEFT, SUP_MOCHI_FOREARM_l, 0, -0.10, 0.48 * up + 0.42 * swing);
  turn_side(pose, LEFT, SUP_MOCHI_HAND_l, 0, 0, 0.15 * up + 0.45 * late);
  turn_side(pose, RIGHT, SUP_MOCHI_UPPER_ARM_l, 0, 0, -0.08 + 0.10 * up);
  turn_side(pose, RIGHT, SUP_MOCHI_FOREARM_l, 0, -0.15 - 0.25 * up, 0);
  bend_ear(pose, LEFT, 0.10 * late, 0.12 * late);
  bend_ear(pose, RIGHT, 0.10 * late, -0.12 * late);
  bend_tail(pose, 0.05 * up, 0.45 * on * sup_wave(1.1 * (t - 0.7)));
  stand(body, pose);
}

/* ---- pop: a hit on every beat, two beats a second ---------------------------------------------
 */

typedef struct PopPose {
  double arm_l, arm_r, elbow_l, elbow_r, chest, turn, tip, dip;
} PopPose;

static void pose_pop(const SupBody *body, double t, SupBodyPose *pose) {
  static const PopPose poses[8] = {
      {0.0, 0.0, 0.2, 0.2, 0.00, 0.00, 0.00, 0.01},
      {0.9, -0.1, 1.0, 0.2, -0.16, 0.18, 0.10, 0.03},
      {0.9, 0.9, 1.0, 1.0, 0.12, -0.05, -0.02, 0.015},
      {-0.1, 0.9, 0.2, 1.0, -0.16, -0.25, -0.10, 0.03},
      {0.5, 0.5, -0.3, -0.3, 0.14, 0.00, 0.00, 0.012},
      {1.1, 0.2, 0.3, 1.1, -0.14, 0.30, -0.12, 0.035},
      {0.2, 1.1, 1.1, 0.3, 0.12, -0.30, 0.12, 0.012},
      {0.6, 0.6, 1.2, 1.2, -0.20, 0.00, 0.00, 0.04},
  };
  uint32_t beat = (uint32_t)(t / 0.5) % 8;
  double since = t - 0.5 * (uint32_t)(t / 0.5);
  const PopPose *a = &poses[beat], *b = &poses[(beat + 1) % 8];
  /* The hit comes in the last tenth of a second before the beat ends, and rings on in the next. */
  double u = sup_ease(since, 0.36, 0.50), hit = sup_ring(since, 9, 0.05);
#define MIX(field) (a->field + (b->field - a->field) * u)
  pose->shift = (SupVec3d){0.05 * MIX(turn), -MIX(dip) - 0.006 * hit, 0};
  sup_body_pose_turn(pose, SUP_MOCHI_HIPS, 0, -0.25 * MIX(turn), -0.3 * MIX(tip));
  bend_trunk(pose, MIX(chest) - 0.07 * hit, 0.7 * MIX(turn), MIX(tip));
  bend_head(pose, -0.7 * MIX(chest) + 0.05 * hit, 0.5 * MIX(turn), -0.8 * MIX(tip));
  turn_side(pose, LEFT, SUP_MOCHI_UPPER_ARM_l, 0, 0, MIX(arm_l) + 0.07 * hit);
  turn_side(pose, RIGHT, SUP_MOCHI_UPPER_ARM_l, 0, 0, MIX(arm_r) + 0.07 * hit);
  turn_side(pose, LEFT, SUP_MOCHI_FOREARM_l, 0, -0.3 * MIX(elbow_l),
            0.65 * MIX(elbow_l) + 0.12 * hit);
  turn_side(pose, RIGHT, SUP_MOCHI_FOREARM_l, 0, -0.3 * MIX(elbow_r),
            0.65 * MIX(elbow_r) + 0.12 * hit);
  bend_ear(pose, LEFT, 0.18 * hit - 0.3 * MIX(chest), 0.1 * hit);
  bend_ear(pose, RIGHT, 0.18 * hit - 0.3 * MIX(chest), 0.1 * hit);
  bend_tail(pose, 0.2 * hit, -0.8 * MIX(turn));
#undef MIX
  stand(body, pose);
}

SupResult sup_mochi_clips(SupArena *arena, const SupBody *body, uint32_t *out_count,
                          const SupClip **out_clips) {
  static const SupMotion motions[] = {
      {"idle", 4, true, pose_idle},     {"walk", 2, true, pose_walk},
      {"run", 2, true, pose_run},       {"jump", 2.4, true, pose_jump},
      {"stomp", 2.5, true, pose_stomp}, {"shake", 2, true, pose_shake},
      {"twist", 3, true, pose_twist},   {"wave", 3, true, pose_wave},
      {"pop", 4, true, pose_pop},
  };
  return sup_motions_bake(arena, body, motions, (uint32_t)(sizeof motions / sizeof motions[0]),
                          out_count, out_clips);
}
