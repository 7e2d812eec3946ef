/* SPDX-License-Identifier: MIT */
/*
 * How the cat moves. Every clip is a sum of simple curves: the trunk first, then the head, which
 * keeps upright, then paws that reach for the ground, so that they stay where they are put.
 */
#include "author/builtin/builtin_cat_pose.h"

enum { LEFT = SUP_CAT_LEFT, RIGHT = SUP_CAT_RIGHT };

/* ---- idle: breathing, weight from side to side, a look, a twitch of one ear -------------------
 */

static void pose_idle(const SupBody *body, double t, SupBodyPose *pose) {
  double sway = sup_wave(t / 4), breath = sup_wave(t / 2 - 0.1), late = sup_wave(t / 2 - 0.2);
  double look = SUP_CURVE(t, {0.5, 0, 0}, {0.9, 1, 0}, {1.9, 1, 0}, {2.4, -0.8, 0}, {3.2, -0.8, 0},
                          {3.7, 0, 0});
  double twitch = sup_ring(t - 1.5, 6, 0.12) - sup_ring(t - 2.9, 6, 0.12);
  SupCatTrunk trunk = {.shift = {0.012 * sway, -0.006 + 0.003 * breath, 0},
                       .pitch = sup_cat_pitch(0, 0.004 * breath),
                       .arch = 0.022 * breath,
                       .yaw = 0.02 * sway,
                       .bend = 0.05 * look,
                       .roll = -0.03 * sway,
                       .twist = 0.02 * sway};
  sup_cat_trunk(pose, &trunk);
  sup_cat_head(pose, &trunk, 0.025 * late, 0.40 * look, -0.10 * look);
  sup_cat_ear(pose, LEFT, 0.02 * late + 0.5 * (twitch > 0 ? twitch : 0), 0);
  sup_cat_ear(pose, RIGHT, 0.02 * late - 0.5 * (twitch < 0 ? twitch : 0), 0);
  sup_cat_tail(
      body, pose,
      (SupCatTail){
          .up = 0.02 * late, .curl = 0.10 * breath, .left = 0.24, .turns = t / 2, .lag = 0.09});
  sup_cat_stand(body, pose);
}

/* ---- Gaits ------------------------------------------------------------------------------------
 */

/* Seconds per stride, fraction of it that a paw stands, half the way that a paw goes back, how high
 * it is lifted, and when each paw lands: left hind, left fore, right hind, right fore. */
typedef struct Gait {
  double seconds, stance, reach, lift;
  double lands[4];
} Gait;

/* A paw goes back at the speed of the ground while it stands, then swings forward and meets the
 * ground at its speed; `fold` is how far the heel goes up and the toes then hang. */
static SupCatStep gait_step(const Gait *gait, double phase, double fold) {
  double stance = gait->stance, ground = -2 * gait->reach / stance;
  double u = (phase - stance) / (1 - stance);
  SupCatStep step = {{0, 0, 0}, 0, 0};
  step.shift.z = SUP_CURVE(phase, {0, gait->reach, ground}, {stance, -gait->reach, ground},
                           {1, gait->reach, ground});
  step.heel = SUP_CURVE(phase, {0.55 * stance, 0, 0}, {stance, 0.8 * fold, 2 * fold},
                        {stance + 0.12, fold, 0}, {0.93, 0, 0});
  if (u > 0) {
    double late = u * u * (1 - u) * 6.75, early = 16 * u * u * (1 - u) * (1 - u);
    step.shift.y = gait->lift * (0.5 + fold) * (0.4 * late + 0.6 * early);
    step.toes = fold * sup_ease(u, 0, 0.4) * (1 - sup_ease(u, 0.5, 0.95));
  }
  return step;
}

static void gait_paws(const SupBody *body, SupBodyPose *pose, const Gait *gait, double p) {
  for (uint32_t side = LEFT; side <= RIGHT; side++) {
    double inward = side == LEFT ? -0.014 : 0.014;
    SupCatStep hind = gait_step(gait, sup_wrap(p - gait->lands[2 * side]), 0.24);
    SupCatStep fore = gait_step(gait, sup_wrap(p - gait->lands[2 * side + 1]), 0.52);
    hind.shift.x = inward;
    fore.shift.x = inward;
    sup_cat_forepaw(body, pose, side, 2.4 * fore.shift.z, fore);
    sup_cat_hind_paw(body, pose, side, hind);
  }
}

/* Four beats: hind, fore, hind, fore; a waddle in the hips, the head quiet. */
static void pose_walk(const SupBody *body, double t, SupBodyPose *pose) {
  static const Gait gait = {1.0, 0.66, 0.062, 0.036, {0, 0.25, 0.5, 0.75}};
  double p = sup_wrap(t / gait.seconds);
  double hips = -0.006 + 0.007 * sup_wave(2 * p - 0.41), chest = 0.006 * sup_wave(2 * p + 0.09);
  double side = sup_wave(p - 0.08), turn = -sup_wave(p + 0.25);
  SupCatTrunk trunk = {.shift = {0.018 * side, hips, 0},
                       .pitch = sup_cat_pitch(hips, chest - 0.006),
                       .yaw = 0.10 * turn,
                       .bend = -0.08 * sup_wave(p) - 0.10 * turn,
                       .roll = 0.075 * side,
                       .twist = 0.06 * sup_wave(p + 0.17) - 0.075 * side};
  sup_cat_trunk(pose, &trunk);
  sup_cat_head(pose, &trunk, 0.03 * sup_wave(2 * p + 0.2), 0, -0.03 * sup_wave(p + 0.1));
  for (uint32_t s = LEFT; s <= RIGHT; s++) {
    sup_cat_ear(pose, s, 0.05 + 0.05 * sup_wave(2 * p + 0.05), 0.03 * sup_wave(2 * p));
  }
  sup_cat_tail(body, pose,
               (SupCatTail){.up = 0.10 + 0.02 * sup_wave(2 * p),
                            .curl = -0.06,
                            .left = 0.17,
                            .turns = p + 0.1,
                            .lag = 0.10});
  gait_paws(body, pose, &gait, p);
}

/* Two beats, diagonal paws together, a bounce between them. */
static void pose_trot(const SupBody *body, double t, SupBodyPose *pose) {
  static const Gait gait = {0.5, 0.44, 0.066, 0.050, {0, 0.5, 0.5, 0}};
  double p = sup_wrap(t / gait.seconds);
  double bob = sup_wave(2 * p - 0.72), side = sup_wave(p - 0.05), turn = -sup_wave(p + 0.25);
  double hips = -0.008 + 0.018 * bob, chest = -0.006 + 0.016 * sup_wave(2 * p - 0.76);
  SupCatTrunk trunk = {.shift = {0.010 * side, hips, 0},
                       .pitch = sup_cat_pitch(hips, chest),
                       .arch = -0.03 * bob,
                       .yaw = 0.08 * turn,
                       .bend = -0.16 * turn,
                       .roll = 0.05 * side,
                       .twist = -0.08 * side};
  sup_cat_trunk(pose, &trunk);
  sup_cat_head(pose, &trunk, -0.03 + 0.05 * sup_wave(2 * p - 0.95), 0, 0);
  for (uint32_t s = LEFT; s <= RIGHT; s++) {
    sup_cat_ear(pose, s, 0.10 + 0.12 * sup_wave(2 * p - 0.9), 0.05 * sup_wave(2 * p - 0.9));
  }
  sup_cat_tail(body, pose,
               (SupCatTail){.up = 0.06 + 0.05 * sup_wave(2 * p - 1.0),
                            .curl = 0.02,
                            .left = 0.13,
                            .turns = p - 0.1,
                            .lag = 0.12});
  gait_paws(body, pose, &gait, p);
}

/* A gallop: hind paws, a flight outstretched, forepaws, a flight gathered. */
static void pose_run(const SupBody *body, double t, SupBodyPose *pose) {
  static const Gait gait = {0.5, 0.30, 0.085, 0.060, {0.0, 0.50, 0.08, 0.42}};
  double p = sup_wrap(t / gait.seconds);
  double gather = sup_wave(p + 0.33); /* 1 at 0.92 */
  double hips = 0.012 - 0.034 * sup_wave(p + 0.08), chest = 0.010 - 0.030 * sup_wave(p - 0.37);
  SupCatTrunk trunk = {.shift = {0, hips, 0.012 * sup_wave(p + 0.2)},
                       .pitch = sup_cat_pitch(hips, chest),
                       .arch = 0.02 + 0.20 * gather,
                       .yaw = 0.03 * sup_wave(p),
                       .roll = 0.03 * sup_wave(p + 0.1)};
  sup_cat_trunk(pose, &trunk);
  sup_cat_head(pose, &trunk, -0.04 + 0.08 * sup_wave(p - 0.45), 0, 0);
  for (uint32_t s = LEFT; s <= RIGHT; s++) {
    sup_cat_ear(pose, s, 0.25 + 0.16 * sup_wave(p + 0.35), 0.10);
  }
  sup_cat_tail(
      body, pose,
      (SupCatTail){.up = -0.10 + 0.13 * sup_wave(p - 0.30), .left = 0.05, .turns = p, .lag = 0.10});
  gait_paws(body, pose, &gait, p);
}

/* ---- jump: crouch, up, land on the forepaws, settle --------------------------------------------
 */

/* How high a paw is while its end of the trunk is at `high`: left behind at first, drawn up by
 * `tuck`, then stretched out to the ground. */
static double leap_paw(double t, double off, double land, double high, double tuck) {
  double drawn = sup_ease(t, off, off + 0.18) * (1 - sup_ease(t, land - 0.18, land));
  return (high > 0 ? high + tuck : tuck) * drawn;
}

static void pose_jump(const SupBody *body, double t, SupBodyPose *pose) {
  /* The legs are stretched at the take-off and at the landing; between them it falls freely. */
  const double off = 0.66, land = 1.06, stretch = 0.045, up = 0.5 * 9.81 * (land - off);
  double high = SUP_CURVE(t, {0.10, 0, 0}, {0.46, -0.066, 0}, {0.54, -0.066, 0}, {off, stretch, up},
                          {land, stretch, -up}, {land + 0.11, -0.054, 0}, {1.62, 0.006, 0},
                          {1.95, -0.003, 0}, {2.2, 0, 0});
  if (t > off && t < land) high = stretch + (t - off) * (up - 0.5 * 9.81 * (t - off));
  SupCatTrunk trunk = {.shift = {0, high, 0}};
  trunk.shift.z = SUP_CURVE(t, {0.1, 0, 0}, {0.46, -0.030, 0}, {0.54, -0.030, 0}, {0.68, 0.01, 0},
                            {1.0, 0, 0}, {1.2, 0.012, 0}, {1.7, 0, 0});
  trunk.pitch = SUP_CURVE(t, {0.1, 0, 0}, {0.40, 0.04, 0}, {0.60, -0.30, 0}, {0.72, -0.28, 0},
                          {0.99, 0.14, 0}, {1.14, 0.05, 0}, {1.30, -0.05, 0}, {1.7, 0, 0});
  trunk.arch =
      SUP_CURVE(t, {0.1, 0, 0}, {0.46, 0.20, 0}, {0.56, 0.20, 0}, {0.70, -0.16, 0}, {0.90, 0.14, 0},
                {1.05, 0.05, 0}, {1.20, -0.05, 0}, {1.55, 0.04, 0}, {1.9, 0, 0});
  double late =
      SUP_CURVE(t, {0.2, 0, 0}, {0.52, -0.08, 0}, {0.70, 0.40, 0}, {0.90, 0.05, 0},
                {1.08, -0.25, 0}, {1.28, 0.35, 0}, {1.55, -0.10, 0}, {1.8, 0.04, 0}, {2.2, 0, 0});
  double chest = sup_cat_chest_rise(&trunk);
  sup_cat_trunk(pose, &trunk);
  sup_cat_head(pose, &trunk, 0.35 * late, 0, 0);
  sup_cat_tail(
      body, pose,
      (SupCatTail){
          .up = -0.45 * late, .curl = 0.15 * late, .left = 0.06, .turns = t / 1.2, .lag = 0.1});
  double heel =
      SUP_CURVE(t, {0.54, 0, 0}, {off, 0.70, 0}, {off + 0.10, 0.55, 0}, {land - 0.04, 0, 0});
  double hang = SUP_CURVE(t, {0.56, 0, 0}, {0.72, 0.8, 0}, {0.98, 0, 0});
  double hind_y = leap_paw(t, off, land, high, 0.055);
  double fore_y = leap_paw(t, 0.57, 1.02, chest, 0.045);
  for (uint32_t s = LEFT; s <= RIGHT; s++) {
    sup_cat_ear(pose, s, 0.8 * late, 0.3 * late);
    sup_cat_forepaw(body, pose, s, 0.10 * hang, (SupCatStep){{0, fore_y, 0.03 * hang}, 0, hang});
    sup_cat_hind_paw(body, pose, s, (SupCatStep){{0, hind_y, 0}, heel, 0.4 * hang});
  }
}

/* ---- shake: a wave of rolls from the head to the tail ------------------------------------------
 */

static void pose_shake(const SupBody *body, double t, SupBodyPose *pose) {
  double p = 3 * t; /* six turns in two seconds */
  double head = sup_wave(p), chest = sup_wave(p - 0.14), hips = sup_wave(p - 0.32);
  SupCatTrunk trunk = {.shift = {0.012 * hips, -0.022 + 0.003 * sup_wave(2 * p), 0},
                       .pitch = 0.02,
                       .arch = 0.04,
                       .yaw = 0.03 * hips,
                       .bend = -0.05 * chest,
                       .roll = 0.17 * hips,
                       .twist = 0.20 * chest - 0.17 * hips};
  sup_cat_trunk(pose, &trunk);
  sup_cat_head(pose, &trunk, 0.14, 0.12 * head, 0.50 * head);
  for (uint32_t s = LEFT; s <= RIGHT; s++) {
    double flap = (s == LEFT ? 1 : -1) * sup_wave(p - 0.25);
    sup_cat_ear(pose, s, 0.25 + 0.10 * sup_wave(2 * p), 0.20 + 0.40 * flap);
  }
  sup_cat_tail(body, pose, (SupCatTail){.up = -0.04, .left = 0.28, .turns = p - 0.45, .lag = 0.13});
  sup_cat_stand(body, pose);
}

/* ---- sit: down on the haunches, a look, the tip of the tail taps, up again ----------------------
 */

static void pose_sit(const SupBody *body, double t, SupBodyPose *pose) {
  double down = SUP_CURVE(t, {0.20, 0, 0}, {0.95, 1.03, 0}, {1.20, 1, 0}, {3.05, 1, 0},
                          {3.80, -0.04, 0}, {4.1, 0, 0});
  double feet = sup_ease(t, 0.30, 0.85) * (1 - sup_ease(t, 3.15, 3.7));
  double breath = sup_wave(t / 1.5 - 0.1) * feet;
  double look = SUP_CURVE(t, {1.2, 0, 0}, {1.6, 1, 0}, {2.1, 1, 0}, {2.5, -0.6, 0}, {2.9, -0.6, 0},
                          {3.3, 0, 0});
  SupCatTrunk trunk = {.shift = {0, -0.138 * down, 0.036 * down},
                       .pitch = -0.38 * down + 0.010 * breath,
                       .arch = 0.28 * down + 0.015 * breath,
                       .bend = 0.05 * look};
  double tap = sup_ring(t - 1.5, 2.5, 0.3) + sup_ring(t - 2.4, 2.5, 0.3);
  sup_cat_trunk(pose, &trunk);
  sup_cat_head(pose, &trunk, -0.05 * down + 0.02 * breath, 0.45 * look, -0.12 * look);
  sup_cat_ear(pose, LEFT, 0.35 * sup_ring(t - 1.9, 6, 0.12), 0);
  sup_cat_ear(pose, RIGHT, 0.35 * sup_ring(t - 2.7, 6, 0.12), 0);
  sup_cat_tail(body, pose,
               (SupCatTail){.up = -0.04 * down,
                            .curl = -0.12 * down + 0.06 * tap,
                            .side = 0.34 * down,
                            .left = 0.05 * feet,
                            .turns = t / 1.5,
                            .lag = 0.12});
  for (uint32_t s = LEFT; s <= RIGHT; s++) {
    double out = s == LEFT ? 0.050 : -0.050;
    double lift = 16 * feet * feet * (1 - feet) * (1 - feet);
    sup_cat_forepaw(body, pose, s, 0, (SupCatStep){0});
    sup_cat_hind_paw(body, pose, s,
                     (SupCatStep){{out * feet, 0.012 * lift, 0.125 * feet}, -0.36 * feet, 0});
  }
}

/* ---- pounce: low in front, the rump wiggles, up and down on the prey ----------------------------
 */

static void pose_pounce(const SupBody *body, double t, SupBodyPose *pose) {
  double low = sup_ease(t, 0.15, 0.60) * (1 - sup_ease(t, 1.62, 1.78));
  double rear = SUP_CURVE(t, {1.58, 0, 0}, {1.90, 1, 0}, {1.96, 1, 0}, {2.12, 0, -3},
                          {2.20, -0.16, 0}, {2.50, 0.05, 0}, {2.8, 0, 0});
  double on = sup_ease(t, 0.60, 0.85) * (1 - sup_ease(t, 1.40, 1.60));
  double wiggle = on * sup_wave(3 * (t - 0.6)), late = on * sup_wave(3 * (t - 0.6) - 0.15);
  double hit = sup_ring(t - 2.12, 3, 0.15);
  double hips = -0.020 * low - 0.020 * (rear > 0 ? rear : 0) - 0.012 * hit;
  SupCatTrunk trunk = {.shift = {0.030 * wiggle, hips, -0.020 * low + 0.010 * rear},
                       .pitch = 0.20 * low - 0.55 * rear,
                       .arch = -0.05 * low + 0.10 * rear,
                       .yaw = 0.14 * wiggle,
                       .bend = -0.16 * wiggle,
                       .roll = 0.08 * late,
                       .twist = -0.10 * late};
  double chest = sup_cat_chest_rise(&trunk);
  sup_cat_trunk(pose, &trunk);
  sup_cat_head(pose, &trunk, -0.10 * low + 0.35 * rear + 0.10 * hit, 0, 0);
  sup_cat_tail(body, pose,
               (SupCatTail){.up = -0.10 * low + 0.15 * rear,
                            .curl = 0.05 * low,
                            .left = 0.10 * low + 0.20 * on,
                            .turns = 3 * (t - 0.6) - 0.3,
                            .lag = 0.12});
  double lift = sup_ease(t, 1.66, 1.86) * (1 - sup_ease(t, 2.00, 2.12));
  double ahead = SUP_CURVE(t, {1.70, 0, 0}, {2.02, 1, 0}, {2.12, 1, 0}, {2.40, 1, 0}, {2.75, 0, 0});
  for (uint32_t s = LEFT; s <= RIGHT; s++) {
    double back = 16 * sup_ease(t, 2.40, 2.75) * (1 - sup_ease(t, 2.40, 2.75));
    SupVec3d fore = {0, (chest > 0 ? chest : 0) * lift + 0.04 * lift + 0.006 * back, 0.045 * ahead};
    sup_cat_ear(pose, s, -0.10 * low + 0.35 * rear + 0.3 * hit, 0.1 * hit);
    sup_cat_forepaw(body, pose, s, 0.25 * ahead, (SupCatStep){fore, 0, 0.9 * lift});
    sup_cat_hind_paw(body, pose, s, (SupCatStep){0});
  }
}

SupResult sup_cat_clips(SupArena *arena, const SupBody *body, uint32_t *out_count,
                        const SupClip **out_clips) {
  static const SupMotion motions[] = {
      {"idle", 4, true, pose_idle},   {"walk", 2, true, pose_walk},
      {"trot", 2, true, pose_trot},   {"run", 2, true, pose_run},
      {"jump", 2.4, true, pose_jump}, {"shake", 2, true, pose_shake},
      {"sit", 4.5, true, pose_sit},   {"pounce", 3, true, pose_pounce},
  };
  return sup_motions_bake(arena, body, motions, (uint32_t)(sizeof motions / sizeof motions[0]),
                          out_count, out_clips);
}
